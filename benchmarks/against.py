"""Compares this build with another one: is any workload slower than it was before?

Usage: python -m benchmarks.against TREE, where TREE is a checkout in which wend is built. Both
builds run this tree's programs, by turns. Values are compared first, as everywhere.
"""

import json
import math
import random
import statistics
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.harness import Worker, difference, parser
from benchmarks.report import number
from benchmarks.workload import Workload, find

ROOT = Path(__file__).resolve().parent.parent
WORKLOADS = "W1,W1f,W2,W4,W5,W6,W9"
# A process keeps its luck with addresses for as long as it lives, so there are several.
PROCESSES = 5
ALLOWED = 1.03


@dataclass(frozen=True)
class Comparison:
    """This build's time over the other's: the median of all pairs, and its 95 % interval."""

    workload: str
    threads: str
    unit: str
    before: float
    now: float
    ratio: float
    low: float
    high: float
    pairs: int
    holds: bool


def interval(ratios: Sequence[float], draws: int = 2000) -> tuple[float, float]:
    """The 95 % interval of the median, by resampling.

    >>> interval([1.0] * 10)
    (1.0, 1.0)
    """
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(draws))
    return medians[round(0.025 * draws)], medians[round(0.975 * draws) - 1]


def start(workload: Workload, tree: Path, threads: str, stack: ExitStack) -> Worker:
    return stack.enter_context(Worker(workload, "wend", "wend", threads, tree=tree))


def pairs_of(
    workload: Workload, other: Path, threads: str, seconds: float, pairs: int
) -> list[tuple[float, float]]:
    """Times of the other build and of this one, one right after the other."""
    with ExitStack() as stack:
        workers = [start(workload, tree, threads, stack) for tree in (other, ROOT)]
        right, result = (worker.ask("check") for worker in workers)
        if text := difference(right, result):
            sys.exit(f"{workload.name}: the builds' results differ: {text}")
        for worker in workers:
            worker.prepare(seconds)
        found = []
        for i in range(pairs):
            ordered = workers if i % 2 else workers[::-1]
            taken = {id(worker): worker.time()[0] for worker in ordered}
            found.append((taken[id(workers[0])], taken[id(workers[1])]))
        return found


def compare(
    workload: Workload, other: Path, threads: str, seconds: float, pairs: int
) -> Comparison:
    each = math.ceil(pairs / PROCESSES)
    found = [
        pair for _ in range(PROCESSES) for pair in pairs_of(workload, other, threads, seconds, each)
    ]
    ratios = [now / before for before, now in found]
    low, high = interval(ratios)
    return Comparison(
        workload=workload.name,
        threads=threads,
        unit=workload.unit,
        before=statistics.median(before for before, _ in found),
        now=statistics.median(now for _, now in found),
        ratio=statistics.median(ratios),
        low=low,
        high=high,
        pairs=len(found),
        holds=low <= ALLOWED,
    )


def line(made: Comparison) -> str:
    """A row of the table.

    >>> line(Comparison("W1", "1", "ns/op", 140.0, 139.0, 0.993, 0.98, 1.01, 30, True))
    '| W1 | ns/op | 1 | 140 | 139 | 0.993 (0.980 to 1.010) | yes |'
    """
    ratio = f"{made.ratio:.3f} ({made.low:.3f} to {made.high:.3f})"
    cells = [made.workload, made.unit, made.threads, number(made.before), number(made.now), ratio]
    return "| " + " | ".join([*cells, "yes" if made.holds else "NO"]) + " |"


def main() -> None:
    made = parser()
    made.set_defaults(workloads=WORKLOADS.split(","), threads=["default"])
    made.add_argument("tree", type=Path, help="a checkout with the build to compare with")
    made.add_argument("--pairs", type=int, default=30)
    options = made.parse_args()
    tree = options.tree.resolve()
    if not list((tree / "wend").glob("_C.*.so")):
        sys.exit(f"{tree} has no built wend: run ./dev build there")
    lines = []
    for name in options.workloads:
        for threads in options.threads:
            done = compare(find(name), tree, threads, options.seconds, options.pairs)
            print(json.dumps(asdict(done)), flush=True)
            lines.append(line(done))
    print(f"\n| workload | unit | threads | before | now | ratio (95 %) | ≤ {ALLOWED} |")
    print("|---" * 7 + "|", *lines, sep="\n")


if __name__ == "__main__":
    main()
