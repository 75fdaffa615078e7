"""The negative binomial distribution."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions._odds import Odds
from wend.distributions.gamma import Gamma
from wend.distributions.utils import broadcast_all, given, log_sigmoid

__all__ = ["NegativeBinomial"]


class NegativeBinomial(Odds):
    """How many successes there are before `total_count` failures."""

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    _fields = ("total_count", "probs", "logits", "_param")

    def __init__(
        self,
        total_count: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self.total_count, param = broadcast_all(total_count, given(probs, logits))
        self.total_count = self.total_count.type_as(param)
        self._keep(param, is_probs=probs is not None)
        super().__init__(param.size(), (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        with wend.no_grad():
            rate = Gamma(self.total_count, (-self.logits).exp(), validate_args=False)
            return wend.poisson(rate.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        n = self.total_count
        likely = n * log_sigmoid(-self.logits) + value * log_sigmoid(self.logits)
        ways = wend.lgamma(n + value) - wend.lgamma(1.0 + value) - wend.lgamma(n)
        return likely + wend.where(n + value == 0.0, 0.0, ways)
