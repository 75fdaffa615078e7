"""The Weibull distribution."""

from __future__ import annotations

from typing import Any

import wend
from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions.exponential import Exponential
from wend.distributions.transformed_distribution import TransformedDistribution
from wend.distributions.transforms import (
    AffineTransform,
    PowerTransform,
)
from wend.distributions.utils import broadcast_all, euler_constant

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """A power of an exponential number."""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive
    _fields = ("scale", "concentration", "concentration_reciprocal")

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(wend.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._parts(self), validate_args=validate_args)

    @staticmethod
    def _parts(of: Any) -> list[Any]:
        power = PowerTransform(exponent=of.concentration_reciprocal)
        return [power, AffineTransform(loc=0, scale=of.scale)]

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        super()._finish_expanding(new, batch_shape)
        new.transforms = self._parts(new)

    def _moment(self, order: int) -> Tensor:
        return wend.lgamma(1 + order * self.concentration_reciprocal)

    @property
    def mean(self) -> Tensor:
        return self.scale * self._moment(1).exp()

    @property
    def mode(self) -> Tensor:
        k = self.concentration
        return self.scale * ((k - 1) / k) ** k.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (self._moment(2).exp() - (2 * self._moment(1)).exp())

    def entropy(self) -> Tensor:
        reciprocal = self.concentration_reciprocal
        return euler_constant * (1 - reciprocal) + (self.scale * reciprocal).log() + 1
