"""Layers that multiply by matrices, and Identity, which leaves its input alone.

The products are nn.functional's.
"""

from __future__ import annotations

import math
from typing import Any

import wend
from wend import _C
from wend._C import Tensor
from wend.nn import functional as F
from wend.nn import init
from wend.nn.modules._build import add_parameter
from wend.nn.modules.lazy import LazyModuleMixin
from wend.nn.modules.module import Module
from wend.nn.parameter import UninitializedParameter

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]

_linear = _C.linear


class Identity(Module):
    """Returns its input; other arguments are ignored.

    >>> wend.nn.Identity(5)(wend.ones(1))
    tensor([1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Return the input."""
        return input


class Linear(Module):
    """input @ weight.T + bias.

    >>> wend.nn.Linear(2, 3)(wend.ones(4, 2)).shape
    torch.Size([4, 3])
    """

    in_features: int
    out_features: int
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        factory = {"device": device, "dtype": dtype}
        add_parameter(self, "weight", True, (out_features, in_features), **factory)
        add_parameter(self, "bias", bias, out_features, **factory)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew, between ±1 / sqrt(in_features)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Return input @ weight.T + bias."""
        return _linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """The linear layer inside attention, under the name that it has in PyTorch."""


class Bilinear(Module):
    """input1 @ weight[k] @ input2 + bias[k] for each output feature k.

    >>> wend.nn.Bilinear(2, 3, 4)(wend.ones(5, 2), wend.ones(5, 3)).shape
    torch.Size([5, 4])
    """

    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        factory = {"device": device, "dtype": dtype}
        sizes = (out_features, in1_features, in2_features)
        add_parameter(self, "weight", True, sizes, **factory)
        add_parameter(self, "bias", bias, out_features, **factory)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew, between ±1 / sqrt(in1_features)."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Return the form of both inputs for each output feature."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class LazyLinear(LazyModuleMixin, Linear):
    """Linear whose in_features is the first input's last size.

    >>> wend.nn.LazyLinear(3)(wend.ones(4, 2)).shape
    torch.Size([4, 3])
    """

    cls_to_become = Linear

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, if they have shapes."""
        if self.in_features != 0 and not self.has_uninitialized_params():
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take in_features from the input."""
        if not self.has_uninitialized_params():
            return
        with wend.no_grad():
            self.in_features = input.shape[-1]
            self.weight.materialize(  # type: ignore[attr-defined]
                (self.out_features, self.in_features)
            )
            if self.bias is not None:
                self.bias.materialize((self.out_features,))  # type: ignore[attr-defined]
            self.reset_parameters()
