"""W10: how W1 and W4 grow with the work, and the most memory that W4 and a transformer block take.

Time for each node, and each piece of memory, is to be the same whatever the size of the whole.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from benchmarks import w1_chain
from benchmarks.harness import (
    Options,
    Worker,
    check,
    chosen,
    installed,
    measure,
    options_of,
    parser,
    show,
)
from benchmarks.transformer import block_step
from benchmarks.tree_lstm import Examples, by_level, recursion
from benchmarks.workload import Figure, Program, Workload

FACTORS = (1, 10, 100)
TREES, HIDDEN = 64, 128


def chain(factor: int) -> Program:
    return lambda T: w1_chain.chain(T, factor * w1_chain.LENGTH)


def trees(factor: int, way: Any = recursion) -> Program:
    return lambda T: way(T, Examples.generated(factor * TREES), HIDDEN)


def chains() -> Iterator[Workload]:
    for factor in FACTORS:
        yield Workload(
            name=f"W10 W1 {factor}x",
            title=f"chain of {factor * w1_chain.LENGTH} add/mul on (4,), forward + backward",
            unit="ns/op",
            scale=1e9 / (factor * w1_chain.LENGTH),
            programs={"torch": chain(factor), "wend": chain(factor)},
        )


def forests() -> Iterator[Workload]:
    """The norm goes by level: one by one, a hundred times the work would take minutes."""
    for factor in FACTORS:
        yield Workload(
            name=f"W10 W4 {factor}x",
            title=f"Tree-LSTM, hidden 128, {factor * TREES} trees, train step",
            unit="µs/tree",
            scale=1e6 / (factor * TREES),
            programs={"torch": trees(factor, by_level), "wend": trees(factor)},
        )


MEMORY = [
    Workload(
        name="W10 trees",
        title="Tree-LSTM, hidden 128, 64 trees, train step",
        unit="MB",
        scale=1.0,
        programs={
            "torch": trees(1),
            "torch by level": trees(1, by_level),
            "wend": trees(1),
        },
        aims={"torch": 1.0},
    ),
    Workload(
        name="W10 block",
        title="transformer block, 256 wide, 8 sequences of 128, train step",
        unit="MB",
        scale=1.0,
        programs={"torch": block_step, "wend": block_step},
        aims={"torch": 1.0},
    ),
]

GROWTH = [*chains(), *forests()]
WORKLOADS = [*GROWTH, *MEMORY]


def peaks_of(workload: Workload, options: Options) -> Iterator[Figure]:
    """The most memory that each peer's step takes; values are compared after a few steps."""
    with ExitStack() as stack:
        workers = [
            stack.enter_context(Worker(workload, program, options.module(program), "1"))
            for program in installed(workload, options)
        ]
        found = [worker.ask("peaks") for worker in workers]
        check(workload, workers)
        versions = [worker.ask("version") for worker in workers]
    for what in ("tensors", "resident"):
        for worker, peak, version in zip(workers, found, versions, strict=True):
            yield Figure(
                workload=f"{workload.name} {what}",
                title=f"{workload.title}: most memory beyond weights and inputs",
                peer=worker.peer,
                version=version,
                threads=worker.threads,
                value=peak[what],
                unit=workload.unit,
                spread=0.0,
                repeats=1,
                thrown_away=0,
                quiet=True,
                aims=workload.aims,
            )


def figures(options: Options) -> Iterator[Figure]:
    yield from measure(GROWTH, options)
    for workload in chosen(MEMORY, options):
        yield from peaks_of(workload, options)


if __name__ == "__main__":
    show(figures(options_of(parser().parse_args())))
