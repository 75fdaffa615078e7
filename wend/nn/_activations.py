"""Activation functions of nn.functional, with their inplace flags.

The functions themselves are ops of the core; what is left to here is PyTorch's way of calling them.
"""

from __future__ import annotations

import warnings

from wend import _C
from wend._C import Tensor, _nn

celu_ = _C.celu_
elu_ = _nn.elu_
gelu = _nn.gelu
hardshrink = _C.hardshrink
hardtanh_ = _nn.hardtanh_
leaky_relu_ = _nn.leaky_relu_
logsigmoid = _nn.logsigmoid
prelu = _C.prelu
relu_ = _C.relu_
selu_ = _C.selu_
softplus = _nn.softplus
threshold_ = _C.threshold_


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The larger of 0 and each element.

    >>> wend.nn.functional.relu(wend.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return _C.relu_(input) if inplace else _C.relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element, held between 0 and 6.

    >>> wend.nn.functional.relu6(wend.tensor([-1.0, 8.0]))
    tensor([0., 6.])
    """
    return _nn.hardtanh_(input, 0, 6) if inplace else _nn.hardtanh(input, 0, 6)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Each element where it is positive, negative_slope times it elsewhere.

    >>> wend.nn.functional.leaky_relu(wend.tensor([-1.0, 2.0]), 0.1)
    tensor([-0.1000,  2.0000])
    """
    return (_nn.leaky_relu_ if inplace else _nn.leaky_relu)(input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element where it is positive, alpha * (exp(x) - 1) elsewhere.

    >>> wend.nn.functional.elu(wend.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return (_nn.elu_ if inplace else _nn.elu)(input, alpha)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element where it is positive, alpha * (exp(x / alpha) - 1) elsewhere.

    >>> wend.nn.functional.celu(wend.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return (_C.celu_ if inplace else _C.celu)(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Elu, scaled so that mean 0 and variance 1 are kept.

    >>> wend.nn.functional.selu(wend.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return _C.selu_(input) if inplace else _C.selu(input)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Leaky relu whose slope is drawn between lower and upper, or their mean when not training.

    >>> wend.nn.functional.rrelu(wend.tensor([-1.0, 2.0]), 0.1, 0.3)
    tensor([-0.2000,  2.0000])
    """
    if not lower <= upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    drawn = _C.rand_like(input) * (upper - lower) + lower
    factor = _C.where(input.detach() > 0, 1.0, drawn)
    return input.mul_(factor) if inplace else input * factor


def rrelu_(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False
) -> Tensor:
    """The in-place form of rrelu.

    >>> wend.nn.functional.rrelu_(wend.tensor([-1.0, 2.0]), 0.1, 0.3)
    tensor([-0.2000,  2.0000])
    """
    return rrelu(input, lower, upper, training, inplace=True)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element times its sigmoid.

    >>> wend.nn.functional.silu(wend.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """
    return _nn.silu_(input) if inplace else _nn.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element times the tanh of its softplus.

    >>> wend.nn.functional.mish(wend.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """
    return _nn.mish_(input) if inplace else _nn.mish(input)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Each element, held between min_val and max_val.

    >>> wend.nn.functional.hardtanh(wend.tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (_nn.hardtanh_ if inplace else _nn.hardtanh)(input, min_val, max_val)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """A line through 1/2 with slope 1/6, held between 0 and 1.

    >>> wend.nn.functional.hardsigmoid(wend.tensor([-4.0, 0.0]))
    tensor([0.0000, 0.5000])
    """
    return _nn.hardsigmoid_(input) if inplace else _nn.hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element times its hardsigmoid.

    >>> wend.nn.functional.hardswish(wend.tensor([-1.0, 3.0]))
    tensor([-0.3333,  3.0000])
    """
    return _nn.hardswish_(input) if inplace else _nn.hardswish(input)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Each element where it is above threshold, value elsewhere.

    >>> wend.nn.functional.threshold(wend.tensor([-1.0, 2.0]), 0, 5)
    tensor([5., 2.])
    """
    return (_C.threshold_ if inplace else _C.threshold)(input, threshold, value)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Each element moved by lambd towards 0, and 0 where it is smaller.

    >>> wend.nn.functional.softshrink(wend.tensor([-2.0, 0.2]))
    tensor([-1.5000,  0.0000])
    """
    return _nn.softshrink(input, lambd)


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|).

    >>> wend.nn.functional.softsign(wend.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """X - tanh(x).

    >>> wend.nn.functional.tanhshrink(wend.tensor([0.0, 1.0]))
    tensor([0.0000, 0.2384])
    """
    return input - input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)).

    >>> wend.nn.functional.sigmoid(wend.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent of each element.

    >>> wend.nn.functional.tanh(wend.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """
    return input.tanh()


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along dim, times the sigmoid of the second.

    >>> wend.nn.functional.glu(wend.tensor([1.0, 0.0]))
    tensor([0.5000])
    """
    return _nn.glu(input, dim)


def _implicit_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The dimension that PyTorch takes, with a warning, when none is given."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. "
        "Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: object = None
) -> Tensor:
    """exp(input), scaled so that it sums to 1 along dim.

    >>> wend.nn.functional.softmax(wend.tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    if dim is None:
        dim = _implicit_dim("softmax", input.dim(), _stacklevel)
    return _C.softmax(input, dim, dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: object = None
) -> Tensor:
    """The logarithm of softmax, without overflow.

    >>> wend.nn.functional.log_softmax(wend.tensor([0.0, 0.0]), 0)
    tensor([-0.6931, -0.6931])
    """
    if dim is None:
        dim = _implicit_dim("log_softmax", input.dim(), _stacklevel)
    return _C.log_softmax(input, dim, dtype)


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: object = None
) -> Tensor:
    """Softmax of the negative.

    >>> wend.nn.functional.softmin(wend.tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    if dim is None:
        dim = _implicit_dim("softmin", input.dim(), _stacklevel)
    return _C.softmax(-input, dim, dtype)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Samples of the Gumbel-softmax distribution; `hard` ones are one-hot, with the soft gradient.

    >>> wend.nn.functional.gumbel_softmax(wend.zeros(2, 3), hard=True).sum(1)
    tensor([1., 1.])
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    gumbels = -_C.empty_like(logits).exponential_().log()
    soft = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return soft
    best = soft.max(dim, keepdim=True)[1]
    return _C.zeros_like(logits).scatter_(dim, best, 1.0) - soft.detach() + soft
