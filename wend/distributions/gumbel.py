"""The Gumbel distribution."""

from __future__ import annotations

import math
from typing import Any

import wend
from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions.transformed_distribution import TransformedDistribution
from wend.distributions.transforms import (
    AffineTransform,
    ExpTransform,
)
from wend.distributions.uniform import Uniform
from wend.distributions.utils import broadcast_all, euler_constant

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """The distribution of the largest of many numbers."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    _fields = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        info = wend.finfo(self.loc.dtype)
        bounds = (info.tiny, 1 - info.eps)
        low, high = (wend.full_like(self.loc.detach(), bound) for bound in bounds)
        base = Uniform(low, high, validate_args=validate_args)
        super().__init__(base, self._parts(self), validate_args=validate_args)

    @staticmethod
    def _parts(of: Any) -> list[Any]:
        last = AffineTransform(loc=of.loc, scale=-of.scale)
        return [ExpTransform().inv, AffineTransform(loc=0, scale=-1.0), ExpTransform().inv, last]

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        super()._finish_expanding(new, batch_shape)
        new.transforms = self._parts(new)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
