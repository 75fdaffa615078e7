"""The continuous Bernoulli distribution (Loaiza-Ganem and Cunningham, 2019)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions._odds import Odds
from wend.distributions.exp_family import ExponentialFamily
from wend.distributions.utils import (
    binary_cross_entropy,
    both_numbers,
    broadcast_all,
    clamp_probs,
    given,
    lazy_property,
    logits_to_probs,
)

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(Odds, ExponentialFamily):
    """Numbers from 0 to 1 with density proportional to probs^x (1 - probs)^(1 - x).

    lims: between these, where the formulas are 0 / 0, their Taylor series are taken.

    >>> wend.distributions.ContinuousBernoulli(wend.tensor([0.5])).mean
    tensor([0.5000])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _fields = ("probs", "logits", "_param")
    _kept = ("_lims",)

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        odds = given(probs, logits)
        (param,) = broadcast_all(odds)
        if probs is not None:
            if validate_args is not None and not bool(
                self.arg_constraints["probs"].check(param).all()
            ):
                raise ValueError("The parameter probs has invalid values")
            param = clamp_probs(param)
        self._keep(param, is_probs=probs is not None)
        self._lims = lims
        super().__init__(() if both_numbers(odds) else param.size(), (), validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        """The parameter, which is the mean only at 0.5."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _steep(self) -> Tensor:
        """Where the formulas hold."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut(self) -> Tensor:
        """The parameter, where the formulas hold; elsewhere one with which they do."""
        return wend.where(self._steep(), self.probs, self._lims[0])

    def _log_norm(self) -> Tensor:
        cut = self._cut()
        low = wend.where(cut <= 0.5, cut, 0.0)
        high = wend.where(cut >= 0.5, cut, 1.0)
        slope = ((-cut).log1p() - cut.log()).abs().log()
        width = wend.where(cut <= 0.5, (-2 * low).log1p(), (2 * high - 1).log())
        x = (self.probs - 0.5).pow(2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return wend.where(self._steep(), slope - width, taylor)

    @property
    def mean(self) -> Tensor:
        cut = self._cut()
        exact = cut / (2 * cut - 1) + 1 / ((-cut).log1p() - cut.log())
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x
        return wend.where(self._steep(), exact, taylor)

    @property
    def variance(self) -> Tensor:
        cut = self._cut()
        exact = cut * (cut - 1) / (1 - 2 * cut).pow(2) + 1 / ((-cut).log1p() - cut.log()).pow(2)
        x = (self.probs - 0.5).pow(2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return wend.where(self._steep(), exact, taylor)

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        return self.icdf(wend.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy(logits, value) + self._log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        cut = self._cut()
        exact = (cut.pow(value) * (1 - cut).pow(1 - value) + cut - 1) / (2 * cut - 1)
        inside = wend.where(self._steep(), exact, value)
        return wend.where(value <= 0, 0.0, wend.where(value >= 1, 1.0, inside))

    def icdf(self, value: Tensor) -> Tensor:
        cut = self._cut()
        exact = ((-cut + value * (2 * cut - 1)).log1p() - (-cut).log1p()) / (
            cut.log() - (-cut).log1p()
        )
        return wend.where(self._steep(), exact, value)

    def entropy(self) -> Tensor:
        below, above = (-self.probs).log1p(), self.probs.log()
        return self.mean * (below - above) - self._log_norm() - below
