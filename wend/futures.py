"""Futures: results that are not there yet, which other threads set."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")


class Future(Generic[T]):
    """A result that is set once, waited for, and followed by callbacks.

    devices: accepted when empty; there is only the CPU.

    >>> future = wend.futures.Future()
    >>> after = future.then(lambda done: done.value() + 1)
    >>> future.set_result(2)
    >>> after.wait()
    3
    """

    def __init__(self, *, devices: Any = None) -> None:
        if devices:
            raise RuntimeError("wend runs on the CPU: a Future has no devices")
        self._changed = threading.Condition()
        self._done = False
        self._result: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future[T]], Any]] = []

    def done(self) -> bool:
        """Return whether there is a result or an error."""
        return self._done

    def wait(self) -> T:
        """Wait for the result and return it, or raise the error."""
        with self._changed:
            self._changed.wait_for(lambda: self._done)
        return self.value()

    def value(self) -> T:
        """Return the result, which must be there, or raise the error."""
        if not self._done:
            raise RuntimeError("value() is called before the Future has a result: call wait()")
        if self._error is not None:
            raise self._error
        result: T = self._result
        return result

    def set_result(self, result: T) -> None:
        """Set the result, wake who waits, and call the callbacks."""
        self._complete(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Set an error, which wait() and value() raise."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._complete(None, result)

    def _complete(self, result: Any, error: BaseException | None) -> None:
        with self._changed:
            if self._done:
                raise RuntimeError(
                    "Future can only be marked completed once: it has a result already"
                )
            self._result, self._error, self._done = result, error, True
            callbacks, self._callbacks = self._callbacks, []
            self._changed.notify_all()
        for callback in callbacks:
            callback(self)

    def add_done_callback(self, callback: Callable[[Future[T]], Any]) -> None:
        """Call a function with this future when it is done, at once if it is."""
        with self._changed:
            if not self._done:
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable[[Future[T]], Any]) -> Future[Any]:
        """Return the future of what the callback makes of this one."""
        after: Future[Any] = Future()

        def follow(done: Future[T]) -> None:
            try:
                result = callback(done)
            except Exception as error:
                after.set_exception(error)
            else:
                after.set_result(result)

        self.add_done_callback(follow)
        return after


def collect_all(futures: list[Future[Any]]) -> Future[list[Future[Any]]]:
    """Return the future that has all of them, as soon as all are done; an error of one is its."""
    together: Future[list[Future[Any]]] = Future()
    waiting = len(futures)
    if not waiting:
        together.set_result([])
    lock = threading.Lock()

    def count(done: Future[Any]) -> None:
        nonlocal waiting
        with lock:
            waiting -= 1
            last = waiting == 0
        if not last:
            return
        errors = [each._error for each in futures if each._error is not None]
        together._complete(None if errors else list(futures), errors[0] if errors else None)

    for future in futures:
        future.add_done_callback(count)
    return together


def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """Wait for all, and return their results.

    >>> future = wend.futures.Future()
    >>> future.set_result(1)
    >>> wend.futures.wait_all([future])
    [1]
    """
    return [future.wait() for future in futures]
