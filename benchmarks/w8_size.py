"""W8: what wend weighs: megabytes installed with dependencies, and milliseconds to import.

Each package is installed by pip into a fresh environment; import time is beyond bare Python's.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import PATIENCE, Options, options_of, parser, show
from benchmarks.quiet import Meter, is_quiet
from benchmarks.workload import Figure

ROOT = Path(__file__).resolve().parent.parent
IMPORTS_PER_REPEAT = 5
# Slow imports have little noise and need no more.
BUDGET_SECONDS = 30.0


@dataclass(frozen=True)
class Package:
    """What pip is asked for, and the name and module that it brings."""

    requirement: str
    distribution: str
    module: str


PACKAGES = {
    "wend": Package(str(ROOT), "wend", "wend"),
    "torch": Package("torch==2.13.0", "torch", "torch"),
    "dynet": Package("dyNET38", "dyNET38", "dynet"),
    "jax": Package("jax", "jax", "jax"),
    "mlx": Package("mlx[cpu]", "mlx", "mlx.core"),
}
# Installing a peer takes long: the others are measured when asked for by name.
DEFAULT_PEERS = ("torch", "wend")


@dataclass
class ImportTimes:
    """Milliseconds of single imports, apart for those that other processes disturbed."""

    quiet: list[float]
    disturbed: list[float]


def install(requirement: str, directory: Path) -> Path | None:
    """Make an environment with only that in it; its Python, or None if pip cannot."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", directory], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(directory), "install", "--quiet"]
    done = subprocess.run([*pip, requirement])
    return directory / "bin" / "python" if done.returncode == 0 else None


def megabytes(python: Path) -> float:
    """The lengths of the installed files, compiled bytecode included."""
    site = next((python.parent.parent / "lib").glob("python*/site-packages"))
    return sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) / 1e6


def seconds_of(python: Path, statement: str) -> float:
    start = time.perf_counter()
    subprocess.run([python, "-I", "-W", "ignore", "-c", statement], check=True, cwd=python.parent)
    return time.perf_counter() - start


def import_times(python: Path, module: str, repeats: int) -> ImportTimes:
    """Import times beyond bare Python's, the two taken in turn."""
    seconds_of(python, f"import {module}")
    times, begun = ImportTimes([], []), time.perf_counter()
    for _ in range(PATIENCE * repeats):
        meter, start = Meter(), time.perf_counter()
        pairs = [
            (seconds_of(python, f"import {module}"), seconds_of(python, "pass"))
            for _ in range(IMPORTS_PER_REPEAT)
        ]
        calm = is_quiet(time.perf_counter() - start, meter.others())
        kept = times.quiet if calm else times.disturbed
        kept += [1e3 * (importing - bare) for importing, bare in pairs]
        enough = len(times.quiet) >= repeats * IMPORTS_PER_REPEAT
        if enough or time.perf_counter() - begun > BUDGET_SECONDS:
            break
    return times


def figures_of(peer: str, package: Package, python: Path, repeats: int) -> Iterator[Figure]:
    """Size and import time of one installed package."""
    ask = f"import importlib.metadata as m; print(m.version({package.distribution!r}))"
    version = subprocess.check_output([python, "-I", "-c", ask], text=True).strip()
    yield Figure(
        workload="W8 size",
        title="installed with dependencies, at most 40",
        peer=peer,
        version=version,
        threads="any",
        value=megabytes(python),
        unit="MB",
        spread=0.0,
        repeats=1,
        thrown_away=0,
        quiet=True,
        aims={},
    )
    times = import_times(python, package.module, repeats)
    values = times.quiet or times.disturbed
    low, _, high = statistics.quantiles(values, n=4)
    yield Figure(
        workload="W8 import",
        title="import beyond bare Python, at most 40",
        peer=peer,
        version=version,
        threads="any",
        value=statistics.median(values),
        unit="ms",
        spread=high - low,
        repeats=len(values),
        thrown_away=len(times.disturbed) if times.quiet else 0,
        quiet=bool(times.quiet),
        aims={},
    )


def figures(options: Options) -> Iterator[Figure]:
    for peer in options.peers or DEFAULT_PEERS:
        package = PACKAGES[options.module(peer)]
        with tempfile.TemporaryDirectory() as directory:
            python = install(package.requirement, Path(directory))
            if python is None:
                sys.exit(f"W8: {peer} could not be installed, see above")
            yield from figures_of(peer, package, python, options.repeats)


if __name__ == "__main__":
    show(figures(options_of(parser().parse_args())))
