"""Layers between images and the columns of their windows; the computing is nn.functional's."""

from __future__ import annotations

from wend._C import Tensor
from wend.nn import functional as F
from wend.nn.common_types import Size
from wend.nn.modules._build import listed
from wend.nn.modules.module import Module

__all__ = ["Fold", "Unfold"]


class Unfold(Module):
    """The windows of (N, C, H, W) as columns.

    >>> wend.nn.Unfold(3)
    Unfold(kernel_size=3, dilation=1, padding=0, stride=1)
    """

    def __init__(
        self, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Return the columns."""
        geometry = (self.kernel_size, self.dilation, self.padding, self.stride)
        columns: Tensor = getattr(F, "unfold")(input, *geometry)  # noqa: B009
        return columns

    def extra_repr(self) -> str:
        """Return the geometry."""
        return listed(self, "kernel_size", "dilation", "padding", "stride")


class Fold(Module):
    """Columns of windows added up to an image of output_size.

    >>> wend.nn.Fold((4, 4), 2)
    Fold(output_size=(4, 4), kernel_size=2, dilation=1, padding=0, stride=1)
    """

    def __init__(
        self,
        output_size: Size,
        kernel_size: Size,
        dilation: Size = 1,
        padding: Size = 0,
        stride: Size = 1,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Return the image."""
        geometry = (self.kernel_size, self.dilation, self.padding, self.stride)
        image: Tensor = getattr(F, "fold")(input, self.output_size, *geometry)  # noqa: B009
        return image

    def extra_repr(self) -> str:
        """Return the geometry."""
        return listed(self, "output_size", "kernel_size", "dilation", "padding", "stride")
