"""The distribution of Fisher and Snedecor."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import wend
from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions.distribution import Distribution
from wend.distributions.gamma import Gamma
from wend.distributions.utils import both_numbers, broadcast_all

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The ratio of two chi-squared variables, each divided by its degrees of freedom.

    >>> wend.distributions.FisherSnedecor(wend.tensor([3.0]), wend.tensor([4.0])).mean
    tensor([2.])
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _fields = ("df1", "df2")

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        shape = () if both_numbers(df1, df2) else self.df1.size()
        super().__init__(shape, (), validate_args)

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        new._gamma1 = self._gamma1.expand(batch_shape)
        new._gamma2 = self._gamma2.expand(batch_shape)

    @property
    def mean(self) -> Tensor:
        return wend.where(self.df2 > 2, self.df2 / (self.df2 - 2), math.nan)

    @property
    def mode(self) -> Tensor:
        value = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return wend.where(self.df1 > 2, value, math.nan)

    @property
    def variance(self) -> Tensor:
        a, b = self.df1, wend.where(self.df2 > 4, self.df2, math.nan)
        return 2 * b.pow(2) * (a + b - 2) / (a * (b - 2).pow(2) * (b - 4))

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        above = self._gamma1.rsample(sample_shape)
        below = self._gamma2.rsample(sample_shape)
        tiny = wend.finfo(below.dtype).tiny
        return (above / below.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        a, b = self.df1 * 0.5, self.df2 * 0.5
        ratio = self.df1 / self.df2
        scale = (a + b).lgamma() - a.lgamma() - b.lgamma()
        shape = a * ratio.log() + (a - 1) * value.log()
        return scale + shape - (a + b) * (ratio * value).log1p()
