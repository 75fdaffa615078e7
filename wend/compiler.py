"""Compilation: for now what is compiled stays as it is, and runs as written.

`compile` takes PyTorch's arguments, all of which choose among ways to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "nested_compile_region",
    "reset",
    "set_stance",
    "wrap_numpy",
]

T = TypeVar("T")


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = "inductor",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
    name: str | None = None,
) -> Any:
    """Return the function or module itself; without one, a decorator that does.

    The other arguments choose how PyTorch compiles; nothing that a program computes depends on
    them.

    >>> wend.compile(abs) is abs
    True
    """
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if model is None:
        return _unchanged
    if not callable(model):
        raise TypeError(f"compile() takes a function or a module, not {type(model).__name__}")
    return model


def _unchanged(fn: T) -> T:
    return fn


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Return the function itself; a decorator with or without brackets."""
    return _unchanged if fn is None else fn


def nested_compile_region(fn: Any = None, options: Any = None) -> Any:
    """Return the function itself; a decorator with or without brackets."""
    return _unchanged if fn is None else fn


def allow_in_graph(fn: T) -> T:
    """Return the function itself."""
    return fn


def assume_constant_result(fn: T) -> T:
    """Return the function itself."""
    return fn


def wrap_numpy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of tensors that calls one of NumPy arrays.

    >>> import numpy
    >>> wend.compiler.wrap_numpy(numpy.sort)(wend.tensor([2, 1]))
    tensor([1, 2])
    """
    import functools

    import wend
    from wend.utils import _pytree

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        given = _pytree.tree_map_only(wend.Tensor, lambda t: t.numpy(), (args, kwargs))
        result = fn(*given[0], **given[1])
        return _pytree.tree_map_only(_array_types(), wend.as_tensor, result)

    return wrapped


def _array_types() -> Any:
    import numpy

    return numpy.ndarray


def is_compiling() -> bool:
    """Return False: programs run as written."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def reset() -> None:
    """Do nothing: nothing was compiled."""


def cudagraph_mark_step_begin() -> None:
    """Do nothing: there is no GPU."""


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """Return no names: there are no backends to choose from."""
    return []


class set_stance:  # noqa: N801
    """A call, block or decorator that says when PyTorch compiles; nothing depends on it."""

    def __init__(
        self,
        stance: str = "default",
        *,
        skip_guard_eval_unsafe: bool = False,
        force_backend: Any = None,
    ) -> None:
        stances = ("default", "eager_then_compile", "aot_eager_then_compile", "force_eager")
        if stance not in (*stances, "eager_on_recompile", "fail_on_recompile"):
            raise RuntimeError(f"invalid torch.compile stance '{stance}'")
        self.stance = stance

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self, fn: T) -> T:
        return fn
