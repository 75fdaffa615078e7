"""Being watched: a log of what a program records, reads, writes and draws, and where it does so.

The events themselves are the core's (`core/graph/watch.hpp`). While there is a log, calls of
modules and steps of optimizers say where the program is; at other times they cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from wend import _C

__all__ = ["Events", "in_module", "in_scope"]

_WATCHED = -1  # a key that no hook has
_logs: set[Events] = set()
_around: ContextVar[Any] = ContextVar("the module around", default=None)


class Events:
    """What happens within a `with` block, as tuples; `take` gives those since it was last called.

    ("recorded", number, op, number of the node whose gradient it is or 0, context)
    ("read", number, "truth" | "number" | "bytes" | "size", answer)
    ("wrote", number or 0, what)
    ("drew", how many random counters)
    ("entered" | "left", context)

    A context is a number; `where` says what it stands for.

    >>> with Events() as events:
    ...     if wend.ones(2).sum() > 1:
    ...         kinds = [event[0] for event in events.take()]
    >>> kinds
    ['recorded', 'recorded', 'recorded', 'read']
    """

    def __init__(self) -> None:
        self._log: Any = None

    def __enter__(self) -> Events:
        from wend.nn.modules._hooks import EVERYWHERE

        self._log = _C._EventLog()
        _logs.add(self)
        EVERYWHERE[_WATCHED] = True
        return self

    def __exit__(self, *error: object) -> None:
        from wend.nn.modules._hooks import EVERYWHERE

        self._log = None
        _logs.discard(self)
        if not _logs:
            EVERYWHERE.pop(_WATCHED, None)

    def take(self) -> list[tuple[Any, ...]]:
        """Return the events since the last call."""
        events: list[tuple[Any, ...]] = self._log.take()
        return events


def where(context: int) -> list[tuple[str, str]]:
    """Return scope and name of a context and of all around it, the outermost first."""
    path: list[tuple[str, str]] = []
    while context:
        context, scope, name = _C._context(context)
        path.insert(0, (scope, name))
    return path


@contextmanager
def in_scope(scope: str, name: str) -> Iterator[None]:
    """Let what happens within the block belong to a context, if somebody watches."""
    before = _C._enter(scope, name)
    try:
        yield
    finally:
        _C._leave(before)


def _path(module: Any) -> str:
    """What the module around calls this one; its class where that does not know it."""
    around = _around.get()
    if around is None:
        return type(module).__name__
    for name, member in around.named_modules():
        if member is module and name:
            return str(name)
    return type(module).__name__


@contextmanager
def in_module(module: Any) -> Iterator[None]:
    """Let what happens within the block belong to a call of a module, if somebody watches."""
    if not _C._is_watched():
        yield
        return
    with in_scope("module", _path(module)):
        token = _around.set(module)
        try:
            yield
        finally:
            _around.reset(token)
