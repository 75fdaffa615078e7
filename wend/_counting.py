"""Counts of elements by value: histograms.

`histc` and `bincount` are in the op table.
"""

from __future__ import annotations

import math
from typing import Any

import wend
from wend import _C
from wend._C import Tensor
from wend._factorizations import named_result

__all__ = ["histogram"]

_Histogram: Any = named_result("histogram", "hist", "bin_edges")


def _edges(input: Tensor, bins: Any, range: Any) -> Tensor:
    if isinstance(bins, Tensor):
        if range is not None:
            raise TypeError("histogram(): range is for a number of bins, not for edges")
        if bins.dim() != 1 or bins.numel() < 1:
            raise RuntimeError(
                "torch.histogramdd(): bins tensor should have one dimension, but got "
                f"{bins.dim()} dimensions in the bins tensor for dimension 0"
            )
        return bins
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if range is not None:
        low, high = (float(end) for end in range)
    elif input.numel() == 0:
        low, high = 0.0, 1.0
    else:
        low, high = (float(end) for end in input.aminmax())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(
            f"torch.histogramdd: dimension 0's range [{low:g}, {high:g}] is not finite"
        )
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd(): min should not exceed max, but got min {low} max {high} for "
            "dimension 0"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    return _C.linspace(low, high, bins + 1, dtype=input.dtype)


def histogram(
    input: Tensor,
    bins: Any,
    *,
    range: Any = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    """How many elements, or what weight of them, lie between edges; the last edge is inside.

    bins: how many, all as wide, or their edges.

    >>> wend.histogram(wend.tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 3.0)).hist
    tensor([2., 1.])
    """
    if not input.is_floating_point():
        name = {"int64": "Long", "int32": "Int", "uint8": "Byte", "bool": "Bool"}
        kind = str(input.dtype).removeprefix("torch.")
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{name.get(kind, kind)}'")
    edges = _edges(input, bins, range)
    with wend.no_grad():
        flat = input.detach().reshape(-1)
        inside = (flat >= edges[0]) & (flat <= edges[-1])
        place = (_C.searchsorted(edges, flat, right=True) - 1).clamp(0, max(len(edges) - 2, 0))
        counted = _C.ones_like(flat) if weight is None else weight.detach().reshape(-1)
        counted = _C.where(inside, counted, _C.zeros_like(counted))
        hist = _C.zeros(len(edges) - 1, dtype=input.dtype).index_add(0, place, counted)
        if density:
            hist = hist / (hist.sum() * edges.diff())
    return _Histogram(hist, edges)


_C._add_method("histogram", histogram)
