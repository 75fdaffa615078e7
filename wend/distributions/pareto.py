"""The Pareto distribution."""

from __future__ import annotations

from typing import Any

from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions.exponential import Exponential
from wend.distributions.transformed_distribution import TransformedDistribution
from wend.distributions.transforms import (
    AffineTransform,
    ExpTransform,
)
from wend.distributions.utils import broadcast_all

__all__ = ["Pareto"]


class Pareto(TransformedDistribution):
    """Sizes above `scale` whose share falls off with the power `alpha`."""

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}
    _fields = ("scale", "alpha")

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        parts = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, parts, validate_args=validate_args)

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        super()._finish_expanding(new, batch_shape)
        new.transforms = [ExpTransform(), AffineTransform(loc=0, scale=new.scale)]

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
