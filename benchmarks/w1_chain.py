"""W1: a chain of 1000 alternating additions and multiplications on four elements; W1f: its forward.

Nearly all of the time is what a framework adds to each operation.
"""

from collections.abc import Iterator
from typing import Any

from benchmarks.dynet_parameter import dynet_parameter
from benchmarks.harness import Options, main, measure
from benchmarks.workload import Figure, Step, Workload

LENGTH = 1000
START = [1.0, -2.0, 0.5, 3.0]
SHIFT = [0.01, 0.02, -0.01, 0.03]
FACTOR = [0.999, 1.001, 0.998, 1.0005]


def chain(T: Any, length: int = LENGTH) -> Step:
    start = T.tensor(START, requires_grad=True)
    shift, factor = T.tensor(SHIFT), T.tensor(FACTOR)

    def step() -> tuple[Any, Any]:
        start.grad = None
        y = start
        for _ in range(length // 2):
            y = y + shift
            y = y * factor
        y.sum().backward()
        return y, start.grad.tolist()

    return step


def chain_forward(T: Any) -> Step:
    start, shift, factor = T.tensor(START), T.tensor(SHIFT), T.tensor(FACTOR)

    def step() -> tuple[Any, Any]:
        y = start
        for _ in range(LENGTH // 2):
            y = y + shift
            y = y * factor
        return y.tolist(), []

    return step


def dynet_chain(dy: Any) -> Step:
    start = dynet_parameter(dy, START)

    def step() -> tuple[Any, Any]:
        start.scale_gradient(0)
        dy.renew_cg()
        shift, factor = dy.inputVector(SHIFT), dy.inputVector(FACTOR)
        y = start
        for _ in range(LENGTH // 2):
            y = y + shift
            y = dy.cmult(y, factor)
        dy.sum_elems(y).backward()
        return y, start.grad_as_array

    return step


def dynet_chain_forward(dy: Any) -> Step:
    def step() -> tuple[Any, Any]:
        dy.renew_cg()
        y, shift, factor = map(dy.inputVector, (START, SHIFT, FACTOR))
        for _ in range(LENGTH // 2):
            y = y + shift
            y = dy.cmult(y, factor)
        return y.value(), []

    return step


def jax_chain(jax: Any) -> Step:
    """Compiled once for this chain only: what a static graph reaches, for reference."""
    start, shift, factor = map(jax.numpy.array, (START, SHIFT, FACTOR))

    def forward(y: Any) -> tuple[Any, Any]:
        def advance(y: Any, _: None) -> tuple[Any, None]:
            return (y + shift) * factor, None

        y, _ = jax.lax.scan(advance, y, None, length=LENGTH // 2, unroll=10)
        return y.sum(), y

    compiled = jax.jit(jax.value_and_grad(forward, has_aux=True))

    def step() -> tuple[Any, Any]:
        (_, y), gradient = compiled(start)
        return y, gradient.tolist()

    return step


WORKLOADS = [
    Workload(
        name="W1",
        title="chain of 1000 add/mul on (4,), forward + backward",
        unit="ns/op",
        scale=1e9 / LENGTH,
        programs={"torch": chain, "dynet": dynet_chain, "jax": jax_chain, "wend": chain},
        aims={"torch": 30.0, "dynet": 1.0},
    ),
    Workload(
        name="W1f",
        title="chain of 1000 add/mul on (4,), forward only",
        unit="ns/op",
        scale=1e9 / LENGTH,
        programs={"torch": chain_forward, "dynet": dynet_chain_forward, "wend": chain_forward},
        aims={"torch": 15.0},
    ),
]


def figures(options: Options) -> Iterator[Figure]:
    return measure(WORKLOADS, options)


if __name__ == "__main__":
    main("W1", "W1f")
