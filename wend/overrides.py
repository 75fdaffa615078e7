"""What programs ask about `__torch_function__`, which wend calls for no object.

Tensors of a subclass take part in every op as they are.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import wend
from wend import _C
from wend._absent import absent

__all__ = [
    "TorchFunctionMode",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]

TorchFunctionMode = absent(
    "torch.overrides.TorchFunctionMode", "call functions of your own in place of the ops"
)


def _overrides(argument: Any) -> bool:
    """Whether an object's type has a __torch_function__ of its own."""
    kind = type(argument)
    if kind is wend.Tensor or not hasattr(kind, "__torch_function__"):
        return False
    return kind.__torch_function__ is not _C._disabled_torch_function_impl


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Return whether an argument's type handles functions itself.

    >>> wend.overrides.has_torch_function([wend.ones(1), 3])
    False
    """
    return any(map(_overrides, relevant_args))


def has_torch_function_unary(argument: Any) -> bool:
    """Return whether the argument's type handles functions itself."""
    return _overrides(argument)


def has_torch_function_variadic(*arguments: Any) -> bool:
    """Return whether an argument's type handles functions itself."""
    return has_torch_function(arguments)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Let the first argument whose type can handle the function, subclasses before bases."""
    able: list[Any] = []
    for argument in filter(_overrides, relevant_args):
        kind = type(argument)
        if all(kind is not type(other) for other in able):
            after = (i for i, other in enumerate(able) if issubclass(kind, type(other)))
            able.insert(next(after, len(able)), argument)
    types = tuple(map(type, able))
    for argument in able:
        result = argument.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    raise TypeError(
        f"no implementation found for '{name}' on types that implement __torch_function__: "
        f"{list(types)}"
    )


def wrap_torch_function(dispatcher: Callable[..., Any]) -> Callable[..., Any]:
    """Make a decorator: the function's arguments that `dispatcher` names may handle it."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def is_tensor_like(inp: Any) -> bool:
    """Return whether an object is a tensor, or has __torch_function__.

    >>> wend.overrides.is_tensor_like([1.0])
    False
    """
    return isinstance(inp, wend.Tensor) or hasattr(inp, "__torch_function__")


def is_tensor_method_or_property(func: Any) -> bool:
    """Return whether a function is Tensor's."""
    name = "" if inspect.ismodule(func) else getattr(func, "__name__", "")
    return name == "__get__" or getattr(wend.Tensor, name, None) is func


def resolve_name(f: Any) -> str | None:
    """Return a name such as "torch.add" or "torch.Tensor.add"; None if it is not known."""
    name = getattr(f, "__name__", None)
    if name is None:
        return None
    spaces = {"torch": wend, "torch.Tensor": wend.Tensor, "torch.nn.functional": None}
    for path, space in spaces.items():
        space = wend.nn.functional if space is None else space
        if getattr(space, name, None) is f:
            return f"{path}.{name}"
    return None
