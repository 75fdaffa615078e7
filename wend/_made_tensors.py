"""testing.make_tensor: tensors with random elements for tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import wend
from wend._C import Tensor


def _bounds(dtype: Any, low: float | None, high: float | None) -> tuple[float | int, float | int]:
    """The interval that elements are drawn from, within what the dtype holds."""
    least: float
    beyond: float
    if dtype is wend.bool:
        least, beyond, usual = 0, 2, (0, 2)
    elif dtype.is_floating_point:
        least, beyond, usual = wend.finfo(dtype).min, wend.finfo(dtype).max, (-9, 9)
    else:
        # Of int64 the largest number cannot be drawn.
        beyond = wend.iinfo(dtype).max + (dtype is not wend.int64)
        least, usual = wend.iinfo(dtype).min, (-9, 10)
    low = usual[0] if low is None else low
    high = usual[1] if high is None else high
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low > high or (low == high and not dtype.is_floating_point):
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    if high < least or low >= beyond:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), "
            f"but {dtype} only supports [{least}, {beyond})"
        )
    low, high = (min(max(each, least), beyond) for each in (low, high))
    return (low, high) if dtype.is_floating_point else (math.ceil(low), math.ceil(high))


def make_tensor(
    *shape: int | Sequence[int],
    dtype: Any,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return a tensor with elements drawn evenly from [low, high), -9 to 9 unless given.

    noncontiguous: its elements do not lie side by side. exclude_zero: zeros become 1, or a tiny
    number.

    >>> wend.testing.make_tensor(2, 3, dtype=wend.int64, device="cpu", low=4, high=5)
    tensor([[4, 4, 4],
            [4, 4, 4]])
    """
    sizes: Any = shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
    sizes = tuple(sizes)
    if dtype not in wend._types.DTYPES:
        wend._types.refuse_dtype(dtype)
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, "
            f"but got {noncontiguous=} and {memory_format=}"
        )
    if requires_grad and not dtype.is_floating_point:
        raise ValueError(
            "`requires_grad=True` is not supported for boolean and integral dtypes, "
            f"but got {dtype=}"
        )
    noncontiguous = noncontiguous and math.prod(sizes) > 1
    if noncontiguous:
        sizes = (*sizes[:-1], 2 * sizes[-1])
    least, beyond = _bounds(dtype, low, high)
    if dtype.is_floating_point:
        # Each end by itself, since the distance of the largest numbers overflows.
        part = wend.rand(sizes, dtype=dtype, device=device)
        result = (part * beyond + (1 - part) * least).clamp(least, beyond)
    else:
        result = wend.randint(int(least), int(beyond), sizes, dtype=dtype, device=device)
    if noncontiguous:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        small = wend.finfo(dtype).tiny if dtype.is_floating_point else 1
        result[result == 0] = small
    return result.requires_grad_(requires_grad)
