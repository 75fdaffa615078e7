"""Multi-head attention of nn.functional: projections, heads, masks, and the weights if wanted.

The attention of each head is scaled_dot_product_attention's formula.
"""

from __future__ import annotations

import math
import warnings

import wend
from wend import _C
from wend._C import Tensor
from wend._padding import pad
from wend._types import dtype as DType
from wend.nn._attention import scaled_dot_product_attention
from wend.nn._dropout import dropout


def _none_or_dtype(input: Tensor | None) -> DType | None:
    return None if input is None else input.dtype


def _canonical_mask(
    mask: Tensor | None,
    mask_name: str,
    other_type: DType | None,
    other_name: str,
    target_type: DType,
    check_other: bool = True,
) -> Tensor | None:
    """A mask as what is added to scores: -inf where a bool mask is true."""
    if mask is None:
        return None
    if mask.dtype != wend.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warnings.warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for "
            "both instead.",
            stacklevel=4,
        )
    if mask.is_floating_point():
        return mask
    return _C.zeros(mask.shape, dtype=target_type).masked_fill_(mask, -math.inf)


def _mha_shape_check(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_padding_mask: Tensor | None,
    attn_mask: Tensor | None,
    num_heads: int,
) -> bool:
    """Whether the inputs are batched, which all must be alike."""
    if query.dim() not in (2, 3):
        raise AssertionError(
            "query should be unbatched 2D or batched 3D tensor but received "
            f"{query.dim()}-D query tensor"
        )
    n = query.dim()
    which = "batched (3-D)" if n == 3 else "unbatched (2-D)"
    if key.dim() != n or value.dim() != n:
        raise AssertionError(
            f"For {which} `query`, expected `key` and `value` to be {n}-D but found "
            f"{key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != n - 1:
        raise AssertionError(
            f"For {which} `query`, expected `key_padding_mask` to be `None` or {n - 1}-D but found "
            f"{key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {which} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
            f"{attn_mask.dim()}-D tensor instead"
        )
    if n == 2 and attn_mask is not None and attn_mask.dim() == 3:
        expected = (num_heads, query.shape[0], key.shape[0])
        if tuple(attn_mask.shape) != expected:
            raise AssertionError(
                f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}"
            )
    return n == 3


def _projected(
    inputs: tuple[Tensor, Tensor, Tensor],
    packed: Tensor | None,
    bias: Tensor | None,
    separate: tuple[Tensor | None, Tensor | None, Tensor | None] | None,
) -> list[Tensor]:
    """Query, key and value after their linear layers."""
    biases = (None, None, None) if bias is None else bias.chunk(3)
    if separate is not None:
        weights = separate
    else:
        assert packed is not None
        query, key, value = inputs
        if query is key and key is value:
            return list(_C.linear(query, packed, bias).chunk(3, -1))
        weights = packed.chunk(3)  # type: ignore[assignment]
    return [_C.linear(x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True)]  # type: ignore[arg-type]


def _checked_mask(mask: Tensor | None, targets: int, sources: int, heads: int) -> Tensor | None:
    if mask is None:
        return None
    if mask.dim() not in (2, 3):
        raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")
    expected = (targets, sources) if mask.dim() == 2 else (heads, targets, sources)
    if tuple(mask.shape) != expected:
        raise RuntimeError(
            f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {expected}."
        )
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention in several heads of inputs (L, N, E), with its weights if they are needed.

    >>> x, w = wend.ones(2, 1, 4), wend.eye(4)
    >>> out, weights = wend.nn.functional.multi_head_attention_forward(
    ...     x, x, x, 4, 2, wend.cat([w, w, w]), None, None, None, False, 0.0, w, None)
    >>> weights
    tensor([[[0.5000, 0.5000],
             [0.5000, 0.5000]]])
    """
    batched = _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        if query is key and key is value:
            query = key = value = query.unsqueeze(1)
        else:
            query, key, value = (x.unsqueeze(1) for x in (query, key, value))
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    targets, batch, width = query.shape
    sources = key.size(0)
    key_padding_mask = _canonical_mask(
        key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask", query.dtype
    )
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
            "method `generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, False)
        is_causal = False
    _check_widths(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _projected((query, key, value), in_proj_weight, in_proj_bias, separate)
    attn_mask = _checked_mask(attn_mask, targets, sources, batch * num_heads)
    more = 0
    if bias_k is not None and bias_v is not None:
        k = _C.cat([k, bias_k.repeat(1, batch, 1)])
        v = _C.cat([v, bias_v.repeat(1, batch, 1)])
        more += 1
    heads = [
        x.reshape(x.size(0), batch * num_heads, width // num_heads).transpose(0, 1)
        for x in (q, k, v)
    ]
    heads[1] = heads[1] if static_k is None else static_k
    heads[2] = heads[2] if static_v is None else static_v
    if add_zero_attn:
        nothing = _C.zeros(batch * num_heads, 1, width // num_heads, dtype=k.dtype)
        heads[1], heads[2] = _C.cat([heads[1], nothing], 1), _C.cat([heads[2], nothing], 1)
        more += 1
    mask = _merged(attn_mask, key_padding_mask, batch, num_heads, more)
    output, weights = _attend(heads, mask, dropout_p if training else 0.0, need_weights, is_causal)
    output = output.transpose(0, 1).reshape(targets * batch, width)
    output = _C.linear(output, out_proj_weight, out_proj_bias).reshape(targets, batch, -1)
    if weights is not None:
        weights = weights.reshape(batch, num_heads, targets, -1)
        weights = weights.mean(1) if average_attn_weights else weights
    if not batched:
        output = output.squeeze(1)
        weights = None if weights is None else weights.squeeze(0)
    return output, weights


def _check_widths(
    query: Tensor, key: Tensor, value: Tensor, expected: int, heads: int, separate: bool
) -> None:
    width = query.size(-1)
    if width != expected:
        raise AssertionError(f"was expecting embedding dimension of {expected}, but got {width}")
    if width % heads:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {heads}")
    if separate:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(
                f"key's sequence and batch dims {key.shape[:2]} do not match value's "
                f"{value.shape[:2]}"
            )
    elif key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def _merged(
    mask: Tensor | None, padding: Tensor | None, batch: int, heads: int, more: int
) -> Tensor | None:
    """Both masks as one to be added to the scores, open for `more` sources at the end."""
    if mask is not None and more:
        mask = pad(mask, (0, more))
    if padding is None:
        return mask
    if padding.size(0) != batch:
        raise AssertionError(
            f"Expected key_padded_mask.shape[0] to be {batch}, but got {padding.size(0)}"
        )
    if more:
        padding = pad(padding, (0, more))
    padding = padding.unsqueeze(1).repeat_interleave(heads, 0)
    return padding if mask is None else mask + padding


def _attend(
    heads: list[Tensor], mask: Tensor | None, p: float, need_weights: bool, causal: bool
) -> tuple[Tensor, Tensor | None]:
    q, k, v = heads
    if not need_weights:
        return scaled_dot_product_attention(q, k, v, mask, p, causal), None
    scores = (q * math.sqrt(1.0 / q.size(-1))) @ k.transpose(-2, -1)
    weights = (scores if mask is None else scores + mask).softmax(-1)
    weights = dropout(weights, p) if p > 0 else weights
    return weights @ v, weights
