"""Ways to fill parameters: in place, without history.

The random numbers are the core's.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import wend
from wend._C import Generator, Tensor

__all__ = [
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

_GAINS = {"sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4, "linear": 1}
_GAINS |= {f"conv{kind}{n}d": 1 for kind in ("", "_transpose") for n in (1, 2, 3)}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which weights before a nonlinearity should be larger.

    >>> wend.nn.init.calculate_gain("leaky_relu", 1.0)
    1.0
    """
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    if param is None:
        param = 0.01
    elif isinstance(param, bool) or not isinstance(param, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + param**2))


def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with numbers drawn evenly from a to b.

    >>> bool(wend.nn.init.uniform_(wend.empty(100), 2, 3).min() >= 2)
    True
    """
    with wend.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with numbers of the normal distribution.

    >>> wend.nn.init.normal_(wend.empty(2), 5.0, 0.0)
    tensor([5., 5.])
    """
    with wend.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with numbers of the normal distribution that lie between a and b.

    >>> bool(wend.nn.init.trunc_normal_(wend.empty(1000), std=9.0).abs().max() <= 2)
    True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )

    def share_below(x: float) -> float:
        return (1.0 + math.erf((x - mean) / std / math.sqrt(2.0))) / 2.0

    with wend.no_grad():
        # Evenly over the shares, then back through the distribution's inverse.
        low, high = share_below(a), share_below(b)
        tensor.uniform_(2 * low - 1, 2 * high - 1, generator=generator)
        return tensor.erfinv_().mul_(std * math.sqrt(2.0)).add_(mean).clamp_(a, b)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number.

    >>> wend.nn.init.constant_(wend.empty(2), 3)
    tensor([3., 3.])
    """
    with wend.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones.

    >>> wend.nn.init.ones_(wend.empty(2))
    tensor([1., 1.])
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros.

    >>> wend.nn.init.zeros_(wend.empty(2))
    tensor([0., 0.])
    """
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with ones on its diagonal.

    >>> wend.nn.init.eye_(wend.empty(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with wend.no_grad():
        return tensor.copy_(wend.eye(tensor.size(0), tensor.size(1)))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the kernel of a convolution so that it passes its channels on.

    >>> wend.nn.init.dirac_(wend.empty(1, 1, 3))
    tensor([[[0., 1., 0.]]])
    """
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    channels, inputs, *kernel = tensor.shape
    if groups < 1:
        raise ValueError(f"groups must be at least 1, got {groups}")
    if channels % groups:
        raise ValueError("dim 0 must be divisible by groups")
    each = channels // groups
    middle = tuple(size // 2 for size in kernel)
    with wend.no_grad():
        tensor.zero_()
        for channel in range(channels):
            if channel % each < inputs:
                tensor[(channel, channel % each, *middle)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    if tensor.dim() < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    modes = ["fan_in", "fan_out"]
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


def _xavier_std(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill evenly so that signals keep their size forwards and backwards.

    >>> bool(wend.nn.init.xavier_uniform_(wend.empty(3, 3)).abs().max() <= 1)
    True
    """
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill normally so that signals keep their size forwards and backwards.

    >>> wend.nn.init.xavier_normal_(wend.empty(3, 3), gain=0.0)[0]
    tensor([0., 0., 0.])
    """
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float | None:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill evenly so that signals keep their size through a relu with slope a below 0.

    >>> bool(wend.nn.init.kaiming_uniform_(wend.empty(3, 6)).abs().max() <= 1)
    True
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    if std is None:
        return tensor
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill normally so that signals keep their size through a relu with slope a below 0.

    >>> wend.nn.init.kaiming_normal_(wend.empty(2, 3)).shape
    torch.Size([2, 3])
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0, std, generator)


def _orthonormal_columns(matrix: Tensor) -> Tensor:
    """Columns of a tall matrix made orthonormal, each in turn, twice for the sake of rounding."""
    columns: list[Tensor] = []
    for column in matrix.unbind(1):
        for _ in range(2):
            if columns:
                before = wend.stack(columns, 1)
                column = column - before @ (before.t() @ column)
        columns.append(column / column.norm())
    return wend.stack(columns, 1)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill with a random matrix whose rows, or columns if there are fewer, are orthonormal.

    >>> w = wend.nn.init.orthogonal_(wend.empty(2, 3))
    >>> wend.allclose(w @ w.t(), wend.eye(2), atol=1e-6)
    True
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    with wend.no_grad():
        rows = tensor.size(0)
        columns = tensor.numel() // rows
        tall = wend.empty(max(rows, columns), min(rows, columns)).normal_(generator=generator)
        basis = _orthonormal_columns(tall)
        basis = basis.t() if rows < columns else basis
        return tensor.copy_(basis.reshape(tensor.shape)).mul_(gain)


def sparse_(
    tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None
) -> Tensor:
    """Fill a matrix normally, with zeros for a part `sparsity` of each column.

    >>> int((wend.nn.init.sparse_(wend.empty(10, 2), 0.3) == 0).sum())
    6
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with wend.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[wend.randperm(rows)[:zeros], column] = 0
    return tensor


def _deprecated(new: Callable[..., Tensor]) -> Callable[..., Tensor]:
    name = new.__name__.removesuffix("_")

    def old(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
            FutureWarning,
            stacklevel=2,
        )
        return new(*args, **kwargs)

    old.__name__ = old.__qualname__ = name
    old.__doc__ = f"The old name of {name}_."
    return old


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)
