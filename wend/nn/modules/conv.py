"""Convolutions and transposed convolutions over one, two or three dimensions.

The computing is nn.functional's; a lazy layer takes in_channels from its first input.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import wend
from wend._C import Tensor
from wend.nn import functional as F
from wend.nn import init
from wend.nn.common_types import Size
from wend.nn.modules._build import add_parameter
from wend.nn.modules.lazy import LazyModuleMixin
from wend.nn.modules.module import Module
from wend.nn.modules.utils import _ntuple, _reverse_repeat_tuple
from wend.nn.parameter import UninitializedParameter

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]

_MODES = ("zeros", "reflect", "replicate", "circular")


def _check(
    channels: int, out: int, groups: int, padding: Any, stride: tuple[int, ...], mode: str
) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if channels % groups:
        raise ValueError("in_channels must be divisible by groups")
    if out % groups:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(
                f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}"
            )
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if mode not in _MODES:
        raise ValueError(
            f"padding_mode must be one of {set(_MODES)}, but got padding_mode='{mode}'"
        )


class _ConvNd(Module):
    """What all convolutions have: channels, geometry, weight and bias."""

    _spatial = 0
    _function = ""
    transposed = False
    weight: Tensor
    bias: Tensor | None

    def _set_up(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size,
        padding: Size | str,
        dilation: Size,
        output_padding: Size,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: Any,
    ) -> None:
        each = _ntuple(self._spatial)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = each(kernel_size)
        self.stride = each(stride)
        self.padding: Any = padding if isinstance(padding, str) else each(padding)
        self.dilation = each(dilation)
        self.output_padding = each(output_padding)
        self.groups = groups
        self.padding_mode = padding_mode
        _check(in_channels, out_channels, groups, padding, self.stride, padding_mode)
        self._reversed_padding_repeated_twice = self._padding_before()
        factory = {"device": device, "dtype": dtype}
        add_parameter(self, "weight", True, self._weight_shape(), **factory)
        add_parameter(self, "bias", bias, out_channels, **factory)
        self.reset_parameters()

    def _padding_before(self) -> tuple[int, ...]:
        """What F.pad takes, for padding modes that the convolution itself has not."""
        if self.padding == "valid":
            return (0, 0) * self._spatial
        if self.padding != "same":
            return _reverse_repeat_tuple(self.padding, 2)
        totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
        return tuple(n for t in reversed(totals) for n in (t // 2, t - t // 2))

    def _weight_shape(self) -> tuple[int, ...]:
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        return (first, second // self.groups, *self.kernel_size)

    def reset_parameters(self) -> None:
        """Draw weight and bias anew, between ±1 / sqrt(inputs of an output)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """Return the sizes, and what differs from the defaults."""
        parts = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        ]
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            value = getattr(self, name)
            if value != (usual,) * len(value):
                parts.append(f"{name}={value}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class _Conv(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size | str = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._set_up(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            0,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        convolve = getattr(F, self._function)
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self._spatial
        result: Tensor = convolve(
            input, weight, bias, self.stride, padding, self.dilation, self.groups
        )
        return result

    def forward(self, input: Tensor) -> Tensor:
        """Return the convolution of the input."""
        return self._conv_forward(input, self.weight, self.bias)


class _ConvTransposeNd(_ConvNd):
    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            name = self.__class__.__name__
            raise ValueError(f'Only "zeros" padding mode is supported for {name}')
        super().__init__()
        self._set_up(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(self, input: Tensor, output_size: Sequence[int] | None) -> tuple[int, ...]:
        """What to add at the end so that the output gets the size that is asked for."""
        if output_size is None:
            return self.output_padding
        n = self._spatial
        batched = input.dim() == n + 2
        if len(output_size) == (n + 2 if batched else n + 1):
            output_size = output_size[-n:]
        if len(output_size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or "
                f"{n + 2 if batched else n + 1} elements (got {len(output_size)})"
            )
        least = [
            (input.size(d - n) - 1) * self.stride[d]
            - 2 * self.padding[d]
            + self.dilation[d] * (self.kernel_size[d] - 1)
            + 1
            for d in range(n)
        ]
        most = [size + stride - 1 for size, stride in zip(least, self.stride, strict=True)]
        for size, low, high in zip(output_size, least, most, strict=True):
            if not low <= size <= high:
                raise ValueError(
                    f"requested an output size of {output_size}, but valid sizes range from "
                    f"{least} to {most} (for an input of {input.size()[2:]})"
                )
        return tuple(size - low for size, low in zip(output_size, least, strict=True))

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Return the transposed convolution of the input."""
        result: Tensor = getattr(F, self._function)(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self._output_padding(input, output_size),
            self.groups,
            self.dilation,
        )
        return result


class Conv1d(_Conv):
    """Convolution of (N, C, L) or (C, L).

    >>> wend.nn.Conv1d(1, 2, 3, padding=1)
    Conv1d(1, 2, kernel_size=(3,), stride=(1,), padding=(1,))
    """

    _spatial, _function = 1, "conv1d"


class Conv2d(_Conv):
    """Convolution of (N, C, H, W) or (C, H, W).

    >>> wend.nn.Conv2d(1, 2, 3, bias=False)
    Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1), bias=False)
    """

    _spatial, _function = 2, "conv2d"


class Conv3d(_Conv):
    """Convolution of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.Conv3d(1, 2, 3)
    Conv3d(1, 2, kernel_size=(3, 3, 3), stride=(1, 1, 1))
    """

    _spatial, _function = 3, "conv3d"


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution of (N, C, L) or (C, L).

    >>> wend.nn.ConvTranspose1d(1, 2, 3)
    ConvTranspose1d(1, 2, kernel_size=(3,), stride=(1,))
    """

    _spatial, _function = 1, "conv_transpose1d"


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution of (N, C, H, W) or (C, H, W).

    >>> wend.nn.ConvTranspose2d(1, 2, 3, stride=2)
    ConvTranspose2d(1, 2, kernel_size=(3, 3), stride=(2, 2))
    """

    _spatial, _function = 2, "conv_transpose2d"


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.ConvTranspose3d(1, 2, 3)
    ConvTranspose3d(1, 2, kernel_size=(3, 3, 3), stride=(1, 1, 1))
    """

    _spatial, _function = 3, "conv_transpose3d"


class _LazyConvXdMixin(LazyModuleMixin):
    """A convolution that does not know its in_channels yet; arguments are the others'."""

    _spatial: int
    weight: Any
    bias: Any

    def __init__(self, out_channels: int, kernel_size: Size, *args: Any, **kwargs: Any) -> None:
        named = ("stride", "padding", "dilation", "groups", "bias", "padding_mode")
        if self.transposed:  # type: ignore[attr-defined]
            named = ("stride", "padding", "output_padding", "groups", "bias", "dilation")
            named += ("padding_mode",)  # type: ignore[assignment]
        given = dict(zip((*named, "device", "dtype"), args, strict=False)) | kwargs
        wanted = given.pop("bias", True)
        super().__init__(0, 0, kernel_size, bias=False, **given)
        factory: dict[str, Any] = {name: given.get(name) for name in ("device", "dtype")}
        self.weight = UninitializedParameter(**factory)
        self.out_channels = out_channels
        if wanted:
            self.bias = UninitializedParameter(**factory)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, if they have shapes."""
        if self.in_channels != 0 and not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Take in_channels from the input."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        this: Any = self
        if self.in_channels % this.groups:
            raise ValueError("in_channels must be divisible by groups")
        with wend.no_grad():
            self.weight.materialize(this._weight_shape())
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()

    in_channels: int
    out_channels: int

    def _get_in_channels(self, input: Tensor) -> int:
        n = self._spatial
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to "
                f"{self.__class__.__name__}, but got input of size: {input.shape}"
            )
        return input.size(-n - 1)


class LazyConv1d(_LazyConvXdMixin, Conv1d):
    """Conv1d whose in_channels is the first input's.

    >>> wend.nn.LazyConv1d(2, 3).weight
    <UninitializedParameter>
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyConvXdMixin, Conv2d):
    """Conv2d whose in_channels is the first input's.

    >>> wend.nn.LazyConv2d(2, 3).weight
    <UninitializedParameter>
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConvXdMixin, Conv3d):
    """Conv3d whose in_channels is the first input's.

    >>> wend.nn.LazyConv3d(2, 3).weight
    <UninitializedParameter>
    """

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvXdMixin, ConvTranspose1d):
    """ConvTranspose1d whose in_channels is the first input's.

    >>> wend.nn.LazyConvTranspose1d(2, 3).weight
    <UninitializedParameter>
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvXdMixin, ConvTranspose2d):
    """ConvTranspose2d whose in_channels is the first input's.

    >>> wend.nn.LazyConvTranspose2d(2, 3).weight
    <UninitializedParameter>
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvXdMixin, ConvTranspose3d):
    """ConvTranspose3d whose in_channels is the first input's.

    >>> wend.nn.LazyConvTranspose3d(2, 3).weight
    <UninitializedParameter>
    """

    cls_to_become = ConvTranspose3d
