"""Where elements of a flat tensor stand, and as many places of elements as are asked for.

Choosing elements by index or mask is the extension module's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from wend import _C, _types
from wend._C import Tensor

__all__ = ["nonzero_static", "unravel_index"]


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Where in a tensor of this shape the elements with these flat indices stand.

    >>> unravel_index(wend.tensor([5, 7]), (2, 4))
    (tensor([1, 1]), tensor([1, 3]))
    """
    if indices.is_floating_point() or indices.dtype == _types.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    sizes = [shape] if isinstance(shape, int) else list(shape)
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    steps = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
    pairs = zip(steps, sizes, strict=True)
    return tuple(indices.div(step, rounding_mode="floor") % size for step, size in pairs)


def nonzero_static(
    input: Tensor, *, size: int, fill_value: int = -1, out: Tensor | None = None
) -> Tensor:
    """The first `size` places of elements other than 0, filled up with fill_value.

    >>> wend.nonzero_static(wend.tensor([0, 3, 5]), size=3).flatten()
    tensor([ 1,  2, -1])
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = _C.nonzero(input)[:size]
    missing = _C.full((size - len(found), found.size(1)), fill_value, dtype=found.dtype)
    result = _C.cat([found, missing])
    return result if out is None else _C.clone(result, out=out)


_C._add_method("nonzero_static", nonzero_static)
