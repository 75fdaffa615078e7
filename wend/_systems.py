"""Systems of equations and what follows from them: inverses, determinants, least squares.

Factorizations are wend/_factorizations, products and powers wend/_products.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wend import _C, _types
from wend import _factorizations as _f
from wend._C import Tensor
from wend._norms import matrix_norm
from wend._shapes import broadcast_shapes

Out = Any
Tolerance = float | Tensor | None

_inv_ex = _f.named_result("linalg_inv_ex", "inverse", "info")
_solve_ex = _f.named_result("linalg_solve_ex", "result", "info")
_slogdet = _f.named_result("linalg_slogdet", "sign", "logabsdet")
_lstsq = _f.named_result("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


def _singular(place: int) -> str:
    return (
        f"The diagonal element {place} is zero, the inversion could not be completed because the "
        "input matrix is singular."
    )


def _inverse(A: Tensor, where: str) -> tuple[Tensor, Tensor]:
    _f.check_square_float(A, where)
    eye = _C.eye(A.shape[-1], dtype=A.dtype).expand(A.shape)
    inverse, info = _C._linalg_solve(A, eye)
    return inverse, info


def inv(A: Tensor, *, out: Out = None) -> Tensor:
    """Inverse of square matrices.

    >>> inv(wend.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    inverse, info = _inverse(A, "linalg.inv")
    _f.refuse_failure(info, "linalg.inv", _singular)
    return _f.written(inverse, out)


def inv_ex(A: Tensor, *, check_errors: bool = False, out: Out = None) -> Any:
    """Inverse of square matrices, and where a zero was met on the diagonal, or 0.

    >>> inv_ex(wend.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    inverse, info = _inverse(A, "linalg.inv_ex")
    if check_errors:
        _f.refuse_failure(info, "linalg.inv_ex", _singular)
    return _f.written(_inv_ex(inverse, info), out)


def _together(A: Tensor, B: Tensor) -> tuple[Tensor, Tensor]:
    """Both with the batch that theirs broadcast to."""
    batch = broadcast_shapes(A.shape[:-2], B.shape[:-2])
    return A.expand(*batch, *A.shape[-2:]), B.expand(*batch, *B.shape[-2:])


def _check_fit(A: Tensor, B: Tensor, left: bool, where: str) -> None:
    if A.shape[-2] != B.shape[-2 if left else -1]:
        sizes = " and ".join(f"{x.shape[-2]}x{x.shape[-1]}" for x in (A, B))
        raise RuntimeError(
            f"{where}: Incompatible shapes of A and B for the equation "
            f"{'AX = B' if left else 'XA = B'} ({sizes})"
        )


def _is_vector(A: Tensor, B: Tensor) -> bool:
    return B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1])


def _solve(A: Tensor, B: Tensor, left: bool) -> tuple[Tensor, Tensor]:
    _f.check_square_float(A, "linalg.solve")
    if A.dtype != B.dtype:
        raise RuntimeError(
            "linalg.solve: Expected A and B to have the same dtype, but found A of type "
            f"{_f.type_name(A)} and B of type {_f.type_name(B)} instead"
        )
    vector = _is_vector(A, B)
    if vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for "
            "left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    right = B.unsqueeze(-1) if vector else B
    _check_fit(A, right, left, "linalg.solve")
    A, right = _together(A, right)
    if not left:
        result, info = _C._linalg_solve(A.mT, right.mT)
        return result.mT, info
    result, info = _C._linalg_solve(A, right)
    return (result.squeeze(-1) if vector else result), info


def _no_solution(_: int) -> str:
    return "The solver failed because the input matrix is singular."


def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Out = None) -> Tensor:
    """The X of A @ X = B, or of X @ A = B where not left.

    >>> solve(wend.tensor([[2.0, 0.0], [0.0, 4.0]]), wend.ones(2))
    tensor([0.5000, 0.2500])
    """
    result, info = _solve(A, B, left)
    _f.refuse_failure(info, "torch.linalg.solve", _no_solution)
    return _f.written(result, out)


def solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Out = None
) -> Any:
    """The solution of a system, and where a zero was met on the diagonal, or 0.

    >>> solve_ex(wend.zeros(2, 2), wend.ones(2)).info
    tensor(1, dtype=torch.int32)
    """
    result, info = _solve(A, B, left)
    if check_errors:
        _f.refuse_failure(info, "torch.linalg.solve_ex", _no_solution)
    return _f.written(_solve_ex(result, info), out)


def solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
    out: Out = None,
) -> Tensor:
    """The X of A @ X = B, or of X @ A = B where not left, for a triangular A.

    unitriangular: the diagonal is taken to be 1.

    >>> solve_triangular(wend.tensor([[2.0, 0.0], [1.0, 1.0]]), wend.ones(2, 1), upper=False)
    tensor([[0.5000],
            [0.5000]])
    """
    where = "linalg.solve_triangular"
    _f.check_square(A, where)
    _f.check_dims(B, where, "B")
    _check_fit(A, B, left, where)
    _check_triangular_dtypes(A, B)
    return _f.written(triangular(A, B, upper, left, unitriangular), out)


def _check_triangular_dtypes(A: Tensor, B: Tensor) -> None:
    if A.dtype not in (_types.float32, _types.float64):
        raise NotImplementedError(
            f"\"triangular_solve_cpu\" not implemented for '{_f.type_name(A)}'"
        )
    if A.dtype != B.dtype:
        raise RuntimeError(
            "linalg.solve_triangular: Expected A and B to have the same dtype, but found A of type "
            f"{_f.type_name(A)} and B of type {_f.type_name(B)} instead"
        )


def triangular(A: Tensor, B: Tensor, upper: bool, left: bool = True, unit: bool = False) -> Tensor:
    """The solution of a triangular system that is known to fit."""
    A, B = _together(A, B)
    if not left:
        (result,) = _C._linalg_triangular(A.mT, B.mT, not upper, unit)
        return result.mT
    (result,) = _C._linalg_triangular(A, B, upper, unit)
    return result


def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    adjoint: bool = False,
    out: Out = None,
) -> Tensor:
    """The solution of a system whose matrix is given by `lu_factor`.

    adjoint: the matrix is transposed.

    >>> factors = wend.linalg.lu_factor(wend.tensor([[2.0, 0.0], [0.0, 4.0]]))
    >>> lu_solve(*factors, wend.ones(2, 1))
    tensor([[0.5000],
            [0.2500]])
    """
    where = "linalg.lu_solve"
    _f.check_square_float(LU, where)
    _f.check_dims(B, where, "B")
    _check_fit(LU, B, left, where)
    _check_pivots(LU, pivots, where)
    if not left:
        return _f.written(_by_factors(LU, pivots, B.mT, not adjoint).mT, out)
    return _f.written(_by_factors(LU, pivots, B, adjoint), out)


def _check_ldl(LD: Tensor, pivots: Tensor, B: Tensor) -> None:
    where = "torch.linalg.ldl_solve"
    _f.check_square(LD, where)
    if B.ndim < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got -2)")
    if LD.shape[-1] != B.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {where}: each A matrix is {LD.shape[-1]} by "
            f"{LD.shape[-1]} but each b matrix is {B.shape[-2]} by {B.shape[-1]}"
        )
    if LD.shape[:-1] != pivots.shape:
        raise RuntimeError(
            f"{where}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with "
            f"shape {list(pivots.shape)} instead"
        )
    if pivots.is_floating_point() or pivots.dtype == _types.bool:
        raise RuntimeError(f"{where}: Expected pivots to be integers. Got {_f.type_name(pivots)}")
    if LD.dtype != B.dtype:
        raise RuntimeError(
            "Expected b and A to have the same dtype, but found b of type "
            f"{_f.type_name(B)} and A of type {_f.type_name(LD)} instead."
        )
    _f.check_float(LD, where)


def ldl_solve(
    LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Out = None
) -> Tensor:
    """The solution of a system whose symmetric matrix is given by `ldl_factor`.

    hermitian: of real matrices it makes no difference.

    >>> factors = wend.linalg.ldl_factor(wend.tensor([[2.0, 4.0], [4.0, 9.0]]))
    >>> ldl_solve(*factors, wend.tensor([[6.0], [13.0]]))
    tensor([[1.],
            [1.]])
    """
    _check_ldl(LD, pivots, B)
    batch = broadcast_shapes(LD.shape[:-2], B.shape[:-2])
    n = LD.shape[-1]
    column = pivots.to(LD.dtype).unsqueeze(-1)
    (solution,) = _C._linalg_ldl_solve(
        LD.expand(*batch, n, n), B.expand(*batch, *B.shape[-2:]), column.expand(*batch, n, 1)
    )
    return _f.written(solution, out)


def _check_pivots(LU: Tensor, pivots: Tensor, where: str) -> None:
    if pivots.dtype != _types.int32:
        raise RuntimeError(f"{where}: pivots should be a Tensor of scalar type torch.int32")
    if pivots.shape[-1:] != LU.shape[-1:]:
        raise RuntimeError(
            f"{where}: Number of pivots per batch should be same as the dimension of the matrix"
        )
    if pivots.shape != LU.shape[:-1]:
        raise RuntimeError(
            f"{where}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with "
            f"shape {list(pivots.shape)} instead"
        )


def _by_factors(LU: Tensor, pivots: Tensor, B: Tensor, transposed: bool) -> Tensor:
    P = _f.permutation_matrix(pivots, LU)
    if transposed:
        inner = triangular(LU.mT, B, upper=False)
        return P @ triangular(LU.mT, inner, upper=True, unit=True)
    return triangular(LU, triangular(LU, P.mT @ B, upper=False, unit=True), upper=True)


def det(A: Tensor, *, out: Out = None) -> Tensor:
    """Determinants.

    >>> det(wend.tensor([[2.0, 1.0], [0.0, 4.0]]))
    tensor(8.)
    """
    _f.check_square_float(A, "linalg.det")
    return _f.written(_C._linalg_det(A), out)


def sign_and_log(A: Tensor, where: str) -> tuple[Tensor, Tensor]:
    """The sign of the determinants, and the logarithm of their size."""
    _f.check_square_float(A, where)
    factors, pivots, _ = _C._linalg_lu(A)
    diagonal = factors.diagonal(dim1=-2, dim2=-1)
    moved = (pivots != _C.arange(1, A.shape[-1] + 1)).sum(-1) % 2
    sign = diagonal.detach().sign().prod(-1) * (1 - 2 * moved)
    return sign, diagonal.abs().log().sum(-1)


def slogdet(A: Tensor, *, out: Out = None) -> Any:
    """Signs of the determinants, and logarithms of their absolute values.

    >>> slogdet(wend.tensor([[-1.0, 0.0], [0.0, 1.0]])).sign
    tensor(-1.)
    """
    return _f.written(_slogdet(*sign_and_log(A, "linalg.slogdet")), out)


def _tolerance(values: Tensor, A: Tensor, atol: Tolerance, rtol: Tolerance) -> Tensor:
    """What singular values must exceed to count, in a dimension for them."""
    if rtol is None:
        by_size = _epsilon(A) * max(A.shape[-2:])
        given = atol is not None and not isinstance(atol, Tensor) and atol > 0
        rtol = 0.0 if given else by_size
        if isinstance(atol, Tensor):
            rtol = _C.where(atol > 0, 0.0, by_size)
    least = atol if isinstance(atol, Tensor) else values.new_full((), atol or 0.0)
    share = rtol if isinstance(rtol, Tensor) else values.new_full((), rtol)
    largest = values.amax(-1) if values.shape[-1] else values.new_zeros(values.shape[:-1])
    return _C.maximum(least.to(values.dtype), share.to(values.dtype) * largest).unsqueeze(-1)


def _epsilon(A: Tensor) -> float:
    from wend._info import finfo

    return float(finfo(A.dtype).eps)


def matrix_rank(
    A: Tensor,
    tol: Tolerance = None,
    hermitian: bool = False,
    *,
    atol: Tolerance = None,
    rtol: Tolerance = None,
    out: Out = None,
) -> Tensor:
    """How many singular values exceed max(atol, rtol * the largest).

    tol: is atol, without a share of the largest. hermitian: A is taken to be symmetric.

    >>> matrix_rank(wend.ones(3, 3))
    tensor(1)
    """
    _f.check_matrices(A, "torch.linalg.matrix_rank", "input")
    if tol is not None:
        atol, rtol = tol, 0.0
    A = A.detach()
    values = _f.eigvalsh(A).abs() if hermitian else _f.svdvals(A)
    return _f.written((values > _tolerance(values, A, atol, rtol)).sum(-1), out)


def _pseudo_inverse(A: Tensor, atol: Tolerance, rtol: Tolerance, hermitian: bool) -> Tensor:
    if hermitian:
        values, u = _f.eigh(A)
        size, vh = values.abs(), u.mT
    else:
        u, values, vh = _f.svd_parts(A, False, True)
        size = values
    counts = size > _tolerance(size, A, atol, rtol)
    reciprocal = _C.where(counts, 1 / values, 0.0)
    result: Tensor = (vh.mT * reciprocal.unsqueeze(-2)) @ u.mT
    return result


def pinv(
    A: Tensor,
    rcond: Tolerance = None,
    hermitian: bool = False,
    *,
    atol: Tolerance = None,
    rtol: Tolerance = None,
    out: Out = None,
) -> Tensor:
    """Pseudo-inverse: singular values up to max(atol, rtol * the largest) count as 0.

    rcond: is rtol, without an absolute bound. hermitian: A is taken to be symmetric.

    >>> pinv(wend.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    if A.ndim < 2 or not A.is_floating_point():
        raise RuntimeError(
            f"linalg.pinv({_f.type_name(A)}{{{list(A.shape)}}}): expected a tensor with 2 or more "
            "dimensions of float, double, cfloat or cdouble types"
        )
    if rcond is not None:
        atol, rtol = 0.0, rcond
    if A.numel() == 0:
        return _f.written(A.mT.clone(), out)
    return _f.written(_differentiable_pinv(A, atol, rtol, hermitian), out)


def _differentiable_pinv(A: Tensor, atol: Tolerance, rtol: Tolerance, hermitian: bool) -> Tensor:
    """The pseudo-inverse by way of a function whose gradient holds where values are equal."""
    from wend.autograd import Function

    class Pinv(Function):
        @staticmethod
        def forward(ctx: Any, a: Tensor) -> Tensor:
            p = _pseudo_inverse(a, atol, rtol, hermitian)
            ctx.save_for_backward(a, p)
            return p

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            a, p = ctx.saved_tensors
            pt, gt = p.mT, g.mT
            outside = gt @ p @ pt
            across = pt @ p @ gt
            grad: Tensor = -pt @ g @ pt + outside - a @ (p @ outside) + across - across @ p @ a
            return grad

    result: Tensor = Pinv.apply(A)
    return result


_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def _check_lstsq(A: Tensor, B: Tensor, driver: str) -> None:
    where = "torch.linalg.lstsq"
    if A.ndim < 2:
        raise RuntimeError(f"{where}: input must have at least 2 dimensions.")
    if B.ndim < 1:
        raise RuntimeError(f"{where}: other must have at least 1 dimension.")
    if A.dtype != B.dtype:
        raise RuntimeError(
            f"{where}: Expected input and other to have the same dtype, but got input's dtype "
            f"{_f.type_name(A)} and other's dtype {_f.type_name(B)}"
        )
    if not 0 <= A.ndim - B.ndim <= 1:
        raise RuntimeError(
            f"{where}: input.dim() must be greater or equal to other.dim() and (input.dim() - "
            "other.dim()) <= 1"
        )
    if driver not in _DRIVERS:
        raise RuntimeError(f"{where}: parameter `driver` should be one of ({', '.join(_DRIVERS)})")
    dim = -1 if _is_vector(A, B) else -2
    if A.shape[-2] != B.shape[dim]:
        raise RuntimeError(f"{where}: input.size(-2) should match other.size({dim})")
    _f.check_float(A, where)


def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The X of least length that makes A @ X closest to B.

    rcond: singular values up to this share of the largest count as 0.
    driver: which of the results beside the solution are wanted, as LAPACK's drivers give them.

    >>> lstsq(wend.tensor([[1.0], [1.0]]), wend.tensor([[1.0], [3.0]])).solution
    tensor([[2.0000]])
    """
    driver = "gelsy" if driver is None else driver
    _check_lstsq(A, B, driver)
    vector = _is_vector(A, B)
    right = B.unsqueeze(-1) if vector else B
    share = _epsilon(A) * max(A.shape[-2:]) if rcond is None else rcond
    solution = pinv(A, atol=0.0, rtol=0.0 if driver == "gels" else share) @ right
    rank, values = _rank_for(A, share, driver)
    none = A.new_empty((0,))
    residuals = none if driver == "gelsy" else _residuals(A, right, solution, rank)
    return _lstsq(solution.squeeze(-1) if vector else solution, residuals, rank, values)


def _rank_for(A: Tensor, share: float, driver: str) -> tuple[Tensor, Tensor]:
    none = A.new_empty((0,))
    if driver == "gels":
        return none.to(_types.int64), none
    values = _f.svdvals(A.detach())
    rank = (values > share * values[..., :1]).sum(-1)
    return rank, (values if driver in ("gelsd", "gelss") else none)


def _residuals(A: Tensor, B: Tensor, solution: Tensor, rank: Tensor) -> Tensor:
    """Sums of squares, where there are more equations than unknowns and these are determined."""
    m, n = A.shape[-2:]
    if m <= n or not (rank == n).all().item():
        return A.new_empty((0,))
    return (A @ solution - B).square().sum(-2)


def cond(A: Tensor, p: float | str | None = None, *, out: Out = None) -> Tensor:
    """Condition number: the norm of A times that of its inverse; by singular values for 2, -2.

    >>> cond(wend.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor(2.)
    """
    if A.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if isinstance(p, str):
        _f.check_square(A, f"linalg.cond(ord={p})")
    if A.numel() == 0:
        return _f.written(A.new_zeros(A.shape[:-2]), out)
    if p is None or (not isinstance(p, str) and abs(p) == 2):
        values = _f.svdvals(A)
        largest, smallest = values[..., 0], values[..., -1]
        result = smallest / largest if p is not None and p != 2 else largest / smallest
        return _f.written(result, out)
    if p not in ("fro", "nuc", 1, -1, math.inf, -math.inf):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    _f.check_square(A, f"linalg.cond(ord={p})")
    inverse, info = _inverse(A, "linalg.cond")
    norms = matrix_norm(A, p) * matrix_norm(inverse, p)
    return _f.written(_C.where(info > 0, math.inf, norms), out)


def tensorinv(A: Tensor, ind: int = 2, *, out: Out = None) -> Tensor:
    """The inverse for `tensordot` over `ind` dimensions.

    >>> tensorinv(wend.eye(4).reshape(2, 2, 4)).shape
    torch.Size([4, 2, 2])
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    front, behind = A.shape[:ind], A.shape[ind:]
    rows, columns = math.prod(front), math.prod(behind)
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {columns} != {rows}"
        )
    return _f.written(inv(A.reshape(columns, rows)).reshape(*behind, *front), out)


def tensorsolve(
    A: Tensor, B: Tensor, dims: Sequence[int] | None = None, *, out: Out = None
) -> Tensor:
    """The X of tensordot(A, X) = B; `dims` of A are moved to its end before.

    >>> tensorsolve(2 * wend.eye(4).reshape(2, 2, 4), wend.ones(2, 2))
    tensor([0.5000, 0.5000, 0.5000, 0.5000])
    """
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A.ndim - len(dims), A.ndim)))
    behind = A.shape[B.ndim :]
    rows, columns = math.prod(A.shape[: B.ndim]), math.prod(behind)
    if rows != columns or B.numel() != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {columns} != "
            f"{B.numel() if rows == columns else rows}"
        )
    return _f.written(solve(A.reshape(rows, columns), B.reshape(-1)).reshape(behind), out)
