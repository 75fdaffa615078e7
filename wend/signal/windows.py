"""torch.signal.windows: windows of M samples, symmetric unless `sym=False`.

Those of the package itself, such as `wend.hann_window`, are their periodic relatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import wend
from wend import _C
from wend._C import Tensor

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _window(
    name: str,
    count: int,
    sym: bool,
    shape: Callable[[Tensor, int], Tensor],
    options: dict[str, Any],
) -> Tensor:
    """A function of the places 0 to count - 1 and of the last place of the period."""
    if count < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={count}")
    dtype = options.get("dtype") or wend.get_default_dtype()
    if options.get("layout") not in (None, wend.strided):
        given = options["layout"]
        raise ValueError(f"{name} is implemented for strided tensors only, got: {given}")
    if dtype not in (wend.float32, wend.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    requires_grad = options.pop("requires_grad", False)
    if count <= 1:
        made = _C.ones(count, **options)
    else:
        places = _C.arange(count, **{**options, "dtype": wend.float64})
        made = shape(places, count - 1 if sym else count).to(dtype)
    return made.requires_grad_(requires_grad)


def exponential(
    M: int,  # noqa: N803
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    **options: Any,
) -> Tensor:
    """exp(-|place - center| / tau); the center is the middle, unless sym is False.

    >>> wend.signal.windows.exponential(3)
    tensor([0.3679, 1.0000, 0.3679])
    """
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")

    def shape(places: Tensor, last: int) -> Tensor:
        middle = last / 2 if center is None else center
        return (-(places - middle).abs() / tau).exp()

    return _window("exponential", M, sym, shape, options)


def cosine(M: int, *, sym: bool = True, **options: Any) -> Tensor:  # noqa: N803
    """Half a period of a sine.

    >>> wend.signal.windows.cosine(3)
    tensor([0.5000, 1.0000, 0.5000])
    """
    # The period counts from half a place before the first to half a place behind the last.
    half = lambda places, last: ((places + 0.5) * (math.pi / (last + 1))).sin()  # noqa: E731
    return _window("cosine", M, sym, half, options)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Any) -> Tensor:  # noqa: N803
    """exp(-(distance from the middle / std)**2 / 2).

    >>> wend.signal.windows.gaussian(3)
    tensor([0.6065, 1.0000, 0.6065])
    """
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    bell = lambda places, last: (-(((places - last / 2) / std) ** 2) / 2).exp()  # noqa: E731
    return _window("gaussian", M, sym, bell, options)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Any) -> Tensor:  # noqa: N803
    """I0(beta sqrt(1 - x**2)) / I0(beta) for x from -1 to 1.

    >>> wend.signal.windows.kaiser(3, beta=1.0)
    tensor([0.7898, 1.0000, 0.7898])
    """
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")

    def shape(places: Tensor, last: int) -> Tensor:
        inside = (1 - (2 * places / last - 1) ** 2).clamp(min=0).sqrt()
        return _C.i0(beta * inside) / _C.i0(_C.tensor(beta, dtype=wend.float64))

    return _window("kaiser", M, sym, shape, options)


def bartlett(M: int, *, sym: bool = True, **options: Any) -> Tensor:  # noqa: N803
    """A triangle.

    >>> wend.signal.windows.bartlett(3)
    tensor([0., 1., 0.])
    """
    triangle = lambda places, last: 1 - (2 * places / last - 1).abs()  # noqa: E731
    return _window("bartlett", M, sym, triangle, options)


def _cosines(M: int, a: list[float], sym: bool, options: dict[str, Any]) -> Tensor:  # noqa: N803
    def shape(places: Tensor, last: int) -> Tensor:
        angle = places * (2 * math.pi / last)
        terms = [(-1) ** k * weight * (k * angle).cos() for k, weight in enumerate(a)]
        total: Tensor = sum(terms[1:], terms[0])
        return total

    return _window("general_cosine", M, sym, shape, options)


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **options: Any) -> Tensor:  # noqa: N803
    """a[0] - a[1] cos(x) + a[2] cos(2x) - ... for x from 0 to 2π.

    >>> wend.signal.windows.general_cosine(3, a=[0.5, 0.5])
    tensor([0., 1., 0.])
    """
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    weights = list(a)
    if not weights:
        raise ValueError("Coefficients cannot be empty")
    return _cosines(M, weights, sym, options)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Tensor:  # noqa: N803
    """alpha - (1 - alpha) cos(x) for x from 0 to 2π.

    >>> wend.signal.windows.general_hamming(3, alpha=0.75)
    tensor([0.5000, 1.0000, 0.5000])
    """
    return _cosines(M, [alpha, 1 - alpha], sym, options)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:  # noqa: N803
    """0.54 - 0.46 cos(x) for x from 0 to 2π.

    >>> wend.signal.windows.hamming(3)
    tensor([0.0800, 1.0000, 0.0800])
    """
    return _cosines(M, [0.54, 0.46], sym, options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:  # noqa: N803
    """0.5 - 0.5 cos(x) for x from 0 to 2π.

    >>> wend.signal.windows.hann(3)
    tensor([0., 1., 0.])
    """
    return _cosines(M, [0.5, 0.5], sym, options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:  # noqa: N803
    """0.42 - 0.5 cos(x) + 0.08 cos(2x) for x from 0 to 2π.

    >>> wend.signal.windows.blackman(5)[2:4]
    tensor([1.0000, 0.3400])
    """
    return _cosines(M, [0.42, 0.5, 0.08], sym, options)


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:  # noqa: N803
    """Nuttall's sum of four cosines for x from 0 to 2π.

    >>> wend.signal.windows.nuttall(5)[2:4]
    tensor([1.0000, 0.2270])
    """
    return _cosines(M, [0.3635819, 0.4891775, 0.1365995, 0.0106411], sym, options)
