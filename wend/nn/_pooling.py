"""Pooling of nn.functional: maxima with their places and back, means, power means.

Fixed and adaptive windows are ops of the core; places of fractional ones are drawn here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import wend
from wend import _C
from wend._C import Tensor, _nn
from wend.nn.common_types import LARGEST, Size

avg_pool1d = _C.avg_pool1d
avg_pool2d = _nn.avg_pool2d
avg_pool3d = _nn.avg_pool3d
adaptive_avg_pool1d = _C.adaptive_avg_pool1d
max_pool1d_with_indices = _C.max_pool1d_with_indices
max_pool2d_with_indices = _nn.max_pool2d_with_indices
max_pool3d_with_indices = _nn.max_pool3d_with_indices
adaptive_max_pool1d_with_indices = _C.adaptive_max_pool1d

Target = int | Sequence[int | None]


def max_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of (N, C, L) or (C, L).

    >>> wend.nn.functional.max_pool1d(wend.tensor([[1.0, 3.0, 2.0, 4.0]]), 2)
    tensor([[3., 4.]])
    """
    pool = _C.max_pool1d_with_indices if return_indices else _C.max_pool1d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of (N, C, H, W) or (C, H, W).

    >>> wend.nn.functional.max_pool2d(wend.tensor([[[1.0, 3.0], [2.0, 4.0]]]), 2)
    tensor([[[4.]]])
    """
    pool = _nn.max_pool2d_with_indices if return_indices else _C.max_pool2d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.functional.max_pool3d(wend.ones(1, 2, 2, 2), 2).shape
    torch.Size([1, 1, 1, 1])
    """
    pool = _nn.max_pool3d_with_indices if return_indices else _C.max_pool3d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def _sizes(output_size: Target, input: Tensor) -> Any:
    """A size for each dimension, the input's own where there is None."""
    if isinstance(output_size, int):
        return output_size
    wanted = [*output_size]
    if input.dim() <= len(wanted):
        raise ValueError(f"Input dimension should be at least {len(wanted) + 1}")
    own = input.shape[-len(wanted) :]
    return [size if want is None else want for want, size in zip(wanted, own, strict=True)]


def adaptive_avg_pool2d(input: Tensor, output_size: Target) -> Tensor:
    """The means of output_size parts of (N, C, H, W) or (C, H, W).

    >>> wend.nn.functional.adaptive_avg_pool2d(wend.tensor([[[1.0, 3.0], [2.0, 4.0]]]), (1, None))
    tensor([[[1.5000, 3.5000]]])
    """
    return _nn.adaptive_avg_pool2d(input, _sizes(output_size, input))


def adaptive_avg_pool3d(input: Tensor, output_size: Target) -> Tensor:
    """The means of output_size parts of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.functional.adaptive_avg_pool3d(wend.ones(1, 2, 2, 2), 1).shape
    torch.Size([1, 1, 1, 1])
    """
    return _nn.adaptive_avg_pool3d(input, _sizes(output_size, input))


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: Target, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """The largest elements of output_size parts of images, and their places.

    >>> x = wend.tensor([[[1.0, 3.0], [2.0, 4.0]]])
    >>> wend.nn.functional.adaptive_max_pool2d_with_indices(x, 1)[1]
    tensor([[[3]]])
    """
    values, places = _nn.adaptive_max_pool2d(input, _sizes(output_size, input))
    return values, places


def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: Target, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """The largest elements of output_size parts of volumes, and their places.

    >>> wend.nn.functional.adaptive_max_pool3d_with_indices(wend.ones(1, 1, 1, 2), 1)[1]
    tensor([[[[0]]]])
    """
    values, places = _nn.adaptive_max_pool3d(input, _sizes(output_size, input))
    return values, places


def adaptive_max_pool1d(input: Tensor, output_size: Size, return_indices: bool = False) -> Any:
    """The largest elements of output_size parts of (N, C, L) or (C, L).

    >>> wend.nn.functional.adaptive_max_pool1d(wend.tensor([[1.0, 3.0, 2.0, 4.0]]), 2)
    tensor([[3., 4.]])
    """
    both = _C.adaptive_max_pool1d(input, output_size)
    return both if return_indices else both[0]


def adaptive_max_pool2d(input: Tensor, output_size: Target, return_indices: bool = False) -> Any:
    """The largest elements of output_size parts of (N, C, H, W) or (C, H, W).

    >>> wend.nn.functional.adaptive_max_pool2d(wend.tensor([[[1.0, 3.0], [2.0, 4.0]]]), 1)
    tensor([[[4.]]])
    """
    both = adaptive_max_pool2d_with_indices(input, output_size)
    return both if return_indices else both[0]


def adaptive_max_pool3d(input: Tensor, output_size: Target, return_indices: bool = False) -> Any:
    """The largest elements of output_size parts of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.functional.adaptive_max_pool3d(wend.ones(1, 2, 2, 2), 1).shape
    torch.Size([1, 1, 1, 1])
    """
    both = adaptive_max_pool3d_with_indices(input, output_size)
    return both if return_indices else both[0]


def _each(size: Any, n: int) -> list[Any]:
    """One number for each of n dimensions."""
    if isinstance(size, (int, float)):
        return [size] * n
    listed = [*size]
    return listed * n if len(listed) == 1 else listed


def _power_mean(
    pool: Any, n: int, input: Tensor, p: float, kernel: Size, stride: Size | None, ceil: bool
) -> Tensor:
    if math.isinf(p):
        sign = math.copysign(1.0, p)
        largest = (max_pool1d, max_pool2d, max_pool3d)[n - 1]
        pooled: Tensor = largest(input.abs() * sign, kernel, stride, 0, 1, ceil) * sign
        return pooled
    mean = pool(input.pow(p), kernel, stride, 0, ceil)
    total = (mean.sign() * mean.abs().relu()) * math.prod(_each(kernel, n))
    result: Tensor = total.pow(1.0 / p)
    return result


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm of each window of (N, C, L) or (C, L).

    >>> wend.nn.functional.lp_pool1d(wend.tensor([[3.0, 4.0]]), 2, 2)
    tensor([[5.]])
    """
    return _power_mean(avg_pool1d, 1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm of each window of (N, C, H, W) or (C, H, W).

    >>> wend.nn.functional.lp_pool2d(wend.tensor([[[3.0, 4.0]]]), 2, (1, 2))
    tensor([[[5.]]])
    """
    return _power_mean(avg_pool2d, 2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: Size,
    stride: Size | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm of each window of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.functional.lp_pool3d(wend.tensor([[[[3.0, 4.0]]]]), 2, (1, 1, 2))
    tensor([[[[5.]]]])
    """
    return _power_mean(avg_pool3d, 3, input, norm_type, kernel_size, stride, ceil_mode)


def _unpooled_size(
    input: Tensor, kernel: list[int], stride: list[int], padding: list[int], wanted: Any
) -> list[int]:
    n = len(kernel)
    usual = [(input.size(d - n) - 1) * stride[d] + kernel[d] - 2 * padding[d] for d in range(n)]
    if wanted is None:
        for d, each in enumerate(usual):
            if each < 0:
                raise ValueError(
                    "max_unpooling: output_size must contain non-negative spatial dimensions, but "
                    f"got output_size[{d}]={each}"
                )
        return usual
    size = [*wanted]
    if len(size) == n + 2:
        size = size[2:]
    if len(size) != n:
        raise ValueError(
            f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a "
            f"length of '{len(size)}'"
        )
    for d in range(n):
        low, high = usual[d] - stride[d], usual[d] + stride[d]
        if not low < size[d] < high:
            raise ValueError(
                f'invalid output_size "{size}" (dim {d} must be between {low} and {high})'
            )
    return size


def _check_countable(sizes: list[int]) -> None:
    if math.prod(sizes) > LARGEST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={sizes}")


def _max_unpool(
    n: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None,
    padding: Size,
    output_size: Any,
) -> Tensor:
    kernel, pad = _each(kernel_size, n), _each(padding, n)
    step = kernel if stride is None else _each(stride, n)
    size = _unpooled_size(input, kernel, step, pad, output_size)
    if indices.dtype != wend.int64:
        name = str(indices.dtype).removeprefix("torch.").capitalize()
        raise RuntimeError(f"elements in indices should be type int64 but got: {name}")
    if input.dim() not in (n + 1, n + 2):
        raise RuntimeError(
            f"Input to max_unpooling{n}d should be a {n + 1}d or {n + 2}d Tensor, but got tensor "
            f"with dim: {input.dim()}"
        )
    if input.shape != indices.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ("
            f"{list(input.shape)}) but got indices tensor with shape: {list(indices.shape)}"
        )
    front = input.shape[:-n]
    _check_countable([*front, *size])
    plane = _C.zeros(*front, math.prod(size), dtype=input.dtype)
    filled = plane.scatter(-1, indices.flatten(-n), input.flatten(-n))
    return filled.reshape(*front, *size)


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """What max_pool1d left, put back where it was, zeros elsewhere.

    >>> wend.nn.functional.max_unpool1d(wend.tensor([[3.0]]), wend.tensor([[1]]), 2)
    tensor([[0., 3.]])
    """
    return _max_unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """What max_pool2d left, put back where it was, zeros elsewhere.

    >>> wend.nn.functional.max_unpool2d(wend.tensor([[[3.0]]]), wend.tensor([[[1]]]), 2)
    tensor([[[0., 3.],
             [0., 0.]]])
    """
    return _max_unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """What max_pool3d left, put back where it was, zeros elsewhere.

    >>> one = wend.ones(1, 1, 1, 1)
    >>> wend.nn.functional.max_unpool3d(one, one.long(), (1, 1, 2))
    tensor([[[[0., 1.]]]])
    """
    return _max_unpool(3, input, indices, kernel_size, stride, padding, output_size)


def _starts(sample: Tensor, size: int, out: int, kernel: int) -> Tensor:
    """Where the windows of a dimension begin, for each plane's random number."""
    last = _C.full((*sample.shape, 1), size - kernel, dtype=wend.int64)
    if out < 2:
        return last[..., :out]
    step = (size - kernel) / (out - 1)
    number = _C.arange(out - 1, dtype=sample.dtype)
    begin = ((number + sample.unsqueeze(-1)) * step).long() - (sample * step).long().unsqueeze(-1)
    return _C.cat([begin, last], -1)


def _fractional_sizes(
    name: str, input: Tensor, kernel: list[int], output_size: Any, output_ratio: Any
) -> list[int]:
    n = len(kernel)
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if input.dim() not in (n + 1, n + 2):
        raise RuntimeError(
            f"{name}(): Expected {n + 1}D or {n + 2}D (batch mode) tensor, but got: "
            f"{list(input.shape)}"
        )
    spatial = input.shape[-n:]
    if output_size is None:
        ratio = _each(output_ratio, n)
        return [int(size * r) for size, r in zip(spatial, ratio, strict=True)]
    return [int(size) for size in _each(output_size, n)]


def _fractional(
    n: int, input: Tensor, kernel_size: Size, output_size: Any, output_ratio: Any, samples: Any
) -> tuple[Tensor, Tensor]:
    name, kernel = f"fractional_max_pool{n}d", _each(kernel_size, n)
    sizes = _fractional_sizes(name, input, kernel, output_size, output_ratio)
    x = input if input.dim() == n + 2 else input.unsqueeze(0)
    if samples is None:
        samples = _C.rand(*x.shape[:2], n, dtype=input.dtype)
    if samples.size(0) < x.size(0):
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    samples = samples[: x.size(0)]
    spatial = x.shape[2:]
    for what, size, out, k in zip(
        ("time", "height", "width")[-n:], spatial, sizes, kernel, strict=True
    ):
        if out < 0 or k < 1:
            raise RuntimeError(
                f"{name}(): kernel sizes must be at least 1 and output sizes at least 0, but got "
                f"kernel_size={kernel} and output_size={sizes}"
            )
        if out + k - 1 > size:
            raise RuntimeError(
                f"{name}(): pool {what} {k} too large relative to input {what} {size}"
            )
    # PyTorch's numbers of planes of two dimensions are for width and height, in this order.
    order = [1, 0] if n == 2 else range(n)
    place = _C.zeros(*x.shape[:2], *[1] * (2 * n), dtype=wend.int64)
    for d in range(n):
        begin = _starts(samples[..., order[d]], spatial[d], sizes[d], kernel[d])
        taps = begin.unsqueeze(-1) + _C.arange(kernel[d])
        shape = [1] * (2 * n)
        shape[d], shape[n + d] = sizes[d], kernel[d]
        place = place * spatial[d] + taps.reshape(*x.shape[:2], *shape)
    windows = place.reshape(*x.shape[:2], math.prod(sizes), math.prod(kernel))
    picked = x.flatten(2).gather(2, windows.flatten(2)).reshape(windows.shape)
    values, at = picked.max(-1, keepdim=True)
    places = windows.gather(-1, at)
    shape = [*input.shape[:-n], *sizes]
    return values.reshape(shape), places.reshape(shape)


def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Size,
    output_size: Size | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The largest elements of windows at random places of images, and where they are.

    >>> x = wend.tensor([[[1.0, 3.0], [2.0, 4.0]]])
    >>> wend.nn.functional.fractional_max_pool2d_with_indices(x, 2, 1)[1]
    tensor([[[3]]])
    """
    return _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Size,
    output_size: Size | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The largest elements of windows at random places of volumes, and where they are.

    >>> wend.nn.functional.fractional_max_pool3d_with_indices(wend.ones(1, 1, 1, 1), 1, 1)[1]
    tensor([[[[0]]]])
    """
    return _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Size,
    output_size: Size | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest elements of windows at random places of (N, C, H, W) or (C, H, W).

    >>> wend.nn.functional.fractional_max_pool2d(wend.tensor([[[1.0, 3.0], [2.0, 4.0]]]), 2, 1)
    tensor([[[4.]]])
    """
    both = _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)
    return both if return_indices else both[0]


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Size,
    output_size: Size | None = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest elements of windows at random places of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.functional.fractional_max_pool3d(wend.ones(1, 2, 2, 2), 2, 1).shape
    torch.Size([1, 1, 1, 1])
    """
    both = _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return both if return_indices else both[0]
