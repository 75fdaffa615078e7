"""The multinomial distribution."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import wend
from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions.categorical import Categorical
from wend.distributions.distribution import Distribution
from wend.distributions.utils import (
    broadcast_all,
    one_hot,
)

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """How often each number comes up when a Categorical is drawn `total_count` times."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs, logits, validate_args)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args)

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        found: Tensor = self._categorical.probs
        return found

    @property
    def logits(self) -> Tensor:
        """The logs of the probabilities."""
        found: Tensor = self._categorical.logits
        return found

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        drawn = self._categorical.sample((self.total_count, *sample_shape))
        return one_hot(drawn, self._categorical._num_events, self.probs.dtype).sum(0)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        ways = wend.lgamma(value.sum(-1) + 1) - wend.lgamma(value + 1).sum(-1)
        possible = wend.where((value == 0) & (logits == -math.inf), 0.0, logits)
        return ways + (possible * value).sum(-1)

    def entropy(self) -> Tensor:
        from wend.distributions.binomial import Binomial

        n = wend.tensor(float(self.total_count), dtype=self.probs.dtype)
        counts = Binomial(self.total_count, probs=self.probs)
        support = counts.enumerate_support(expand=False)[1:]
        weights = counts.log_prob(support).exp()
        spread = (weights * wend.lgamma(support + 1)).sum((0, -1))
        return n * self._categorical.entropy() - wend.lgamma(n + 1) + spread
