"""Roots of positive definite matrices and triangular systems, out of ordinary ops.

They take one step a row, which is enough for the covariances of distributions.
"""

from __future__ import annotations

import wend
from wend import Tensor


def cholesky(matrix: Tensor) -> Tensor:
    """Return the lower triangular root; where there is none, its diagonal is not a number."""
    columns: list[Tensor] = []
    for j in range(matrix.size(-1)):
        column = matrix[..., j:, j]
        if columns:
            done = wend.stack(columns, -1)[..., j:, :]
            column = column - (done * done[..., :1, :]).sum(-1)
        column = column / column[..., :1].sqrt()
        above = column.new_zeros((*column.shape[:-1], j))
        columns.append(wend.cat([above, column], -1))
    return wend.stack(columns, -1)


def solve_lower(lower: Tensor, right: Tensor) -> Tensor:
    """Return x with `lower @ x = right`, for columns on the right."""
    rows: list[Tensor] = []
    for i in range(lower.size(-1)):
        row = right[..., i, :]
        if rows:
            done = wend.stack(rows, -2)
            row = row - (lower[..., i, :i].unsqueeze(-2) @ done).squeeze(-2)
        rows.append(row / lower[..., i, i].unsqueeze(-1))
    shape = wend.broadcast_shapes(*(row.shape for row in rows))
    return wend.stack([row.expand(shape) for row in rows], -2)


def inverse_lower(lower: Tensor) -> Tensor:
    """Return the inverse of a lower triangular matrix."""
    return solve_lower(lower, wend.eye(lower.size(-1), dtype=lower.dtype))


def is_positive_definite(matrix: Tensor) -> Tensor:
    """Return whether matrices have a root."""
    return (cholesky(matrix).diagonal(dim1=-2, dim2=-1) > 0).all(-1)
