"""PyTorch's private functions of lists of tensors, such as `_foreach_add`, which optimizers call.

Each is a loop over the op of its name: like ops run as one batch anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wend
from wend import Tensor

_ALONE = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg"
    " reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
)
_WITH_OTHERS = "add addcdiv addcmul clamp_max clamp_min div lerp mul pow sub"
_OPS = {name: name for name in f"{_ALONE} {_WITH_OTHERS}".split()}
_OPS |= {"maximum": "clamp_min", "minimum": "clamp_max"}  # which take tensors and numbers
# The order of what may be given by keyword.
_KEYWORDS = (
    *("tensor1", "tensor2", "tensors1", "mat2", "other", "src", "exponent"),
    *("weight", "weights", "scalar", "scalars", "value", "ord"),
)


def _function(name: str, op: Callable[..., Any], in_place: bool) -> Callable[..., Any]:
    """A function that does an op to each tensor of a list."""

    def foreach(self: Any, *args: Any, **named: Any) -> Any:
        given = [*args, *(named.pop(key) for key in _KEYWORDS if key in named)]
        if name == "pow" and not isinstance(
            self, (list, tuple)
        ):  # a number to the powers of a list
            return tuple(wend.pow(self, each) for each in _tensors(name, given[0]))
        tensors = _tensors(name, self)
        columns = [_column(name, each, len(tensors)) for each in given]
        results = [op(*row, **named) for row in zip(tensors, *columns, strict=True)]
        return self if in_place else tuple(results)

    foreach.__name__ = foreach.__qualname__ = f"_foreach_{name}{'_' * in_place}"
    return foreach


def _tensors(name: str, given: Any) -> Any:
    if not isinstance(given, (list, tuple)) or not all(isinstance(x, Tensor) for x in given):
        raise TypeError(
            f"_foreach_{name}(): argument 'self' must be tuple of Tensors, not "
            f"{type(given).__name__}"
        )
    if not given:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return given


def _column(name: str, given: Any, count: int) -> Any:
    """One of the arguments for each tensor."""
    if isinstance(given, Tensor) and given.dim() == 1 and name in ("addcmul", "addcdiv"):
        given = given.tolist()
    if not isinstance(given, (list, tuple)):
        return [given] * count
    if len(given) != count and not all(isinstance(each, Tensor) for each in given):
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")
    if len(given) != count:
        raise RuntimeError(
            f"Tensor lists must have the same number of tensors, got {count} and {len(given)}"
        )
    return given


def _with_value(op: Callable[..., Any]) -> Callable[..., Any]:
    """An op whose last number is given by keyword only."""

    def call(tensor: Any, first: Any, second: Any, value: Any = 1) -> Any:
        return op(tensor, first, second, value=value)

    return call


def _powsum(tensor: Any, ord: Any = 2, dtype: Any = None) -> Any:
    return (tensor if dtype is None else tensor.to(dtype)).abs().pow(ord).sum()


def _norm(tensor: Any, ord: Any = 2, dtype: Any = None) -> Any:
    return wend.linalg.vector_norm(tensor, ord, dtype=dtype)


def _all() -> dict[str, Callable[..., Any]]:
    made = {}
    for name, op in _OPS.items():
        for in_place in (False, True):
            do: Callable[..., Any] = getattr(Tensor, op + "_" * in_place)
            do = _with_value(do) if name in ("addcdiv", "addcmul") else do
            made[f"_foreach_{name}{'_' * in_place}"] = _function(name, do, in_place)
    others: dict[str, Callable[..., Any]] = {"norm": _norm, "powsum": _powsum}
    others |= {"clone": Tensor.clone, "max": Tensor.max, "mm": Tensor.mm}
    for name, other in others.items():
        made[f"_foreach_{name}"] = _function(name, other, False)
    others = {"copy": Tensor.copy_, "zero": Tensor.zero_}
    for name, other in others.items():
        made[f"_foreach_{name}_"] = _function(name, other, True)
    return made


FUNCTIONS = _all()
