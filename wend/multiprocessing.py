"""Python's own multiprocessing, under PyTorch's name: tensors go as copies unless shared."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from multiprocessing import *  # noqa: F403
from multiprocessing import get_context
from typing import Any

__all__ = [
    *multiprocessing.__all__,
    "ProcessExitedException",
    "ProcessRaisedException",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]


def get_all_sharing_strategies() -> set[str]:
    """Return the ways in which tensors go to other processes: there is one."""
    return {"file_system"}


def get_sharing_strategy() -> str:
    """Return the way in which tensors go to other processes."""
    return "file_system"


def set_sharing_strategy(new_strategy: str) -> None:
    """Choose the way in which tensors go to other processes: there is one."""
    if new_strategy not in get_all_sharing_strategies():
        raise ValueError(f"wend shares tensors by 'file_system', not by {new_strategy!r}")


class ProcessRaisedException(Exception):  # noqa: N818
    """A process that `spawn` started raised."""


class ProcessExitedException(Exception):  # noqa: N818
    """A process that `spawn` started ended with an exit code other than 0, or by a signal."""


class _Started:
    """Processes that run together, and end together when one fails."""

    def __init__(self, processes: list[Any], errors: list[Any]) -> None:
        self.processes, self.errors = processes, errors

    def pids(self) -> list[int | None]:
        """Return the numbers of the processes."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None) -> bool:
        """Wait, and return whether all have ended; raise what one raised."""
        from multiprocessing.connection import wait

        running = [each for each in self.processes if each.exitcode is None]
        if running:
            wait([each.sentinel for each in running], timeout=timeout)
        failed = [i for i, each in enumerate(self.processes) if each.exitcode not in (None, 0)]
        if not failed:
            return all(each.exitcode == 0 for each in self.processes)
        for process in self.processes:
            process.terminate()
            process.join()
        self._raise(failed[0])
        raise AssertionError

    def _raise(self, index: int) -> None:
        error, code = self.errors[index], self.processes[index].exitcode
        if error.poll():
            text = error.recv()
            raise ProcessRaisedException(
                f"\n\n-- Process {index} terminated with the following error:\n{text}"
            )
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        raise ProcessExitedException(f"process {index} terminated with {how}")


def _call(function: Callable[..., Any], index: int, args: tuple[Any, ...], errors: Any) -> None:
    try:
        function(index, *args)
    except KeyboardInterrupt:
        pass
    except Exception:
        import sys
        import traceback

        errors.send(traceback.format_exc())
        sys.exit(1)


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> _Started | None:
    """Call `fn(index, *args)` in as many processes, and wait for them unless `join` is False."""
    context: Any = get_context(start_method)
    processes, errors = [], []
    for index in range(nprocs):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_call, args=(fn, index, args, theirs), daemon=daemon)
        process.start()
        processes.append(process)
        errors.append(ours)
    started = _Started(processes, errors)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> _Started | None:
    """Call `fn(index, *args)` in as many new processes, and wait for them unless told not to."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)
