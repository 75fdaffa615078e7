"""wend.linalg: products and norms of vectors and matrices under PyTorch's names for them."""

from __future__ import annotations

from wend import _C
from wend._C import Tensor
from wend._norms import matrix_norm, norm, vector_norm
from wend._products import matrix_power, multi_dot

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "multi_dot",
    "norm",
    "vecdot",
    "vector_norm",
]


def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Cross product of vectors of three elements along a dimension.

    >>> cross(wend.tensor([1.0, 0.0, 0.0]), wend.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    return _C._linalg_cross(input, other, dim=dim, out=out)


def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Product of vectors, matrices or batches of matrices, which broadcast.

    >>> matmul(wend.ones(2, 3), wend.ones(3))
    tensor([3., 3.])
    """
    return _C.matmul(input, other, out=out)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A diagonal of each matrix of a batch.

    >>> diagonal(wend.eye(2))
    tensor([1., 1.])
    """
    return A.diagonal(offset, dim1, dim2)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Dot products of vectors along a dimension, which broadcast.

    >>> vecdot(wend.ones(2, 3), wend.ones(3))
    tensor([3., 3.])
    """
    for tensor in (x, y):
        if not tensor.is_floating_point():
            raise RuntimeError(
                "linalg.vecdot: Expected a floating point or complex tensor as input. Got "
                f"{_name(tensor)}"
            )
    if x.dtype != y.dtype:
        raise RuntimeError(
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
            f"{_name(x)} and y of type {_name(y)} instead"
        )
    return _C.sum(x * y, dim, out=out)


def _name(x: Tensor) -> str:
    return str(x.type()).removeprefix("torch.").removesuffix("Tensor")
