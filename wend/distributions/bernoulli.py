"""The Bernoulli distribution."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions._odds import Odds
from wend.distributions.exp_family import ExponentialFamily
from wend.distributions.utils import binary_cross_entropy, both_numbers, broadcast_all, given

__all__ = ["Bernoulli"]


class Bernoulli(Odds, ExponentialFamily):
    """1 with probability `probs`, or log odds `logits`, else 0.

    >>> wend.distributions.Bernoulli(0.25).log_prob(wend.tensor(1.0)).exp()
    tensor(0.2500)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _fields = ("probs", "logits", "_param")

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        odds = given(probs, logits)
        (param,) = broadcast_all(odds)
        self._keep(param, is_probs=probs is not None)
        super().__init__(() if both_numbers(odds) else param.size(), (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        mode = (self.probs >= 0.5).to(self.probs.dtype)
        return wend.where(self.probs == 0.5, math.nan, mode)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        with wend.no_grad():
            return wend.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy(logits, value)

    def entropy(self) -> Tensor:
        return binary_cross_entropy(self.logits, self.probs)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated(wend.arange(2, dtype=self._param.dtype), expand)
