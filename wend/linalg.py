"""wend.linalg: linear algebra under PyTorch's names for it.

The functions are in wend/_factorizations, _systems, _products, _norms and _reflections.
"""

from __future__ import annotations

from typing import Any, NoReturn

from wend import _C, _types
from wend._C import Tensor
from wend._factorizations import (
    LinAlgError,
    cholesky,
    cholesky_ex,
    eigh,
    eigvalsh,
    ldl_factor,
    ldl_factor_ex,
    lu,
    lu_factor,
    lu_factor_ex,
    qr,
    svd,
    svdvals,
)
from wend._norms import linalg_norm as norm
from wend._norms import matrix_norm, vector_norm
from wend._products import matrix_exp, matrix_power, multi_dot
from wend._reflections import householder_product
from wend._systems import (
    cond,
    det,
    inv,
    inv_ex,
    ldl_solve,
    lstsq,
    lu_solve,
    matrix_rank,
    pinv,
    slogdet,
    solve,
    solve_ex,
    solve_triangular,
    tensorinv,
    tensorsolve,
)

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
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


def vander(x: Tensor, N: int | None = None) -> Tensor:
    """Powers 0 to N - 1 of the elements of vectors, in a new last dimension.

    >>> vander(wend.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [1, 2, 4],
            [1, 3, 9]])
    """
    if x.dtype == _types.bool:
        raise RuntimeError(
            "linalg.vander supports floating point, complex, and integer tensors, but got Bool"
        )
    x = x.reshape(1) if x.ndim == 0 else x
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = x.unsqueeze(-1).expand(*x.shape, n - 1).cumprod(-1)
    return _C.cat((powers.new_ones((*x.shape, 1)), powers), -1)


def _refused(name: str, why: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"linalg.{name}: {why}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Not available: {why}"
    return refuse


_COMPLEX = "the result is complex, and wend has real dtypes only; see eigh for symmetric matrices"
eig, eigvals = _refused("eig", _COMPLEX), _refused("eigvals", _COMPLEX)


def _name(x: Tensor) -> str:
    return str(x.type()).removeprefix("torch.").removesuffix("Tensor")
