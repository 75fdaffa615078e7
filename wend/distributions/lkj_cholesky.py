"""The distribution LKJCholesky, which wend does not have: it can be mentioned and inherited from."""

from __future__ import annotations

from typing import Any

from wend._absent import absent
from wend.distributions.distribution import Distribution

__all__ = ["LKJCholesky"]

LKJCholesky: Any = absent(
    "torch.distributions.LKJCholesky", "write its log_prob with tensors", Distribution
)
