"""F: six elementwise operations on a million floats; Fg: with the gradient; Fs: their sum.

Nearly all of the time goes into memory, unless values in between stay in cache.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Options, main, measure
from benchmarks.workload import Figure, Step, Workload

ELEMENTS = 1_000_000


def tensors(T: Any, requires_grad: bool = False) -> tuple[Any, Any]:
    """Two operands, the second of which is a row that is broadcast."""
    source = np.random.RandomState(6)
    x = source.randn(1000, ELEMENTS // 1000).astype(np.float32)
    row = source.randn(ELEMENTS // 1000).astype(np.float32)
    return T.tensor(x, requires_grad=requires_grad), T.tensor(row)


def six(x: Any, row: Any) -> Any:
    return ((x * 0.5 + row).relu() * x - 0.25) * row


def forward(T: Any) -> Step:
    x, row = tensors(T)

    def step() -> tuple[Any, Any]:
        y = six(x, row)
        y[-1, -1].item()
        return y, []

    return step


def gradient(T: Any) -> Step:
    x, row = tensors(T, requires_grad=True)

    def step() -> tuple[Any, Any]:
        x.grad = None
        y = six(x, row).sum()
        y.backward()
        x.grad[-1, -1].item()
        return y, x.grad

    return step


def total(T: Any) -> Step:
    x, row = tensors(T)

    def step() -> tuple[Any, Any]:
        y = six(x, row).sum()
        y.item()
        return y, []

    return step


def workload(name: str, title: str, program: Any, aim: float) -> Workload:
    return Workload(
        name=name,
        title=f"six elementwise ops on 1e6 floats, {title}",
        unit="µs",
        scale=1e6,
        programs={"torch": program, "wend": program},
        aims={"torch": aim},
    )


WORKLOADS = [
    workload("F", "forward", forward, 2.0),
    workload("Fg", "forward + gradient", gradient, 2.0),
    workload("Fs", "and their sum", total, 2.0),
]


def figures(options: Options) -> Iterator[Figure]:
    return measure(WORKLOADS, options)


if __name__ == "__main__":
    main("F", "Fg", "Fs")
