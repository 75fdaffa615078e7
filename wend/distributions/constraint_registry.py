"""Transforms from real numbers to where values may lie: `biject_to` and `transform_to`.

`biject_to` gives ones with an inverse; `transform_to` the ones that suit optimizers.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

from wend.distributions import constraints, transforms
from wend.distributions.constraints import Constraint

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

Factory = Callable[[Any], Any]


class ConstraintRegistry:
    """Which transform leads to a region, by the region's type.

    >>> wend.distributions.transform_to(wend.distributions.constraints.simplex)
    SoftmaxTransform()
    """

    def __init__(self) -> None:
        self._registry: dict[type, Factory] = {}

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Let a function make the transform for a type of region; without one, a decorator."""
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, Constraint):
            raise TypeError(
                "Expected constraint to be either a Constraint subclass or instance, "
                f"but got {constraint}"
            )
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """Return the transform whose values lie in a region."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _in_interval(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if all(isinstance(each, Number) for each in (low, high)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    parts = [transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)]
    return transforms.ComposeTransform(parts)


def _from(bound: str, direction: int) -> Factory:
    """The half line from a bound, upwards or downwards."""
    return lambda constraint: transforms.ComposeTransform(
        [
            transforms.ExpTransform(),
            transforms.AffineTransform(getattr(constraint, bound), direction),
        ]
    )


def _register_common(registry: ConstraintRegistry) -> None:
    """What both registries have, with parts by the registry itself."""
    registry.register(constraints.real, lambda _: transforms.identity_transform)
    registry.register(
        constraints.independent,
        lambda c: transforms.IndependentTransform(
            registry(c.base_constraint), c.reinterpreted_batch_ndims
        ),
    )
    registry.register(constraints.greater_than, _from("lower_bound", 1))
    registry.register(constraints.greater_than_eq, _from("lower_bound", 1))
    registry.register(constraints.less_than, _from("upper_bound", -1))
    registry.register(constraints.interval, _in_interval)
    registry.register(constraints.half_open_interval, _in_interval)
    registry.register(constraints.corr_cholesky, lambda _: transforms.CorrCholeskyTransform())
    registry.register(
        constraints.cat,
        lambda c: transforms.CatTransform([registry(each) for each in c.cseq], c.dim, c.lengths),
    )
    registry.register(
        constraints.stack,
        lambda c: transforms.StackTransform([registry(each) for each in c.cseq], c.dim),
    )


_register_common(biject_to)
_register_common(transform_to)
biject_to.register(constraints.simplex, lambda _: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda _: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda _: transforms.LowerCholeskyTransform())
transform_to.register(
    constraints.positive_definite, lambda _: transforms.PositiveDefiniteTransform()
)
transform_to.register(
    constraints.positive_semidefinite, lambda _: transforms.PositiveDefiniteTransform()
)
