"""The uniform distribution."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions.distribution import Distribution
from wend.distributions.utils import (
    both_numbers,
    broadcast_all,
)

__all__ = ["Uniform"]


class Uniform(Distribution):
    """Equal density from `low` up to `high`.

    >>> wend.distributions.Uniform(0.0, 4.0).cdf(wend.tensor(1.0))
    tensor(0.2500)
    """

    has_rsample = True
    _fields = ("low", "high")

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(() if both_numbers(low, high) else self.low.size(), (), validate_args)

    @property
    def arg_constraints(self) -> Any:  # type: ignore[override]
        """Each bound is on its side of the other."""
        return {
            "low": constraints.less_than(self.high),
            "high": constraints.greater_than(self.low),
        }

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        return math.nan * self.high

    @property
    def stddev(self) -> Tensor:
        return (self.high - self.low) / math.sqrt(12)

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low) ** 2 / 12

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        u = wend.rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + u * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        inside = self.low.le(value) & self.high.gt(value)
        return inside.type_as(self.low).log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return (self.high - self.low).log()
