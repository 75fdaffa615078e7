"""What distributions share: bringing parameters to one shape, probabilities and their logs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import wend
from wend import _C, Tensor

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
]

T = TypeVar("T")
euler_constant = 0.57721566490153286060


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Return tensors of one shape; numbers take the dtype of the first tensor."""
    if not all(isinstance(value, (Tensor, int, float)) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects "
            "implementing __torch_function__."
        )
    first = next((value for value in values if isinstance(value, Tensor)), None)
    dtype = wend.get_default_dtype() if first is None else first.dtype
    tensors = [v if isinstance(v, Tensor) else wend.tensor(v, dtype=dtype) for v in values]
    return tuple(wend.broadcast_tensors(*tensors))


def both_numbers(*values: Any) -> bool:
    """Return whether all are plain numbers, so that the batch has no dimensions."""
    return all(isinstance(value, (int, float)) for value in values)


def clamp_probs(probs: Tensor) -> Tensor:
    """Return probabilities that are neither 0 nor 1."""
    eps = wend.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Return probabilities from log odds, or from logs up to a constant."""
    return logits.sigmoid() if is_binary else wend.softmax(logits, dim=-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Return log odds, or logs, of probabilities."""
    clamped = clamp_probs(probs)
    return clamped.log() - (-clamped).log1p() if is_binary else clamped.log()


def binary_cross_entropy(logits: Tensor, target: Tensor) -> Tensor:
    """Return the log loss of targets under log odds."""
    return (1 - target) * logits - log_sigmoid(logits)


def log_sigmoid(x: Tensor) -> Tensor:
    """Return the log of the probability that belongs to log odds."""
    return _C._nn.logsigmoid(x)


def one_hot(index: Tensor, size: int, dtype: Any) -> Tensor:
    """Return vectors with a 1 at the index."""
    return (index.unsqueeze(-1) == wend.arange(size)).to(dtype)


def sum_rightmost(value: Any, dims: int) -> Any:
    """Return the sum over the last dimensions."""
    if dims == 0:
        return value
    return value.reshape((*value.shape[: value.dim() - dims], -1)).sum(-1)


_sum_rightmost = sum_rightmost  # PyTorch's name for it


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    """Draw normal numbers."""
    return wend.randn(shape, dtype=dtype, device=device)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Return the elements on and below a diagonal, row by row.

    >>> from wend.distributions.utils import tril_matrix_to_vec
    >>> tril_matrix_to_vec(wend.tensor([[1, 2], [3, 4]]))
    tensor([1, 3, 4])
    """
    size = mat.shape[-1]
    if not -size <= diag < size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    rows, columns = wend.tril_indices(size, size, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Return the matrix whose elements on and below a diagonal are given row by row.

    >>> from wend.distributions.utils import vec_to_tril_matrix
    >>> vec_to_tril_matrix(wend.tensor([1, 3, 4]))
    tensor([[1, 0],
            [3, 4]])
    """
    count = vec.shape[-1]
    exact = (
        -(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5
    ) / 2
    size = round(exact)
    if abs(exact - size) > wend.finfo(vec.dtype).eps if vec.is_floating_point() else exact != size:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    rows, columns = wend.tril_indices(size, size, diag)
    matrix = vec.new_zeros((*vec.shape[:-1], size, size))
    matrix[..., rows, columns] = vec
    return matrix


def given(probs: Any, logits: Any) -> Any:
    """The one of the two that there is."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return logits if probs is None else probs


class lazy_property(Generic[T]):  # noqa: N801
    """A property that is computed when it is first looked at, and kept."""

    def __init__(self, wrapped: Callable[[Any], T]) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> T:
        if instance is None:
            return self  # type: ignore[return-value]
        with wend.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value
