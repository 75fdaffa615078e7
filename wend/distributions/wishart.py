"""The distribution Wishart, which wend does not have: it can be mentioned and inherited from."""

from __future__ import annotations

from typing import Any

from wend._absent import absent
from wend.distributions.exp_family import ExponentialFamily

__all__ = ["Wishart"]

Wishart: Any = absent(
    "torch.distributions.Wishart", "write its log_prob with tensors", ExponentialFamily
)
