"""The largest singular values and vectors of a matrix, found by random projection."""

from __future__ import annotations

import wend
from wend._C import Tensor

__all__ = ["pca_lowrank", "svd_lowrank"]


def _basis(matrix: Tensor, rank: int, rounds: int) -> Tensor:
    """Orthonormal columns, nearly a basis of what the matrix gives for random vectors."""
    drawn = wend.randn(*matrix.shape[:-2], matrix.size(-1), rank, dtype=matrix.dtype)
    columns: Tensor = wend.linalg.qr(matrix @ drawn)[0]
    for _ in range(rounds):
        columns = wend.linalg.qr(matrix.mT @ columns)[0]
        columns = wend.linalg.qr(matrix @ columns)[0]
    return columns


def svd_lowrank(
    A: Tensor,  # noqa: N803
    q: int | None = 6,
    niter: int | None = 2,
    M: Tensor | None = None,  # noqa: N803
) -> tuple[Tensor, Tensor, Tensor]:
    """Return U, S and V of A - M, the q largest singular values, nearly.

    >>> U, S, V = wend.svd_lowrank(wend.ones(4, 3), q=1)
    >>> S
    tensor([3.4641])
    """
    rank = 6 if q is None else q
    matrix = A if M is None else A - M
    wide = matrix.size(-2) < matrix.size(-1)
    matrix = matrix.mT if wide else matrix
    basis = _basis(matrix, rank, 2 if niter is None else niter)
    u, s, vh = wend.linalg.svd(basis.mT @ matrix, full_matrices=False)
    left, right = basis @ u, vh.mT
    return (right, s, left) if wide else (left, s, right)


def pca_lowrank(
    A: Tensor,  # noqa: N803
    q: int | None = None,
    center: bool = True,
    niter: int = 2,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return U, S and V of A without the means of its columns: V has the principal directions.

    >>> wend.pca_lowrank(wend.tensor([[1.0, 2.0], [3.0, 6.0]]), q=1)[2].abs()
    tensor([[0.4472],
            [0.8944]])
    """
    least = min(A.shape[-2:])
    rank = min(6, least) if q is None else q
    if not 0 <= rank <= least:
        raise ValueError(
            f"q(={rank}) must be non-negative integer and not greater than min(m, n)={least}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(-2, keepdim=True) if center else A, rank, niter)
