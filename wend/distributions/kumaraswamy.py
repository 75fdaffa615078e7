"""The Kumaraswamy distribution."""

from __future__ import annotations

import math
from typing import Any

import wend
from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions.transformed_distribution import TransformedDistribution
from wend.distributions.transforms import (
    AffineTransform,
    PowerTransform,
)
from wend.distributions.uniform import Uniform
from wend.distributions.utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """Much like a beta distribution, of two powers of a uniform number."""

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    _fields = ("concentration1", "concentration0")

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        one = wend.ones_like(self.concentration0.detach())
        base = Uniform(wend.zeros_like(one), one, validate_args=validate_args)
        super().__init__(base, self._parts(self), validate_args=validate_args)

    @staticmethod
    def _parts(of: Any) -> list[Any]:
        return [
            PowerTransform(exponent=of.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=of.concentration1.reciprocal()),
        ]

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        super()._finish_expanding(new, batch_shape)
        new.transforms = self._parts(new)

    def _moment(self, order: int) -> Tensor:
        a, b = self.concentration1, self.concentration0
        part = 1 + order / a
        return b * (wend.lgamma(part) + wend.lgamma(b) - wend.lgamma(part + b)).exp()

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        log_mode = a.reciprocal() * (-b).log1p() - (-a * b).log1p()
        return wend.where((a < 1) | (b < 1), math.nan, log_mode.exp())

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self._moment(1).pow(2)

    def entropy(self) -> Tensor:
        a, b = self.concentration1.reciprocal(), self.concentration0.reciprocal()
        harmonic = wend.digamma(self.concentration0 + 1) + euler_constant
        rest = self.concentration1.log() + self.concentration0.log()
        return (1 - b) + (1 - a) * harmonic - rest
