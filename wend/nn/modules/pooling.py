"""Pooling over one, two or three dimensions: maximum, mean, power mean; fixed or adaptive windows.

The computing is nn.functional's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wend._C import Tensor
from wend.nn import functional as F
from wend.nn.common_types import Size
from wend.nn.modules._build import listed
from wend.nn.modules.module import Module
from wend.nn.modules.utils import _ntuple

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _Pool(Module):
    """A module that calls the function of nn.functional that `_function` names."""

    _spatial = 0
    _function = ""

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(F, self._function)(*args, **kwargs)


class _MaxPoolNd(_Pool):
    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """Return the largest element of each window, with where it was if return_indices."""
        return self._call(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        """Return the geometry."""
        return listed(self, "kernel_size", "stride", "padding", "dilation", "ceil_mode")


class _MaxUnpoolNd(_Pool):
    def __init__(self, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> None:
        super().__init__()
        each = _ntuple(self._spatial)
        self.kernel_size = each(kernel_size)
        self.stride = each(kernel_size if stride is None else stride)
        self.padding = each(padding)

    def forward(
        self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        """Put the elements back where the indices say, zeros elsewhere."""
        result: Tensor = self._call(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )
        return result

    def extra_repr(self) -> str:
        """Return the geometry."""
        return listed(self, "kernel_size", "stride", "padding")


class _AvgPoolNd(_Pool):
    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Return the mean of each window."""
        geometry = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        result: Tensor = self._call(input, *geometry, self.count_include_pad, self.divisor_override)
        return result

    def extra_repr(self) -> str:
        """Return the geometry."""
        return listed(self, "kernel_size", "stride", "padding")


class _FractionalMaxPoolNd(_Pool):
    _random_samples: Tensor | None

    def __init__(
        self,
        kernel_size: Size,
        output_size: Size | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        each = _ntuple(self._spatial)
        if self._spatial == 3 and not all(k > 0 for k in each(kernel_size)):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.kernel_size = each(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else each(output_size)
        self.output_ratio = None if output_ratio is None else each(output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{self.__class__.__name__} requires specifying either an output size, or a "
                "pooling ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        """Return the largest element of windows at random places."""
        return self._call(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class _LPPoolNd(_Pool):
    def __init__(
        self,
        norm_type: float,
        kernel_size: Size,
        stride: Size | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """Return the norm of each window."""
        result: Tensor = self._call(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )
        return result

    def extra_repr(self) -> str:
        """Return the norm and the geometry."""
        return listed(self, "norm_type", "kernel_size", "stride", "ceil_mode")


class _AdaptiveMaxPoolNd(_Pool):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """Return the largest element of each part, with where it was if return_indices."""
        return self._call(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        """Return the number of parts."""
        return listed(self, "output_size")


class _AdaptiveAvgPoolNd(_Pool):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Return the mean of each part."""
        result: Tensor = self._call(input, self.output_size)
        return result

    def extra_repr(self) -> str:
        """Return the number of parts."""
        return listed(self, "output_size")


class MaxPool1d(_MaxPoolNd):
    """The largest element of each window of (N, C, L) or (C, L).

    >>> wend.nn.MaxPool1d(2)
    MaxPool1d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
    """

    _spatial, _function = 1, "max_pool1d"


class MaxPool2d(_MaxPoolNd):
    """The largest element of each window of (N, C, H, W) or (C, H, W).

    >>> wend.nn.MaxPool2d(2)
    MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
    """

    _spatial, _function = 2, "max_pool2d"


class MaxPool3d(_MaxPoolNd):
    """The largest element of each window of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.MaxPool3d(2)
    MaxPool3d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
    """

    _spatial, _function = 3, "max_pool3d"


class MaxUnpool1d(_MaxUnpoolNd):
    """What MaxPool1d left, put back in its place, of (N, C, L) or (C, L).

    >>> wend.nn.MaxUnpool1d(2)
    MaxUnpool1d(kernel_size=(2,), stride=(2,), padding=(0,))
    """

    _spatial, _function = 1, "max_unpool1d"


class MaxUnpool2d(_MaxUnpoolNd):
    """What MaxPool2d left, put back in its place, of (N, C, H, W) or (C, H, W).

    >>> wend.nn.MaxUnpool2d(2)
    MaxUnpool2d(kernel_size=(2, 2), stride=(2, 2), padding=(0, 0))
    """

    _spatial, _function = 2, "max_unpool2d"


class MaxUnpool3d(_MaxUnpoolNd):
    """What MaxPool3d left, put back in its place, of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.MaxUnpool3d(2)
    MaxUnpool3d(kernel_size=(2, 2, 2), stride=(2, 2, 2), padding=(0, 0, 0))
    """

    _spatial, _function = 3, "max_unpool3d"


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of (N, C, L) or (C, L).

    >>> wend.nn.AvgPool1d(2)
    AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))
    """

    _spatial, _function = 1, "avg_pool1d"

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        one = _ntuple(1)
        self.kernel_size = one(self.kernel_size)
        self.stride = one(self.stride)
        self.padding = one(self.padding)

    def forward(self, input: Tensor) -> Tensor:
        """Return the mean of each window."""
        geometry = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        result: Tensor = self._call(input, *geometry, self.count_include_pad)
        return result


class AvgPool2d(_AvgPoolNd):
    """The mean of each window of (N, C, H, W) or (C, H, W).

    >>> wend.nn.AvgPool2d(2)
    AvgPool2d(kernel_size=2, stride=2, padding=0)
    """

    _spatial, _function = 2, "avg_pool2d"


class AvgPool3d(_AvgPoolNd):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.AvgPool3d(2)
    AvgPool3d(kernel_size=2, stride=2, padding=0)
    """

    _spatial, _function = 3, "avg_pool3d"


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The largest element of windows at random places of (N, C, H, W) or (C, H, W).

    >>> wend.nn.FractionalMaxPool2d(2, output_size=3)
    FractionalMaxPool2d()
    """

    _spatial, _function = 2, "fractional_max_pool2d"


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The largest element of windows at random places of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.FractionalMaxPool3d(2, output_size=3)
    FractionalMaxPool3d()
    """

    _spatial, _function = 3, "fractional_max_pool3d"


class LPPool1d(_LPPoolNd):
    """The p-norm of each window of (N, C, L) or (C, L).

    >>> wend.nn.LPPool1d(2, 3)
    LPPool1d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)
    """

    _spatial, _function = 1, "lp_pool1d"


class LPPool2d(_LPPoolNd):
    """The p-norm of each window of (N, C, H, W) or (C, H, W).

    >>> wend.nn.LPPool2d(2, 3)
    LPPool2d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)
    """

    _spatial, _function = 2, "lp_pool2d"


class LPPool3d(_LPPoolNd):
    """The p-norm of each window of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.LPPool3d(2, 3)
    LPPool3d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)
    """

    _spatial, _function = 3, "lp_pool3d"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest element of each of output_size parts of (N, C, L) or (C, L).

    >>> wend.nn.AdaptiveMaxPool1d(5)
    AdaptiveMaxPool1d(output_size=5)
    """

    _spatial, _function = 1, "adaptive_max_pool1d"


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The largest element of each of output_size parts of (N, C, H, W) or (C, H, W).

    >>> wend.nn.AdaptiveMaxPool2d(5)
    AdaptiveMaxPool2d(output_size=5)
    """

    _spatial, _function = 2, "adaptive_max_pool2d"


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The largest element of each of output_size parts of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.AdaptiveMaxPool3d(5)
    AdaptiveMaxPool3d(output_size=5)
    """

    _spatial, _function = 3, "adaptive_max_pool3d"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean of each of output_size parts of (N, C, L) or (C, L).

    >>> wend.nn.AdaptiveAvgPool1d(5)
    AdaptiveAvgPool1d(output_size=5)
    """

    _spatial, _function = 1, "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The mean of each of output_size parts of (N, C, H, W) or (C, H, W).

    >>> wend.nn.AdaptiveAvgPool2d(5)
    AdaptiveAvgPool2d(output_size=5)
    """

    _spatial, _function = 2, "adaptive_avg_pool2d"


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The mean of each of output_size parts of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.AdaptiveAvgPool3d(5)
    AdaptiveAvgPool3d(output_size=5)
    """

    _spatial, _function = 3, "adaptive_avg_pool3d"
