"""Distributions whose last batch dimensions are one event."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions.distribution import Distribution
from wend.distributions.utils import (
    sum_rightmost,
)

__all__ = ["Independent"]


class Independent(Distribution):
    """A distribution whose last `reinterpreted_batch_ndims` batch dimensions are part of an event.

    >>> normal = wend.distributions.Normal(wend.zeros(3), wend.ones(3))
    >>> wend.distributions.Independent(normal, 1).log_prob(wend.zeros(3))
    tensor(-2.7568)
    """

    arg_constraints = {}

    def __init__(
        self,
        base_distribution: Distribution,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        batch = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(batch)}"
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        cut = len(batch) - reinterpreted_batch_ndims
        event = batch[cut:] + base_distribution.event_shape
        super().__init__(batch[:cut], event, validate_args)

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        own = self.event_shape[: self.reinterpreted_batch_ndims]
        new.base_dist = self.base_dist.expand(batch_shape + own)
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether gradients go through samples."""
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        """Whether all values can be listed."""
        return self.reinterpreted_batch_ndims == 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        found = self.base_dist.support
        count = self.reinterpreted_batch_ndims
        return constraints.independent(found, count) if count else found

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        found: Tensor = sum_rightmost(
            self.base_dist.log_prob(value), self.reinterpreted_batch_ndims
        )
        return found

    def entropy(self) -> Tensor:
        found: Tensor = sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)
        return found

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"
