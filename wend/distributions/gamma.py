"""The gamma distribution."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions._gamma import log_standard_gamma
from wend.distributions.exp_family import ExponentialFamily
from wend.distributions.utils import (
    both_numbers,
    broadcast_all,
)

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """The gamma distribution of shape `concentration` and inverse scale `rate`."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _fields = ("concentration", "rate")

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        plain = both_numbers(concentration, rate)
        super().__init__(() if plain else self.concentration.size(), (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = log_standard_gamma(self.concentration.expand(shape)).exp() / self.rate
        return value.clamp(min=wend.finfo(value.dtype).tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        value = wend.as_tensor(value, dtype=self.rate.dtype)
        self._validate_sample(value)
        a, b = self.concentration, self.rate
        return wend.xlogy(a, b) + wend.xlogy(a - 1, value) - b * value - wend.lgamma(a)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return wend.special.gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a - self.rate.log() + wend.lgamma(a) + (1.0 - a) * wend.digamma(a)
