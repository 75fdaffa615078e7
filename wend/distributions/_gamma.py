"""Drawing from gamma distributions, with gradients by implicit reparameterization.

For a value z of shape a, F(z; a) being its probability, dz/da = -dF/da / density. As an integral
over s = |ln(t / z)| that is z ∫ exp(-fall(s)) (|digamma(a) - ln z| + s) ds, on the side of z where
nothing cancels: fall is a s - z (1 - exp(-s)) below it, and z (exp(s) - 1) - a s above.
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


def _reach(a: Tensor, z: Tensor, side: Tensor) -> Tensor:
    """A bound that the integrand is nothing beyond, since its fall is this deep there.

    The fall is |a - z| s and a term of second order, which is at least z s**2 / (2 + s) below z,
    and z s**2 / 2 or z exp(s) / 4 - z above.
    """
    depth = 40.0
    straight = depth / (side * (a - z)).clamp(min=1e-300)
    below = (depth + (depth * (depth + 8 * z)).sqrt()) / (2 * z)
    above = wend.minimum((2 * depth / z).sqrt(), (4 + 4 * depth / z).log()) + 1 / a
    return wend.minimum(straight, wend.where(side > 0, below, above))


def gamma_slope(shape: Tensor, value: Tensor) -> Tensor:
    """Return how a value moves with the shape, which is at least 1, at equal probability."""
    a, z = shape.to(wend.float64).unsqueeze(-1), value.to(wend.float64).unsqueeze(-1)
    places, weights = (wend.tensor(part, dtype=wend.float64) for part in _nodes(64))
    gap = a.digamma() - z.log()
    side = wend.where(gap >= 0, 1.0, -1.0).to(wend.float64)
    reach = _reach(a, z, side)
    s = places * reach
    # Above z the fall begins with a short rise where z is less than a.
    fall = (a * s + z * wend.expm1(-side * s) * side) * side
    integrand = wend.exp(-fall) * (gap.abs() + s)
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
