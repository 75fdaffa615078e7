"""W0: what one call costs, with keywords, with sizes one by one, and with an index.

The tensors are tiny, so that nearly all of the time is reading the arguments and recording.
"""

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.harness import Options, main, measure
from benchmarks.workload import Figure, Program, Step, Workload

REPEATS = 250
CALLS = 4


def keywords(T: Any) -> Step:
    x, a, b = T.ones(4, 6), T.ones(2, 3), T.ones(2, 3)
    softmax = T.nn.functional.softmax

    def step() -> tuple[Any, Any]:
        for _ in range(REPEATS):
            x.sum(dim=0, keepdim=True)
            T.sum(x, dim=0)
            T.cat([a, b], dim=1)
            y = softmax(x, dim=-1)
        return y.tolist(), []

    return step


def sizes(T: Any) -> Step:
    x = T.ones(4, 6)

    def step() -> tuple[Any, Any]:
        for _ in range(REPEATS):
            x.view(6, 4)
            x.permute(1, 0)
            x.split(2)
            y = T.zeros(2, 3)
        return y.tolist(), []

    return step


def indices(T: Any) -> Step:
    x, i = T.ones(4, 6), 2

    def step() -> tuple[Any, Any]:
        for _ in range(REPEATS):
            x[1:3]
            x[:, None]
            x[..., 1]
            y = x[i]
        return y.tolist(), []

    return step


def workload(name: str, title: str, program: Callable[[Any], Step]) -> Workload:
    programs: dict[str, Program] = {"torch": program, "wend": program}
    scale = 1e9 / (REPEATS * CALLS)
    return Workload(name, title, "ns/call", scale, programs, {"torch": 5.0})


WORKLOADS = [
    workload("W0k", "calls with keywords: sum, cat, softmax", keywords),
    workload("W0s", "calls with sizes one by one: view, permute, split, zeros", sizes),
    workload("W0i", "indexing by slices, None, ... and numbers", indices),
]


def figures(options: Options) -> Iterator[Figure]:
    return measure(WORKLOADS, options)


if __name__ == "__main__":
    main("W0k", "W0s", "W0i")
