"""PyTorch's profiler, as far as programs mention it; what measures is `wend.report`."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any

from wend import _C
from wend._absent import absent

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

_INSTEAD = "use `with wend.report() as report:` and print(report), or `wend run --report`"


class ProfilerActivity(enum.Enum):
    """What a profiler of PyTorch watches."""

    CPU = 0
    CUDA = 2
    XPU = 1
    MTIA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """What a profiler of PyTorch does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


profile = absent("torch.profiler.profile", _INSTEAD)
tensorboard_trace_handler = absent("torch.profiler.tensorboard_trace_handler", _INSTEAD)


class record_function:  # noqa: N801
    """A block, or decorator, that names a stretch of the program for whoever watches it.

    >>> with wend.profiler.record_function("forward"):
    ...     wend.ones(2)
    tensor([1., 1.])
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self._before: list[int] = []  # contexts; a decorated function may call itself

    def __enter__(self) -> record_function:
        self._before.append(_C._enter("range", self.name))
        return self

    def __exit__(self, *error: object) -> None:
        _C._leave(self._before.pop())

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, called within the block."""

        @functools.wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return within


def schedule(
    *,
    wait: int,
    warmup: int,
    active: int,
    repeat: int = 0,
    skip_first: int = 0,
    skip_first_wait: int = 0,
) -> Callable[[int], ProfilerAction]:
    """Return the function that tells a profiler what to do in each step.

    >>> wend.profiler.schedule(wait=1, warmup=1, active=1)(1).name
    'WARMUP'
    """
    period = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        step -= skip_first
        if step < 0:
            return ProfilerAction.NONE
        if skip_first_wait:
            step += wait
        if repeat > 0 and step >= repeat * period:
            return ProfilerAction.NONE
        place = step % period
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        last = place == period - 1
        return ProfilerAction.RECORD_AND_SAVE if last else ProfilerAction.RECORD

    return action


def supported_activities() -> set[ProfilerActivity]:
    """Return no activities: there is no profiler of PyTorch's kind."""
    return set()


def kineto_available() -> bool:
    """Return False."""
    return False
