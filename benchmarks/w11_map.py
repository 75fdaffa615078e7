"""W11: an RNN that looks at its state at every step: `wend.map` against the plain loop.

The map must not be slower than the loop that it is recommended over, however little a step takes.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Options, main, measure
from benchmarks.workload import Figure, Program, Step, Workload

SEQUENCES, LONGEST = 64, 12
WIDTHS = (16, 64, 128, 512)
MOST = 1.1  # times the loop

Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


class RNN:
    """Halves its state whenever that has become large, so that it must look."""

    def __init__(self, T: Any, width: int) -> None:
        self.T, self.width, self.large = T, width, 0.6 * width**0.5
        draw = np.random.RandomState(width)

        def drawn(*sizes: int) -> Any:
            return T.tensor(draw.randn(*sizes).astype(np.float32) / width**0.5, requires_grad=True)

        self.parameters = [drawn(width, width), drawn(width, width), drawn(width)]
        lengths = draw.randint(LONGEST // 3, LONGEST + 1, size=SEQUENCES)
        words = [draw.randn(length, width).astype(np.float32) for length in lengths]
        self.sequences = [[T.tensor(word) for word in sequence] for sequence in words]

    def __call__(self, words: list[Any]) -> Any:
        recurrent, inner, bias = self.parameters
        h = self.T.zeros(self.width)
        for word in words:
            h = self.T.tanh(word @ inner + h @ recurrent + bias)
            if h.norm() > self.large:
                h = h * 0.5
        return h.sum()


def training(T: Any, width: int, each: Each) -> Step:
    rnn = RNN(T, width)

    def step() -> tuple[Any, Any]:
        for parameter in rnn.parameters:
            parameter.grad = None
        total = T.stack(list(each(rnn, rnn.sequences))).sum()
        total.backward()
        return total.item(), rnn.parameters[2].grad

    return step


def inference(T: Any, width: int, each: Each) -> Step:
    rnn = RNN(T, width)

    def step() -> tuple[Any, Any]:
        with T.no_grad():
            return T.stack(list(each(rnn, rnn.sequences))).sum().item(), []

    return step


Kind = Callable[[Any, int, Each], Step]


def programs(kind: Kind, width: int) -> dict[str, Program]:
    return {
        "torch": lambda T: kind(T, width, map),
        "wend loop": lambda T: kind(T, width, map),
        "wend": lambda T: kind(T, width, T.map),
    }


def workload(name: str, kind: Kind, width: int) -> Workload:
    return Workload(
        name=f"{name}-{width}",
        title=f"RNN that looks at every step, width {width}, 64 sequences, {kind.__name__}",
        unit="µs/sequence",
        scale=1e6 / SEQUENCES,
        programs=programs(kind, width),
        aims={"wend loop": round(1 / MOST, 2)},
    )


WORKLOADS = [
    workload(name, kind, width)
    for name, kind in (("W11", training), ("W11i", inference))
    for width in WIDTHS
]


def figures(options: Options) -> Iterator[Figure]:
    return measure(WORKLOADS, options)


if __name__ == "__main__":
    main(*(workload.name for workload in WORKLOADS))
