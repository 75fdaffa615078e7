"""The normal distribution of vectors whose covariance is a few directions and a diagonal."""

from __future__ import annotations

import math
from collections.abc import Iterable

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions._triangular import cholesky, solve_lower
from wend.distributions.distribution import Distribution
from wend.distributions.utils import lazy_property

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(Distribution):
    """Normal vectors with covariance `cov_factor @ cov_factor.T + diag(cov_diag)`.

    Only systems of the factor's width are solved, by Woodbury's identity.

    >>> zero, factor = wend.zeros(2), wend.tensor([[1.0], [0.0]])
    >>> wend.distributions.LowRankMultivariateNormal(zero, factor, wend.ones(2)).variance
    tensor([2., 1.])
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True
    _fields = ("loc", "cov_factor", "cov_diag", "_capacitance_tril")

    def __init__(
        self,
        loc: Tensor,
        cov_factor: Tensor,
        cov_diag: Tensor,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        if cov_factor.dim() < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        size = loc.shape[-1:]
        if cov_factor.shape[-2:-1] != size:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {size[0]} x m")
        if cov_diag.shape[-1:] != size:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {size}")
        batch = wend.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        self.loc = loc.expand((*batch, -1))
        self.cov_factor = cov_factor.expand((*batch, -1, -1))
        self.cov_diag = cov_diag.expand((*batch, -1))
        super().__init__(batch, size, validate_args)
        scaled = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        inner = scaled @ self.cov_factor
        self._capacitance_tril = cholesky(inner + wend.eye(inner.size(-1), dtype=inner.dtype))

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        """The variance of each element."""
        return self.cov_factor.pow(2).sum(-1) + self.cov_diag

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        return self.cov_factor @ self.cov_factor.mT + self.cov_diag.diag_embed()

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The triangular root of the covariance."""
        return cholesky(self.covariance_matrix)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        scaled = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        half = solve_lower(self._capacitance_tril, scaled)
        return self.cov_diag.reciprocal().diag_embed() - half.mT @ half

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        directions = wend.randn((*shape[:-1], self.cov_factor.size(-1)), dtype=self.loc.dtype)
        each = wend.randn(shape, dtype=self.loc.dtype)
        along = (self.cov_factor @ directions.unsqueeze(-1)).squeeze(-1)
        return self.loc + along + self.cov_diag.sqrt() * each

    def _log_det(self) -> Tensor:
        root = self._capacitance_tril.diagonal(dim1=-2, dim2=-1)
        return 2 * root.log().sum(-1) + self.cov_diag.log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        gap = value - self.loc
        scaled = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        along = solve_lower(self._capacitance_tril, scaled @ gap.unsqueeze(-1)).squeeze(-1)
        distance = (gap.pow(2) / self.cov_diag).sum(-1) - along.pow(2).sum(-1)
        size = self.loc.size(-1)
        return -0.5 * (size * math.log(2 * math.pi) + self._log_det() + distance)

    def entropy(self) -> Tensor:
        size = self.loc.size(-1)
        whole = 0.5 * (size * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return whole.expand(self._batch_shape)
