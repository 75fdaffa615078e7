"""The command `wend`: runs programs written for PyTorch, and says what is installed."""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import random
import sys
from collections.abc import Sequence
from importlib.util import find_spec

import wend
from wend import _C, _torch
from wend._main_program import NotFoundError, run_module, run_script

USAGE = """wend run [--seed N] [--eager] [--report] script.py [argument ...]
       wend run [--seed N] [--eager] [--report] -m module [argument ...]
       wend info"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line, and return its exit code."""
    parser = argparse.ArgumentParser(prog="wend", usage=USAGE, description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser(
        "info", prog="wend info", help="print versions, instruction set and threads"
    )
    run = commands.add_parser(
        "run", prog="wend run", usage=USAGE, help="run a program, `torch` being wend"
    )
    run.add_argument("--seed", type=_seed, help="seed all random numbers")
    run.add_argument("--eager", action="store_true", help="run every op when it is called")
    run.add_argument("--report", action="store_true", help="print at the end what ran, by line")
    run.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    run.add_argument("program", metavar="script.py")
    run.add_argument("arguments", nargs=argparse.REMAINDER).required = False
    chosen = parser.parse_args(arguments)
    if chosen.command == "info":
        info()
        return 0
    return run_program(chosen)


def _seed(text: str) -> int:
    """A number that `manual_seed` takes."""
    number = int(text)
    if not -(2**63) <= number < 2**64:
        raise ValueError
    return number


_seed.__name__ = "int"  # what an error calls it


def info() -> None:
    """Print versions, instruction set and threads."""
    lines = {
        "wend": wend.__version__,
        "speaks": f"PyTorch {_torch.VERSION}",
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "system": f"{platform.system()} {platform.machine()}",
        "instruction set": _C._cpu_level(),
        "threads": f"{_C.get_num_threads()} of {os.cpu_count()} CPUs",
        "folder": os.path.dirname(os.path.abspath(wend.__file__)),
    }
    for name, value in lines.items():
        print(f"{name:16} {value}")


def run_program(chosen: argparse.Namespace) -> int:
    """Run a script or module as the main program, with wend in PyTorch's place."""
    _torch.install()
    if chosen.seed is not None:
        seed(chosen.seed)
    run = run_module if chosen.module else run_script
    with contextlib.ExitStack() as around:
        if chosen.eager:
            around.enter_context(wend.eager())
        if chosen.report:
            report = around.enter_context(wend.report())
            around.callback(lambda: print(report, file=sys.stderr))
        try:
            run(chosen.program, chosen.arguments)
        except NotFoundError as error:
            print(f"wend: {error}", file=sys.stderr)
            return 1 if chosen.module else 2
    return 0


def seed(number: int) -> None:
    """Seed the generators of wend, Python and, where it is installed, NumPy."""
    wend.manual_seed(number)
    random.seed(number)
    if find_spec("numpy") is not None:
        import numpy

        numpy.random.seed(number % 2**32)
