"""The Laplace distribution."""

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

__all__ = ["Laplace"]


class Laplace(Distribution):
    """The distribution that falls off exponentially on both sides of `loc`."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _fields = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(() if both_numbers(loc, scale) else self.loc.size(), (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale**2

    @property
    def stddev(self) -> Tensor:
        return math.sqrt(2) * self.scale

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        u = wend.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype) - 0.5
        eps = wend.finfo(self.loc.dtype).tiny
        return self.loc - self.scale * u.sign() * (1 - 2 * u.abs()).clamp(min=eps).log()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        gap = value - self.loc
        return 0.5 - 0.5 * gap.sign() * wend.expm1(-gap.abs() / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * wend.log1p(-2 * term.abs())

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()
