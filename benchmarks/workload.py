"""What a workload and a measured figure are, and how workloads are found by name.

Measuring them is the harness's, and running one program in a process of its own the worker's.
"""

import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import benchmarks

# A step does the work once, observes the result, and returns (value, gradient) for the check,
# each as the peer's tensor, a list, or a function that reads it.
Step = Callable[[], tuple[Any, Any]]
# A program makes its inputs with the peer's module and returns the step to be timed.
Program = Callable[[Any], Step]


@dataclass(frozen=True)
class Workload:
    """A computation that every peer does in its own way, with the results of one as the norm.

    A program is named after its peer's module; where a peer has several ways, more words follow:
    "torch", "torch by level". `scale` turns the seconds of one step into `unit`. `aims` says, per
    program, how many times faster than it wend is to be.
    """

    name: str
    title: str
    unit: str
    scale: float
    programs: Mapping[str, Program]
    aims: Mapping[str, float] = field(default_factory=dict)
    norm: str = "torch"


def module_of(program: str) -> str:
    """The module that a program of this name is written for.

    >>> module_of("torch by level")
    'torch'
    """
    return program.split()[0]


@dataclass(frozen=True)
class Figure:
    """One measured number; lower is better. `quiet` is false if the machine never was.

    `peer` is the name of the program.
    """

    workload: str
    title: str
    peer: str
    version: str
    threads: str
    value: float
    unit: str
    spread: float
    repeats: int
    thrown_away: int
    quiet: bool
    aims: Mapping[str, float]


def modules() -> list[Any]:
    """The workload files of this package: by their numbers, then those without."""
    names = [info.name for info in pkgutil.iter_modules(benchmarks.__path__)]
    numbers = {name: int(found[1]) for name in names if (found := re.match(r"w(\d+)_", name))}
    chosen = [
        *sorted(numbers, key=numbers.__getitem__),
        "fusion",
        "batching_cost",
        "sst",
        "examples",
    ]
    return [importlib.import_module(f"benchmarks.{name}") for name in chosen]


def find(name: str) -> Workload:
    """The workload of that name.

    >>> find("W1").unit
    'ns/op'
    """
    for module in modules():
        for workload in getattr(module, "WORKLOADS", []):
            if workload.name == name:
                return workload  # type: ignore[no-any-return]
    raise LookupError(f"there is no workload {name!r}")
