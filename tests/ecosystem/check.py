"""Runs small uses of packages built on PyTorch, with PyTorch and with wend, and compares numbers.

`./dev ecosystem` makes the environment for it; a use is a file `use_NAME.py`, run by run.py.
"""

import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
# Gradients of sums in another order differ in their last digits, and steps add to it.
RELATIVE, ABSOLUTE = 1e-3, 1e-5
SECONDS = 600


def names() -> list[str]:
    """Every package that has a use."""
    return sorted(path.stem.removeprefix("use_") for path in HERE.glob("use_*.py"))


def result_of(command: list[str], name: str) -> dict[str, Any] | str:
    """The arrays that a use gives, or the last line of its error."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result"
        whole = [sys.executable, *command, str(HERE / "run.py"), name, str(path)]
        try:
            done = subprocess.run(whole, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"not done after {SECONDS} seconds"
        if done.returncode:
            return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        found: dict[str, Any] = pickle.loads(path.read_bytes())
        return found


def difference(theirs: dict[str, Any], ours: dict[str, Any]) -> str:
    """What differs between the two, in words; nothing if they agree."""
    if list(theirs) != list(ours):
        return f"other results: {sorted(set(theirs) ^ set(ours))[:3]}"
    for place, wanted in theirs.items():
        got = ours[place]
        if wanted.dtype != got.dtype or wanted.shape != got.shape:
            return f"{place} is {got.dtype}{got.shape}, not {wanted.dtype}{wanted.shape}"
        if wanted.dtype.kind != "f":
            same = np.array_equal(wanted, got)
        else:
            same = np.allclose(got, wanted, RELATIVE, ABSOLUTE, equal_nan=True)
        if not same:
            return f"{place} differs: {got.ravel()[:4]} instead of {wanted.ravel()[:4]}"
    return ""


def check(name: str) -> bool:
    """Run a use both ways, and print how it went."""
    theirs = result_of([], name)
    ours = result_of(["-m", "wend", "run"], name)
    if isinstance(theirs, str):
        said = f"fails with PyTorch itself: {theirs}"
    elif isinstance(ours, str):
        said = f"stops: {ours}"
    else:
        said = difference(theirs, ours)
    print(f"{name:24} {said or f'ok, {len(theirs)} results as of PyTorch'}", flush=True)
    return not said


def main(wanted: list[str]) -> int:
    """Check the named packages, or all; return how many do not hold."""
    unknown = set(wanted) - set(names())
    if unknown:
        print(f"no use of {', '.join(sorted(unknown))}; there are {', '.join(names())}")
        return 2
    chosen = wanted or names()
    good = sum(map(check, chosen))
    print(f"{good} of {len(chosen)} packages run with PyTorch's numbers")
    return int(good < len(chosen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
