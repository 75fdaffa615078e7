"""wend.linalg: products and norms of vectors and matrices under PyTorch's names for them."""

from __future__ import annotations

from wend import _C
from wend._C import Tensor
from wend._norms import matrix_norm, norm, vector_norm
from wend._products import matrix_power, multi_dot

__all__ = [
    "cross",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "multi_dot",
    "norm",
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
