"""torch.special: special functions, most of them under the names that SciPy gives them.

The functions are ops of the core.
"""

from __future__ import annotations

from wend import _C
from wend._C import Tensor, _special

digamma = psi = _C.digamma
erf = _C.erf
erfc = _C.erfc
erfinv = _C.erfinv
exp2 = _C.exp2
expit = _C.sigmoid
expm1 = _C.expm1
gammaln = _C.lgamma
log1p = _C.log1p
logit = _C.logit
multigammaln = _C.mvlgamma
polygamma = _C.polygamma
round = _C.round
sinc = _C.sinc
xlogy = _C.xlogy

entr = _special.entr
erfcx = _special.erfcx
log_ndtr = _special.log_ndtr
ndtr = _special.ndtr
ndtri = _special.ndtri
xlog1py = _special.xlog1py


def softmax(input: Tensor, dim: int, *, dtype: object = None) -> Tensor:
    """exp(input), scaled so that it sums to 1 along dim.

    >>> wend.special.softmax(wend.tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    return _C.softmax(input, dim, dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: object = None) -> Tensor:
    """The logarithm of softmax, without overflow.

    >>> wend.special.log_softmax(wend.tensor([0.0, 0.0]), 0)
    tensor([-0.6931, -0.6931])
    """
    return _C.log_softmax(input, dim, dtype)
