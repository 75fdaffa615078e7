"""Calls of ops that no signature takes: deprecated orders of arguments, and objects of other types.

The extension asks here before it raises; NotImplemented lets it raise.
"""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import wend
from wend import _C, _types
from wend._C import Tensor

_BETA_ALPHA = ("beta", "alpha")


class _Now(NamedTuple):
    """How an op with deprecated signatures is called today: tensors, then numbers by name."""

    tensors: tuple[str, ...]
    numbers: tuple[str, ...]
    takes_dtype: bool = False


_NOW = {
    "add": _Now(("other",), ("alpha",)),
    "sub": _Now(("other",), ("alpha",)),
    "addcmul": _Now(("tensor1", "tensor2"), ("value",)),
    "addcdiv": _Now(("tensor1", "tensor2"), ("value",)),
    "addmm": _Now(("mat1", "mat2"), _BETA_ALPHA, takes_dtype=True),
    "addmv": _Now(("mat", "vec"), _BETA_ALPHA),
    "addr": _Now(("vec1", "vec2"), _BETA_ALPHA),
    "addbmm": _Now(("batch1", "batch2"), _BETA_ALPHA),
    "baddbmm": _Now(("batch1", "batch2"), _BETA_ALPHA, takes_dtype=True),
}


def other_call(name: str, method: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Carry out a call that no signature of an op takes, or return NotImplemented."""
    able = [each for each in _objects(args, kwargs) if _handles_functions(each)]
    if able:
        from wend.overrides import handle_torch_function

        function = getattr(Tensor if method else wend, name, None) or getattr(_C, name)
        return handle_torch_function(function, able, *args, **kwargs)
    if name == "view" and method:
        return _viewed(*args, **kwargs)
    now = _NOW.get(name.removesuffix("_"))
    return NotImplemented if now is None else _deprecated(name, method, now, args, kwargs)


def _viewed(tensor: Any, dtype: Any = None, *more: Any, **others: Any) -> Any:
    """The same memory as another dtype, if that is what was asked for."""
    if more or others or not isinstance(dtype, _types.dtype):
        return NotImplemented
    if dtype not in _types.DTYPES:
        _types.refuse_dtype(dtype)
    from wend._reinterpret import view_dtype

    return view_dtype(tensor, dtype)


def _objects(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Any]:
    """The arguments, and the members of lists among them."""
    for each in (*args, *kwargs.values()):
        if isinstance(each, (list, tuple)):
            yield from each
        else:
            yield each


def _handles_functions(each: Any) -> bool:
    return not isinstance(each, Tensor) and hasattr(type(each), "__torch_function__")


def _deprecated(
    name: str, method: bool, now: _Now, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Carry out a call with numbers before the tensors, in each of the orders that there were."""
    for order in _orders(now, method):
        given = _bound(order, args, kwargs)
        if given is None or not _fits(given, now):
            continue
        shown = order[1:] if method else order
        warnings.warn(_warning(name, method, shown, now), stacklevel=4)
        first = given.pop("input")
        tensors = [given.pop(each) for each in now.tensors]
        return getattr(Tensor if method else wend, name)(first, *tensors, **given)
    return NotImplemented


def _orders(now: _Now, method: bool) -> list[tuple[str, ...]]:
    """The deprecated orders of arguments; a method is called on its input."""
    if now.numbers != _BETA_ALPHA:
        return [("input", *now.numbers, *now.tensors)]
    if method:
        return [("input", "beta", "alpha", *now.tensors), ("input", "beta", *now.tensors)]
    return [("beta", "input", "alpha", *now.tensors), ("beta", "input", *now.tensors)]


def _bound(
    order: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """The arguments by name, if the call gives all of an order and nothing else but `out`."""
    if len(args) > len(order):
        return None
    given = dict(zip(order, args, strict=False))
    if given.keys() & kwargs.keys() or {*given, *kwargs} - {"out"} != set(order):
        return None
    return given | kwargs


def _fits(given: dict[str, Any], now: _Now) -> bool:
    tensors = all(isinstance(given[name], Tensor) for name in ("input", *now.tensors))
    counts = [given[name] for name in now.numbers if name in given]
    return tensors and all(_is_number(each) for each in counts)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Number) or (isinstance(value, Tensor) and value.dim() == 0)


def _warning(name: str, method: bool, order: tuple[str, ...], now: _Now) -> str:
    """PyTorch's words, with the signature that was used and those to use."""
    out = "" if method else ", *, Tensor out = None"
    typed = [f"{'Number' if each in now.numbers else 'Tensor'} {each}" for each in order]
    tensors = ", ".join(
        f"Tensor {each}" for each in (("input",) if not method else ()) + now.tensors
    )
    defaults = ", ".join(f"Number {each} = 1" for each in now.numbers)
    ends = f"*, {defaults}" + ("" if method else ", Tensor out = None")
    lines = [f"{name}({tensors}, {ends})"]
    if now.takes_dtype and not method:
        lines.append(f"{name}({tensors}, torch.dtype out_dtype, {ends})")
    return (
        f"This overload of {name} is deprecated:\n\t{name}({', '.join(typed)}{out})\n"
        "Consider using one of the following signatures instead:\n\t" + "\n\t".join(lines)
    )
