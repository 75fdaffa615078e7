"""W5: a training step of an LSTM over 32 sequences of 5-60 steps, written for one sequence.

The peers run it as written, packed, batched by DyNet's autobatch, or padded and scanned.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.dynet_parameter import dynet_collection
from benchmarks.harness import Options, main, measure
from benchmarks.sketch import sketch
from benchmarks.workload import Figure, Step, Workload

SEQUENCES, SHORTEST, LONGEST = 32, 5, 60
INPUT = HIDDEN = 128
CLASSES = 5
LEARNING_RATE = 1e-3


def data() -> tuple[list[Any], list[int]]:
    """Sequences, a row for a step, and the class of each."""
    source = np.random.RandomState(5)
    lengths = source.randint(SHORTEST, LONGEST + 1, SEQUENCES)
    sequences = [source.randn(length, INPUT).astype(np.float32) for length in lengths]
    return sequences, source.randint(0, CLASSES, SEQUENCES).tolist()


def weights() -> list[Any]:
    """For input, state, their bias, classes and theirs; gates lie as i, f, g, o."""
    source = np.random.RandomState(55)
    sizes = [
        (INPUT, 4 * HIDDEN),
        (HIDDEN, 4 * HIDDEN),
        (4 * HIDDEN,),
        (HIDDEN, CLASSES),
        (CLASSES,),
    ]
    return [(source.randn(*size) * size[0] ** -0.5).astype(np.float32) for size in sizes]


def cell_loop(T: Any) -> Step:
    """One sequence after the other, one step after the other."""
    sequences, classes = data()
    parameters = [T.tensor(values, requires_grad=True) for values in weights()]
    for_input, for_state, bias, for_classes, classes_bias = parameters
    inputs = [T.tensor(sequence) for sequence in sequences]
    labels = [T.tensor([label]) for label in classes]

    def last_state(sequence: Any) -> Any:
        h = c = T.zeros(1, HIDDEN)
        for x in sequence.split(1):
            i, f, g, o = (x @ for_input + h @ for_state + bias).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        return h

    def step() -> tuple[Any, Any]:
        losses = []
        for sequence, label in zip(inputs, labels, strict=True):
            scores = last_state(sequence) @ for_classes + classes_bias
            losses.append(T.nn.functional.cross_entropy(scores, label))
        loss = T.stack(losses).sum()
        for p in parameters:
            p.grad = None
        loss.backward()
        with T.no_grad():
            for p in parameters:
                p -= LEARNING_RATE * p.grad
        return loss.item(), lambda: [sketch(p.grad.numpy()) for p in parameters]

    return step


def packed(torch: Any) -> Step:
    """The layer that PyTorch has for it, over a packed batch; packing is done outside the step."""
    sequences, classes = data()
    for_input, for_state, bias, for_classes, classes_bias = map(torch.tensor, weights())
    lstm = torch.nn.LSTM(INPUT, HIDDEN)
    linear = torch.nn.Linear(HIDDEN, CLASSES)
    with torch.no_grad():
        lstm.weight_ih_l0.copy_(for_input.T)
        lstm.weight_hh_l0.copy_(for_state.T)
        lstm.bias_ih_l0.copy_(bias)
        lstm.bias_hh_l0.zero_()
        linear.weight.copy_(for_classes.T)
        linear.bias.copy_(classes_bias)
    lstm.bias_hh_l0.requires_grad_(False)
    parameters = [
        lstm.weight_ih_l0,
        lstm.weight_hh_l0,
        lstm.bias_ih_l0,
        linear.weight,
        linear.bias,
    ]
    inputs = torch.nn.utils.rnn.pack_sequence(
        [torch.tensor(sequence) for sequence in sequences], enforce_sorted=False
    )
    labels = torch.tensor(classes)

    def step() -> tuple[Any, Any]:
        _, (h, _) = lstm(inputs)
        loss = torch.nn.functional.cross_entropy(linear(h[0]), labels, reduction="sum")
        for p in parameters:
            p.grad = None
        loss.backward()
        with torch.no_grad():
            for p in parameters:
                p -= LEARNING_RATE * p.grad
        return loss.item(), lambda: [sketch(p.grad.numpy().T) for p in parameters]

    return step


def dynet_cells(dy: Any) -> Step:
    """As cell_loop, with columns for rows, under autobatch."""
    sequences, labels = data()
    collection = dynet_collection(dy)
    parameters = [
        collection.parameters_from_numpy(np.ascontiguousarray(values.T)) for values in weights()
    ]
    for_input, for_state, bias, for_classes, classes_bias = parameters
    trainer = dy.SimpleSGDTrainer(collection, LEARNING_RATE)
    trainer.set_clip_threshold(0)

    def last_state(sequence: Any) -> Any:
        h = c = dy.zeros(HIDDEN)
        for x in sequence:
            gates = dy.affine_transform([bias, for_input, dy.inputTensor(x), for_state, h])
            i, f, g, o = (dy.pick_range(gates, k * HIDDEN, (k + 1) * HIDDEN) for k in range(4))
            c = dy.cmult(dy.logistic(f), c) + dy.cmult(dy.logistic(i), dy.tanh(g))
            h = dy.cmult(dy.logistic(o), dy.tanh(c))
        return h

    def step() -> tuple[Any, Any]:
        # The gradients of the last step are used up here, so that they can be read in between.
        trainer.update()
        dy.renew_cg(autobatching=True)
        losses = []
        for sequence, label in zip(sequences, labels, strict=True):
            scores = dy.affine_transform([classes_bias, for_classes, last_state(sequence)])
            losses.append(dy.pickneglogsoftmax(scores, label))
        loss = dy.esum(losses)
        value = loss.value()
        loss.backward()
        return value, lambda: [sketch(p.grad_as_array().T) for p in parameters]

    return step


def padded_loss(jax: Any, inputs: Any, present: Any, labels: Any) -> Callable[[Any], Any]:
    """The loss over padded sequences, time in front; a step beyond the end changes nothing."""
    jnp, nn = jax.numpy, jax.nn

    def loss(parameters: Any) -> Any:
        for_input, for_state, bias, for_classes, classes_bias = parameters

        def advance(state: Any, now: Any) -> tuple[Any, None]:
            h, c = state
            from_input, there = now
            i, f, g, o = jnp.split(from_input + h @ for_state, 4, 1)
            new_c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
            new_h = nn.sigmoid(o) * jnp.tanh(new_c)
            return (jnp.where(there, new_h, h), jnp.where(there, new_c, c)), None

        zeros = jnp.zeros((SEQUENCES, HIDDEN))
        (h, _), _ = jax.lax.scan(advance, (zeros, zeros), (inputs @ for_input + bias, present))
        scores = nn.log_softmax(h @ for_classes + classes_bias)
        return -jnp.take_along_axis(scores, labels[:, None], 1).sum()

    return loss


def padded_scan(jax: Any) -> Step:
    jnp = jax.numpy
    sequences, classes = data()
    longest = max(map(len, sequences))
    inputs: Any = np.zeros((longest, SEQUENCES, INPUT), np.float32)
    present: Any = np.zeros((longest, SEQUENCES, 1), bool)
    for row, sequence in enumerate(sequences):
        inputs[: len(sequence), row] = sequence
        present[: len(sequence), row] = True
    loss = padded_loss(jax, jnp.array(inputs), jnp.array(present), jnp.array(classes))

    @jax.jit  # type: ignore[untyped-decorator]
    def advance(parameters: Any) -> tuple[Any, Any, Any]:
        value, gradients = jax.value_and_grad(loss)(parameters)
        after = [p - LEARNING_RATE * g for p, g in zip(parameters, gradients, strict=True)]
        return value, gradients, after

    parameters = [jnp.array(values) for values in weights()]

    def step() -> tuple[Any, Any]:
        nonlocal parameters
        value, gradients, parameters = advance(parameters)
        jax.block_until_ready(parameters)
        return float(value), lambda: [sketch(np.array(g)) for g in gradients]

    return step


WORKLOADS = [
    Workload(
        name="W5",
        title="LSTM cells over 32 sequences of 5-60 steps, 128 wide, train step",
        unit="µs/sequence",
        scale=1e6 / SEQUENCES,
        programs={
            "torch": cell_loop,
            "torch packed": packed,
            "dynet": dynet_cells,
            "jax": padded_scan,
            "wend": cell_loop,
        },
        aims={"torch": 20.0, "torch packed": 1.3, "jax": 1.3},
    )
]


def figures(options: Options) -> Iterator[Figure]:
    return measure(WORKLOADS, options)


if __name__ == "__main__":
    main("W5")
