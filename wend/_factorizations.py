"""Factorizations of matrices: Cholesky, LU, QR, singular values, symmetric eigenvalues.

The factors come from the op table; here are PyTorch's names for them, its checks and its errors.
Systems of equations, which are solved by them, are wend/_systems.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any, TypeVar, cast

from wend import _C, _types
from wend._C import Tensor

Out = Any
Result = TypeVar("Result")


class LinAlgError(RuntimeError):
    """Raised where a matrix is singular, not positive definite, or an iteration fails."""


def named_result(name: str, *fields: str) -> Any:
    """A type of tuple that prints as PyTorch's results with names do."""

    def show(self: Any) -> str:
        parts = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{parts})"

    make: Any = namedtuple
    made: Any = make(name, fields)
    made.__repr__ = show
    return made


def written(result: Result, out: Out) -> Result:
    """The result, or `out` with the result in it; both may be tuples."""
    if out is None:
        return result
    if isinstance(result, Tensor):
        return cast(Result, _C.clone(result, out=out))
    results: Any = result
    made: Any = type(result)
    return cast(Result, made(*(_C.clone(r, out=o) for r, o in zip(results, out, strict=True))))


def written_all(results: tuple[Tensor, ...], out: Out) -> Any:
    """A tuple without names, or `out` with the results in it."""
    return results if out is None else tuple(map(written, results, out))


def type_name(x: Tensor) -> str:
    """The name of a dtype as PyTorch's messages have it, such as Float."""
    return str(x.type()).removeprefix("torch.").removesuffix("Tensor")


def check_matrices(A: Tensor, where: str, name: str = "A") -> None:
    """Require matrices of a float dtype that they can be factorized in."""
    check_dims(A, where, name)
    check_float(A, where)


def check_dims(A: Tensor, where: str, name: str = "A") -> None:
    if A.ndim < 2:
        raise RuntimeError(f"{where}: The input tensor {name} must have at least 2 dimensions.")


def check_float(A: Tensor, where: str) -> None:
    if not A.is_floating_point():
        raise RuntimeError(
            f"{where}: Expected a floating point or complex tensor as input. Got {type_name(A)}"
        )
    if A.dtype not in (_types.float32, _types.float64):
        raise RuntimeError(f"{where}: Low precision dtypes not supported. Got {type_name(A)}")


def check_square(A: Tensor, where: str) -> None:
    """Require square matrices."""
    check_dims(A, where)
    rows, columns = A.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{where}: A must be batches of square matrices, but they are {rows} by {columns} "
            "matrices"
        )


def check_square_float(A: Tensor, where: str) -> None:
    """Require square matrices of a float dtype that they can be factorized in."""
    check_square(A, where)
    check_float(A, where)


def refuse_failure(
    info: Tensor, where: str, why: Callable[[int], str], kind: type[Exception] = LinAlgError
) -> None:
    """Raise for the first matrix of which LAPACK reported a failure; this reads."""
    for i, code in enumerate(info.reshape(-1).tolist()):
        if code:
            batch = f"(Batch element {i}): " if info.ndim else ""
            raise kind(f"{where}: {batch}{why(code)}")


def not_positive(order: int) -> str:
    """What is wrong where there is no Cholesky factor."""
    return (
        "The factorization could not be completed because the input is not positive-definite "
        f"(the leading minor of order {order} is not positive-definite)."
    )


_cholesky_ex = named_result("linalg_cholesky_ex", "L", "info")


def _cholesky(A: Tensor, upper: bool) -> tuple[Tensor, Tensor]:
    factor, info = _C._linalg_cholesky(A.mT if upper else A)
    return (factor.mT if upper else factor), info


def cholesky(A: Tensor, *, upper: bool = False, out: Out = None) -> Tensor:
    """Triangular factor of positive definite matrices: A = L @ L.mT, or U.mT @ U where upper.

    >>> cholesky(wend.tensor([[4.0, 2.0], [2.0, 2.0]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    _types.require_bools("linalg_cholesky", upper=upper)
    check_square_float(A, "linalg.cholesky")
    factor, info = _cholesky(A, upper)
    refuse_failure(info, "linalg.cholesky", not_positive)
    return written(factor, out)


def cholesky_ex(
    A: Tensor, *, upper: bool = False, check_errors: bool = False, out: Out = None
) -> Any:
    """Cholesky factor, and the order of the first minor that is not positive, or 0.

    >>> cholesky_ex(-wend.eye(2)).info
    tensor(1, dtype=torch.int32)
    """
    check_square_float(A, "linalg.cholesky_ex")
    factor, info = _cholesky(A, upper)
    if check_errors:
        refuse_failure(info, "linalg.cholesky_ex", not_positive)
    return written(_cholesky_ex(factor, info), out)


_lu = named_result("linalg_lu", "P", "L", "U")
_lu_factor = named_result("linalg_lu_factor", "LU", "pivots")
_lu_factor_ex = named_result("linalg_lu_factor_ex", "LU", "pivots", "info")


def check_lu(A: Tensor, where: str, pivot: bool) -> None:
    """Require matrices, and that rows may be exchanged."""
    if A.ndim < 2:
        raise RuntimeError(
            f"{where}: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead"
        )
    check_float(A, where)
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def zero_on_diagonal(place: int) -> str:
    """What is wrong with an LU factorization of a singular matrix."""
    return (
        f"U[{place},{place}] is zero and using it on lu_solve would result in a division by zero. "
        "If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
        "linalg.lu_factor_ex(A, pivot)"
    )


def lu_factor(A: Tensor, *, pivot: bool = True, out: Out = None) -> Any:
    """Both LU factors in one matrix, and which row was exchanged for which.

    >>> lu_factor(wend.tensor([[1.0, 2.0], [2.0, 2.0]])).pivots
    tensor([2, 2], dtype=torch.int32)
    """
    check_lu(A, "torch.lu_factor", pivot)
    factors, pivots, info = _C._linalg_lu(A)
    refuse_failure(info, "torch.linalg.lu_factor", zero_on_diagonal, RuntimeError)
    return written(_lu_factor(factors, pivots), out)


def lu_factor_ex(
    A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Out = None
) -> Any:
    """LU factors, pivots, and the place of the first zero on the diagonal, or 0.

    >>> lu_factor_ex(wend.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    check_lu(A, "torch.lu_factor", pivot)
    factors, pivots, info = _C._linalg_lu(A)
    if check_errors:
        refuse_failure(info, "torch.linalg.lu_factor_ex", zero_on_diagonal, RuntimeError)
    return written(_lu_factor_ex(factors, pivots, info), out)


def lu(A: Tensor, *, pivot: bool = True, out: Out = None) -> Any:
    """A as a product P @ L @ U of a permutation, a lower and an upper triangular matrix.

    >>> lu(wend.tensor([[1.0, 2.0], [2.0, 2.0]])).U
    tensor([[2., 2.],
            [0., 1.]])
    """
    check_lu(A, "linalg.lu", pivot)
    factors, pivots, _ = _C._linalg_lu(A)
    lower, upper = lu_triangles(factors)
    return written(_lu(permutation_matrix(pivots, factors), lower, upper), out)


def lu_triangles(factors: Tensor) -> tuple[Tensor, Tensor]:
    """The unit lower and the upper triangular factor that lie in one matrix."""
    m, n = factors.shape[-2:]
    k = min(m, n)
    eye = _C.eye(m, k, dtype=factors.dtype)
    return factors[..., :k].tril(-1) + eye, factors[..., :k, :].triu()


def permutation_matrix(pivots: Tensor, like: Tensor) -> Tensor:
    """The P of A = P @ L @ U, as many rows and of the dtype of `like`."""
    m = like.shape[-2]
    places = _C._linalg_permutation(pivots, m)
    return (places.unsqueeze(-2) == _C.arange(m).unsqueeze(-1)).to(like.dtype)


_ldl_factor = named_result("linalg_ldl_factor", "LD", "pivots")
_ldl_factor_ex = named_result("linalg_ldl_factor_ex", "LD", "pivots", "info")


def _ldl(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    check_square(A, "torch.linalg.ldl_factor_ex")
    if A.dtype in (_types.float16, _types.bfloat16):
        raise NotImplementedError(f"\"ldl_factor_kernel_cpu\" not implemented for '{type_name(A)}'")
    check_float(A, "torch.linalg.ldl_factor_ex")
    factors, pivots, info = _C._linalg_ldl(A)
    return factors, pivots, info


def _zero_block(place: int) -> str:
    return (
        f"D[{place},{place}] is exactly zero, so that the factors cannot be used to solve a system."
    )


def ldl_factor(A: Tensor, *, hermitian: bool = False, out: Out = None) -> Any:
    """Factors of symmetric matrices, A = L @ D @ L.mT, in one matrix, and the pivots.

    hermitian: of real matrices it makes no difference.

    >>> ldl_factor(wend.tensor([[2.0, 4.0], [4.0, 9.0]])).LD
    tensor([[2., 0.],
            [2., 1.]])
    """
    factors, pivots, info = _ldl(A)
    refuse_failure(info, "torch.linalg.ldl_factor", _zero_block, RuntimeError)
    return written(_ldl_factor(factors, pivots), out)


def ldl_factor_ex(
    A: Tensor, *, hermitian: bool = False, check_errors: bool = False, out: Out = None
) -> Any:
    """LDL factors, pivots, and the place of the first zero on the diagonal, or 0.

    >>> ldl_factor_ex(wend.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    factors, pivots, info = _ldl(A)
    if check_errors:
        refuse_failure(info, "torch.linalg.ldl_factor_ex", _zero_block, RuntimeError)
    return written(_ldl_factor_ex(factors, pivots, info), out)


_qr = named_result("linalg_qr", "Q", "R")


class _WithoutQ:
    """The gradient of R alone, which says what is missing."""

    def __call__(self, _: Tensor) -> Tensor:
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
            "Please use linalg.qr(A, mode='reduced') if you are going to differentiate through "
            "linalg.qr."
        )


def qr(A: Tensor, mode: str = "reduced", *, out: Out = None) -> Any:
    """A as a product Q @ R of a matrix with orthonormal columns and an upper triangular one.

    mode: 'reduced', 'complete' (Q is square) or 'r' (Q is empty).

    >>> qr(wend.tensor([[3.0, 1.0], [4.0, 2.0]])).R
    tensor([[-5.0000, -2.2000],
            [ 0.0000,  0.4000]])
    """
    check_matrices(A, "linalg.qr")
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), "
            "'r', or 'complete'"
        )
    q, r = _C._linalg_qr(A, mode == "complete")
    if mode == "r":
        q = q.new_empty((0,))
        if r.requires_grad:
            r.register_hook(_WithoutQ())
    return written(_qr(q, r), out)


_svd = named_result("linalg_svd", "U", "S", "Vh")


def svd_parts(A: Tensor, full: bool, vectors: bool) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and Vh; without vectors two of them have no columns or rows."""
    check_matrices(A, "linalg.svd")
    u, s, vh, info = _C._linalg_svd(A, full, vectors)
    refuse_failure(info, "linalg.svd", lambda code: _why_no_svd(A, code))
    return u, s, vh


def _why_no_svd(A: Tensor, code: int) -> str:
    if not A.isfinite().all().item():
        return (
            "The algorithm failed to converge because the input matrix contained non-finite values."
        )
    return (
        "The algorithm failed to converge because the input matrix is ill-conditioned or has too "
        f"many repeated singular values (error code: {code})."
    )


def svd(
    A: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: Out = None
) -> Any:
    """A as a product U @ diag(S) @ Vh, the singular values S falling.

    full_matrices: U and Vh are square.

    >>> svd(wend.tensor([[0.0, 2.0], [1.0, 0.0]])).S
    tensor([2., 1.])
    """
    _check_driver(driver)
    return written(_svd(*svd_parts(A, full_matrices, True)), out)


def svdvals(A: Tensor, *, driver: str | None = None, out: Out = None) -> Tensor:
    """Singular values, falling.

    >>> svdvals(wend.tensor([[0.0, 2.0], [1.0, 0.0]]))
    tensor([2., 1.])
    """
    _check_driver(driver)
    return written(svd_parts(A, False, False)[1], out)


def _check_driver(driver: str | None) -> None:
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
            "cuSOLVER backend."
        )


_eigh = named_result("linalg_eigh", "eigenvalues", "eigenvectors")


def _symmetric(A: Tensor, UPLO: str, where: str) -> tuple[Tensor, Tensor]:
    check_square_float(A, where)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    values, vectors, info = _C._linalg_eigh(A if UPLO.upper() == "L" else A.mT)
    refuse_failure(
        info,
        where,
        lambda code: (
            "The algorithm failed to converge because the input matrix is ill-conditioned or has "
            f"too many repeated eigenvalues (error code: {code})."
        ),
    )
    return values, vectors


def eigh(A: Tensor, UPLO: str = "L", *, out: Out = None) -> Any:
    """Eigenvalues, rising, and eigenvectors of symmetric matrices, of which one triangle is read.

    >>> eigh(wend.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    return written(_eigh(*_symmetric(A, UPLO, "linalg.eigh")), out)


def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Out = None) -> Tensor:
    """Eigenvalues of symmetric matrices, rising.

    >>> eigvalsh(wend.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([1., 2.])
    """
    return written(_symmetric(A, UPLO, "linalg.eigh")[0], out)
