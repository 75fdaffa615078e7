"""Activation functions as layers; the computing is nn.functional's.

Attention is modules.attention, under PyTorch's name to be found here too.
"""

from __future__ import annotations

import warnings
from typing import Any

import wend
from wend import _C
from wend._C import Tensor
from wend.nn import functional as F
from wend.nn import init
from wend.nn.modules.attention import MultiheadAttention
from wend.nn.modules.module import Module
from wend.nn.parameter import Parameter

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "MultiheadAttention",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class _Inplace(Module):
    """A layer without other settings than whether it writes into its input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Return whether it writes into its input."""
        return "inplace=True" if self.inplace else ""


def _and_inplace(module: Any) -> str:
    return ", inplace=True" if module.inplace else ""


class Threshold(Module):
    """The input where it is above threshold, value elsewhere.

    >>> wend.nn.Threshold(0, 5)(wend.tensor([-1.0, 2.0]))
    tensor([5., 2.])
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"threshold={self.threshold}, value={self.value}{_and_inplace(self)}"


class ReLU(_Inplace):
    """The larger of 0 and each element.

    >>> wend.nn.ReLU()(wend.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return _C.relu_(input) if self.inplace else _C.relu(input)


class RReLU(Module):
    """Leaky relu whose slope is drawn between lower and upper, their mean when not training.

    >>> wend.nn.RReLU(0.5, 0.5)(wend.tensor([-1.0, 2.0]))
    tensor([-0.5000,  2.0000])
    """

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"lower={self.lower}, upper={self.upper}{_and_inplace(self)}"


class Hardtanh(Module):
    """Each element, held between min_val and max_val.

    >>> wend.nn.Hardtanh()(wend.tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        for which, old in (("min", min_value), ("max", max_value)):
            if old is not None:
                warnings.warn(
                    f"keyword argument `{which}_value` is deprecated and renamed to `{which}_val`",
                    FutureWarning,
                    stacklevel=2,
                )
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """Return the bounds."""
        return f"min_val={self.min_val}, max_val={self.max_val}{_and_inplace(self)}"


class ReLU6(Hardtanh):
    """Each element, held between 0 and 6.

    >>> wend.nn.ReLU6()(wend.tensor([-1.0, 8.0]))
    tensor([0., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Return whether it writes into its input."""
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """1 / (1 + exp(-x)).

    >>> wend.nn.Sigmoid()(wend.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return _C.sigmoid(input)


class Hardsigmoid(_Inplace):
    """A line through 1/2 with slope 1/6, held between 0 and 1.

    >>> wend.nn.Hardsigmoid()(wend.tensor([-4.0, 0.0]))
    tensor([0.0000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        """Return nothing."""
        return ""


class Tanh(Module):
    """Hyperbolic tangent of each element.

    >>> wend.nn.Tanh()(wend.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return _C.tanh(input)


class SiLU(_Inplace):
    """Each element times its sigmoid.

    >>> wend.nn.SiLU()(wend.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.silu(input, self.inplace)


class Mish(_Inplace):
    """Each element times the tanh of its softplus.

    >>> wend.nn.Mish()(wend.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.mish(input, self.inplace)


class Hardswish(_Inplace):
    """Each element times its hardsigmoid.

    >>> wend.nn.Hardswish()(wend.tensor([-1.0, 3.0]))
    tensor([-0.3333,  3.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        """Return nothing."""
        return ""


class ELU(Module):
    """Each element where it is positive, alpha * (exp(x) - 1) elsewhere.

    >>> wend.nn.ELU()(wend.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"alpha={self.alpha}{_and_inplace(self)}"


class CELU(Module):
    """Each element where it is positive, alpha * (exp(x / alpha) - 1) elsewhere.

    >>> wend.nn.CELU()(wend.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"alpha={self.alpha}{_and_inplace(self)}"


class SELU(_Inplace):
    """Elu, scaled so that mean 0 and variance 1 are kept.

    >>> wend.nn.SELU()(wend.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.selu(input, self.inplace)


class GLU(Module):
    """The first half along dim, times the sigmoid of the second.

    >>> wend.nn.GLU()(wend.tensor([1.0, 0.0]))
    tensor([0.5000])
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"dim={self.dim}"


class GELU(Module):
    """Each element times the share of a normal distribution below it.

    >>> wend.nn.GELU()(wend.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """Each element, and 0 where it is within ±lambd.

    >>> wend.nn.Hardshrink()(wend.tensor([-2.0, 0.2]))
    tensor([-2.,  0.])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"{self.lambd}"


class LeakyReLU(Module):
    """Each element where it is positive, negative_slope times it elsewhere.

    >>> wend.nn.LeakyReLU(0.1)(wend.tensor([-1.0, 2.0]))
    tensor([-0.1000,  2.0000])
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"negative_slope={self.negative_slope}{_and_inplace(self)}"


class LogSigmoid(Module):
    """The logarithm of the sigmoid, without overflow.

    >>> wend.nn.LogSigmoid()(wend.tensor([0.0]))
    tensor([-0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + exp(beta x)) / beta, and x itself where beta x is above threshold.

    >>> wend.nn.Softplus()(wend.tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(Module):
    """Each element moved by lambd towards 0, and 0 where it is smaller.

    >>> wend.nn.Softshrink()(wend.tensor([-2.0, 0.2]))
    tensor([-1.5000,  0.0000])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"{self.lambd}"


class PReLU(Module):
    """Leaky relu whose slope, one or one for each channel, is learned.

    >>> wend.nn.PReLU()(wend.tensor([-1.0, 2.0])).detach()
    tensor([-0.2500,  2.0000])
    """

    weight: Tensor

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(wend.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the slopes to what they were at first."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return the number of slopes."""
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """x / (1 + |x|).

    >>> wend.nn.Softsign()(wend.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x).

    >>> wend.nn.Tanhshrink()(wend.tensor([0.0, 1.0]))
    tensor([0.0000, 0.2384])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.tanhshrink(input)


class Softmin(Module):
    """Softmax of the negative.

    >>> wend.nn.Softmin(0)(wend.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.softmin(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"dim={self.dim}"


class Softmax(Module):
    """exp(input), scaled so that it sums to 1 along dim.

    >>> wend.nn.Softmax(0)(wend.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"dim={self.dim}"


class Softmax2d(Module):
    """Softmax over the channels of (N, C, H, W) or (C, H, W).

    >>> wend.nn.Softmax2d()(wend.zeros(2, 1, 1)).flatten()
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the softmax of each pixel."""
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return F.softmax(input, -3, _stacklevel=5)


class LogSoftmax(Module):
    """The logarithm of softmax, without overflow.

    >>> wend.nn.LogSoftmax(0)(wend.tensor([0.0, 0.0]))
    tensor([-0.6931, -0.6931])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.log_softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"dim={self.dim}"
