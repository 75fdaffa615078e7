"""Custom ops: a Python function under a name, with a gradient of its own.

The engine calls the function as it is; what tells PyTorch's compiler about it is accepted.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import wend
from wend._absent import absent_names

__all__ = ["CustomOpDef", "custom_op", "impl_abstract", "register_autograd", "register_fake"]

T = TypeVar("T")

_OPS: dict[str, CustomOpDef] = {}


class CustomOpDef:
    """A function that was made a custom op; calling it calls the function."""

    def __init__(self, name: str, fn: Callable[..., Any]) -> None:
        self._qualname = name
        self._function = fn
        self._signature = inspect.signature(fn)
        self._backward: Callable[..., Any] | None = None
        self._setup: Callable[..., Any] | None = None
        self.__name__ = name.rpartition("::")[2]
        self.__doc__ = fn.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = tuple(bound.args) + tuple(bound.kwargs.values())
        if self._backward is not None:
            return _as_function(self).apply(*given)
        with wend.no_grad():
            return self._function(*bound.args, **bound.kwargs)

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Give the op a gradient: `backward(ctx, *grads)`, `setup_context(ctx, inputs, output)`."""
        self._backward, self._setup = backward, setup_context

    def register_fake(self, fn: T, /) -> T:
        """Return the function: shapes are those of what is computed."""
        return fn

    register_vmap = register_fake

    def register_kernel(self, device_types: Any, fn: Any = None, /) -> Any:
        """Let another function compute on the CPU; those of other devices are never called."""

        def take(function: T) -> T:
            wanted = [device_types] if isinstance(device_types, str) else device_types
            if wanted is None or "cpu" in wanted:
                self._function = function  # type: ignore[assignment]
            return function

        return take if fn is None else take(fn)


def _as_function(op: CustomOpDef) -> Any:
    """The autograd.Function of an op with a gradient."""

    def forward(*inputs: Any) -> Any:
        return op._function(*inputs)

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        if op._setup is not None:
            op._setup(ctx, inputs, output)

    space = {
        "forward": staticmethod(forward),
        "setup_context": staticmethod(setup_context),
        "backward": staticmethod(op._backward or op._function),
    }
    return type(op.__name__, (wend.autograd.Function,), space)


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Make a function a custom op; without one, return a decorator.

    mutates_args, schema, tags: for PyTorch's compiler; the function runs as it is.
    device_types: where the function may run; without "cpu" it needs another for the CPU.

    >>> @wend.library.custom_op("demo::double", mutates_args=())
    ... def double(x: wend.Tensor) -> wend.Tensor:
    ...     return x * 2
    >>> double.register_autograd(lambda ctx, g: g * 2)
    >>> double(wend.ones(2))
    tensor([2., 2.])
    """
    if "::" not in name:
        raise ValueError(
            f"custom_op(name, ...): expected name to be 'namespace::name', got '{name}'"
        )

    def make(function: Callable[..., Any]) -> CustomOpDef:
        made = _OPS[name] = CustomOpDef(name, function)
        wanted = [device_types] if isinstance(device_types, str) else device_types
        if wanted is not None and "cpu" not in wanted:
            made._function = _nowhere(name)
        return made

    return make if fn is None else make(fn)


def _nowhere(name: str) -> Callable[..., Any]:
    def refuse(*args: Any) -> None:
        raise NotImplementedError(f"{name} has no function for the CPU: use register_kernel('cpu')")

    return refuse


def _op(op: Any) -> CustomOpDef:
    found = op if isinstance(op, CustomOpDef) else _OPS.get(op)
    if found is None:
        raise RuntimeError(f"no custom op {op!r}: torch.library.custom_op makes one")
    return found


def register_autograd(
    op: Any,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: Any = None,
) -> None:
    """Give a custom op a gradient."""
    _op(op).register_autograd(backward, setup_context=setup_context)


def register_fake(op: Any, func: Any = None, /, **options: Any) -> Any:
    """Return the function: shapes are those of what is computed."""
    return (lambda fn: fn) if func is None else func


impl_abstract = register_fake

globals().update(
    absent_names(
        "torch.library",
        "Library define fallthrough_kernel get_ctx get_kernel impl infer_schema opcheck"
        " register_autocast register_kernel register_torch_dispatch register_vmap triton_op"
        " wrap_triton",
        "make the op with torch.library.custom_op, or call the function itself",
    )
)
