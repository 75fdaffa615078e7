"""Attention of nn.functional: scaled dot products, with masks, dropout and grouped heads.

The products are the core's matmul, the weights its softmax.
"""

from __future__ import annotations

import math

import wend
from wend import _C
from wend._C import Tensor
from wend._types import name_in_cpp


def _causal_mask(rows: int, columns: int) -> Tensor:
    return _C.ones(rows, columns, dtype=wend.bool).tril()


def _repeated_heads(x: Tensor, heads: int) -> Tensor:
    """Each of the fewer heads, dimension -3, as often as makes up `heads`."""
    return x.repeat_interleave(heads // x.size(-3), -3)


def _check_queries(query: Tensor, key: Tensor, value: Tensor) -> None:
    given = {"query": query, "key": key, "value": value}
    if not query.dtype == key.dtype == value.dtype:
        kinds = [f"{name}.dtype: {name_in_cpp(x.dtype)}" for name, x in given.items()]
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got "
            f"{kinds[0]} {kinds[1]} and {kinds[2]} instead."
        )
    if min(x.dim() for x in given.values()) < 2:
        ranks = [f"{name}.dim: {x.dim()}" for name, x in given.items()]
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got "
            f"{ranks[0]} {ranks[1]} and {ranks[2]} instead."
        )


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query @ key.T * scale) @ value, with the masked positions left out.

    attn_mask: bool, true where a position takes part, or floats that are added to the scores.
    enable_gqa: heads of key and value serve several heads of query.

    >>> x = wend.ones(1, 2, 4)
    >>> wend.nn.functional.scaled_dot_product_attention(x, x, x).shape
    torch.Size([1, 2, 4])
    """
    _check_queries(query, key, value)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
                "is_causal=True"
            )
        attn_mask = _causal_mask(query.size(-2), key.size(-2))
    if enable_gqa:
        key, value = (_repeated_heads(x, query.size(-3)) for x in (key, value))
    if scale is None:
        scale = 1 / math.sqrt(query.size(-1)) if query.size(-1) else math.inf
    scores = (query * scale) @ key.transpose(-2, -1)
    # A row that may look at nothing looks at everything, and its result is zeros, not NaN.
    nothing = None
    if attn_mask is not None and attn_mask.dtype == wend.bool:
        nothing = ~attn_mask.any(-1, keepdim=True)
        scores = _C.where(attn_mask | nothing, scores, -math.inf)
    elif attn_mask is not None:
        nothing = (attn_mask == -math.inf).all(-1, keepdim=True)
        scores = scores + attn_mask.masked_fill(nothing, 0)
    weights = scores.softmax(-1)
    if dropout_p > 0:
        weights = _C.dropout(weights, dropout_p, True)
    result = weights @ value
    return result if nothing is None else result.masked_fill(nothing, 0)
