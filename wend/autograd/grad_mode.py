"""Whether ops are recorded for gradients: `no_grad`, `enable_grad` and their like.

Each is a context manager and a decorator, of generator functions too. The mode is the engine's.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Generator
from typing import Any

from wend import _C
from wend._C import is_grad_enabled, is_inference_mode_enabled

__all__ = [
    "enable_grad",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


class _Mode:
    """A context manager that also decorates: every call enters a mode of its own."""

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, *exception: object) -> None:
        raise NotImplementedError

    def clone(self) -> _Mode:
        return self.__class__()

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return _decorated(func, self.clone)


class _BareMode(_Mode):
    """A mode without arguments: `@no_grad` decorates as `@no_grad()` does."""

    def __new__(cls, orig_func: Callable[..., Any] | None = None) -> Any:
        mode = super().__new__(cls)
        if orig_func is None:
            return mode
        mode.__init__()  # type: ignore[misc]
        return mode(orig_func)

    def __init__(self) -> None:
        self._before: list[bool] = []

    def __exit__(self, *exception: object) -> None:
        _C._set_grad_enabled(self._before.pop())


class no_grad(_BareMode):  # noqa: N801
    """Records nothing for gradients: results require no grad.

    >>> import wend
    >>> x = wend.ones(2, requires_grad=True)
    >>> with wend.no_grad():
    ...     print((x * 2).requires_grad)
    False
    """

    def __enter__(self) -> None:
        self._before.append(is_grad_enabled())
        _C._set_grad_enabled(False)


class enable_grad(_BareMode):  # noqa: N801
    """Records for gradients again, within `no_grad`.

    >>> import wend
    >>> x = wend.ones(2, requires_grad=True)
    >>> with wend.no_grad(), wend.enable_grad():
    ...     print((x * 2).requires_grad)
    True
    """

    def __enter__(self) -> None:
        self._before.append(is_grad_enabled())
        _C._set_grad_enabled(True)


class set_grad_enabled(_Mode):  # noqa: N801
    """Switches recording for gradients on or off, at once, or for a block or function.

    >>> import wend
    >>> with wend.set_grad_enabled(False):
    ...     print(wend.is_grad_enabled())
    False
    """

    def __init__(self, mode: bool) -> None:
        self.prev = is_grad_enabled()
        self.mode = mode
        _C._set_grad_enabled(mode)

    def __enter__(self) -> None:
        _C._set_grad_enabled(self.mode)

    def __exit__(self, *exception: object) -> None:
        _C._set_grad_enabled(self.prev)

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        _C._set_grad_enabled(self.prev)
        return super().__call__(func)

    def __repr__(self) -> str:
        return f"set_grad_enabled(mode={self.mode})"

    def clone(self) -> set_grad_enabled:
        return self.__class__(self.mode)


class inference_mode(_Mode):  # noqa: N801
    """As `no_grad`, for results that will never take part in autograd; faster in PyTorch.

    >>> import wend
    >>> with wend.inference_mode():
    ...     y = wend.ones(2) * 2
    >>> y.is_inference()
    True
    """

    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        if isinstance(mode, bool):
            return super().__new__(cls)
        return cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._before.append((is_inference_mode_enabled(), is_grad_enabled()))
        _C._set_inference(self.mode)
        _C._set_grad_enabled(not self.mode)

    def __exit__(self, *exception: object) -> None:
        inference, grad = self._before.pop()
        _C._set_inference(inference)
        _C._set_grad_enabled(grad)

    def clone(self) -> inference_mode:
        return self.__class__(self.mode)


_many_threads = True


def is_multithreading_enabled() -> bool:
    """Return what `set_multithreading_enabled` was given.

    >>> import wend
    >>> wend.autograd.is_multithreading_enabled()
    True
    """
    return _many_threads


class set_multithreading_enabled(_Mode):  # noqa: N801
    """Keeps the wish: a walk back is one thread's, and kernels go by `set_num_threads`.

    >>> import wend
    >>> with wend.autograd.set_multithreading_enabled(False):
    ...     print(wend.autograd.is_multithreading_enabled())
    False
    """

    def __init__(self, mode: bool) -> None:
        global _many_threads
        self.prev = _many_threads
        _many_threads = self.mode = bool(mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        global _many_threads
        _many_threads = self.prev

    def clone(self) -> set_multithreading_enabled:
        return self.__class__(self.mode)


GENERATOR = 0x20  # inspect.CO_GENERATOR


def _decorated(func: Callable[..., Any], mode: Callable[[], _Mode]) -> Callable[..., Any]:
    if isinstance(func, type):
        warnings.warn(
            "Decorating classes is deprecated and will be disabled in future versions. You should"
            " only decorate functions or methods. To preserve the current behavior of class"
            " decoration, you can directly decorate the `__init__` method and nothing else.",
            FutureWarning,
            stacklevel=3,
        )
    code = getattr(func, "__code__", None)
    if code is not None and code.co_flags & GENERATOR:
        return _decorated_generator(func, mode)

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        with mode():
            return func(*args, **kwargs)

    return call


def _decorated_generator(func: Callable[..., Any], mode: Callable[[], _Mode]) -> Callable[..., Any]:
    """The mode holds while the generator runs, not while it is suspended."""

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        generator = func(*args, **kwargs)
        resume, request = generator.send, None
        try:
            while True:
                with mode():
                    response = resume(request)
                try:
                    request = yield response
                    resume = generator.send
                except GeneratorExit:
                    with mode():
                        generator.close()
                    raise
                except BaseException as error:
                    resume, request = generator.throw, error
        except StopIteration as stop:
            return stop.value

    return call
