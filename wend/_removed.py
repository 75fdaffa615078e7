"""Functions that PyTorch removed and still names, to say what took their place."""

from __future__ import annotations

from typing import Any, NoReturn

from wend import _C
from wend._C import Tensor

_SAID = "This function was deprecated since version 1.9 and is now removed."


def matrix_rank(
    input: Tensor, tol: Any = None, symmetric: bool = False, *, out: Tensor | None = None
) -> NoReturn:
    """Raise: torch.linalg.matrix_rank took its place."""
    raise RuntimeError(
        f"{_SAID}\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter "
        "'symmetric' was renamed in `torch.linalg.matrix_rank()` to 'hermitian'."
    )


def solve(input: Tensor, A: Tensor, *, out: Any = None) -> NoReturn:  # noqa: N803
    """Raise: torch.linalg.solve took its place."""
    raise RuntimeError(
        f"{_SAID} `torch.solve` is deprecated in favor of `torch.linalg.solve`. "
        "`torch.linalg.solve` has its arguments reversed and does not return the LU "
        "factorization.\nTo get the LU factorization see `torch.linalg.lu`, which can be used "
        "with `torch.lu_solve` or `torch.lu_unpack`.\nX = torch.solve(B, A).solution should be "
        "replaced with:\nX = torch.linalg.solve(A, B)"
    )


def lstsq(input: Tensor, A: Tensor, *, out: Any = None) -> NoReturn:  # noqa: N803
    """Raise: torch.linalg.lstsq took its place."""
    raise RuntimeError(
        f"{_SAID} `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n"
        "`torch.linalg.lstsq` has reversed arguments and does not return the QR decomposition in "
        "the returned tuple.\nX, _ = torch.lstsq(B, A).solution[:A.size(1)] should be replaced "
        "with:\nX = torch.linalg.lstsq(A, B).solution"
    )


def eig(self: Tensor, eigenvectors: bool = False, *, e: Any = None, v: Any = None) -> NoReturn:
    """Raise: torch.linalg.eig took its place in PyTorch; wend has no complex numbers."""
    raise RuntimeError(
        f"{_SAID} `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` "
        "rather than real tensors mimicking complex tensors.\nwend has no complex numbers: use "
        "torch.linalg.eigh for symmetric matrices"
    )


def symeig(
    input: Tensor, eigenvectors: bool = False, upper: bool = True, *, out: Any = None
) -> NoReturn:
    """Raise: torch.linalg.eigh took its place."""
    raise RuntimeError(
        f"{_SAID} The default behavior has changed from using the upper triangular portion of "
        "the matrix by default to using the lower triangular portion.\nL, _ = torch.symeig(A, "
        "upper=upper) should be replaced with:\nL = torch.linalg.eigvalsh(A, UPLO='U' if upper "
        "else 'L')\nand\nL, V = torch.symeig(A, eigenvectors=True, upper=upper) should be "
        "replaced with:\nL, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
    )


for _function in (eig, lstsq, solve, symeig):
    _C._add_method(_function.__name__, _function)
