"""Bernoulli variables made continuous, so that gradients go through them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions._odds import Odds
from wend.distributions._relaxed import Relaxed
from wend.distributions.transforms import SigmoidTransform
from wend.distributions.utils import both_numbers, broadcast_all, clamp_probs, given

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(Odds):
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
        odds = given(probs, logits)
        self.temperature = temperature
        (param,) = broadcast_all(odds)
        self._keep(param, is_probs=probs is not None)
        super().__init__(() if both_numbers(odds) else param.size(), (), validate_args)

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


class RelaxedBernoulli(Relaxed):
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
