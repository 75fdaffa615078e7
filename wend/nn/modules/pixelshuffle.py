"""Layers that move channels into space and back."""

from __future__ import annotations

from wend._C import Tensor
from wend.nn import functional as F
from wend.nn.modules.module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """(*, C r², H, W) as (*, C, H r, W r), r being upscale_factor.

    >>> wend.nn.PixelShuffle(2)(wend.ones(4, 3, 3)).shape
    torch.Size([1, 6, 6])
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the larger image."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """(*, C, H r, W r) as (*, C r², H, W), r being downscale_factor.

    >>> wend.nn.PixelUnshuffle(2)(wend.ones(1, 6, 6)).shape
    torch.Size([4, 3, 3])
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the image of more channels."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"downscale_factor={self.downscale_factor}"
