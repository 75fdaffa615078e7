"""W12: weights or inputs that share their memory with a living NumPy array, against owned ones.

An op reads shared memory as it is when the op is called, so wend has to see that nobody wrote. What
that costs is the difference to the program that owns its weights, which is also the norm: at most
2.5 times as long, where only this process can write the memory.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Options, main, measure
from benchmarks.sketch import sketch
from benchmarks.tree_lstm import Examples, recursion
from benchmarks.workload import Figure, Program, Step, Workload

SEQUENCES, STEPS = 64, 50
TREES = 64
LEARNING_RATE = 1e-3

Make = Callable[[Any], Any]
Share = Callable[[Any, list[Any]], Make]


def owned(T: Any, kept: list[Any]) -> Make:
    return lambda values: T.tensor(values, requires_grad=True)


def from_numpy(T: Any, kept: list[Any]) -> Make:
    """The array that the weight was made from lives on."""

    def make(values: Any) -> Any:
        kept.append(values)
        return T.from_numpy(values).requires_grad_()

    return make


def kept_numpy(T: Any, kept: list[Any]) -> Make:
    """An array that was made from the weight lives on."""

    def make(values: Any) -> Any:
        weight = T.tensor(values, requires_grad=True)
        kept.append(weight.detach().numpy())
        return weight

    return make


def shared_memory(T: Any, kept: list[Any]) -> Make:
    """Other processes may write the weight."""
    return lambda values: T.tensor(values).share_memory_().requires_grad_()


def holding(kept: list[Any], step: Step) -> Step:
    """The step, as long as which the arrays live."""
    return lambda: (step(), kept)[0]


def rnn(T: Any, width: int, share: Share, inputs: str = "owned") -> Step:
    """A training step of an RNN over sequences, written for one."""
    kept: list[Any] = []
    make = share(T, kept)
    source = np.random.RandomState(12)

    def normal(*sizes: int) -> Any:
        return (source.randn(*sizes) * width**-0.5).astype(np.float32)

    weights = [make(normal(width, width)), make(normal(width, width)), make(normal(width))]
    data = normal(SEQUENCES, STEPS, width)
    kept.append(data)
    rows = T.from_numpy(data) if inputs == "shared" else T.tensor(data)
    sequences = [[rows[i, t] for t in range(STEPS)] for i in range(SEQUENCES)]

    def step() -> tuple[Any, Any]:
        into, across, bias = weights
        losses = []
        for sequence in sequences:
            h = T.zeros(width)
            for x in sequence:
                h = T.tanh(x @ into + h @ across + bias)
            losses.append((h * h).sum())
        loss = T.stack(losses).sum()
        loss.backward()
        gradients = [weight.grad for weight in weights]
        with T.no_grad():
            for weight in weights:
                weight -= LEARNING_RATE * weight.grad
                weight.grad = None
        return loss.item(), lambda: [sketch(g.numpy()) for g in gradients]

    return holding(kept, step)


def trees(share: Share, hidden: int) -> Program:
    def program(T: Any) -> Step:
        kept: list[Any] = []
        step = recursion(T, Examples.generated(TREES), hidden, share(T, kept))
        return holding(kept, step)

    return program


def logged(T: Any, log: bool) -> Step:
    """Training that keeps the weights of every step's begin, as a look at them afterwards does."""
    T.manual_seed(0)
    cell = T.nn.RNNCell(64, 64)
    source = np.random.RandomState(12)
    with T.no_grad():
        for p in cell.parameters():
            p.copy_(T.tensor((source.randn(*p.shape) * 0.1).astype(np.float32)))
    sequences = [
        [T.tensor(source.randn(1, 64).astype(np.float32)) for _ in range(20)] for _ in range(16)
    ]
    seen: list[Any] = []

    def step() -> tuple[Any, Any]:
        if log:
            seen[:] = [p.detach().numpy() for p in cell.parameters()]
        losses = []
        for sequence in sequences:
            h = T.zeros(1, 64)
            for x in sequence:
                h = cell(x, h)
            losses.append((h * h).sum())
        loss = T.stack(losses).sum()
        loss.backward()
        gradients = [p.grad for p in cell.parameters()]
        with T.no_grad():
            for p in cell.parameters():
                p -= LEARNING_RATE * p.grad
                p.grad = None
        return loss.item(), lambda: [sketch(g.numpy()) for g in gradients]

    return step


WAYS = {
    "wend": owned,
    "wend from_numpy": from_numpy,
    "wend .numpy()": kept_numpy,
    "wend share_memory": shared_memory,
}


def rnn_with(share: Share, width: int, inputs: str = "owned") -> Program:
    return lambda T: rnn(T, width, share, inputs)


def rnn_at(width: int) -> Workload:
    programs = {name: rnn_with(share, width) for name, share in WAYS.items()}
    programs["wend inputs"] = rnn_with(owned, width, "shared")
    return Workload(
        name=f"W12 RNN {width}",
        title=f"RNN, {width} wide, {SEQUENCES} sequences of {STEPS}, train step, shared memory",
        unit="ms",
        scale=1e3,
        programs=programs,
        norm="wend",
    )


WORKLOADS = [
    *(rnn_at(width) for width in (64, 128, 256)),
    *(
        Workload(
            name=f"W12 trees {hidden}",
            title=f"Tree-LSTM, hidden {hidden}, {TREES} trees, train step, shared memory",
            unit="µs/tree",
            scale=1e6 / TREES,
            programs={name: trees(share, hidden) for name, share in WAYS.items()},
            norm="wend",
        )
        for hidden in (128, 256)
    ),
    Workload(
        name="W12 log",
        title="RNNCell, 16 sequences of 20, train step, with `log = [p.detach().numpy() ...]`",
        unit="ms",
        scale=1e3,
        programs={"wend": lambda T: logged(T, False), "wend log": lambda T: logged(T, True)},
        norm="wend",
    ),
]


def figures(options: Options) -> Iterator[Figure]:
    return measure(WORKLOADS, options)


if __name__ == "__main__":
    main(*(workload.name for workload in WORKLOADS))
