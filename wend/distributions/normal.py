"""The normal distribution."""

from __future__ import annotations

import math
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

__all__ = ["Normal"]


class Normal(ExponentialFamily):
    """The normal distribution with mean `loc` and standard deviation `scale`.

    >>> wend.distributions.Normal(0.0, 1.0).log_prob(wend.tensor(0.0))
    tensor(-0.9189)
    """

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
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return self.scale**2

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.loc + wend.randn(shape, dtype=self.loc.dtype) * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        z = (value - self.loc) / self.scale
        return -z * z / 2 - self.scale.log() - 0.5 * math.log(2 * math.pi)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return 0.5 * (1 + wend.erf((value - self.loc) / self.scale / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * wend.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()
