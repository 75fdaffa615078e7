"""Functions on any number of tensors that only rearrange them: grids, products, block matrices.

What takes one tensor, or a list of them, is an op of the extension module.
"""

from __future__ import annotations

import builtins
import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from wend import _C
from wend._C import Tensor
from wend._padding import pad
from wend._types import Size, int64

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "cartesian_prod",
    "combinations",
    "meshgrid",
]


def _listed(tensors: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """Take tensors given one by one or as one list."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        return tuple(tensors[0])
    return tensors


def broadcast_shapes(*shapes: int | Sequence[int]) -> Size:
    """The shape that all shapes broadcast to.

    >>> wend.broadcast_shapes((2, 1), (3,))
    torch.Size([2, 3])
    """
    result: list[int] = []
    for number, given in enumerate(shapes):
        shape = (given,) if isinstance(given, builtins.int) else tuple(given)
        result[:0] = [1] * (len(shape) - len(result))
        for i in range(-1, -1 - len(shape), -1):
            if shape[i] == 1 or shape[i] == result[i]:
                continue
            if shape[i] < 0:
                raise RuntimeError(
                    f"Trying to create tensor with negative dimension ({shape[i]}): ({shape[i]})"
                )
            if result[i] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[i]} at {i}! "
                    f"Mismatching argument at index {number} had {shape}; "
                    f"but expected shape should be broadcastable to {result}"
                )
            result[i] = shape[i]
    return Size(result)


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Views of the tensors, all of the shape that they broadcast to.

    >>> [t.shape for t in wend.broadcast_tensors(wend.zeros(2, 1), wend.zeros(3))]
    [torch.Size([2, 3]), torch.Size([2, 3])]
    """
    return _C._broadcast_tensors(_listed(tensors)) if _listed(tensors) else ()


def _for_each(convert: Callable[[Tensor], Tensor], tensors: tuple[Any, ...]) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return convert(tensors[0])
    return tuple(convert(t) for t in _listed(tensors))


def atleast_1d(*tensors: Any) -> Any:
    """Each tensor with at least one dimension.

    >>> wend.atleast_1d(wend.tensor(2.0))
    tensor([2.])
    """
    return _for_each(lambda t: t if t.ndim else t.reshape(1), tensors)


def atleast_2d(*tensors: Any) -> Any:
    """Each tensor with at least two dimensions.

    >>> wend.atleast_2d(wend.tensor([1, 2]))
    tensor([[1, 2]])
    """
    return _for_each(lambda t: t if t.ndim > 1 else atleast_1d(t).unsqueeze(0), tensors)


def atleast_3d(*tensors: Any) -> Any:
    """Each tensor with at least three dimensions.

    >>> wend.atleast_3d(wend.tensor([1, 2])).shape
    torch.Size([1, 2, 1])
    """
    return _for_each(lambda t: t if t.ndim > 2 else atleast_2d(t).unsqueeze(-1), tensors)


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Grids of coordinates: one tensor for each vector, all of the shape that the vectors span.

    `indexing` is "ij" (the first vector runs along dimension 0) or "xy" (along dimension 1).

    >>> wend.meshgrid(wend.tensor([1, 2]), wend.tensor([3, 4]), indexing="ij")[0]
    tensor([[1, 1],
            [2, 2]])
    """
    vectors = _listed(tensors)
    if not vectors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for vector in vectors:
        if vector.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {vector}"
            )
        if vector.dtype is not vectors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing is None:
        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
            "argument.",
            stacklevel=2,
        )
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    shape = [v.numel() for v in vectors]
    grids = []
    for i, vector in enumerate(vectors):
        along = [1] * len(vectors)
        along[i] = vector.numel()
        grids.append(vector.reshape(along).expand(shape))
    if indexing == "xy" and len(vectors) > 1:
        grids = [g.swapdims(0, 1) for g in grids]
    return tuple(grids)


def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of one element from each vector, one in each row.

    >>> wend.cartesian_prod(wend.tensor([1, 2]), wend.tensor([4, 5]))
    tensor([[1, 4],
            [1, 5],
            [2, 4],
            [2, 5]])
    """
    vectors = _listed(tensors)
    for vector in vectors:
        if vector.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(vector.shape)}")
    if len(vectors) == 1:
        return vectors[0]
    grids = meshgrid(*vectors, indexing="ij")
    return _C.stack([g.flatten() for g in grids], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of r elements of a vector, one in each row.

    >>> wend.combinations(wend.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    if input.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return _C.cat([input[:0]])
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(input.numel()), r))
    index = _C.tensor(rows, dtype=int64).reshape(len(rows), r)
    return input[index]


def block_diag(*tensors: Any) -> Tensor:
    """The matrix with the tensors, as matrices, along its diagonal.

    >>> wend.block_diag(wend.tensor([[1, 2]]), wend.tensor([3]))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    for number, tensor in enumerate(tensors):
        if tensor.ndim > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Input {number} has {tensor.ndim} dimensions"
            )
    if not tensors:
        return _C.tensor([[]])
    blocks = [atleast_2d(t) for t in tensors]
    width = sum(b.shape[1] for b in blocks)
    rows, start = [], 0
    for block in blocks:
        end = start + block.shape[1]
        rows.append(pad(block, (start, width - end)))
        start = end
    return _C.cat(rows)
