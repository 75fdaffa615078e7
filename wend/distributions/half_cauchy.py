"""The half-Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions.cauchy import Cauchy
from wend.distributions.transformed_distribution import TransformedDistribution
from wend.distributions.transforms import (
    AbsTransform,
)

__all__ = ["HalfCauchy"]


class HalfCauchy(TransformedDistribution):
    """The size of a Cauchy number around 0."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    base_dist: Cauchy

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base = Cauchy(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    @property
    def scale(self) -> Tensor:
        """How wide it is."""
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        return wend.full_like(self.scale, math.inf)

    @property
    def mode(self) -> Tensor:
        return wend.zeros_like(self.scale)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        found = self.base_dist.log_prob(value) + math.log(2)
        return wend.where(value >= 0, found, -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
