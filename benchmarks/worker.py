"""Runs one peer's program of one workload in this process, as told line by line on standard input.

Each peer has a process of its own because thread pools spin against each other; the harness
decides what is run when. Usage: python -m benchmarks.worker WORKLOAD PEER MODULE THREADS
"""

import gc
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from benchmarks.memory import peaks
from benchmarks.quiet import Meter
from benchmarks.workload import Step, find


def plain(result: Any) -> Any:
    """A peer's tensors as nested lists of numbers; a function is called to have them."""
    if isinstance(result, (list, tuple)):
        return [plain(item) for item in result]
    for name in ("tolist", "npvalue"):
        if hasattr(result, name):
            return plain(getattr(result, name)())
    return plain(result()) if callable(result) else float(result)


def timed(step: Step, count: int, finish: Callable[[], None]) -> dict[str, float]:
    """Seconds that count steps took to their ends, and CPU seconds that others used meanwhile."""
    gc.collect()
    meter, start = Meter(), time.perf_counter()
    for _ in range(count):
        step()
        finish()
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "others": meter.others()}


def finishing(module: Any) -> Callable[[], None]:
    """What ends only when all that was asked for is computed: nobody leaves work undone."""
    done: Callable[[], None] = getattr(getattr(module, "cpu", None), "synchronize", lambda: None)
    return done


def count_for(step: Step, seconds: float, finish: Callable[[], None]) -> int:
    """How many steps fill that time, after warming up for as long."""
    count = 1
    while (taken := timed(step, count, finish)["seconds"]) < seconds / 2:
        count *= 2
    return max(1, round(count * seconds / taken))


def answers() -> TextIO:
    """The pipe to the harness; from here on what libraries print goes to standard error."""
    pipe = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return pipe


def main() -> None:
    pipe = answers()
    name, peer, module_name, threads = sys.argv[1:]
    module = importlib.import_module(module_name)
    if threads != "default" and hasattr(module, "set_num_threads"):
        module.set_num_threads(int(threads))
    step = find(name).programs[peer](module)
    finish = finishing(module)
    commands: dict[str, Callable[..., Any]] = {
        "version": lambda: getattr(module, "__version__", "unknown"),
        "check": lambda: plain(step()),
        "count": lambda seconds: count_for(step, float(seconds), finish),
        "peaks": lambda: peaks(module, step),
        "time": lambda count: timed(step, int(count), finish),
    }
    for line in sys.stdin:
        command, *arguments = line.split()
        print(json.dumps(commands[command](*arguments)), file=pipe, flush=True)


if __name__ == "__main__":
    main()
