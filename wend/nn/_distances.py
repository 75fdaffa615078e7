"""Distances, similarities and lengths of vectors along a dimension.

Norms themselves are reductions of the core.
"""

from __future__ import annotations

from wend import _C
from wend._C import Tensor


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Cosine of the angle between vectors along dim; lengths count as eps at least.

    >>> wend.nn.functional.cosine_similarity(wend.ones(1, 2), wend.tensor([[0.0, 1.0]]))
    tensor([0.7071])
    """
    dtype = _C.promote_types(x1.dtype, x2.dtype)
    if not dtype.is_floating_point:
        raise RuntimeError(
            "expected common dtype to be floating point, yet common dtype is "
            f"{str(dtype).partition('.')[2].capitalize()}"
        )
    x1, x2 = _C._broadcast_tensors([x1.to(dtype), x2.to(dtype)])
    length1 = x1.norm(2, dim, keepdim=True).clamp_min(eps)
    length2 = x2.norm(2, dim, keepdim=True).clamp_min(eps)
    return ((x1 / length1) * (x2 / length2)).sum(dim)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of the difference of vectors along the last dimension, eps being added to it.

    >>> wend.nn.functional.pairwise_distance(wend.zeros(1, 2), wend.tensor([[3.0, 4.0]]))
    tensor([5.0000])
    """
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """Vectors along dim divided by their p-norm, or by eps if that is larger.

    >>> wend.nn.functional.normalize(wend.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    length = input.norm(p, dim, keepdim=True).clamp_min(eps)
    return _C.div(input, length) if out is None else _C.div(input, length, out=out)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norms of the differences of each two rows, in the order (0, 1), (0, 2), ... (1, 2) ...

    >>> wend.nn.functional.pdist(wend.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]]))
    tensor([5., 0., 5.])
    """
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if not input.is_floating_point():
        raise RuntimeError("pdist only supports floating-point dtypes")
    if not p >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    first, second = _C.triu_indices(input.size(0), input.size(0), 1)
    every = _C.cdist(input, input, p, "donot_use_mm_for_euclid_dist")
    return every[first, second]
