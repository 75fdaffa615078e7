"""Wishart, a distribution that wend does not have: it can be mentioned, not made."""

from __future__ import annotations

from typing import Any

from wend._absent import absent
from wend.distributions.exp_family import ExponentialFamily

__all__ = ["Wishart"]

Wishart: Any = absent(
    "torch.distributions.Wishart", "write its log_prob with tensors", ExponentialFamily
)
