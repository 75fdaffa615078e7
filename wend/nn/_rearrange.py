"""Functions of nn.functional that move elements among channels, space, windows and columns."""

from __future__ import annotations

from wend._C import Tensor, _nn
from wend.nn.common_types import LARGEST, Size


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(*, C r², H, W) as (*, C, H r, W r), r being upscale_factor.

    >>> wend.nn.functional.pixel_shuffle(wend.ones(4, 3, 3), 2).shape
    torch.Size([1, 6, 6])
    """
    r = upscale_factor
    if input.dim() < 3:
        raise RuntimeError(
            "pixel_shuffle expects input to have at least 3 dimensions, but got input with "
            f"{input.dim()} dimension(s)"
        )
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    if r * r > LARGEST:
        raise ValueError(
            f"upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={r}"
        )
    *batch, channels, height, width = input.shape
    if channels % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor, but input.size(-3)={channels} is not divisible by {r * r}"
        )
    n = len(batch)
    parts = input.reshape(*batch, channels // (r * r), r, r, height, width)
    moved = parts.permute(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return moved.reshape(*batch, channels // (r * r), height * r, width * r)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(*, C, H r, W r) as (*, C r², H, W), r being downscale_factor.

    >>> wend.nn.functional.pixel_unshuffle(wend.ones(1, 6, 6), 2).shape
    torch.Size([4, 3, 3])
    """
    r = downscale_factor
    if input.dim() < 3:
        raise RuntimeError(
            "pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
            f"{input.dim()} dimension(s)"
        )
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *batch, channels, height, width = input.shape
    for name, at, size in (("height", -2, height), ("width", -1, width)):
        if size % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"input.size({at})={size} is not divisible by {r}"
            )
    n = len(batch)
    parts = input.reshape(*batch, channels, height // r, r, width // r, r)
    moved = parts.permute(*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return moved.reshape(*batch, channels * r * r, height // r, width // r)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels of (N, C, ...) in an order that takes one of each group in turn.

    >>> wend.nn.functional.channel_shuffle(wend.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    if input.dim() < 3:
        raise RuntimeError(
            "channel_shuffle expects input with > 2 dims, but got input with sizes "
            f"{list(input.shape)}"
        )
    batch, channels = input.shape[:2]
    if groups <= 0:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    if channels % groups:
        raise RuntimeError(
            "Number of channels must be divisible by groups. Got "
            f"{channels} channels and {groups} groups."
        )
    parts = input.reshape(batch, groups, channels // groups, *input.shape[2:])
    return parts.transpose(1, 2).reshape(input.shape)


native_channel_shuffle = channel_shuffle


def unfold(
    input: Tensor, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1
) -> Tensor:
    """The windows of (N, C, H, W) or (C, H, W) as columns.

    >>> wend.nn.functional.unfold(wend.ones(1, 3, 4, 4), 2).shape
    torch.Size([1, 12, 9])
    """
    return _nn.im2col(input, kernel_size, dilation, padding, stride)


def fold(
    input: Tensor,
    output_size: Size,
    kernel_size: Size,
    dilation: Size = 1,
    padding: Size = 0,
    stride: Size = 1,
) -> Tensor:
    """Columns of windows added up to images of output_size.

    >>> wend.nn.functional.fold(wend.ones(1, 4, 1), 2, 2)
    tensor([[[[1., 1.],
              [1., 1.]]]])
    """
    return _nn.col2im(input, output_size, kernel_size, dilation, padding, stride)
