"""Images at other sizes and places: interpolate and its old names, grid_sample, affine_grid.

All are weighted sums of rows or pixels that index ops of the core pick, so gradients follow.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import wend
from wend import _C
from wend._C import Tensor
from wend.nn._pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from wend.nn.common_types import LARGEST

Ratio = float | Sequence[float]

_CUBIC = -0.75
_CUBIC_ANTIALIASED = -0.5
_ALIGNED = ("linear", "bilinear", "bicubic", "trilinear")
_RANKS = {"linear": 3, "bilinear": 4, "trilinear": 5, "bicubic": 4, "lanczos": 4}


def _cubic(x: Tensor, a: float) -> Tensor:
    """Keys' kernel."""
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return _C.where(x >= 2, 0, _C.where(x <= 1, near, far))


def _lanczos(x: Tensor) -> Tensor:
    return _C.where(x < 3, _C.sinc(x) * _C.sinc(x / 3), 0)


def _scale(size: int, out: int, factor: float | None, align: bool) -> float:
    """How many pixels of the input one of the output is."""
    if align:
        return (size - 1) / (out - 1) if out > 1 else 0.0
    return 1 / factor if factor is not None and factor > 0 else size / out


# Of one dimension: which rows are read for each row of the output, and how much each weighs.
Taps = list[tuple[Tensor, Tensor | None]]


def _nearest(size: int, out: int, factor: float | None, exact: bool) -> Taps:
    scale = wend.tensor(_scale(size, out, factor, False), dtype=wend.float32)
    at = _C.arange(out, dtype=wend.float32)
    row = ((at + 0.5) * scale if exact else at * scale).floor().long()
    return [(row.clamp(max=size - 1), None)]


def _centres(size: int, out: int, factor: float | None, align: bool, dtype: Any) -> Tensor:
    """Where the pixels of the output lie among those of the input."""
    scale = _scale(size, out, factor, align)
    at = _C.arange(out, dtype=dtype)
    return at * scale if align else (at + 0.5) * scale - 0.5


def _linear(size: int, out: int, factor: float | None, align: bool, dtype: Any) -> Taps:
    at = _centres(size, out, factor, align, dtype).clamp(min=0)
    row = at.floor().long().clamp(max=size - 1)
    part = (at - row).clamp(0, 1)
    return [(row, 1 - part), ((row + 1).clamp(max=size - 1), part)]


def _bicubic(size: int, out: int, factor: float | None, align: bool, dtype: Any) -> Taps:
    at = _centres(size, out, factor, align, dtype)
    row = at.floor()
    part = at - row
    return [
        ((row.long() + k).clamp(0, size - 1), _cubic((part - k).abs(), _CUBIC))
        for k in (-1, 0, 1, 2)
    ]


def _antialiased(
    size: int, out: int, factor: float | None, align: bool, dtype: Any, mode: str
) -> Taps:
    """A kernel as wide as the pixels of the output, normalised over what lies on the image."""
    scale = _scale(size, out, factor, align)
    reach = {"bilinear": 1.0, "bicubic": 2.0, "lanczos": 3.0}[mode]
    widened = max(scale, 1.0)
    support = reach * widened
    centre = scale * (_C.arange(out, dtype=dtype) + 0.5)
    first = (centre - support + 0.5).long().clamp(min=0)
    end = (centre + support + 0.5).long().clamp(max=size)
    rows, weights = [], []
    for k in range(math.ceil(support) * 2 + 1):
        row = first + k
        x = ((row + 0.5 - centre) / widened).abs()
        if mode == "bilinear":
            weight = (1 - x).clamp(min=0)
        else:
            weight = _cubic(x, _CUBIC_ANTIALIASED) if mode == "bicubic" else _lanczos(x)
        rows.append(row.clamp(max=size - 1))
        weights.append(_C.where(row < end, weight, 0))
    total = sum(weights[1:], weights[0])
    return [(row, weight / total) for row, weight in zip(rows, weights, strict=True)]


def _resampled(input: Tensor, dim: int, taps: Taps) -> Tensor:
    shape = [-1] + [1] * (input.dim() - 1 - dim)
    parts = [
        picked if weight is None else picked * weight.reshape(shape)
        for picked, weight in ((input.index_select(dim, row), weight) for row, weight in taps)
    ]
    return sum(parts[1:], parts[0])


def _listed(value: Any, n: int) -> list[Any]:
    return [*value] if isinstance(value, (list, tuple)) else [value] * n


def _targets(
    input: Tensor, size: Any, scale_factor: Any, recompute: bool | None
) -> tuple[list[int], list[float | None]]:
    """The size of each dimension, and the factor it is by, where that counts."""
    spatial = list(input.shape[2:])
    n = len(spatial)
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        _check_count(spatial, size, "output", "size", "(o1, o2, ...,oK)")
        sizes = _listed(size, n)
        if not all(isinstance(each, int) for each in sizes):
            raise TypeError(f"expected size to be one of int or sequence of ints, but got {size}")
        return sizes, [None] * n
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    _check_count(spatial, scale_factor, "scale_factor", "shape", "(s1, s2, ...,sK)")
    factors = _listed(scale_factor, n)
    products = [float(s) * f for s, f in zip(spatial, factors, strict=True)]
    if not all(abs(product) <= LARGEST for product in products):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    by_factor = [math.floor(product) for product in products]
    return by_factor, [None] * n if recompute else factors


def _check_count(spatial: list[int], given: Any, what: str, form: str, names: str) -> None:
    if not isinstance(given, (list, tuple)) or len(given) == len(spatial):
        return
    said = f"{what} {form}" if what == "output" else what
    shown = f"{what} size of" if what == "output" else f"{what} of shape"
    raise ValueError(
        f"Input and {what} must have the same number of spatial dimensions, but got input with "
        f"spatial dimensions of {spatial} and {shown} {given}. Please provide input tensor in "
        f"(N, C, d1, d2, ...,dK) format and {said} in {names} format."
    )


def _check_mode(input: Tensor, mode: str, align_corners: bool | None, antialias: bool) -> None:
    if mode in ("nearest", "area", "nearest-exact", "lanczos") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | "
            "bilinear | bicubic | trilinear"
        )
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and input.ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires "
            "a 4-D tensor as input"
        )
    known = (*_ALIGNED, "nearest", "area", "nearest-exact", "lanczos")
    needed = _RANKS.get(mode, input.dim())
    if mode in ("linear", "bilinear", "trilinear") and input.dim() in (3, 4, 5):
        if input.dim() != needed:
            raise NotImplementedError(
                f"Got {input.dim()}D input, but {mode} mode needs {needed}D input"
            )
    elif mode not in known or input.dim() not in (3, 4, 5) or input.dim() != needed:
        raise NotImplementedError(
            "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
            f"{input.dim()}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | "
            f"lanczos | area | nearest-exact (got {mode})"
        )
    if mode == "lanczos" and not antialias:
        raise ValueError("lanczos mode requires antialias=True")


def _check_interpolated(input: Tensor, sizes: list[int]) -> None:
    spatial = list(input.shape[2:])
    n = len(spatial)
    if min(*spatial, *sizes, 1) <= 0:
        names = "DHW"[3 - n :]

        def shown(values: list[int]) -> str:
            return ", ".join(f"{k}: {v}" for k, v in zip(names, values, strict=True))

        link = " and" if n == 1 else ""
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({shown(spatial)})"
            f"{link} output ({shown(sizes)})"
        )
    if input.size(1) == 0:
        raise RuntimeError(
            f"Non-empty {n + 2}D data tensor expected but got a tensor with sizes "
            f"{list(input.shape)}"
        )


def _check_numbers(input: Tensor, mode: str) -> None:
    """Refuse integers, but for bytes as they are."""
    if input.dtype.is_floating_point or (input.dtype == wend.uint8 and mode.startswith("nearest")):
        return
    # PyTorch counts an image of one channel as one with channels last.
    last = "_channels_last" if input.size(1) == 1 and input.dim() > 3 else ""
    raise NotImplementedError(
        f'"upsample_{mode}{input.dim() - 2 if mode.startswith("nearest") else ""}d{last}" not '
        f"implemented for '{input.type().removeprefix('torch.').removesuffix('Tensor')}'"
    )


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """(N, C, ...) with one to three dimensions of space at another size, or larger by a factor.

    mode: "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area", and
    with antialias also "lanczos".

    >>> wend.nn.functional.interpolate(wend.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    sizes, factors = (
        _targets(input, size, scale_factor, recompute_scale_factor) if input.dim() > 2 else ([], [])
    )
    _check_mode(input, mode, align_corners, antialias)
    if mode == "area":
        pools: dict[int, Callable[..., Tensor]] = {
            3: adaptive_avg_pool1d,
            4: adaptive_avg_pool2d,
            5: adaptive_avg_pool3d,
        }
        return pools[input.dim()](input, sizes)
    _check_interpolated(input, sizes)
    _check_numbers(input, mode)
    wide = input.float() if input.dtype in (wend.float16, wend.bfloat16) else input
    align, dtype = bool(align_corners), wide.dtype
    # The last dimension first: then there is least to do for the others when sizes grow.
    for dim in reversed(range(2, input.dim())):
        facts = (input.size(dim), sizes[dim - 2], factors[dim - 2])
        if mode.startswith("nearest"):
            taps = _nearest(*facts, mode == "nearest-exact")
        elif antialias:
            taps = _antialiased(*facts, align, dtype, mode)
        else:
            taps = (_bicubic if mode == "bicubic" else _linear)(*facts, align, dtype)
        wide = _resampled(wide, dim, taps)
    return wide.to(input.dtype)


def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Call interpolate, by its old name."""
    warnings.warn(
        "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Call interpolate by the nearest neighbours."""
    warnings.warn(
        "`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Call interpolate linearly in both directions, corners aligned."""
    warnings.warn(
        "`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Where the pixels of images of a size lie in others, by matrices; for grid_sample.

    theta: (N, 2, 3) for a size (N, C, H, W), (N, 3, 4) for (N, C, D, H, W).

    >>> theta = wend.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> wend.nn.functional.affine_grid(theta, (1, 1, 1, 2), align_corners=False)
    tensor([[[[-0.5000,  0.0000],
              [ 0.5000,  0.0000]]]])
    """
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since "
            "1.3.0. Please specify align_corners=True if the old behavior is desired. See the "
            "documentation of grid_sample for details.",
            stacklevel=2,
        )
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    n = len(size) - 2
    if n not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {size}."
        )
    if theta.dim() != 3 or theta.shape[-2] != n or theta.shape[-1] != n + 1:
        raise ValueError(
            f"Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {size}. "
            f"Got {theta.shape}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return grid_of(theta, size, align_corners)


def grid_of(theta: Tensor, size: Sequence[int], align_corners: bool) -> Tensor:
    """affine_grid, of no pixels too."""
    spatial = size[2:]
    n = len(spatial)
    columns = [_C.ones(*spatial, dtype=theta.dtype)]
    for d, length in enumerate(spatial):
        at = _C.linspace(-1, 1, length, dtype=theta.dtype) if length > 1 else _C.zeros(length)
        at = at.to(theta.dtype)
        at = at if align_corners or not length else at * ((length - 1) / length)
        shape = [1] * n
        shape[d] = length
        columns.insert(0, at.reshape(shape).expand(*spatial))
    base = _C.stack(columns, -1).reshape(1, -1, n + 1).expand(size[0], -1, -1)
    return _C.bmm(base, theta.transpose(1, 2)).reshape(size[0], *spatial, n)


def _unnormalized(at: Tensor, size: int, align: bool) -> Tensor:
    """From -1 ... 1 to pixels."""
    return (at + 1) / 2 * (size - 1) if align else ((at + 1) * size - 1) / 2


def _reflected(at: Tensor, size: int, align: bool) -> Tensor:
    """Coordinates folded back at the borders: the last pixels, or half a pixel outside."""
    low, span = (0.0, float(size - 1)) if align else (-0.5, float(size))
    if span == 0:
        return at * 0
    away = (at - low).abs()
    turns = (away / span).floor()
    rest = away - turns * span
    return _C.where(turns.remainder(2) == 0, rest + low, span - rest + low)


def _kept_inside(at: Tensor, size: int, padding_mode: str, align: bool) -> Tensor:
    if padding_mode == "zeros":
        return at
    if padding_mode == "reflection":
        at = _reflected(at, size, align)
    # Who does not say where gets the first pixel, as at -1.
    return at.clamp(0, size - 1).masked_fill(at.isnan(), 0)


def _pixels(input: Tensor, rows: Sequence[Tensor]) -> Tensor:
    """The pixels at integral coordinates (N, ...), the last dimension first; 0 beside the image."""
    spatial = input.shape[2:]
    place: Any = 0
    inside: Any = True
    for row, size in zip(reversed(rows), spatial, strict=True):
        on = (row >= 0) & (row < size)
        at = _C.where(on, row, 0).long()
        place = place * size + at
        inside = on & inside
    count, channels = input.shape[:2]
    flat = place.reshape(count, 1, math.prod(place.shape[1:])).expand(-1, channels, -1)
    picked = input.flatten(2).gather(2, flat).reshape(count, channels, *place.shape[1:])
    return _C.where(inside.unsqueeze(1), picked, 0)


def _check_grid(input: Tensor, grid: Tensor, mode: str, padding_mode: str) -> None:
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    both = f"input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
    if input.size(0) != grid.size(0):
        raise RuntimeError(
            f"grid_sampler(): expected grid and input to have same batch size, but got {both}"
        )
    if grid.size(-1) != input.dim() - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {input.dim() - 2} in last dimension, but "
            f"got grid with sizes {list(grid.shape)}"
        )
    for d, size in enumerate(input.shape[2:], 2):
        if size == 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input "
                f"has sizes {list(input.shape)} with dimension {d} being empty"
            )
    if input.dim() not in (4, 5) or input.dim() != grid.dim():
        raise RuntimeError(
            "grid_sampler(): expected "
            + (f"{input.dim()}D" if input.dim() in (4, 5) else "4D or 5D")
            + f" input and grid with same number of dimensions, but got {both}"
        )
    if input.dim() == 5 and mode == "bicubic":
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input.dtype != grid.dtype:
        names = {wend.float32: "Float", wend.float64: "Double", wend.float16: "Half"}
        given = [names.get(t.dtype, str(t.dtype)) for t in (input, grid)]
        raise RuntimeError(f"expected scalar type {given[0]} but found {given[1]}")


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """The images' values at the places of a grid, (x, y) or (x, y, z) from -1 to 1.

    mode: "bilinear", "nearest" or "bicubic"; padding_mode: "zeros", "border" or "reflection".

    >>> x = wend.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> wend.nn.functional.grid_sample(x, wend.zeros(1, 1, 1, 2), align_corners=False)
    tensor([[[[2.5000]]]])
    """
    _check_grid(input, grid, mode, padding_mode)
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since "
            "1.3.0. Please specify align_corners=True if the old behavior is desired. See the "
            "documentation of grid_sample for details.",
            stacklevel=2,
        )
    align = bool(align_corners)
    sizes = [*reversed(input.shape[2:])]
    at = [_unnormalized(grid[..., d], size, align) for d, size in enumerate(sizes)]
    if mode == "bicubic":
        return _bicubic_sample(input, at, sizes, padding_mode, align)
    at = [_kept_inside(x, size, padding_mode, align) for x, size in zip(at, sizes, strict=True)]
    if mode == "nearest":
        picked = _pixels(input, [x.detach().round() for x in at])
        # The grid has a gradient, which is 0.
        return picked * (grid.sign().sum(-1) * 0 + 1).unsqueeze(1) if grid.requires_grad else picked
    low = [x.detach().floor() for x in at]
    terms = []
    for corner in itertools.product((0, 1), repeat=len(at)):
        sides = [*zip(at, low, corner, strict=True)]
        weight: Any = math.prod((x - row if side else row + 1 - x) for x, row, side in sides)
        pixels = _pixels(input, [row + side for _, row, side in sides])
        terms.append(pixels * weight.unsqueeze(1))
    result: Tensor = sum(terms[1:], terms[0])
    return result


def _bicubic_sample(
    input: Tensor, at: list[Tensor], sizes: list[int], padding_mode: str, align: bool
) -> Tensor:
    """Rows outside are mapped inside one by one, not the coordinate."""
    low = [x.detach().floor() for x in at]
    part = [x - row for x, row in zip(at, low, strict=True)]
    terms = []
    for i, j in itertools.product((-1, 0, 1, 2), repeat=2):
        rows = [
            _kept_inside(row + k, size, padding_mode, align)
            for row, k, size in zip(low, (i, j), sizes, strict=True)
        ]
        weight = _cubic((part[0] - i).abs(), _CUBIC) * _cubic((part[1] - j).abs(), _CUBIC)
        terms.append(_pixels(input, rows) * weight.unsqueeze(1))
    return sum(terms[1:], terms[0])
