"""Measures workloads: peers in processes of their own, values compared first, repeats interleaved.

What is computed stands in the workload files, how it looks in report.py.
"""

import argparse
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.quiet import is_quiet
from benchmarks.workload import Figure, Workload, find, module_of, modules

# For the pools that no function of the peer's sets.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
# Long enough for a pool that spins before it sleeps to be asleep when another peer is timed.
SETTLE_SECONDS = 0.05
ROOT = Path(__file__).resolve().parent.parent
# The worker's programs are this tree's, whichever wend is found and imported first.
START = f"""
import runpy, sys
__import__(sys.argv[3])
sys.path.insert(0, {str(ROOT)!r})
runpy.run_module("benchmarks.worker", run_name="__main__", alter_sys=True)
"""
# Rounds to try, per repeat wanted, before disturbed ones are accepted.
PATIENCE = 4


@dataclass(frozen=True)
class Options:
    """What the command line asks for; `modules` lets another module stand in for a peer's."""

    peers: Sequence[str] | None
    workloads: Sequence[str] | None
    modules: dict[str, str]
    threads: Sequence[str]
    repeats: int
    seconds: float

    def wants(self, program: str) -> bool:
        return self.peers is None or not {program, module_of(program)}.isdisjoint(self.peers)

    def module(self, program: str) -> str:
        peer = module_of(program)
        return self.modules.get(peer, peer)


class Worker:
    """One peer's process, from the harness's side."""

    def __init__(
        self,
        workload: Workload,
        peer: str,
        module: str,
        threads: str,
        tree: Path = ROOT,
    ) -> None:
        self.workload, self.peer, self.threads = workload, peer, threads
        # tqdm, which a peer may import, would write among the answers.
        environment = os.environ | {"PYTHONPATH": str(tree), "TQDM_DISABLE": "1"}
        if threads != "default":
            environment |= dict.fromkeys(THREAD_VARIABLES, threads)
        if threads == "1":
            environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, workload.name, peer, module, threads],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.good: list[float] = []
        self.disturbed: list[tuple[float, float]] = []

    def ask(self, *words: object) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            print(*words, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{self.workload.name}: {self.peer}'s process died, see above")
        return json.loads(answer)

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.communicate()

    def prepare(self, seconds: float) -> None:
        self.version = self.ask("version")
        self.count = self.ask("count", seconds)

    def time(self) -> tuple[float, dict[str, float]]:
        """What one step took, in the workload's unit, and all that was measured."""
        time.sleep(SETTLE_SECONDS)
        taken = self.ask("time", self.count)
        return taken["seconds"] / self.count * self.workload.scale, taken

    def repeat(self) -> None:
        """Time once, and keep the result apart if others used the cores meanwhile."""
        value, taken = self.time()
        if is_quiet(**taken):
            self.good.append(value)
        else:
            self.disturbed.append((taken["others"], value))

    def figure(self, repeats: int) -> Figure:
        """The median; the least disturbed repeats fill up where too few were quiet."""
        missing = max(0, repeats - len(self.good))
        values = self.good + [value for _, value in sorted(self.disturbed)[:missing]]
        quartiles = statistics.quantiles(values, n=4) if len(values) > 1 else [0.0, 0.0, 0.0]
        return Figure(
            workload=self.workload.name,
            title=self.workload.title,
            peer=self.peer,
            version=self.version,
            threads=self.threads,
            value=statistics.median(values),
            unit=self.workload.unit,
            spread=quartiles[2] - quartiles[0],
            repeats=len(values),
            thrown_away=len(self.disturbed) - missing,
            quiet=missing == 0,
            aims=self.workload.aims,
        )


def difference(expected: Any, got: Any, within: float = 1e-6) -> str | None:
    """How two nested lists of numbers differ beyond float32 rounding; None if they agree.

    Rounding is judged by the largest number that stands in the same list.

    >>> difference([1.0, [2.0]], [1.0, [2.5]])
    '2.0 became 2.5'
    >>> difference([100.0, 0.001], [100.0, 0.0])
    """
    if isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            return f"{len(expected)} items became {len(got)}"
        numbers = [abs(item) for item in expected if not isinstance(item, list)]
        within = 1e-6 + 1e-4 * max(numbers, default=0.0)
        found = (difference(*pair, within) for pair in zip(expected, got, strict=True))
        return next((text for text in found if text), None)
    if isinstance(expected, list) or isinstance(got, list):
        return "the nesting differs"
    same = math.isclose(expected, got, rel_tol=1e-4, abs_tol=within)
    return None if same else f"{expected} became {got}"


def check(workload: Workload, workers: Iterable[Worker]) -> None:
    """Compare each peer's values and gradients with those of the norm."""
    results = {worker.peer: worker.ask("check") for worker in workers}
    right = results[workload.norm]
    for peer, result in results.items():
        for what, expected, got in zip(("value", "gradient"), right, result, strict=True):
            if text := difference(expected, got):
                norm = report.name(workload.norm)
                sys.exit(f"{workload.name}: {peer}'s {what} differs from {norm}'s: {text}")


def installed(workload: Workload, options: Options) -> list[str]:
    """The peers to measure: those wanted and the norm, as far as they are installed."""
    norm = workload.norm
    wanted = [peer for peer in workload.programs if options.wants(peer) or peer == norm]
    found = [peer for peer in wanted if importlib.util.find_spec(options.module(peer))]
    if norm not in found:
        sys.exit(f"Results are compared with {report.name(norm)}'s, which is not installed.")
    return found


def measure_with(workload: Workload, options: Options, threads: str) -> Iterator[Figure]:
    """Figures of all peers with that many threads, from interleaved repeats."""
    with ExitStack() as stack:
        workers = [
            stack.enter_context(Worker(workload, peer, options.module(peer), threads))
            for peer in installed(workload, options)
        ]
        check(workload, workers)
        for worker in workers:
            worker.prepare(options.seconds)
        for _ in range(PATIENCE * options.repeats):
            waiting = [worker for worker in workers if len(worker.good) < options.repeats]
            for worker in waiting:
                worker.repeat()
        yield from (worker.figure(options.repeats) for worker in workers)


def chosen(workloads: Iterable[Workload], options: Options) -> list[Workload]:
    wanted = options.workloads
    return [workload for workload in workloads if wanted is None or workload.name in wanted]


def measure(workloads: Iterable[Workload], options: Options) -> Iterator[Figure]:
    """Figures of all workloads, with each number of threads asked for."""
    for workload in chosen(workloads, options):
        for threads in options.threads:
            yield from measure_with(workload, options, threads)


def parser() -> argparse.ArgumentParser:
    """The options that every workload file and `python -m benchmarks` share."""

    def names(text: str) -> list[str]:
        return text.split(",")

    def stand_in(text: str) -> tuple[str, str]:
        peer, module = text.split("=")
        return peer, module

    made = argparse.ArgumentParser()
    made.add_argument("--peers", type=names, help="default: all installed; the norm always")
    made.add_argument("--workloads", type=names, help="default: all of the file")
    made.add_argument(
        "--module",
        type=stand_in,
        action="append",
        default=[],
        help="PEER=MODULE: let MODULE stand in for PEER's own, as in wend=torch",
    )
    made.add_argument("--threads", type=names, default=["default", "1"])
    made.add_argument("--repeats", type=int, default=9)
    made.add_argument("--seconds", type=float, default=0.2, help="length of one repeat")
    return made


def options_of(parsed: argparse.Namespace) -> Options:
    return Options(
        peers=parsed.peers,
        workloads=parsed.workloads,
        modules=dict(parsed.module),
        threads=parsed.threads,
        repeats=parsed.repeats,
        seconds=parsed.seconds,
    )


def show(figures: Iterable[Figure]) -> list[Figure]:
    """Print each figure as a line of JSON as it comes, then all as a table."""
    shown = []
    for figure in figures:
        print(json.dumps(asdict(figure)), flush=True)
        shown.append(figure)
    print(f"\n{report.table(shown)}")
    return shown


def main(*names: str) -> None:
    """Measure the workloads of one file, as its command line asks."""
    options = options_of(parser().parse_args())
    show(measure([find(name) for name in names], options))


def measure_all(options: Options) -> Iterator[Figure]:
    """Figures of every workload file."""
    for module in modules():
        yield from module.figures(options)
