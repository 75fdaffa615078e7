"""`wend.map`: a function called for each example, where reading a value suspends that example only.

Each example is a fiber, a greenlet. Where a fiber gives way is decided by the extension module;
here they are started, resumed in order and closed.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterable
from contextvars import copy_context
from typing import Any, TypeVar

from greenlet import getcurrent, greenlet

from wend import _C

R = TypeVar("R")


def map(fn: Callable[..., R], *iterables: Iterable[Any], in_flight: int = 1024) -> list[R]:
    """Call `fn` for each example, as the builtin does, so that all of them run in batches.

    An example that reads a value (`item()`, `if`, `backward()`, ...) waits until the others do so
    or are done; then what all of them recorded runs together. Each has its own modes, default dtype
    and random numbers, which depend on its index alone. An example that raises ends the map: the
    others are closed, and the exception says which it was and keeps what the finished ones returned
    in `results`, by index.

    in_flight: how many examples may be begun and not done.

    >>> def halvings(x):
    ...     steps = 0
    ...     while x.abs().sum() > 1:
    ...         x, steps = x / 2, steps + 1
    ...     return steps
    >>> wend.map(halvings, wend.tensor([[1.0, 1.0], [8.0, 0.0], [0.0, 0.5]]))
    [1, 3, 0]
    """
    if not callable(fn):
        raise TypeError(f"map(): '{type(fn).__name__}' object is not callable")
    if not iterables:
        raise TypeError("map() must have at least two arguments.")
    in_flight = operator.index(in_flight)
    if in_flight < 1:
        raise ValueError(f"map(): in_flight must be positive, got {in_flight}")
    return _Hub(fn).run(zip(*iterables, strict=True), in_flight)


class _Example:
    """The fiber of one example."""

    def __init__(self, hub: _Hub, index: int) -> None:
        self.index = index
        self.own = _C._Fiber(hub.wait, hub.stream, index)
        self.greenlet = greenlet(hub.fn, hub.greenlet)
        self.greenlet.gr_context = copy_context()

    @property
    def done(self) -> bool:
        return bool(self.greenlet.dead)


class _Hub:
    """Where the fibers of one map come back to when they wait or are done."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        self.greenlet = getcurrent()
        self.stream = _C._take_stream()
        self.in_flight: list[_Example] = []
        self.results: dict[int, Any] = {}
        self.inside: _Example | None = None
        self.closing = False

    def run(self, examples: Iterable[tuple[Any, ...]], in_flight: int) -> list[Any]:
        try:
            numbered = enumerate(examples)
            while self._start(numbered, in_flight):
                self._settle()
                for example in self.in_flight:
                    self._go_on(example)
                self.in_flight = [example for example in self.in_flight if not example.done]
        except BaseException as error:
            self._close(error)
            # What was done is not lost with what was not.
            with contextlib.suppress(AttributeError):
                error.results = self.results  # type: ignore[attr-defined]
            raise
        return [self.results[index] for index in range(len(self.results))]

    def wait(self) -> bool:
        """Let the others go on, and say so; called inside a fiber by the extension module.

        Greenlets of the user's own making and fibers that are closed do not wait.
        """
        if self.closing or self.inside is None or getcurrent() is not self.inside.greenlet:
            return False
        self.greenlet.switch()
        return True

    def _start(self, numbered: enumerate[tuple[Any, ...]], in_flight: int) -> bool:
        """Begin as many examples as may be in flight; true iff some of them wait."""
        while len(self.in_flight) < in_flight:
            taken = next(numbered, None)
            if taken is None:
                break
            index, arguments = taken
            self.in_flight.append(_Example(self, index))
            self._go_on(self.in_flight[-1], *arguments)
            if self.in_flight[-1].done:
                self.in_flight.pop()
        return bool(self.in_flight)

    def _go_on(self, example: _Example, *arguments: Any) -> None:
        try:
            result = self._inside(example, example.greenlet.switch, *arguments)
        except BaseException as error:
            error.add_note(f"in example {example.index} of wend.map")
            raise
        if example.done:
            self.results[example.index] = result

    def _inside(self, example: _Example, switch: Callable[..., Any], *arguments: Any) -> Any:
        try:
            self.inside = example
            example.own.enter()
            return switch(*arguments)
        finally:
            example.own.leave()
            self.inside = None

    def _settle(self) -> None:
        """Run what the fibers wait for, or wait for it in turn if this is a fiber itself."""
        try:
            _C._settle()
        except MemoryError as error:
            error.add_note(
                f"while {len(self.in_flight)} examples of wend.map ran together; fewer at a time "
                "(in_flight=) take less memory"
            )
            raise

    def _close(self, error: BaseException) -> None:
        self.closing = True
        for example in self.in_flight:
            if example.done:
                continue
            try:
                self._inside(example, example.greenlet.throw)
            except BaseException as late:
                error.add_note(f"example {example.index} raised {late!r} while it was closed")
        self.in_flight = []
