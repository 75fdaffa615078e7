"""torch._utils: many tensors as one vector and back, for programs that exchange gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wend import _C
from wend._C import Tensor


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """Return all elements as one vector.

    >>> wend._utils._flatten_dense_tensors([wend.ones(2), wend.zeros(1, 2)])
    tensor([1., 1., 0., 0.])
    """
    return _C.cat([each.reshape(-1) for each in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return the parts of a vector in the shapes of the tensors.

    >>> wend._utils._unflatten_dense_tensors(wend.arange(3), [wend.ones(1), wend.ones(1, 2)])
    (tensor([0]), tensor([[1, 2]]))
    """
    parts = []
    begin = 0
    for each in tensors:
        parts.append(flat.narrow(0, begin, each.numel()).view_as(each))
        begin += each.numel()
    return tuple(parts)


def _take_tensors(tensors: Sequence[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Group tensors of one dtype into lists of at most so many bytes, or of one tensor."""
    held: dict[Any, tuple[list[Tensor], int]] = {}
    for each in tensors:
        group, size = held.get(each.dtype, ([], 0))
        if size + each.nbytes > size_limit and size > 0:
            yield group
            group, size = [], 0
        group.append(each)
        held[each.dtype] = group, size + each.nbytes
    for group, _ in held.values():
        if group:
            yield group
