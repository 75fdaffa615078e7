"""The von Mises distribution, on a circle."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions.distribution import Distribution
from wend.distributions.utils import (
    broadcast_all,
)

__all__ = ["VonMises"]


def _log_scaled_bessel(x: Tensor, order: int = 0) -> Tensor:
    """The log of exp(-x) times the modified Bessel function, an average over the circle."""
    angle = (wend.arange(512, dtype=wend.float64) + 0.5) * (math.pi / 512)
    terms = (x.to(wend.float64).unsqueeze(-1) * (angle.cos() - 1)).exp()
    if order:
        terms = terms * angle.cos()
    return terms.mean(-1).log().to(x.dtype)


class VonMises(Distribution):
    """Angles around `loc`, closer the larger `concentration` is."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    _fields = ("loc", "concentration")

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, (), validate_args)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        k = self.concentration
        return k * ((value - self.loc).cos() - 1) - math.log(2 * math.pi) - _log_scaled_bessel(k)

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Return angles from -pi to pi, by Best and Fisher's rejection."""
        shape = self._extended_shape(sample_shape)
        with wend.no_grad():
            loc, k = (x.to(wend.float64).expand(shape) for x in (self.loc, self.concentration))
            tau = 1 + (1 + 4 * k * k).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * k)
            # For small concentrations the formula cancels.
            r = wend.where(k < 1e-5, 1 / k + k, (1 + rho * rho) / (2 * rho))
            found, missing = wend.zeros_like(loc), wend.ones_like(loc, dtype=wend.bool)
            while bool(missing.any()):
                u1, u2, u3 = wend.rand((3, *shape), dtype=wend.float64)
                z = (math.pi * u1).cos()
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                fits = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
                taken = missing & fits
                found = wend.where(taken, (u3 - 0.5).sign() * f.clamp(-1, 1).acos(), found)
                missing = missing & ~taken
            angle = (found + math.pi + loc) % (2 * math.pi) - math.pi
            return angle.to(self.loc.dtype)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The circular variance."""
        k = self.concentration
        return 1 - (_log_scaled_bessel(k, 1) - _log_scaled_bessel(k)).exp()
