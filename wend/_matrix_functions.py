"""The functions of matrices that stand in torch itself, most of them older forms of torch.linalg's.

They are methods of Tensor as well, where PyTorch has them there.
"""

from __future__ import annotations

from typing import Any

from wend import _C
from wend import _factorizations as _f
from wend import _systems as _s
from wend._C import Tensor
from wend._reflections import householder_product
from wend._types import require_bools

Out = Any

_svd = _f.named_result("svd", "U", "S", "V")
_qr = _f.named_result("qr", "Q", "R")
_slogdet = _f.named_result("slogdet", "sign", "logabsdet")
_triangular = _f.named_result("triangular_solve", "solution", "cloned_coefficient")
_with_info = _f.named_result("_lu_with_info", "LU", "pivots", "info")
_unpacked = _f.named_result("lu_unpack", "P", "L", "U")


def _method(f: Any) -> Any:
    _C._add_method(f.__name__, f)
    return f


@_method
def inverse(input: Tensor, *, out: Out = None) -> Tensor:
    """Inverse of square matrices.

    >>> wend.inverse(wend.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return _s.inv(input, out=out)


@_method
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Pseudo-inverse.

    >>> wend.pinverse(wend.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    return _s.pinv(input, rtol=rcond)


@_method
def det(input: Tensor) -> Tensor:
    """Determinants.

    >>> wend.det(wend.tensor([[2.0, 1.0], [0.0, 4.0]]))
    tensor(8.)
    """
    return _s.det(input)


@_method
def slogdet(input: Tensor, *, out: Out = None) -> Any:
    """Signs of the determinants, and logarithms of their absolute values.

    >>> wend.slogdet(wend.tensor([[-1.0, 0.0], [0.0, 1.0]])).sign
    tensor(-1.)
    """
    return _f.written(_slogdet(*_s.sign_and_log(input, "linalg.slogdet")), out)


@_method
def logdet(input: Tensor) -> Tensor:
    """Logarithms of determinants.

    >>> wend.logdet(wend.eye(2))
    tensor(0.)
    """
    sign, size = _s.sign_and_log(input, "logdet")
    return sign.log() + size


@_method
def cholesky(input: Tensor, upper: bool = False, *, out: Out = None) -> Tensor:
    """Triangular factor of positive definite matrices.

    >>> wend.cholesky(wend.tensor([[4.0, 2.0], [2.0, 2.0]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    require_bools("cholesky", upper=upper)
    _f.check_square_float(input, "cholesky")
    factor: Tensor
    factor, info = _f.cholesky_ex(input, upper=upper)
    _f.refuse_failure(info, "cholesky", _f.not_positive)
    return _f.written(factor, out)


@_method
def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False, *, out: Out = None) -> Tensor:
    """The solution of a system whose matrix has the Cholesky factor L.

    >>> wend.cholesky_solve(wend.ones(2, 1), wend.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([[0.2500],
            [1.0000]])
    """
    require_bools("cholesky_solve", upper=upper)
    for name, x in (("b", input), ("u", L)):
        if x.ndim < 2:
            raise RuntimeError(
                f"{name} should have at least 2 dimensions, but has {x.ndim} dimensions instead"
            )
    _f.check_square_float(L, "cholesky_solve")
    _check_sizes(input, L, "cholesky_solve")
    lower = L.mT if upper else L
    inner = _s.triangular(lower.tril(), input, upper=False)
    return _f.written(_s.triangular(lower.tril().mT, inner, upper=True), out)


def _check_sizes(b: Tensor, A: Tensor, where: str) -> None:
    if A.shape[-2] != b.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {where}: each A matrix is {A.shape[-1]} by "
            f"{A.shape[-1]} but each b matrix is {b.shape[-2]} by {b.shape[-1]}"
        )


def _why_no_inverse(element: int) -> str:
    return (
        f"The diagonal element {element} is zero, the inversion could not be completed because the "
        "input matrix is singular."
    )


@_method
def cholesky_inverse(input: Tensor, upper: bool = False, *, out: Out = None) -> Tensor:
    """The inverse of the matrices that have this Cholesky factor.

    >>> wend.cholesky_inverse(wend.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([[0.2500, 0.0000],
            [0.0000, 1.0000]])
    """
    require_bools("cholesky_inverse", upper=upper)
    _f.check_square_float(input, "cholesky_inverse")
    if input.numel():
        zero = (input.diagonal(dim1=-2, dim2=-1) == 0).long()
        first = zero.argmax(-1) + 1
        _f.refuse_failure(first * zero.amax(-1), "cholesky_inverse", _why_no_inverse)
    eye = _C.eye(input.shape[-1], dtype=input.dtype)
    result: Tensor = cholesky_solve(eye, input, upper)
    return _f.written(result, out)


@_method
def qr(input: Tensor, some: bool = True, *, out: Out = None) -> Any:
    """A matrix with orthonormal columns, square where not `some`, and an upper triangular one.

    >>> wend.qr(wend.tensor([[3.0, 1.0], [4.0, 2.0]])).R
    tensor([[-5.0000, -2.2000],
            [ 0.0000,  0.4000]])
    """
    return _f.written(_qr(*_f.qr(input, "reduced" if some else "complete")), out)


@_method
def svd(input: Tensor, some: bool = True, compute_uv: bool = True, *, out: Out = None) -> Any:
    """Left singular vectors, singular values, right ones.

    some: only as many vectors as there are values. compute_uv: without it, vectors are zeros.

    >>> wend.svd(wend.tensor([[0.0, 2.0], [1.0, 0.0]])).S
    tensor([2., 1.])
    """
    if compute_uv:
        u, s, vh = _f.svd_parts(input, not some, True)
        return _f.written(_svd(u, s, vh.mT), out)
    s = _f.svdvals(input)
    m, n = input.shape[-2:]
    batch = input.shape[:-2]
    u, v = (input.new_zeros((*batch, size, size)) for size in (m, n))
    return _f.written(_svd(u, s, v), out)


@_method
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    *,
    out: Out = None,
) -> Any:
    """The solution of A @ X = input for a triangular A, and a copy of A.

    >>> wend.triangular_solve(wend.ones(2, 1), 2 * wend.eye(2)).solution
    tensor([[0.5000],
            [0.5000]])
    """
    options = {"upper": upper, "transpose": transpose, "unitriangular": unitriangular}
    require_bools("triangular_solve", **options)
    for name, x in (("b", input), ("A", A)):
        if x.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it "
                f"has {x.ndim} dimensions instead"
            )
    _f.check_square_float(A, "triangular_solve")
    _check_sizes(input, A, "triangular_solve")
    matrix = A.mT if transpose else A
    solution = _s.triangular(matrix, input, upper != transpose, unit=unitriangular)
    return _f.written(_triangular(solution, A.clone()), out)


@_method
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Out = None) -> Any:
    """Both LU factors in one matrix, pivots, and with get_infos where it failed.

    >>> wend.lu(wend.tensor([[1.0, 2.0], [2.0, 2.0]]))[1]
    tensor([2, 2], dtype=torch.int32)
    """
    factors, pivots, info = _f.lu_factor_ex(A, pivot=pivot)
    if get_infos:
        return _f.written(_with_info(factors, pivots, info), out)
    return _f.written_all((factors, pivots), out)


def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
    *,
    out: Out = None,
) -> Any:
    """The permutation and the two factors that `lu_factor` gives in short.

    >>> wend.lu_unpack(*wend.linalg.lu_factor(wend.tensor([[1.0, 2.0], [2.0, 2.0]]))).P
    tensor([[0., 1.],
            [1., 0.]])
    """
    if unpack_pivots and str(LU_pivots.dtype) != "torch.int32":
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
            "dtype.\nNote: this function is intended to be used with the output produced by "
            "torch.linalg.lu_factor"
        )
    none = LU_data.new_empty((0,))
    lower, upper = _f.lu_triangles(LU_data) if unpack_data else (none, none)
    places = _f.permutation_matrix(LU_pivots, LU_data) if unpack_pivots else none
    return _f.written(_unpacked(places, lower, upper), out)


@_method
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Out = None) -> Tensor:
    """The solution of a system whose matrix is given by `lu`.

    >>> wend.lu_solve(wend.ones(2, 1), *wend.lu(2 * wend.eye(2)))
    tensor([[0.5000],
            [0.5000]])
    """
    return _s.lu_solve(LU_data, LU_pivots, input, out=out)


@_method
def orgqr(input: Tensor, tau: Tensor, *, out: Out = None) -> Tensor:
    """The product of Householder reflections.

    >>> wend.orgqr(wend.tensor([[0.0], [0.0]]), wend.tensor([2.0]))
    tensor([[-1.],
            [0.]])
    """
    return householder_product(input, tau, out=out)
