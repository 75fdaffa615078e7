"""Student's t-distribution."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import wend
from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions.chi2 import Chi2
from wend.distributions.distribution import Distribution
from wend.distributions.utils import (
    broadcast_all,
)

__all__ = ["StudentT"]


class StudentT(Distribution):
    """A normal number over the root of a chi-squared one, by its degrees of freedom `df`."""

    arg_constraints = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True
    _fields = ("df", "loc", "scale")

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), (), validate_args)

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        new._chi2 = self._chi2.expand(batch_shape)

    @property
    def mean(self) -> Tensor:
        return wend.where(self.df <= 1, math.nan, self.loc)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        # Not where it is infinite, nor would its gradient be a number there.
        df = wend.where(self.df > 2, self.df, 3.0)
        scaled = self.scale.pow(2) * df / (df - 2)
        wide = wend.where(self.df > 1, math.inf, wend.full_like(self.df, math.nan))
        return wend.where(self.df > 2, scaled, wide)

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        x = wend.randn(self._extended_shape(sample_shape), dtype=self.df.dtype)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * x * (self.df / z).sqrt()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        y = (value - self.loc) / self.scale
        norm = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        norm = norm + wend.lgamma(0.5 * self.df) - wend.lgamma(0.5 * (self.df + 1.0))
        return -0.5 * (self.df + 1.0) * wend.log1p(y**2.0 / self.df) - norm

    def entropy(self) -> Tensor:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = wend.lgamma(half) + math.lgamma(0.5) - wend.lgamma(more)
        gap = wend.digamma(more) - wend.digamma(half)
        return self.scale.log() + more * gap + 0.5 * self.df.log() + log_beta
