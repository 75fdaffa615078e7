"""Mixtures of distributions of one kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import wend
from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions.categorical import Categorical
from wend.distributions.distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """Draws from one of the distributions along the last batch dimension, as a Categorical says."""

    arg_constraints = {}

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an instance of "
                "torch.distributions.Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution need to be an instance of "
                "torch.distributions.Distribution"
            )
        batch = component_distribution.batch_shape
        for a, b in zip(
            reversed(mixture_distribution.batch_shape), reversed(batch[:-1]), strict=False
        ):
            if a != 1 and b != 1 and a != b:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixture_distribution.batch_shape}) is "
                    f"not compatible with `component_distribution.batch_shape`({batch[:-1]})"
                )
        km, kc = mixture_distribution.logits.shape[-1], batch[-1]
        if km != kc:
            raise ValueError(
                f"`mixture_distribution component` ({km}) does not"
                f" equal `component_distribution.batch_shape[-1]` ({kc})"
            )
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        event = component_distribution.event_shape
        self._event_ndims = len(event)
        super().__init__(batch[:-1], event, validate_args)

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        count = self._component_distribution.batch_shape[-1:]
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._component_distribution = self._component_distribution.expand(batch_shape + count)
        new._event_ndims = self._event_ndims

    @property
    def mixture_distribution(self) -> Categorical:
        """What chooses."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """What is chosen from."""
        return self._component_distribution

    @constraints.dependent_property
    def support(self) -> Any:
        return self._component_distribution.support

    def _weights(self) -> Tensor:
        probs: Tensor = self._mixture_distribution.probs
        return probs.reshape(probs.shape + (1,) * self._event_ndims)

    @property
    def mean(self) -> Tensor:
        axis = -1 - self._event_ndims
        return (self._weights() * self._component_distribution.mean).sum(axis)

    @property
    def variance(self) -> Tensor:
        axis, parts = -1 - self._event_ndims, self._component_distribution
        within = (self._weights() * parts.variance).sum(axis)
        gaps = parts.mean - self.mean.unsqueeze(axis)
        return within + (self._weights() * gaps.pow(2)).sum(axis)

    def cdf(self, x: Tensor) -> Tensor:
        below = self._component_distribution.cdf(self._for_each(x))
        return (below * self._mixture_distribution.probs).sum(-1)

    def _for_each(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-1 - self._event_ndims)

    def log_prob(self, x: Tensor) -> Tensor:
        self._validate_sample(x)
        likely = self._component_distribution.log_prob(self._for_each(x))
        return (likely + self._mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        with wend.no_grad():
            axis = -1 - self._event_ndims
            drawn = self._component_distribution.sample(sample_shape)
            chosen = self._mixture_distribution.sample(sample_shape)
            place = chosen.reshape(chosen.shape + (1,) * (1 + self._event_ndims))
            shape = list(drawn.shape)
            shape[axis] = 1
            return drawn.gather(axis, place.expand(shape)).squeeze(axis)

    def __repr__(self) -> str:
        parts = f"{self._mixture_distribution},\n  {self._component_distribution}"
        return f"MixtureSameFamily(\n  {parts})"
