"""Parametrizations that are often wanted: orthogonal matrices, weights by length and direction,
weights of spectral norm 1."""

from __future__ import annotations

from typing import Any

import wend
from wend._C import Tensor
from wend._norms import norm_except_dim
from wend.nn import functional as F
from wend.nn.init import _orthonormal_columns
from wend.nn.modules.module import Module
from wend.nn.utils import parametrize

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _Orthogonal(Module):
    base: Tensor

    def __init__(self, weight: Tensor, kind: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        self.shape = weight.shape
        self.orthogonal_map = kind
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Tensor) -> Tensor:
        """Return the orthogonal matrix."""
        transposed = x.size(-2) < x.size(-1)
        x = x.transpose(-2, -1) if transposed else x
        n, k = x.size(-2), x.size(-1)
        if self.orthogonal_map == "householder":
            a = x.tril(-1)
            tau = 2.0 / (1.0 + (a * a).sum(-2))
            q = wend.linalg.householder_product(a, tau)
            q = q * x.diagonal(0, -2, -1).detach().to(wend.int32).unsqueeze(-2)
        else:
            x = x.tril()
            if n != k:
                x = wend.cat([x, x.new_zeros(n, n - k).expand(*x.shape[:-2], -1, -1)], -1)
            a = x - x.transpose(-2, -1)
            if self.orthogonal_map == "matrix_exp":
                q = wend.matrix_exp(a)
            else:
                one = wend.eye(n, dtype=a.dtype)
                q = wend.linalg.solve(one - a / 2, one + a / 2)
            q = q[..., :k]
        if hasattr(self, "base"):
            q = self.base @ q
        return q.transpose(-2, -1) if transposed else q

    def right_inverse(self, q: Tensor) -> Tensor:
        """Remember an orthogonal matrix as where to start from."""
        if q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of "
                f"shape {q.shape}."
            )
        if not hasattr(self, "base"):
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley "
                "parametrizations when use_trivialization=False."
            )
        with wend.no_grad():
            tall = q.transpose(-2, -1) if q.size(-2) < q.size(-1) else q
            if tall.dim() != 2:
                raise ValueError("orthogonal: wend makes single matrices orthogonal, not batches")
            n, k = tall.shape
            if n != k:
                tall = wend.cat([tall, wend.randn(n, n - k, dtype=q.dtype)], 1)
            self.base = _orthonormal_columns(tall)
            return -wend.eye(q.size(-2), q.size(-1), dtype=q.dtype)


def orthogonal(
    module: Any,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Any:
    """Keep a weight orthogonal.

    orthogonal_map: "matrix_exp", "cayley" or "householder".

    >>> m = wend.nn.utils.parametrizations.orthogonal(wend.nn.Linear(2, 3))
    >>> wend.allclose(m.weight.t() @ m.weight, wend.eye(2), atol=1e-5)
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.dim() < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.dim()} dimensions."
        )
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: '
            f"{orthogonal_map}"
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """Return the direction at its length."""
        return weight_v * (weight_g / norm_except_dim(weight_v, 2, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Return length and direction."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Train length and direction of a weight apart.

    >>> m = wend.nn.utils.parametrizations.weight_norm(wend.nn.Linear(2, 3))
    >>> list(m.state_dict())
    ['bias', 'parametrizations.weight.original0', 'parametrizations.weight.original1']
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def take_old_names(state_dict: dict[str, Any], prefix: str, *_: Any) -> None:
        if f"{prefix}{name}_g" in state_dict and f"{prefix}{name}_v" in state_dict:
            for i, kind in enumerate("gv"):
                moved = state_dict.pop(f"{prefix}{name}_{kind}")
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = moved

    module._register_load_state_dict_pre_hook(take_old_names)
    return module


def _as_matrix(weight: Tensor, dim: int) -> Tensor:
    if dim != 0:
        weight = weight.permute(dim, *(d for d in range(weight.dim()) if d != dim))
    return weight.flatten(1)


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(
        self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        ndim = weight.dim()
        if dim >= ndim or dim < -ndim:
            raise IndexError(
                "Dimension out of range (expected to be in range of "
                f"[-{ndim}, {ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = _as_matrix(weight.detach(), self.dim)
            for buffer, size in zip(("_u", "_v"), matrix.shape, strict=True):
                start = wend.randn(size, dtype=weight.dtype)
                self.register_buffer(buffer, F.normalize(start, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _power_method(self, matrix: Tensor, iterations: int) -> None:
        with wend.no_grad():
            for _ in range(iterations):
                self._u.copy_(F.normalize(matrix @ self._v, dim=0, eps=self.eps))
                self._v.copy_(F.normalize(matrix.t() @ self._u, dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        """Return the weight divided by its largest singular value."""
        if weight.dim() == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = _as_matrix(weight, self.dim)
        if self.training:
            self._power_method(matrix.detach(), self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / u.dot(matrix @ v)

    def right_inverse(self, value: Tensor) -> Tensor:
        """Return the value: it is scaled when it is used."""
        return value


def _output_dim(module: Any) -> int:
    """The dimension of a weight that its outputs lie along."""
    return 1 if getattr(module, "transposed", False) else 0


def spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """Keep the largest singular value of a weight at 1.

    >>> wend.nn.utils.parametrizations.spectral_norm(wend.nn.Linear(2, 3)).weight.shape
    torch.Size([3, 2])
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    dim = _output_dim(module) if dim is None else dim
    made = _SpectralNorm(weight, n_power_iterations, dim, eps)
    return parametrize.register_parametrization(module, name, made)
