"""Counts of elements or of points by where they lie between edges: histograms.

`histc` and `bincount` are in the op table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import wend
from wend import _C
from wend._C import Tensor
from wend._factorizations import named_result
from wend._types import name_in_cpp

__all__ = ["histogram", "histogramdd"]

_Histogram: Any = named_result("histogram", "hist", "bin_edges")
_Histogramdd: Any = named_result("histogramdd", "hist", "bin_edges")


def _check(points: Tensor, bins: Sequence[Any], weight: Tensor | None) -> None:
    if not points.is_floating_point():
        name = {"int64": "Long", "int32": "Int", "uint8": "Byte", "bool": "Bool"}
        kind = str(points.dtype).removeprefix("torch.")
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{name.get(kind, kind)}'")
    for d, edges in enumerate(bins):
        if isinstance(edges, Tensor):
            _check_edges(points, edges, d)
        count = len(edges) - 1 if isinstance(edges, Tensor) else edges
        if count <= 0:
            raise RuntimeError(
                f"torch.histogram(): bins must be > 0, but got {count} for dimension {d}"
            )
    if weight is None:
        return
    if weight.shape != points.shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the "
            "input tensor excluding its innermost dimension, but got input with shape "
            f"{list(points.shape)} and weight with shape {list(weight.shape)}"
        )
    if weight.dtype != points.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor "
            f"should have the same dtype, but got input({name_in_cpp(points.dtype)}), "
            f"and weight({name_in_cpp(weight.dtype)})"
        )


def _check_edges(points: Tensor, edges: Tensor, dim: int) -> None:
    if edges.dtype != points.dtype:
        raise RuntimeError(
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got "
            f"input with dtype {name_in_cpp(points.dtype)} and bins for dimension {dim} with dtype "
            f"{name_in_cpp(edges.dtype)}"
        )
    if edges.dim() != 1:
        raise RuntimeError(
            "torch.histogramdd: bins tensor should have one dimension, but got "
            f"{edges.dim()} dimensions in the bins tensor for dimension {dim}"
        )
    if not len(edges):
        raise RuntimeError(
            "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in "
            f"the bins tensor for dimension {dim}"
        )


def _equal_edges(values: Tensor, bins: int, ends: Sequence[float] | None, dim: int) -> Tensor:
    """Edges that are as far apart, from the least of the values to the largest by default."""
    if ends is not None:
        low, high = map(float, ends)
    elif values.numel() == 0:
        low, high = 0.0, 1.0
    else:
        low, high = (float(end) for end in values.aminmax())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(
            f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite"
        )
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for "
            f"dimension {dim}"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    return _C.linspace(low, high, bins + 1, dtype=values.dtype)


def _counted(
    points: Tensor,
    bins: Sequence[Any],
    ends: Sequence[float] | None,
    weight: Tensor | None,
    density: bool,
) -> tuple[Tensor, list[Tensor]]:
    """How many points lie in each box; by dimension, a number of bins or their edges are given."""
    _check(points, bins, weight)
    ndim = len(bins)
    if ends is not None and len(ends) != 2 * ndim:
        raise RuntimeError(
            f"torch.histogramdd: for a {ndim}-dimensional histogram range should have {2 * ndim} "
            f"elements, but got {len(ends)}"
        )
    with wend.no_grad():
        columns = points.detach().reshape(-1, ndim).unbind(1)
        edges = []
        inside = _C.ones(len(columns[0]), dtype=wend.bool)
        place = _C.zeros(len(columns[0]), dtype=wend.int64)
        for d, (x, each) in enumerate(zip(columns, bins, strict=True)):
            if not isinstance(each, Tensor):
                each = _equal_edges(x, each, ends and ends[2 * d : 2 * d + 2], d)
            edges.append(each)
            inside = inside & (x >= each[0]) & (x <= each[-1])
            # The last edge is inside.
            at = (_C.searchsorted(each, x, right=True) - 1).clamp(0, len(each) - 2)
            place = place * (len(each) - 1) + at
        shape = [len(each) - 1 for each in edges]
        counted = _C.ones_like(columns[0]) if weight is None else weight.detach().reshape(-1)
        counted = _C.where(inside, counted, _C.zeros_like(counted))
        hist = points.new_zeros(math.prod(shape)).index_add(0, place, counted).reshape(shape)
        if density:
            hist = hist / hist.sum()
            for d, each in enumerate(edges):
                hist = hist / each.diff().reshape(-1, *[1] * (ndim - 1 - d))
    return hist, edges


def histogram(
    input: Tensor,
    bins: int | Tensor = 100,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    """How many elements, or what weight of them, lie between edges; the last edge is inside.

    bins: how many, all as wide, or their edges.

    >>> wend.histogram(wend.tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 3.0)).hist
    tensor([2., 1.])
    """
    if isinstance(bins, Tensor) and range is not None:
        raise TypeError("histogram(): range is for a number of bins, not for edges")
    flat = input.reshape(-1, 1)
    if weight is not None and weight.shape == input.shape:
        weight = weight.reshape(-1)
    hist, (edges,) = _counted(flat, [bins], range, weight, density)
    return _Histogram(hist, edges)


def histogramdd(
    input: Tensor,
    bins: int | Sequence[int] | Sequence[Tensor],
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    """How many points, or what weight of them, lie in each box; the last edges are inside.

    bins: how many by dimension, all as wide, or their edges.

    >>> points = wend.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 2.0], [2.0, 2.0]])
    >>> wend.histogramdd(points, bins=[2, 2]).hist
    tensor([[0., 1.],
            [1., 2.]])
    """
    if input.dim() < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    ndim = input.size(-1)
    each: Sequence[Any] = [bins] * ndim if isinstance(bins, int) else bins
    if len(each) != ndim:
        if isinstance(each[0], Tensor):
            raise RuntimeError(
                f"torch.histogramdd: expected {ndim} sequences of bin edges for a "
                f"{ndim}-dimensional histogram but got {len(each)}"
            )
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    hist, edges = _counted(input, each, range, weight, density)
    return _Histogramdd(hist, tuple(edges))


_C._add_method("histogram", histogram)
