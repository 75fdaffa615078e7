"""Distributions of PyTorch that wend does not have: they can be mentioned and inherited from."""

from __future__ import annotations

from typing import Any

from wend._absent import absent
from wend.distributions.distribution import Distribution
from wend.distributions.exp_family import ExponentialFamily

_INSTEAD = "write its log_prob with tensors"
GeneralizedPareto: Any = absent("torch.distributions.GeneralizedPareto", _INSTEAD, Distribution)
LKJCholesky: Any = absent("torch.distributions.LKJCholesky", _INSTEAD, Distribution)
Wishart: Any = absent("torch.distributions.Wishart", _INSTEAD, ExponentialFamily)
