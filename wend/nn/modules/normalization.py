"""Normalisation of layers, groups and neighbouring channels; the computing is nn.functional's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wend
from wend._C import Tensor
from wend.nn import functional as F
from wend.nn import init
from wend.nn.modules._build import add_parameter
from wend.nn.modules.module import Module

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class LocalResponseNorm(Module):
    """Each element divided by (k + alpha * mean square of `size` neighbouring channels) ** beta.

    >>> wend.nn.LocalResponseNorm(1, alpha=3.0, beta=0.5)(wend.ones(1, 1, 1))
    tensor([[[0.5000]]])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(LocalResponseNorm):
    """LocalResponseNorm of images as it once was: the first channel counts for all that follow.

    >>> wend.nn.CrossMapLRN2d(1, alpha=3.0, beta=0.5)(wend.ones(1, 1, 1, 1))
    tensor([[[[0.5000]]]])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        if self.size < 1:
            raise ValueError(f"CrossMapLRN2d: size must be at least 1, got {self.size}")
        squares, channels = input.square(), input.size(1)
        reach = (self.size - 1) // 2 + 1
        sums = []
        for channel in range(channels):
            total = squares[:, max(0, channel - reach + 1) : channel + reach].sum(1)
            sums.append(total + squares[:, 0] if channel >= reach else total)
        scale = wend.stack(sums, 1) * (self.alpha / self.size) + self.k
        return input * scale.pow(-self.beta)


def _shape(normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    one = isinstance(normalized_shape, int)
    return (normalized_shape,) if one else tuple(normalized_shape)  # type: ignore[return-value, arg-type]


class _Affine(Module):
    """A layer with a weight of ones and, maybe, a bias of zeros."""

    weight: Tensor | None
    bias: Tensor | None

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.__dict__.get("bias") is not None:
            init.zeros_(self.__dict__["bias"])


class LayerNorm(_Affine):
    """The last dimensions with mean 0 and variance 1, times weight, plus bias.

    >>> wend.nn.LayerNorm(2, elementwise_affine=False)(wend.tensor([[1.0, 3.0]]))
    tensor([[-1.0000,  1.0000]])
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        factory = {"device": device, "dtype": dtype}
        add_parameter(self, "weight", elementwise_affine, self.normalized_shape, **factory)
        add_parameter(self, "bias", elementwise_affine and bias, self.normalized_shape, **factory)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)  # type: ignore[arg-type]

    def extra_repr(self) -> str:
        """Return the settings."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(_Affine):
    """The last dimensions divided by the root of their mean square, times weight.

    >>> wend.nn.RMSNorm(2, elementwise_affine=False)(wend.tensor([[1.0, 2.0]]))
    tensor([[0.6325, 1.2649]])
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        factory = {"device": device, "dtype": dtype}
        add_parameter(self, "weight", elementwise_affine, self.normalized_shape, **factory)
        self.reset_parameters()

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)  # type: ignore[arg-type]

    def extra_repr(self) -> str:
        """Return the settings."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(_Affine):
    """Groups of channels of each example with mean 0 and variance 1, times weight, plus bias.

    >>> wend.nn.GroupNorm(1, 2, affine=False)(wend.tensor([[1.0, 3.0], [2.0, 4.0]]))
    tensor([[-1.0000,  1.0000],
            [-1.0000,  1.0000]])
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        factory = {"device": device, "dtype": dtype}
        add_parameter(self, "weight", affine, num_channels, **factory)
        add_parameter(self, "bias", affine and bias, num_channels, **factory)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the settings."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )
