"""torch.fft: orders and frequencies. The transforms, whose results are complex, raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wend
from wend import _C
from wend._absent import absent_names
from wend._C import Tensor

globals().update(
    absent_names(
        "torch.fft",
        "fft fft2 fftn hfft hfft2 hfftn ifft ifft2 ifftn ihfft ihfft2 ihfftn irfft irfft2 irfftn"
        " rfft rfft2 rfftn",
        "take transforms of numpy.fft, without gradients; wend has no complex numbers",
    )
)


def _rolled(input: Tensor, dim: int | Sequence[int] | None, back: bool) -> Tensor:
    dims = range(input.dim()) if dim is None else (dim,) if isinstance(dim, int) else dim
    shifts = [(input.size(d) + back) // 2 for d in dims]
    return _C.roll(input, shifts, list(dims))


def _frequencies(
    name: str, count: int, n: int, d: float, half: int, out: Tensor | None, options: dict[str, Any]
) -> Tensor:
    """The places 0, 1 ... over n * d; those from `half` on are negative."""
    if count < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {count}: [{count}]")
    wanted = options.get("dtype")
    if wanted is not None and not wanted.is_floating_point:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    requires_grad = options.pop("requires_grad", False)
    places = _C.arange(count, **{**options, "dtype": wanted or wend.get_default_dtype()})
    places = _C.where(places < half, places, places - n)
    result = places * (1 / (n * d) if n * d else float("inf"))
    return result.requires_grad_(requires_grad) if out is None else _C.clone(result, out=out)


def fftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Put frequency 0, which a transform has at the front, into the middle.

    >>> wend.fft.fftshift(wend.fft.fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    return _rolled(input, dim, False)


def ifftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Undo `fftshift`.

    >>> wend.fft.ifftshift(wend.tensor([-1, 0, 1]))
    tensor([ 0,  1, -1])
    """
    return _rolled(input, dim, True)


def fftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, **options: Any) -> Tensor:
    """The frequencies of a transform of n samples that are d apart: from 0 up, then the negative.

    >>> wend.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return _frequencies("fftfreq", n, n, d, (n + 1) // 2, out, options)


def rfftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, **options: Any) -> Tensor:
    """The frequencies of a transform of n real samples that are d apart, from 0 up.

    >>> wend.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    return _frequencies("rfftfreq", int(n / 2) + 1, n, d, abs(n) + 1, out, options)
