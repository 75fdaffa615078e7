"""What views show as tensors of their own: view_copy, permute_copy and their like.

Each calls the view of that name and copies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wend
from wend import _C
from wend._C import Tensor


def _written(result: Tensor, out: Tensor | None) -> Tensor:
    """A copy of the result, in `out` if it is given."""
    if out is None:
        return result.clone(memory_format=wend.contiguous_format)
    with wend.no_grad():
        return out.resize_(result.shape).copy_(result)


def _copy(name: str, view: Callable[..., Tensor], of: str) -> Any:
    """The function of a view's name and `_copy`."""

    def copied(input: Tensor, *args: Any, out: Tensor | None = None, **options: Any) -> Tensor:
        return _written(view(input, *args, **options), out)

    copied.__name__ = copied.__qualname__ = f"{name}_copy"
    copied.__doc__ = f"Return {of}, in memory of its own."
    return copied


def _copies(name: str, overload: str, views: Callable[..., Sequence[Tensor]], of: str) -> Any:
    """The function of the name of a view that gives several, and `_copy`."""

    def copied(input: Tensor, *args: Any, out: Any = None, **options: Any) -> Any:
        parts = views(input, *args, **options)
        if out is None:
            return tuple(_written(part, None) for part in parts)
        if len(out) != len(parts):
            raise RuntimeError(
                f"{name}_copy{overload}_out() expected an out= argument of size {len(parts)}, "
                f"got size {len(out)}"
            )
        for part, place in zip(parts, out, strict=True):
            place.copy_(part)
        return None

    copied.__name__ = copied.__qualname__ = f"{name}_copy"
    copied.__doc__ = f"Return {of}, each in memory of its own."
    return copied


def _view(input: Tensor, size: Any) -> Tensor:
    return input.view(size)


def _expand(input: Tensor, size: Any, *, implicit: bool = False) -> Tensor:
    return input.expand(size)


def _unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    return input.unfold(dimension, size, step)


def _slice(
    input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    if input.dim() == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    input.size(dim)  # raises where there is no such dimension
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return input[(slice(None),) * (dim % input.dim()) + (slice(start, end, step),)]


def narrow_copy(
    input: Tensor, dim: int, start: int | Tensor, length: int, *, out: Tensor | None = None
) -> Tensor:
    """Return a range of a dimension, in memory of its own.

    >>> wend.narrow_copy(wend.arange(5), 0, 1, 2)
    tensor([1, 2])
    """
    return _written(input.narrow(dim, start, length), out)  # type: ignore[arg-type]


view_copy = _copy("view", _view, "the elements in another shape, or as another dtype")
permute_copy = _copy("permute", _C.permute, "the tensor with its dimensions in another order")
transpose_copy = _copy("transpose", _C.transpose, "the tensor with two dimensions exchanged")
t_copy = _copy("t", _C.t, "the matrix transposed")
expand_copy = _copy("expand", _expand, "the tensor repeated to a larger size")
squeeze_copy = _copy("squeeze", _C.squeeze, "the tensor without dimensions of size 1")
unsqueeze_copy = _copy("unsqueeze", _C.unsqueeze, "the tensor with one more dimension")
select_copy = _copy("select", _C.select, "the tensor at one index of a dimension")
slice_copy = _copy("slice", _slice, "a slice along a dimension")
unfold_copy = _copy("unfold", _unfold, "windows over a dimension")
diagonal_copy = _copy("diagonal", _C.diagonal, "the diagonal of two dimensions")
alias_copy = _copy("alias", lambda input: input, "the tensor")
detach_copy = _copy("detach", lambda input: input.detach(), "the tensor without its history")
as_strided_copy = _copy("as_strided", _C.as_strided, "what the storage shows by strides")
split_copy = _copies("split", "_Tensor", _C.split, "the parts of a size")
split_with_sizes_copy = _copies(
    "split_with_sizes", "", _C.split_with_sizes, "the parts of the sizes"
)
unbind_copy = _copies("unbind", "_int", _C.unbind, "the slices of a dimension")

_C._add_method("narrow_copy", narrow_copy)
