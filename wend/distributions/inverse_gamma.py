"""The inverse gamma distribution."""

from __future__ import annotations

import math
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions.gamma import Gamma
from wend.distributions.transformed_distribution import TransformedDistribution
from wend.distributions.transforms import PowerTransform

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """1 / x where x has a gamma distribution.

    >>> wend.distributions.InverseGamma(wend.tensor([3.0]), wend.tensor([4.0])).mean
    tensor([2.])
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        minus = wend.tensor(-1.0, dtype=base.rate.dtype)
        super().__init__(base, PowerTransform(minus), validate_args)

    @property
    def concentration(self) -> Tensor:
        """The shape of the gamma distribution."""
        found: Tensor = self.base_dist.concentration  # type: ignore[attr-defined]
        return found

    @property
    def rate(self) -> Tensor:
        """The inverse scale of the gamma distribution."""
        found: Tensor = self.base_dist.rate  # type: ignore[attr-defined]
        return found

    @property
    def mean(self) -> Tensor:
        value = self.rate / (self.concentration - 1)
        return wend.where(self.concentration > 1, value, math.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        a = self.concentration
        value = self.rate.square() / ((a - 1).square() * (a - 2))
        return wend.where(a > 2, value, math.inf)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
