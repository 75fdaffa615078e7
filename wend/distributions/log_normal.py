"""The log-normal distribution."""

from __future__ import annotations

from typing import Any

from wend import Tensor
from wend.distributions import constraints
from wend.distributions.normal import Normal
from wend.distributions.transformed_distribution import TransformedDistribution
from wend.distributions.transforms import (
    ExpTransform,
)

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """The exponential of a normal number."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    base_dist: Normal

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The mean of the log."""
        return self.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the log."""
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Tensor:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc
