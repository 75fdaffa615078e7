"""Windows, by which signals are multiplied before their spectrum is looked at."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import wend
from wend import _C
from wend._C import Tensor

__all__ = [
    "bartlett_window",
    "blackman_window",
    "hamming_window",
    "hann_window",
    "kaiser_window",
]


def _window(
    name: str, length: int, periodic: bool, shape: Callable[[Tensor], Tensor], options: Any
) -> Tensor:
    """A function of places from 0 to 1; a periodic window leaves out the last."""
    requires_grad = options.pop("requires_grad", False)
    dtype = options.get("dtype") or wend.get_default_dtype()
    if not dtype.is_floating_point:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
    if length < 0:
        raise RuntimeError(
            f"{name} requires non-negative window_length, got window_length={length}"
        )
    if length <= 1:
        made = _C.ones(length, **options)
    else:
        last = length if periodic else length - 1
        places = _C.arange(length, **{**options, "dtype": wend.float64}) / last
        made = shape(places).to(dtype)
    return made.requires_grad_(requires_grad)


def bartlett_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """A triangle.

    >>> wend.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    triangle = lambda x: 1 - (2 * x - 1).abs()  # noqa: E731
    return _window("bartlett_window", window_length, periodic, triangle, options)


def hann_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """sin² from 0 to π.

    >>> wend.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    bell = lambda x: 0.5 - 0.5 * (2 * math.pi * x).cos()  # noqa: E731
    return _window("hann_window", window_length, periodic, bell, options)


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    **options: Any,
) -> Tensor:
    """alpha - beta cos from 0 to 2π.

    >>> wend.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    bell = lambda x: alpha - beta * (2 * math.pi * x).cos()  # noqa: E731
    return _window("hamming_window", window_length, periodic, bell, options)


def blackman_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """0.42 - 0.5 cos + 0.08 cos of twice the angle, from 0 to 2π.

    >>> wend.blackman_window(5)[1:]
    tensor([0.2008, 0.8492, 0.8492, 0.2008])
    """
    tau = 2 * math.pi
    bell = lambda x: 0.42 - 0.5 * (tau * x).cos() + 0.08 * (2 * tau * x).cos()  # noqa: E731
    return _window("blackman_window", window_length, periodic, bell, options)


def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, **options: Any
) -> Tensor:
    """I0(beta sqrt(1 - x²)) / I0(beta) for x from -1 to 1.

    >>> wend.kaiser_window(4, periodic=False, beta=1.0)
    tensor([0.7898, 0.9731, 0.9731, 0.7898])
    """

    def bell(x: Tensor) -> Tensor:
        inside = (1 - (2 * x - 1) ** 2).clamp(min=0).sqrt()
        whole = _C.i0(_C.tensor(beta, dtype=x.dtype))
        return _C.i0(beta * inside) / whole

    return _window("kaiser_window", window_length, periodic, bell, options)
