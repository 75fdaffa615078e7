"""Roots of positive definite matrices and triangular systems, as distributions ask for them."""

from __future__ import annotations

import wend
from wend import Tensor, linalg


def cholesky(matrix: Tensor) -> Tensor:
    """Return the lower triangular root; raises where there is none."""
    return linalg.cholesky(matrix)


def solve_lower(lower: Tensor, right: Tensor) -> Tensor:
    """Return x with `lower @ x = right`, for columns on the right."""
    return linalg.solve_triangular(lower, right, upper=False)


def inverse_lower(lower: Tensor) -> Tensor:
    """Return the inverse of a lower triangular matrix."""
    return solve_lower(lower, wend.eye(lower.size(-1), dtype=lower.dtype))


def is_positive_definite(matrix: Tensor) -> Tensor:
    """Return whether matrices have a root."""
    info: Tensor = linalg.cholesky_ex(matrix).info
    return info == 0
