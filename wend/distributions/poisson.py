"""The Poisson distribution."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions.exp_family import ExponentialFamily
from wend.distributions.utils import (
    both_numbers,
    broadcast_all,
)

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """How often something happens that happens `rate` times on average."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    _fields = ("rate",)

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(() if both_numbers(rate) else self.rate.size(), (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        with wend.no_grad():
            return wend.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return wend.xlogy(value, rate) - rate - wend.lgamma(value + 1)
