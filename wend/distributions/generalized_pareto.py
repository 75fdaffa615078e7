"""GeneralizedPareto, a distribution that wend does not have: it can be mentioned, not made."""

from __future__ import annotations

from typing import Any

from wend._absent import absent
from wend.distributions.distribution import Distribution

__all__ = ["GeneralizedPareto"]

GeneralizedPareto: Any = absent(
    "torch.distributions.GeneralizedPareto", "write its log_prob with tensors", Distribution
)
