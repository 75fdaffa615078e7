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
gammainc = _C.igamma
gammaincc = _C.igammac
gammaln = _C.lgamma
i0 = _C.i0
log1p = _C.log1p
logit = _C.logit
logsumexp = _C.logsumexp
multigammaln = _C.mvlgamma
polygamma = _C.polygamma
round = _C.round
sinc = _C.sinc
xlogy = _C.xlogy

airy_ai = _special.airy_ai
bessel_j0 = _special.bessel_j0
bessel_j1 = _special.bessel_j1
bessel_y0 = _special.bessel_y0
bessel_y1 = _special.bessel_y1
chebyshev_polynomial_t = _special.chebyshev_polynomial_t
chebyshev_polynomial_u = _special.chebyshev_polynomial_u
chebyshev_polynomial_v = _special.chebyshev_polynomial_v
chebyshev_polynomial_w = _special.chebyshev_polynomial_w
entr = _special.entr
erfcx = _special.erfcx
hermite_polynomial_h = _special.hermite_polynomial_h
hermite_polynomial_he = _special.hermite_polynomial_he
i0e = _special.i0e
i1 = _special.i1
i1e = _special.i1e
laguerre_polynomial_l = _special.laguerre_polynomial_l
legendre_polynomial_p = _special.legendre_polynomial_p
log_ndtr = _special.log_ndtr
modified_bessel_i0 = _special.modified_bessel_i0
modified_bessel_i1 = _special.modified_bessel_i1
modified_bessel_k0 = _special.modified_bessel_k0
modified_bessel_k1 = _special.modified_bessel_k1
ndtr = _special.ndtr
ndtri = _special.ndtri
scaled_modified_bessel_k0 = _special.scaled_modified_bessel_k0
scaled_modified_bessel_k1 = _special.scaled_modified_bessel_k1
shifted_chebyshev_polynomial_t = _special.shifted_chebyshev_polynomial_t
shifted_chebyshev_polynomial_u = _special.shifted_chebyshev_polynomial_u
shifted_chebyshev_polynomial_v = _special.shifted_chebyshev_polynomial_v
shifted_chebyshev_polynomial_w = _special.shifted_chebyshev_polynomial_w
spherical_bessel_j0 = _special.spherical_bessel_j0
xlog1py = _special.xlog1py
zeta = _special.zeta


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
