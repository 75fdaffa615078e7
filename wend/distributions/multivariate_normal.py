"""The normal distribution of vectors."""

from __future__ import annotations

import math
from collections.abc import Iterable

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions._triangular import cholesky, inverse_lower, solve_lower
from wend.distributions.distribution import Distribution
from wend.distributions.utils import (
    lazy_property,
)

__all__ = ["MultivariateNormal"]


class MultivariateNormal(Distribution):
    """Normal vectors, by one of covariance, its inverse or its triangular root."""

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True
    _fields = (
        "loc",
        "covariance_matrix",
        "precision_matrix",
        "scale_tril",
        "_unbroadcasted_scale_tril",
    )

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {
            "covariance_matrix": covariance_matrix,
            "scale_tril": scale_tril,
            "precision_matrix": precision_matrix,
        }
        present = {name: matrix for name, matrix in given.items() if matrix is not None}
        if len(present) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                "specified."
            )
        ((name, matrix),) = present.items()
        if matrix.dim() < 2:
            raise ValueError(
                f"{name} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch = wend.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.loc = loc.expand((*batch, -1))
        self.__dict__[name] = matrix.expand((*batch, -1, -1))
        super().__init__(batch, self.loc.shape[-1:], validate_args)
        self._unbroadcasted_scale_tril = _root(name, self.__dict__[name])

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The triangular root of the covariance."""
        return self._unbroadcasted_scale_tril

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        root = self._unbroadcasted_scale_tril
        return root @ root.transpose(-2, -1)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        inverse = inverse_lower(self._unbroadcasted_scale_tril)
        return inverse.transpose(-2, -1) @ inverse

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self.loc.shape)

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        x = wend.randn(self._extended_shape(sample_shape), dtype=self.loc.dtype)
        return self.loc + (self._unbroadcasted_scale_tril @ x.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        root = self._unbroadcasted_scale_tril
        z = solve_lower(root, (value - self.loc).unsqueeze(-1)).squeeze(-1)
        size = self.loc.size(-1)
        return -0.5 * (size * math.log(2 * math.pi) + (z * z).sum(-1)) - _half_log_det(root)

    def entropy(self) -> Tensor:
        size = self.loc.size(-1)
        half = _half_log_det(self._unbroadcasted_scale_tril)
        return (0.5 * size * (1.0 + math.log(2 * math.pi)) + half).expand(self._batch_shape)


def _half_log_det(root: Tensor) -> Tensor:
    return root.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _root(name: str, matrix: Tensor) -> Tensor:
    """The triangular root of the covariance from what is given."""
    if name == "scale_tril":
        return matrix
    # Half of each, so that either triangle has its part of the gradient.
    matrix = (matrix + matrix.transpose(-2, -1)) / 2
    if name == "covariance_matrix":
        return cholesky(matrix)
    # Turned round, the root of the inverse is upper triangular and its inverse what is wanted.
    turned = cholesky(matrix.flip((-2, -1)))
    return inverse_lower(turned.flip((-2, -1)).transpose(-2, -1))
