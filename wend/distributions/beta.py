"""The beta distribution."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import wend
from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions.dirichlet import Dirichlet
from wend.distributions.exp_family import ExponentialFamily
from wend.distributions.utils import (
    broadcast_all,
)

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    """A part of 1, by how much there is of it and of the rest."""

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        pair = wend.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(pair, validate_args=validate_args)
        super().__init__(self._dirichlet.batch_shape, (), validate_args)

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        new._dirichlet = self._dirichlet.expand(batch_shape)

    @property
    def concentration1(self) -> Tensor:
        """How much there is of the part."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Tensor:
        """How much there is of the rest."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        return a * b / ((a + b).pow(2) * (a + b + 1))

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        return self._dirichlet.rsample(sample_shape)[..., 0]

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return self._dirichlet.log_prob(wend.stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()
