"""One-hot vectors made continuous, so that gradients go through them (Gumbel's trick)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import wend
from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions._relaxed import Relaxed
from wend.distributions.categorical import Categorical
from wend.distributions.distribution import Distribution
from wend.distributions.transforms import ExpTransform
from wend.distributions.utils import clamp_probs

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """Logs of vectors that sum to 1 and are nearly one-hot at low temperature."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True
    _kept = ("temperature",)

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        shape = self._categorical.param_shape
        super().__init__(self._categorical.batch_shape, shape[-1:], validate_args)

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        new._categorical = self._categorical.expand(batch_shape)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._categorical.param_shape

    @property
    def logits(self) -> Tensor:
        """The logs of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        chance = clamp_probs(wend.rand(shape, dtype=self.logits.dtype))
        scores = (self.logits - (-chance.log()).log()) / self.temperature
        return scores - scores.logsumexp(-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        count = self._categorical.param_shape[-1]
        self._validate_sample(value)
        logits, value = wend.broadcast_tensors(self.logits, value)
        temperature = wend.as_tensor(self.temperature, dtype=value.dtype)
        scale = wend.lgamma(wend.tensor(float(count), dtype=value.dtype))
        scale = scale + temperature.log() * (count - 1)
        score = logits - value * temperature
        found: Tensor = (score - score.logsumexp(-1, keepdim=True)).sum(-1) + scale
        return found


class RelaxedOneHotCategorical(Relaxed):
    """Vectors that sum to 1 and are nearly one-hot at low temperature.

    >>> d = wend.distributions.RelaxedOneHotCategorical(wend.tensor(0.5), wend.ones(3))
    >>> round(d.rsample().sum().item(), 4)
    1.0
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args)
