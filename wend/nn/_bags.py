"""embedding_bag of nn.functional: sums, means or maxima of rows of a table.

Looking rows up is the core's embedding.
"""

from __future__ import annotations

import math

import wend
from wend import _C
from wend._C import Tensor


def _checked(
    input: Tensor, weight: Tensor, offsets: Tensor | None, samples: Tensor | None, mode: str
) -> None:
    if samples is not None and input.size() != samples.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({samples.shape}) is not None, then it must "
            f"have the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(
            f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}"
        )
    if input.dim() == 2 and offsets is not None:
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
            f"fixed length sequences. However, found offsets of type {type(offsets)}"
        )
    if input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    if input.dim() not in (1, 2):
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}"
        )
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if samples is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )


def _check_dtypes(input: Tensor, weight: Tensor, offsets: Tensor | None) -> None:
    def require(x: Tensor, number: int, name: str, kinds: str, fits: bool) -> None:
        if not fits:
            raise RuntimeError(
                f"Expected tensor for argument #{number} '{name}' to have one of the following "
                f"scalar types: {kinds}; but got {x.type()} instead (while checking arguments for "
                "embedding_bag)"
            )

    for x in (input, offsets):
        if x is not None:
            require(x, 1, "indices", "Long, Int", x.dtype in (wend.int64, wend.int32))
    floats = "Half, BFloat16, Float, Double"
    require(weight, 1, "weight", floats, weight.is_floating_point())


def _checked_padding(padding_idx: int, rows: int) -> int:
    if not -rows <= padding_idx < rows:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, {-rows} through {rows - 1}, but "
            f"got {padding_idx}"
        )
    return padding_idx % rows


def _bag_of_each(input: Tensor, offsets: Tensor, include_last_offset: bool) -> tuple[Tensor, int]:
    """For each index the number of its bag, and how many bags there are."""
    starts = offsets.tolist()
    count = input.numel()
    if starts and starts[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            f"position 0. However, got {starts[0]}"
        )
    if starts and starts[-1] > count:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {count} but got offsets[-1] of "
            f"{starts[-1]}"
        )
    bags = len(starts) - 1 if include_last_offset else len(starts)
    ends = [*starts[1:], count] if not include_last_offset else starts[1:]
    lengths = [end - start for start, end in zip(starts, ends, strict=False)]
    number = _C.arange(bags).repeat_interleave(wend.tensor(lengths[:bags], dtype=wend.long))
    return number, bags


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima over bags of rows of weight, without those of padding_idx.

    input: (bags, length), or all indices in a row with `offsets` where each bag begins.

    >>> w = wend.tensor([[1.0], [2.0], [4.0]])
    >>> wend.nn.functional.embedding_bag(wend.tensor([[0, 2]]), w, mode="sum")
    tensor([[5.]])
    """
    from wend.nn.functional import embedding

    _checked(input, weight, offsets, per_sample_weights, mode)
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    _check_dtypes(input, weight, offsets)
    if padding_idx is not None:
        padding_idx = _checked_padding(padding_idx, weight.size(0))
    if offsets is None:
        bags = input.size(0)
        number = _C.arange(bags).repeat_interleave(input.size(1))
    else:
        number, bags = _bag_of_each(input, offsets, include_last_offset)
    indices = input.reshape(-1)[: number.numel()]
    rows = embedding(indices, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1)[: number.numel()].unsqueeze(1)
    kept = None
    if padding_idx is not None:
        kept = indices != padding_idx
        rows, number = rows[kept], number[kept]
    return _combined(rows, number, bags, mode)


def _combined(rows: Tensor, number: Tensor, bags: int, mode: str) -> Tensor:
    shape = (bags, rows.size(1))
    if mode == "max":
        return _largest(rows, number, shape)
    total = _C.zeros(shape, dtype=rows.dtype).index_add(0, number, rows)
    if mode == "sum":
        return total
    counts = _C.zeros(bags, dtype=rows.dtype).index_add(
        0, number, _C.ones(number.numel(), dtype=rows.dtype)
    )
    return total / counts.clamp_min(1).unsqueeze(1)


def _largest(rows: Tensor, number: Tensor, shape: tuple[int, int]) -> Tensor:
    """The largest elements of each bag, the first of equal ones; 0 of an empty bag."""
    count, where = number.numel(), number.unsqueeze(1).expand(rows.shape)
    values = rows.detach()
    largest = _C.full(shape, -math.inf, dtype=rows.dtype).scatter_reduce(0, where, values, "amax")
    is_largest = (values == largest[number]) | values.isnan()
    places = _C.where(is_largest, _C.arange(count).unsqueeze(1), count)
    first = _C.full(shape, count).scatter_reduce(0, where, places, "amin")
    return _C.cat([rows, rows.new_zeros(1, shape[1])]).gather(0, first)
