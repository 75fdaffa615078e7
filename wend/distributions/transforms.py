"""Functions with inverses and known stretching, to make distributions of others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import wend
from wend import Size, Tensor
from wend.distributions import constraints
from wend.distributions._joint_transforms import CatTransform, StackTransform
from wend.distributions._transform import (
    ComposeTransform,
    IndependentTransform,
    Plain,
    ReshapeTransform,
    Transform,
    identity_transform,
)
from wend.distributions._transform import (
    _InverseTransform as _InverseTransform,
)
from wend.distributions._triangular import cholesky
from wend.distributions.utils import (
    log_sigmoid,
    sum_rightmost,
    tril_matrix_to_vec,
    vec_to_tril_matrix,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]


class ExpTransform(Plain):
    """exp(x)."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = 1

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class PowerTransform(Transform):
    """x to a power."""

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = exponent if isinstance(exponent, Tensor) else wend.tensor(float(exponent))

    @property
    def sign(self) -> Any:
        return self.exponent.sign()

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return Size(wend.broadcast_shapes(tuple(shape), self.exponent.shape))

    inverse_shape = forward_shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    __hash__ = None  # type: ignore[assignment]


def _clipped_sigmoid(x: Any) -> Any:
    info = wend.finfo(x.dtype)
    return x.sigmoid().clamp(min=info.tiny, max=1.0 - info.eps)


class SigmoidTransform(Plain):
    """1 / (1 + exp(-x))."""

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = 1

    def _call(self, x: Any) -> Any:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        info = wend.finfo(y.dtype)
        y = y.clamp(min=info.tiny, max=1.0 - info.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return log_sigmoid(x) + log_sigmoid(-x)


class SoftplusTransform(Plain):
    """log(1 + exp(x))."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = 1

    def _call(self, x: Any) -> Any:
        return -log_sigmoid(-x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return log_sigmoid(x)


class TanhTransform(Plain):
    """tanh(x)."""

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = 1

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return wend.atanh(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2.0 * (math.log(2.0) - x + log_sigmoid(2.0 * x))


class AbsTransform(Plain):
    """|x|, whose inverse is taken to be x."""

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


class AffineTransform(Transform):
    """loc + scale * x."""

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim
        real = constraints.real
        self.domain = constraints.independent(real, event_dim) if event_dim else real
        self.codomain = self.domain

    @property
    def event_dim(self) -> int:
        """How many dimensions an event has."""
        return self._event_dim

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return 1 if self.scale > 0 else -1 if self.scale < 0 else 0

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        scale = self.scale
        if isinstance(scale, Tensor):
            found = scale.abs().log().expand(wend.broadcast_shapes(x.shape, scale.shape))
        else:
            found = wend.full_like(x, math.log(abs(scale)))
        return sum_rightmost(found, self._event_dim)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        own = [getattr(part, "shape", ()) for part in (self.loc, self.scale)]
        return Size(wend.broadcast_shapes(tuple(shape), *own))

    inverse_shape = forward_shape

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        pairs = ((self.loc, other.loc), (self.scale, other.scale))
        return all(bool((wend.as_tensor(a) == wend.as_tensor(b)).all()) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]


class SoftmaxTransform(Plain):
    """exp(x) as parts of 1; its inverse, up to a constant, the log."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Any) -> Any:
        return wend.softmax(x, -1)

    def _inverse(self, y: Any) -> Any:
        return y.log()


class StickBreakingTransform(Plain):
    """Parts of 1, each taken from what those before it left."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _offset(self, x: Any) -> Any:
        count = x.shape[-1]
        return wend.arange(count, 0, -1, dtype=x.dtype).log()

    def _call(self, x: Any) -> Any:
        z = (x - self._offset(x)).sigmoid()
        one = wend.ones_like(x[..., :1])
        left = wend.cat([one, (1 - z).cumprod(-1)], -1)
        return wend.cat([z, one], -1) * left

    def _inverse(self, y: Any) -> Any:
        kept = y[..., :-1]
        left = (1 - kept.cumsum(-1)).clamp(min=wend.finfo(y.dtype).tiny)
        return kept.log() - left.log() + self._offset(kept)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        shifted = x - self._offset(x)
        return (-shifted + log_sigmoid(shifted) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        return Size((*shape[:-1], shape[-1] - 1))


class LowerCholeskyTransform(Plain):
    """The lower triangle of a matrix, with the exponential of its diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _apply(self, x: Any, function: Callable[[Any], Any]) -> Any:
        return x.tril(-1) + function(x.diagonal(dim1=-2, dim2=-1)).diag_embed()

    def _call(self, x: Any) -> Any:
        return self._apply(x, wend.exp)

    def _inverse(self, y: Any) -> Any:
        return self._apply(y, wend.log)


class PositiveDefiniteTransform(Plain):
    """A matrix times its transpose, after LowerCholeskyTransform."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        root = LowerCholeskyTransform()(x)
        return root @ root.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform()._inverse(cholesky(y))


class CorrCholeskyTransform(Plain):
    """Real vectors as roots of correlation matrices: rows are points on half a sphere.

    The tanh of an element is the share of what the row's earlier elements left of its length 1.
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        eps = wend.finfo(x.dtype).eps
        share = vec_to_tril_matrix(x.tanh().clamp(eps - 1, 1 - eps), diag=-1)
        left = (1 - share * share).sqrt().cumprod(-1)
        before = wend.nn.functional.pad(left[..., :-1], (1, 0), value=1.0)
        return (share + wend.eye(share.shape[-1], dtype=x.dtype)) * before

    def _inverse(self, y: Any) -> Any:
        left = 1 - (y * y).cumsum(-1)
        before = wend.nn.functional.pad(left[..., :-1], (1, 0), value=1.0)
        share = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(before, diag=-1).sqrt()
        return (share.log1p() - (-share).log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        left = 1 - (y * y).cumsum(-1)
        sticks = tril_matrix_to_vec(left, diag=-2).log().sum(-1) / 2
        return sticks - 2 * (x + wend.nn.functional.softplus(-2 * x) - math.log(2.0)).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        if not shape:
            raise ValueError("Too few dimensions on input")
        count = shape[-1]
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


class CumulativeDistributionTransform(Transform):
    """The cumulative chances of a distribution of numbers."""

    bijective = True
    codomain = constraints.unit_interval
    sign = 1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        """Where the distribution's values lie."""
        return self.distribution.support

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return self.distribution.log_prob(x)
