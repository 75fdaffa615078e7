"""`wend.map`: a function called for each example, where reading a value suspends that example only.

Each example is a fiber, a greenlet. Where they give way, and who goes on when, is the extension
module's; here are what runs between the rounds and what becomes of errors.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from wend import _C

R = TypeVar("R")

# Iterators that call nothing of the user's.
_PLAIN = {type(iter(())), type(iter([])), type(iter(range(0)))}


def map(fn: Callable[..., R], *iterables: Iterable[Any], in_flight: int = 1024) -> list[R]:
    """Call `fn` for each example, as the builtin does, so that all of them run in batches.

    An example that reads a value (`item()`, `if`, `backward()`, ...) waits until the others do so
    or are done, unless it needs so little that waiting would take longer; then what all of them
    recorded runs together. Each has its own modes, default dtype and random numbers, which depend
    on its index alone. An example that raises ends the map: the
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
    iterators = [iter(iterable) for iterable in iterables]
    is_plain = all(type(iterator) in _PLAIN for iterator in iterators)
    expected = max(operator.length_hint(iterator) for iterator in iterators) or None
    hub = _C._Hub(fn, zip(*iterators, strict=True), is_plain, in_flight, expected)
    try:
        while hub.begin():
            _settle(hub)
            hub.go_on()
    except BaseException as error:
        _close(hub, error)
        raise
    return hub.results()


_SHARED_GENERATOR = (
    "examples of wend.map share a generator, in which one of them waits for a value: hand over its "
    "items as examples, or make one generator for each"
)


def _settle(hub: _C._Hub) -> None:
    """Run what the fibers wait for, or wait for it in turn if this is a fiber itself."""
    try:
        _C._settle()
    except MemoryError as error:
        error.add_note(
            f"while {hub.waiting()} examples of wend.map ran together; fewer at a time "
            "(in_flight=) take less memory"
        )
        raise


def _close(hub: _C._Hub, error: BaseException) -> None:
    """Say which example raised the error, and let the others end where they wait."""
    if (failed := hub.failed()) is not None:
        error.add_note(f"in example {failed} of wend.map")
        if isinstance(error, ValueError) and str(error) == "generator already executing":
            error.add_note(_SHARED_GENERATOR)
    while True:
        try:
            if hub.close_next() is None:
                break
        except BaseException as late:
            error.add_note(f"example {hub.failed()} raised {late!r} while it was closed")
    # What was done is not lost with what was not.
    with contextlib.suppress(AttributeError):
        error.results = hub.finished()  # type: ignore[attr-defined]
