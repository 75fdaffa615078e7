"""LKJCholesky, a distribution that wend does not have: it can be mentioned, not made."""

from __future__ import annotations

from typing import Any

from wend._absent import absent
from wend.distributions.distribution import Distribution

__all__ = ["LKJCholesky"]

LKJCholesky: Any = absent(
    "torch.distributions.LKJCholesky", "write its log_prob with tensors", Distribution
)
