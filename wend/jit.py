"""TorchScript's decorators: wend runs Python itself, so what they are given stays as it is.

Programs saved in TorchScript's format are not read, nor written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from wend._absent import absent
from wend.nn.modules.module import Module

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

_INSTEAD = "a program runs as written; torch.save keeps the weights"
ScriptFunction = absent("torch.jit.ScriptFunction", _INSTEAD)
TopLevelTracedModule = absent("torch.jit.TopLevelTracedModule", _INSTEAD)
trace = absent("torch.jit.trace", _INSTEAD)
trace_module = absent("torch.jit.trace_module", _INSTEAD)
freeze = absent("torch.jit.freeze", _INSTEAD)
load = absent("torch.jit.load", _INSTEAD)
save = absent("torch.jit.save", _INSTEAD)


class ScriptModule(Module):
    """A module for TorchScript: as a base it is Module; `script` leaves modules as they are."""


class RecursiveScriptModule(ScriptModule):
    """The type of modules that PyTorch made TorchScript of; there are none."""


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


def _overload(fn: T) -> T:
    """Return the function itself."""
    return fn


_overload_method = _overload


def script_if_tracing(fn: T) -> T:
    """Return the function itself."""
    return fn


def interface(obj: T) -> T:
    """Return the class itself."""
    return obj


def optimize_for_inference(mod: T, other_methods: Any = None) -> T:
    """Return the module itself."""
    return mod


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call the function, and return a future that has its result."""
    from wend.futures import Future

    done: Future[Any] = Future()
    done.set_result(func(*args, **kwargs))
    return done


def wait(future: Any) -> Any:
    """Return the result of a future."""
    return future.wait()


def is_scripting() -> bool:
    """Return False: wend runs Python itself."""
    return False


def is_tracing() -> bool:
    """Return False: wend runs Python itself."""
    return False
