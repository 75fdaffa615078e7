"""Bernoulli variables made continuous, so that gradients go through them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import wend
from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions.distribution import Distribution
from wend.distributions.transformed_distribution import TransformedDistribution
from wend.distributions.transforms import SigmoidTransform
from wend.distributions.utils import (
    both_numbers,
    broadcast_all,
    clamp_probs,
    lazy_property,
    logits_to_probs,
    probs_to_logits,
)

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(Distribution):
    """Log odds whose sigmoid is near 0 or 1, the nearer the lower the temperature."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    has_rsample = True
    _fields = ("probs", "logits", "_param")
    _kept = ("temperature",)

    def __init__(
        self,
        temperature: Tensor,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        self.temperature = temperature
        (self._param,) = broadcast_all(logits if probs is None else probs)
        self.__dict__["logits" if probs is None else "probs"] = self._param
        plain = both_numbers(logits if probs is None else probs)
        super().__init__(() if plain else self._param.size(), (), validate_args)

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of 1."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.shape

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        chance = clamp_probs(wend.rand(shape, dtype=probs.dtype))
        odds = chance.log() - (-chance).log1p() + probs.log() - (-probs).log1p()
        return odds / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        gap = logits - value * self.temperature
        scale: Tensor = wend.as_tensor(self.temperature).log()
        return scale + gap - 2 * gap.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """Numbers between 0 and 1, near one of them at low temperature.

    >>> d = wend.distributions.RelaxedBernoulli(wend.tensor(0.5), probs=wend.tensor([0.3, 0.9]))
    >>> d.log_prob(wend.tensor([0.2, 0.7])).shape
    torch.Size([2])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval

    def __init__(
        self,
        temperature: Tensor,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args)

    @property
    def temperature(self) -> Tensor:
        """How far from 0 and 1 numbers may be."""
        found: Tensor = self.base_dist.temperature  # type: ignore[attr-defined]
        return found

    @property
    def logits(self) -> Tensor:
        """The log odds."""
        found: Tensor = self.base_dist.logits  # type: ignore[attr-defined]
        return found

    @property
    def probs(self) -> Tensor:
        """The probability of 1."""
        found: Tensor = self.base_dist.probs  # type: ignore[attr-defined]
        return found
