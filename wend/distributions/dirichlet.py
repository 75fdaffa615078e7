"""The Dirichlet distribution."""

from __future__ import annotations

from collections.abc import Iterable

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions._gamma import log_standard_gamma
from wend.distributions.exp_family import ExponentialFamily
from wend.distributions.utils import one_hot

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """Parts of 1, by `concentration`."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _fields = ("concentration",)

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return wend.softmax(log_standard_gamma(self.concentration.expand(shape)), dim=-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        a = self.concentration
        return wend.xlogy(a - 1, value).sum(-1) + wend.lgamma(a.sum(-1)) - wend.lgamma(a).sum(-1)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self) -> Tensor:
        less = (self.concentration - 1).clamp(min=0.0)
        inner = less / less.sum(-1, True)
        corner = one_hot(self.concentration.argmax(-1), self.concentration.size(-1), inner.dtype)
        outside = (self.concentration < 1).all(-1, keepdim=True)
        return wend.where(outside, corner, inner)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self) -> Tensor:
        a, k = self.concentration, self.concentration.size(-1)
        total = a.sum(-1)
        spread = wend.lgamma(a).sum(-1) - wend.lgamma(total) - (k - total) * wend.digamma(total)
        return spread - ((a - 1.0) * wend.digamma(a)).sum(-1)
