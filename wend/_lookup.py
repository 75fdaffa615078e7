"""Which elements are among others, and where an element of a flat tensor stands.

Choosing elements by index or mask is the extension module's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from wend import _C, _types
from wend._C import Tensor

__all__ = ["isin", "unravel_index"]


def isin(
    elements: Tensor | float,
    test_elements: Tensor | float,
    *,
    assume_unique: bool = False,
    invert: bool = False,
) -> Tensor:
    """Whether each element is among the test elements, or with invert whether it is not.

    assume_unique: no element is there twice; nothing depends on it here.

    >>> isin(wend.tensor([1, 2, 3]), wend.tensor([2, 3]))
    tensor([False,  True,  True])
    """
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise TypeError("isin(): one of elements and test_elements must be a Tensor")
    given = [t if isinstance(t, Tensor) else _C.tensor(t) for t in (elements, test_elements)]
    for tensor in given:
        if tensor.dtype == _types.bool:
            raise RuntimeError("Unsupported input type encountered for isin(): Bool")
    dtype = _C.result_type(elements, test_elements)
    wanted, known = (t.detach().to(dtype) for t in given)
    if known.numel() == 0:
        return _C.full(wanted.shape, invert)
    known = known.flatten().sort().values
    at = _C.searchsorted(known, wanted.contiguous()).clamp(max=known.numel() - 1)
    found = known[at] == wanted
    return ~found if invert else found


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
