"""Reductions that are made of others: quantiles, distinct elements, covariance, integrals.

What is called in hot loops is in the op table; norms are wend/_norms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wend import _C, _types
from wend._C import Tensor

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _method(f: Any) -> Any:
    """Attach a function to Tensor under its own name."""
    _C._add_method(f.__name__, f)
    return f


def _write(result: Tensor, out: Tensor | None) -> Tensor:
    """The result, or `out` with the result in it."""
    return result if out is None else _C.clone(result, out=out)


def _slice(x: Tensor, dim: int, start: int | None, end: int | None) -> Tensor:
    dim = dim % x.ndim
    return x[(slice(None),) * dim + (slice(start, end),)]


@_method
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct elements, or distinct slices of a dimension, in order.

    sorted: they are sorted either way.

    >>> unique(wend.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    name = "_unique2" if dim is None else "unique_dim"
    _types.require_bools(
        name, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts
    )
    values, inverse, counts = _C._distinct(input, dim, False)
    return _asked(values, inverse if return_inverse else None, counts if return_counts else None)


@_method
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The elements, or slices of a dimension, without those equal to the one before.

    >>> unique_consecutive(wend.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    _types.require_bools(
        "unique_consecutive", return_inverse=return_inverse, return_counts=return_counts
    )
    values, inverse, counts = _C._distinct(input, dim, True)
    return _asked(values, inverse if return_inverse else None, counts if return_counts else None)


def _asked(values: Tensor, inverse: Tensor | None, counts: Tensor | None) -> Any:
    more = [t for t in (inverse, counts) if t is not None]
    return (values, *more) if more else values


@_method
def quantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """The values below which the fractions q of the elements lie; NaN where there is NaN.

    >>> quantile(wend.tensor([1.0, 2.0, 3.0, 4.0]), 0.5)
    tensor(2.5000)
    """
    return _write(_quantile(input, q, dim, keepdim, interpolation, False), out)


@_method
def nanquantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """Quantiles of the elements that are not NaN.

    >>> nanquantile(wend.tensor([1.0, float("nan"), 3.0]), 0.5)
    tensor(2.)
    """
    return _write(_quantile(input, q, dim, keepdim, interpolation, True), out)


def _quantile(
    x: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, skip_nan: bool
) -> Tensor:
    fractions = _fractions(x, q, interpolation, "nanquantile" if skip_nan else "quantile")
    if dim is None or x.ndim == 0:
        rows = x.reshape(-1)
    else:
        dim = _wrap(dim, x.ndim)
        rows = x.permute(*(d for d in range(x.ndim) if d != dim), dim)
    ordered = rows.sort(-1)[0]
    result = _at_ranks(ordered, _ranks(ordered, fractions, skip_nan), interpolation)
    result = result.permute(-1, *range(result.ndim - 1))
    if keepdim and dim is None:
        result = result.reshape(-1, *(1,) * x.ndim)
    elif keepdim and x.ndim > 0:
        result = result.unsqueeze(dim + 1)
    return result if isinstance(q, Tensor) and q.ndim == 1 else result.squeeze(0)


def _wrap(dim: int, ndim: int) -> int:
    if not -ndim <= dim < ndim:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], "
            f"but got {dim})"
        )
    return dim % ndim


def _fractions(x: Tensor, q: Any, interpolation: str, name: str) -> Tensor:
    """q as a list, checked as PyTorch checks it."""
    if x.dtype not in (_types.float32, _types.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if x.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}"
        )
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q:g}")
        return _C.full((1,), q, dtype=x.dtype)
    if q.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if q.dtype != x.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if not ((q >= 0) & (q <= 1)).all():
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    return q.reshape(-1)


def _ranks(ordered: Tensor, fractions: Tensor, skip_nan: bool) -> Tensor:
    """Places, between whole ones, along the last dimension; NaN is ordered last."""
    last = ordered.shape[-1] - 1
    missing = ordered.isnan()
    if skip_nan:
        count = missing.logical_not().sum(-1, keepdim=True)
        return (fractions * (count - 1)).clamp_min(0)
    return _C.where(missing.any(-1, keepdim=True), last, fractions * last)


def _at_ranks(ordered: Tensor, ranks: Tensor, interpolation: str) -> Tensor:
    rounded = {"lower": _C.floor, "higher": _C.ceil, "nearest": _C.round}.get(interpolation)
    if rounded is not None:
        return ordered.gather(-1, rounded(ranks).to(_types.int64))
    below = ranks.floor()
    weight = 0.5 if interpolation == "midpoint" else ranks - below
    low = ordered.gather(-1, below.to(_types.int64))
    return low.lerp(ordered.gather(-1, ranks.ceil().to(_types.int64)), weight)


@_method
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The n-th differences of neighbours along a dimension.

    >>> diff(wend.tensor([1.0, 3.0, 6.0]))
    tensor([2., 3.])
    """
    if input.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    dim = _wrap(dim, input.ndim)
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    for end in (prepend, append):
        _check_end(input, end, dim)
    if n == 0:
        return _write(input.clone(), out)
    parts = [t for t in (prepend, input, append) if t is not None]
    result = _C.cat(parts, dim) if len(parts) > 1 else input
    minus = _C.logical_xor if result.dtype == _types.bool else _C.sub
    for _ in range(min(n, result.shape[dim])):
        result = minus(_slice(result, dim, 1, None), _slice(result, dim, None, -1))
    return _write(result, out)


def _check_end(input: Tensor, end: Tensor | None, dim: int) -> None:
    if end is None:
        return
    if end.ndim != input.ndim:
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for d, (have, want) in enumerate(zip(end.shape, input.shape, strict=True)):
        if d != dim and have != want:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input "
                f"except along the differencing dimension; input.size({d}) = {want}, but got "
                f"tensor.size({d}) = {have}"
            )


@_method
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Covariance matrix of the rows.

    fweights: how often each column was observed; aweights: how much each counts.

    >>> cov(wend.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    if input.dtype == _types.bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input if input.ndim == 2 else input.reshape(1, -1)
    weights = _column_weights(rows, fweights, aweights)
    total = rows.shape[1] if weights is None else weights.sum()
    if weights is None:
        average = rows.sum(1) / total
        freedom: Any = total - correction
    else:
        average = (rows * weights).sum(1) / total
        freedom = total - correction
        if aweights is not None and correction != 0:
            freedom = total - correction * (weights * aweights).sum() / total
    centred = rows - average.unsqueeze(1)
    scaled = centred if weights is None else centred * weights
    floor = freedom.clamp_min(0) if isinstance(freedom, Tensor) else max(freedom, 0)
    return ((centred @ scaled.transpose(0, 1)) / floor).squeeze()


def _column_weights(rows: Tensor, fweights: Any, aweights: Any) -> Tensor | None:
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            continue
        if weights.ndim > 1:
            raise RuntimeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                f"{weights.ndim} dimensions"
            )
        if weights.is_floating_point() == (name == "fweights"):
            kind = "integral" if name == "fweights" else "floating point"
            raise RuntimeError(
                f"cov(): expected {name} to have {kind} dtype but got {name} with "
                f"{_title(weights)} dtype"
            )
        if weights.numel() != rows.shape[1]:
            raise RuntimeError(
                f"cov(): expected {name} to have the same numel as there are observations in the "
                f"input but got {weights.numel()} != {rows.shape[1]}"
            )
        if (weights < 0).any():
            raise RuntimeError(f"cov(): {name} cannot be negative")
    if fweights is not None and aweights is not None:
        return fweights * aweights
    return aweights if fweights is None else fweights


def _title(x: Tensor) -> str:
    return {"float32": "Float", "float64": "Double", "int64": "Long", "int32": "Int"}.get(
        str(x.dtype).split(".")[-1], str(x.dtype).split(".")[-1].title()
    )


@_method
def corrcoef(input: Tensor) -> Tensor:
    """Correlation coefficients of the rows.

    >>> corrcoef(wend.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.ndim > 2:
        raise RuntimeError(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    c = cov(input)
    if c.ndim == 0:
        return c / c
    deviation = c.diagonal().sqrt()
    return (c / deviation.unsqueeze(-1) / deviation.unsqueeze(0)).clamp(-1, 1)


def trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1
) -> Tensor:
    """Integral along a dimension by the trapezoidal rule.

    >>> trapezoid(wend.tensor([1.0, 5.0, 10.0]))
    tensor(10.5000)
    """
    _check_curve("trapezoid", y, x)
    if y.size(dim) == 0:
        return y.sum(dim, dtype=y.dtype)
    return _areas(y, x, dx, dim).sum(dim)


def trapz(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """The same as trapezoid.

    >>> trapz(wend.tensor([1.0, 5.0, 10.0]))
    tensor(10.5000)
    """
    return trapezoid(y, x, dx=dx, dim=dim)


def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1
) -> Tensor:
    """Running integral along a dimension by the trapezoidal rule.

    >>> cumulative_trapezoid(wend.tensor([1.0, 5.0, 10.0]))
    tensor([ 3.0000, 10.5000])
    """
    _check_curve("cumulative_trapezoid", y, x)
    return _areas(y, x, dx, dim).cumsum(dim)


def _check_curve(name: str, y: Tensor, x: Tensor | None) -> None:
    if not isinstance(y, Tensor) or not (x is None or isinstance(x, Tensor)):
        given = ", ".join(each.__class__.__name__ for each in (y, x) if each is not None)
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got ({given}), but expected "
            "one of:\n * (Tensor y, Tensor x, *, int dim = -1)\n"
            " * (Tensor y, *, Number dx = 1, int dim = -1)"
        )
    if y.dtype == _types.bool or (x is not None and x.dtype == _types.bool):
        which = "`y`" if x is None else "`x` or `y`"
        if y.numel() or name != "trapezoid":
            raise RuntimeError(
                f"{name}: received a bool input for {which}, but bool is not supported"
            )


def _areas(y: Tensor, x: Tensor | None, dx: float | None, dim: int) -> Tensor:
    """Of the trapezoids between neighbours; x broadcasts to y from the right."""
    if x is not None and dx is not None:
        raise TypeError("trapezoid() takes x or dx, not both")
    dim = _wrap(dim, y.ndim)
    heights = _slice(y, dim, 1, None) + _slice(y, dim, None, -1)
    if x is None:
        return heights * ((1 if dx is None else dx) / 2)
    if x.ndim == 1 and y.ndim > 1:
        if x.shape[0] != y.shape[dim]:
            raise RuntimeError("trapezoid: There must be one `x` value for each sample point")
        x = x.reshape(-1, *(1,) * (y.ndim - 1 - dim))
    elif x.ndim < y.ndim:
        x = x.reshape(*(1,) * (y.ndim - x.ndim), *x.shape)
    widths = _slice(x, dim, 1, None) - _slice(x, dim, None, -1) if x.shape[dim] > 1 else x * 0
    return heights * widths / 2


@_method
def renorm(
    input: Tensor, p: float, dim: int, maxnorm: float, *, out: Tensor | None = None
) -> Tensor:
    """Each slice of a dimension scaled down so that its p-norm is at most maxnorm.

    >>> renorm(wend.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if input.ndim < 2:
        raise RuntimeError(
            f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions"
        )
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    dim = _wrap(dim, input.ndim)
    others = [d for d in range(input.ndim) if d != dim]
    wide = _types.float32 if input.dtype in (_types.float16, _types.bfloat16) else input.dtype
    norm = _C._vector_norm(input.to(wide), others, True, p)
    scale = _C.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1.0)
    return _write((input * scale).to(input.dtype), out)


def gradient(
    input: Tensor,
    *,
    spacing: Any = None,
    dim: int | Sequence[int] | None = None,
    edge_order: int = 1,
) -> tuple[Tensor, ...]:
    """Slopes along each dimension, by central differences.

    spacing: how far apart neighbours are: 1, a number, or for each dimension a number or a tensor
    of coordinates. edge_order: the order of the differences at both ends.

    >>> gradient(wend.tensor([1.0, 4.0, 9.0, 16.0]))
    (tensor([3., 4., 6., 7.]),)
    """
    if input.dtype == _types.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = range(input.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    wrapped = [_wrap(d, input.ndim) for d in dims]
    for i, d in enumerate(wrapped):
        if d in wrapped[:i]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        if input.shape[d] < edge_order + 1:
            raise RuntimeError(
                "torch.gradient expected each dimension size to be at least edge_order+1"
            )
    spacing = 1 if spacing is None else spacing
    distances = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(wrapped)
    if len(distances) != len(wrapped):
        expected = (
            f"'self.dim() = {input.ndim}', since dim argument was not given, but"
            if dim is None
            else "dimensions in the dim argument, but"
        )
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
            f"equal to {expected} got a list of length {len(distances)}"
        )
    for each in distances if isinstance(spacing, (list, tuple)) else []:
        if isinstance(each, Tensor) and each.ndim != 1:
            raise RuntimeError(
                "torch.gradient expected each element of spacing to have one dimension, but got an "
                f"element with {each.ndim} dimensions!"
            )
    pairs = zip(wrapped, distances, strict=True)
    return tuple(_slopes(input, d, distance, edge_order) for d, distance in pairs)


def _slopes(f: Tensor, dim: int, distance: Any, edge_order: int) -> Tensor:
    """Along one dimension: of the parabola through each three neighbours."""
    size = f.shape[dim]
    if not isinstance(distance, Tensor) or distance.ndim != 1:
        return _even_slopes(f, dim, distance, edge_order)
    if distance.numel() != size:
        raise RuntimeError(
            "torch.gradient expected each element of spacing to have the same length as the "
            f"dimension of the input, but got {distance.numel()} for dimension {dim}"
        )
    steps = _slice(distance, 0, 1, None) - _slice(distance, 0, None, -1)
    steps = steps.reshape(-1, *(1,) * (f.ndim - 1 - dim))
    before, after = steps[:-1], steps[1:]
    # What each of three neighbours weighs in the slope at the second. Differences of their rises
    # would lose the slopes beside an infinite value.
    outer = (-after / (before * (before + after)), before / (after * (before + after)))
    middle = _combined(f, dim, outer[0], (after - before) / (before * after), outer[1])
    if edge_order == 1:
        first = (f.narrow(dim, 1, 1) - f.narrow(dim, 0, 1)) / steps[:1]
        last = (f.narrow(dim, -1, 1) - f.narrow(dim, -2, 1)) / steps[-1:]
    else:
        ends = f.narrow(dim, 0, 3), before[:1], after[:1]
        first = _slope_at_end(*ends, dim)
        ends = f.narrow(dim, -3, 3).flip(dim), after[-1:], before[-1:]
        last = -_slope_at_end(*ends, dim)
    return _C.cat([first, middle, last], dim)


def _combined(f: Tensor, dim: int, *weights: Any) -> Tensor:
    """Each three neighbours, weighted and added up."""
    a, b, c = (_slice(f, dim, i, i - 2 or None) * weight for i, weight in enumerate(weights))
    return a + b + c


def _slope_at_end(f: Tensor, near: Tensor, far: Tensor, dim: int) -> Tensor:
    """The slope of a parabola at the first of three points, whose distances are given."""
    whole = near + far
    return _combined(
        f, dim, -(near + whole) / (near * whole), whole / (near * far), -near / (far * whole)
    )


def _even_slopes(f: Tensor, dim: int, distance: Any, edge_order: int) -> Tensor:
    """The same where neighbours are equally far apart: by differences of the outer two."""
    middle = (_slice(f, dim, 2, None) - _slice(f, dim, None, -2)) / (2 * distance)
    if edge_order == 1:
        first = (f.narrow(dim, 1, 1) - f.narrow(dim, 0, 1)) / distance
        last = (f.narrow(dim, -1, 1) - f.narrow(dim, -2, 1)) / distance
    else:
        first = _combined(f.narrow(dim, 0, 3), dim, -1.5, 2.0, -0.5) / distance
        last = _combined(f.narrow(dim, -3, 3), dim, 0.5, -2.0, 1.5) / distance
    return _C.cat([first, middle, last], dim)
