"""The logistic normal distribution."""

from __future__ import annotations

from typing import Any

from wend import Tensor
from wend.distributions import constraints
from wend.distributions.independent import Independent
from wend.distributions.normal import Normal
from wend.distributions.transformed_distribution import TransformedDistribution
from wend.distributions.transforms import StickBreakingTransform

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """Vectors that sum to 1, from normal ones by breaking a stick.

    >>> wend.distributions.LogisticNormal(wend.zeros(3), wend.ones(3)).sample().shape
    torch.Size([4])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base: Any = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args)

    def _normal(self) -> Any:
        base: Any = self.base_dist
        return base.base_dist if isinstance(base, Independent) else base

    @property
    def loc(self) -> Tensor:
        """The mean of the normal vectors."""
        found: Tensor = self._normal().loc
        return found

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the normal vectors."""
        found: Tensor = self._normal().scale
        return found
