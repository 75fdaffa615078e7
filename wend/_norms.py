"""Norms of vectors and matrices, made of the op table's norm over dimensions.

torch.norm and torch.linalg's three; singular values, which some orders need, are
wend/_factorizations'.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wend import _C
from wend._C import Tensor

Dims = int | Sequence[int] | None
Order = float | str | None


def _write(result: Tensor, out: Tensor | None) -> Tensor:
    """The result, or `out` with the result in it."""
    return result if out is None else _C.clone(result, out=out)


def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Norm of order `ord` of the elements over some or all dimensions.

    >>> vector_norm(wend.tensor([3.0, 4.0]))
    tensor(5.)
    """
    return _write(_C._vector_norm(x, dim, keepdim, ord, dtype), out)


def _largest(sums: Tensor, dim: int, keepdim: bool) -> Tensor:
    """The largest of numbers that are not negative; 0 of none."""
    return sums.amax(dim, keepdim) if sums.size(dim) else sums.sum(dim, keepdim)


def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Norm of the matrices in two dimensions.

    ord: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf.

    >>> matrix_norm(wend.ones(2, 2))
    tensor(2.)
    """
    rows, columns = _matrix_dims(A, dim)
    if isinstance(ord, str):
        if ord not in ("fro", "nuc"):
            raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
        if ord == "fro":
            return vector_norm(A, 2, (rows, columns), keepdim, dtype=dtype, out=out)
        return _write(_singular_values(A, dim, keepdim, dtype).sum(-1), out)
    if abs(ord) == 2:
        values = _singular_values(A, dim, keepdim, dtype)
        return _write(_largest(values, -1, False) if ord > 0 else values.amin(-1), out)
    if abs(ord) not in (1, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord:g} not supported.")
    summed, chosen = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = vector_norm(A, 1, summed, keepdim=True, dtype=dtype)
    result = _largest(sums, chosen, True) if ord > 0 else sums.amin(chosen, True)
    return _write(result if keepdim else result.squeeze((rows, columns)), out)


def _matrix_dims(A: Tensor, dim: Any) -> tuple[int, int]:
    if A.ndim < 2:
        raise RuntimeError(
            "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."
        )
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) != 2:
        raise RuntimeError(
            f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}"
        )
    for d in dims:
        if not -A.ndim <= d < A.ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-A.ndim}, {A.ndim - 1}], "
                f"but got {d})"
            )
    rows, columns = (d % A.ndim for d in dims)
    if rows == columns:
        raise RuntimeError(
            f"linalg.matrix_norm: dims must be different. Got ({dims[0]}, {dims[1]})"
        )
    return rows, columns


def _singular_values(A: Tensor, dim: Sequence[int], keepdim: bool, dtype: Any) -> Tensor:
    """In one last dimension; the two others are gone, or of size 1."""
    from wend._factorizations import svdvals

    rows, columns = _matrix_dims(A, dim)
    rest = [d for d in range(A.ndim) if d not in (rows, columns)]
    matrices = A if dtype is None else A.to(dtype)
    values = svdvals(matrices.permute(*rest, rows, columns))
    if keepdim:
        for d in sorted((rows, columns)):
            values = values.unsqueeze(d)
    return values


def linalg_norm(
    A: Tensor,
    ord: Order = None,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
) -> Tensor:
    """Norm of a vector or of matrices, as `ord` and `dim` say.

    >>> wend.linalg.norm(wend.tensor([[3.0, 4.0], [0.0, 0.0]]))
    tensor(5.)
    """
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype, out=out)
    count = A.ndim if dim is None else 1 if isinstance(dim, int) else len(dim)
    if dim is None and count not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
            f"Got {A.ndim}D."
        )
    if dim is not None and count not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is specified, it must be of length 1 or 2. Got "
            f"[{', '.join(map(str, dim if not isinstance(dim, int) else [dim]))}]"
        )
    if isinstance(ord, str) or count == 2:
        matrix: Any = (-2, -1) if dim is None else dim
        return matrix_norm(A, ord, matrix, keepdim, dtype=dtype, out=out)
    return vector_norm(A, ord, dim, keepdim, dtype=dtype, out=out)


def norm(
    input: Tensor,
    p: Order = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: Any = None,
) -> Tensor:
    """Norm of order p of all elements or over some dimensions; of matrices for 'nuc'.

    >>> wend.norm(wend.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if isinstance(p, str):
        if p == "fro" and (dim is None or isinstance(dim, int) or len(dim) <= 2):
            return vector_norm(input, 2, dim, keepdim, dtype=dtype, out=out)
        matrix: Any = tuple(range(input.ndim)) if dim is None else dim
        return matrix_norm(input, p, matrix, keepdim, dtype=dtype, out=out)
    return vector_norm(input, 2 if p is None else p, dim, keepdim, dtype=dtype, out=out)


def _norm_method(
    self: Tensor, p: Order = "fro", dim: Dims = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    """Norm of order p of all elements or over some dimensions.

    >>> wend.tensor([3.0, 4.0]).norm()
    tensor(5.)
    """
    return norm(self, p, dim, keepdim, dtype=dtype)


linalg_norm.__name__ = linalg_norm.__qualname__ = "norm"
_C._add_method("norm", _norm_method)


def frobenius_norm(
    input: Tensor, dim: Any, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The root of the sum of squares over one or two dimensions.

    >>> wend.frobenius_norm(wend.tensor([3.0, 4.0]), 0)
    tensor(5.)
    """
    if isinstance(dim, Sequence) and len(dim) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(dim)} dimensions instead.")
    return vector_norm(input, 2, dim, keepdim, out=out)


def nuclear_norm(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The sum of the singular values.

    >>> wend.nuclear_norm(wend.eye(2))
    tensor(2.)
    """
    if isinstance(dim, bool):
        dim, keepdim = None, dim
    return matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, out=out)


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but one, which are kept with size 1; over all for dim -1.

    >>> wend.norm_except_dim(wend.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5.],
            [1.]])
    """
    if dim == -1:
        return norm(v, pow)
    v.size(dim)  # raises where there is no such dimension
    others = [d for d in range(v.dim()) if d != dim % v.dim()]
    return norm(v, pow, others, keepdim=True) if others else v.abs()
