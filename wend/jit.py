"""TorchScript's decorators: wend runs Python itself, so what they are given stays as it is.

Programs saved in TorchScript's format are not read, nor written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from wend.nn.modules.module import Module as ScriptModule

__all__ = [
    "Final",
    "ScriptModule",
    "annotate",
    "export",
    "ignore",
    "is_scripting",
    "is_tracing",
    "script",
    "script_method",
    "unused",
]

T = TypeVar("T")
Final = Any


def script(obj: T, *args: Any, **kwargs: Any) -> T:
    """Return the function or module itself, which runs as Python.

    >>> wend.jit.script(abs) is abs
    True
    """
    return obj


def script_method(fn: T) -> T:
    """Return the method itself."""
    return fn


def export(fn: T) -> T:
    """Return the method itself."""
    return fn


def unused(fn: T) -> T:
    """Return the method itself."""
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Return the function itself; a decorator with or without brackets."""
    if callable(drop):
        return drop
    plain: Callable[[T], T] = unused
    return plain


def annotate(the_type: Any, the_value: T) -> T:
    """Return the value."""
    return the_value


def is_scripting() -> bool:
    """Return False: wend runs Python itself."""
    return False


def is_tracing() -> bool:
    """Return False: wend runs Python itself."""
    return False
