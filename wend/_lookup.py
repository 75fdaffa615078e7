"""Where an element of a flat tensor stands.

Choosing elements by index or mask is the extension module's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from wend import _types
from wend._C import Tensor

__all__ = ["unravel_index"]


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
