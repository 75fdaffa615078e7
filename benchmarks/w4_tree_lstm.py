"""W4: a training step of a Tree-LSTM over 64 trees, written for one tree; at hidden 128 and 512.

The trees differ in shape, so that a batch must be found in them, by hand or by the framework.
"""

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.harness import Options, main, measure
from benchmarks.tree_lstm import Examples, by_level, recursion
from benchmarks.tree_lstm_dynet import autobatched
from benchmarks.workload import Figure, Program, Step, Workload

TREES = 64


def at(hidden: int, program: Callable[[Any, Examples, int], Step]) -> Program:
    return lambda module: program(module, Examples.generated(TREES), hidden)


def programs(hidden: int) -> dict[str, Program]:
    return {
        "torch": at(hidden, recursion),
        "torch by level": at(hidden, by_level),
        "dynet": at(hidden, autobatched),
        "wend": at(hidden, recursion),
    }


WORKLOADS = [
    Workload(
        name="W4",
        title="Tree-LSTM, hidden 128, 64 trees of 10-30 leaves, train step",
        unit="µs/tree",
        scale=1e6 / TREES,
        programs=programs(128),
        aims={"torch": 20.0, "torch by level": 1.3},
    ),
    Workload(
        name="W4 512",
        title="Tree-LSTM, hidden 512, 64 trees of 10-30 leaves, train step",
        unit="µs/tree",
        scale=1e6 / TREES,
        programs=programs(512),
        aims={"torch by level": 1.0},
    ),
]


def figures(options: Options) -> Iterator[Figure]:
    return measure(WORKLOADS, options)


if __name__ == "__main__":
    main(*(workload.name for workload in WORKLOADS))
