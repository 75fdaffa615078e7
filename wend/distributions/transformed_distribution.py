"""Distributions of functions of what another distribution draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import wend
from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions.distribution import Distribution
from wend.distributions.independent import Independent
from wend.distributions.transforms import ComposeTransform, Transform
from wend.distributions.utils import sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """What transforms make, one after the other, of what a distribution draws.

    >>> d = wend.distributions
    >>> log_normal = d.TransformedDistribution(d.Normal(0.0, 1.0), [d.ExpTransform()])
    >>> log_normal.log_prob(wend.tensor(1.0))
    tensor(-0.9189)
    """

    arg_constraints = {}

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | Sequence[Transform],
        validate_args: bool | None = None,
    ) -> None:
        self.transforms = [transforms] if isinstance(transforms, Transform) else list(transforms)
        if not all(isinstance(t, Transform) for t in self.transforms):
            raise ValueError(
                f"transforms must be a Transform or a list of Transforms, but was {transforms}"
            )
        base = base_distribution
        own = Size((*base.batch_shape, *base.event_shape))
        whole = ComposeTransform(self.transforms)
        need = whole.domain.event_dim
        if len(own) < need:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {need}, but got {own}."
            )
        shape = whole.forward_shape(own)
        expanded = whole.inverse_shape(shape)
        if own != expanded:
            cut = len(expanded) - len(base.event_shape)
            base = base.expand(expanded[:cut])
        more = need - len(base.event_shape)
        self.base_dist = Independent(base, more) if more > 0 else base
        grown = whole.codomain.event_dim - need
        event_dim = max(len(base.event_shape) + grown, whole.codomain.event_dim)
        cut = len(shape) - event_dim
        super().__init__(shape[:cut], shape[cut:], validate_args)

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        new.transforms = self.transforms
        whole = ComposeTransform(self.transforms)
        inner = whole.inverse_shape((*batch_shape, *self.event_shape))
        cut = len(inner) - len(self.base_dist.event_shape)
        new.base_dist = self.base_dist.expand(inner[:cut])

    @constraints.dependent_property
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        found = self.transforms[-1].codomain
        more = len(self.event_shape) - found.event_dim
        return constraints.independent(found, more) if more > 0 else found

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether gradients go through samples."""
        return self.base_dist.has_rsample

    def _through(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def _back(self, value: Any) -> Any:
        for transform in reversed(self.transforms):
            value = transform._inv_call(value)
        return value

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        with wend.no_grad():
            return self._through(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        return self._through(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        event_dim = len(self.event_shape)
        total: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform._inv_call(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            own = transform.log_abs_det_jacobian(x, y)
            total = total - sum_rightmost(own, event_dim - transform.domain.event_dim)
            y = x
        inner = self.base_dist.log_prob(y)
        result: Tensor = total + sum_rightmost(inner, event_dim - len(self.base_dist.event_shape))
        return result

    def _direction(self) -> Any:
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return sign

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        below = self.base_dist.cdf(self._back(value))
        found: Tensor = self._direction() * (below - 0.5) + 0.5
        return found

    def icdf(self, value: Tensor) -> Tensor:
        return self._through(self.base_dist.icdf(self._direction() * (value - 0.5) + 0.5))
