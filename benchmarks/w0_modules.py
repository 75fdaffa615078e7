"""W0m: what calling a small module costs: Linear, LSTMCell and Sequential.

The tensors are tiny, so that nearly all of the time is the call. Every result is used, so that no
peer may leave one out.
"""

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.harness import Options, main, measure
from benchmarks.programs import same_start
from benchmarks.workload import Figure, Program, Step, Workload

CALLS = 200
SIZE = 8


def inputs(T: Any) -> Any:
    return T.linspace(-1, 1, 4 * SIZE).reshape(4, SIZE)


def repeated(T: Any, module: Any) -> Step:
    same_start(T, module)
    x = inputs(T)

    def step() -> tuple[Any, Any]:
        return T.stack([module(x) for _ in range(CALLS)]).sum(0).tolist(), []

    return step


def linear(T: Any) -> Step:
    return repeated(T, T.nn.Linear(SIZE, SIZE))


def sequential(T: Any) -> Step:
    nn = T.nn
    layers = [nn.Linear(SIZE, 2 * SIZE), nn.ReLU(), nn.Linear(2 * SIZE, SIZE), nn.Tanh()]
    return repeated(T, nn.Sequential(*layers))


def cells(T: Any) -> Step:
    cell = T.nn.LSTMCell(SIZE, SIZE)
    same_start(T, cell)
    x, zero = inputs(T), T.zeros(4, SIZE)

    def step() -> tuple[Any, Any]:
        state = (zero, zero)
        for _ in range(CALLS):
            state = cell(x, state)
        return state[0].tolist(), state[1].tolist()

    return step


def workload(name: str, title: str, program: Callable[[Any], Step]) -> Workload:
    programs: dict[str, Program] = {"torch": program, "wend": program}
    return Workload(name, title, "ns/call", 1e9 / CALLS, programs, {"torch": 5.0})


WORKLOADS = [
    workload("W0ml", "nn.Linear(8, 8) on (4, 8)", linear),
    workload("W0mc", "nn.LSTMCell(8, 8) on (4, 8), one after the other", cells),
    workload("W0ms", "nn.Sequential of two Linears, ReLU and Tanh on (4, 8)", sequential),
]


def figures(options: Options) -> Iterator[Figure]:
    return measure(WORKLOADS, options)


if __name__ == "__main__":
    main("W0ml", "W0mc", "W0ms")
