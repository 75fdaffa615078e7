"""Drawing from gamma distributions, with gradients by implicit reparameterization.

For a value z of shape a, F(z; a) being its probability, dz/da = -dF/da / density. As an integral
over s = |ln(t / z)| that is z ∫ exp(-|a s - z (1 - exp(-s))|) (|digamma(a) - ln z| + s) ds, on the
side of z where nothing cancels.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import wend
from wend import Tensor


@cache
def _nodes(count: int) -> tuple[list[float], list[float]]:
    """Places and weights of Gauss and Legendre's rule on [0, 1]."""
    places, weights = [], []
    for i in range(count):
        x = math.cos(math.pi * (i + 0.75) / (count + 0.5))
        for _ in range(100):
            before, value = 1.0, x
            for k in range(2, count + 1):
                before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
            slope = count * (x * value - before) / (x * x - 1)
            x -= value / slope
            if abs(value / slope) < 1e-15:
                break
        places.append((1 - x) / 2)
        weights.append(1 / ((1 - x * x) * slope * slope))
    return places, weights


def gamma_slope(shape: Tensor, value: Tensor) -> Tensor:
    """Return how a value moves with the shape, which is at least 1, at equal probability."""
    a, z = shape.to(wend.float64).unsqueeze(-1), value.to(wend.float64).unsqueeze(-1)
    places, weights = (wend.tensor(part, dtype=wend.float64) for part in _nodes(64))
    gap = a.digamma() - z.log()
    side = wend.where(gap >= 0, 1.0, -1.0).to(wend.float64)
    # The integrand falls off within a few times this.
    reach = 40.0 / ((a - z).abs() + wend.maximum(a, z).sqrt())
    s = places * reach
    fall = (a * s + z * wend.expm1(-side * s) * side) * side
    integrand = wend.exp(-fall.abs()) * (gap.abs() + s)
    return (z.squeeze(-1) * (integrand * weights * reach).sum(-1)).to(value.dtype)


def _draw(shape: Tensor) -> Tensor:
    """Marsaglia and Tsang's rejection, for shapes of at least 1."""
    d = shape - 1 / 3
    c = 1 / (9 * d).sqrt()
    value = d
    missing = wend.ones_like(shape, dtype=wend.bool)
    while bool(missing.any()):
        x = wend.randn_like(shape)
        v = (1 + c * x) ** 3
        u = wend.rand_like(shape)
        fits = u.log() < 0.5 * x * x + d - d * v + d * v.clamp(min=1e-30).log()
        taken = missing & (v > 0) & fits
        value = wend.where(taken, d * v, value)
        missing = missing & ~taken
    return value


class _StandardGamma(wend.autograd.Function):
    """A value for each shape of at least 1."""

    @staticmethod
    def forward(ctx: Any, shape: Tensor) -> Tensor:
        value = _draw(shape)
        ctx.save_for_backward(shape, value)
        return value

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        shape, value = ctx.saved_tensors
        return grad * gamma_slope(shape, value)


def log_standard_gamma(shape: Tensor) -> Tensor:
    """Return the log of a value for each shape, differentiable by it.

    A small shape is drawn as the next larger one times a power of a uniform number.
    """
    small = shape < 1
    value: Tensor = _StandardGamma.apply(wend.where(small, shape + 1, shape))
    uniform = (1 - wend.rand_like(shape)).log()
    power = uniform / wend.where(small, shape, 1.0)
    return value.log() + wend.where(small, power, 0.0)
