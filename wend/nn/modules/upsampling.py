"""Layers that make images larger by interpolation, which is nn.functional's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wend._C import Tensor
from wend.nn import functional as F
from wend.nn.common_types import Size
from wend.nn.modules.module import Module

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]

Ratio = float | Sequence[float]


class Upsample(Module):
    """The input at another size, or larger by a factor.

    mode: "nearest", "linear", "bilinear", "bicubic" or "trilinear".

    >>> wend.nn.Upsample(scale_factor=2)
    Upsample(scale_factor=2.0, mode='nearest')
    """

    def __init__(
        self,
        size: Size | None = None,
        scale_factor: Ratio | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        factor: Any = scale_factor
        if isinstance(factor, tuple):
            self.scale_factor: Any = tuple(float(each) for each in factor)
        else:
            self.scale_factor = float(factor) if factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the input at its new size."""
        result: Tensor = getattr(F, "interpolate")(  # noqa: B009
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )
        return result

    def extra_repr(self) -> str:
        """Return the size or factor, and the mode."""
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor!r}, mode={self.mode!r}"
        return f"size={self.size!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """The image at another size, each pixel as its nearest neighbour in the input.

    >>> wend.nn.UpsamplingNearest2d(size=(4, 4))
    UpsamplingNearest2d(size=(4, 4), mode='nearest')
    """

    def __init__(self, size: Size | None = None, scale_factor: Ratio | None = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """The image at another size, each pixel between its neighbours in the input.

    >>> wend.nn.UpsamplingBilinear2d(scale_factor=2)
    UpsamplingBilinear2d(scale_factor=2.0, mode='bilinear')
    """

    def __init__(self, size: Size | None = None, scale_factor: Ratio | None = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
