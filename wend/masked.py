"""torch.masked: reductions and normalizations of the elements that a mask keeps.

An element that is masked out is replaced by one that changes nothing, and the ordinary function is
called. Tensors that carry their mask along are not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wend
from wend import _C, _types
from wend._absent import absent_names
from wend._C import Tensor

globals().update(
    absent_names(
        "torch.masked",
        "MaskedTensor as_masked_tensor is_masked_tensor masked_tensor",
        "keep the mask as a tensor of its own, and give it to the functions of torch.masked",
    )
)

Dims = int | Sequence[int] | None
Mask = Tensor | None
_inf = float("inf")


def _dims(dim: Dims, ndim: int) -> tuple[int, ...]:
    """The dimensions that are meant, in order; none are all."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    ndim = max(ndim, 1)
    found: list[int] = []
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in found:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if not -ndim <= d < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], "
                f"but got {d})"
            )
        found.append(d % ndim)
    return tuple(sorted(found))


def _kept(input: Tensor, mask: Tensor) -> Tensor:
    """The mask in the input's shape, of truths."""
    if mask.dim() > input.dim():
        raise IndexError(
            "_input_mask expected broadcastable mask (got mask dimensionality higher than of the "
            "input)"
        )
    return mask.broadcast_to(input.shape).to(_types.bool)


def _filled(input: Tensor, mask: Mask, neutral: float | int) -> Tensor:
    """The input with what is masked out replaced."""
    return (
        input if mask is None else _C.where(_kept(input, mask), input, _C.full_like(input, neutral))
    )


def _least(dtype: _types.dtype) -> float | int:
    return -_inf if dtype.is_floating_point else int(wend.iinfo(dtype).min)


def _greatest(dtype: _types.dtype) -> float | int:
    return _inf if dtype.is_floating_point else int(wend.iinfo(dtype).max)


def _summed_dtype(input: Tensor, dtype: Any) -> Any:
    """Small integers add up to int64."""
    return dtype or (input.dtype if input.is_floating_point() else _types.int64)


def sum(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Mask = None,
) -> Tensor:
    """The sum of the elements that the mask keeps.

    >>> wend.masked.sum(wend.tensor([1.0, 2.0, 4.0]), mask=wend.tensor([True, False, True]))
    tensor(5.)
    """
    dtype = _summed_dtype(input, dtype)
    return _filled(input, mask, 0).sum(_dims(dim, input.dim()), bool(keepdim), dtype=dtype)


def prod(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Mask = None,
) -> Tensor:
    """The product of the elements that the mask keeps.

    >>> wend.masked.prod(wend.tensor([1.0, 2.0, 4.0]), mask=wend.tensor([True, False, True]))
    tensor(4.)
    """
    result = _filled(input, mask, 1).to(_summed_dtype(input, dtype))
    for d in reversed(_dims(dim, input.dim())):
        result = result.prod(d, bool(keepdim))
    return result


def cumsum(input: Tensor, dim: int, *, dtype: Any = None, mask: Mask = None) -> Tensor:
    """Running sums of the elements that the mask keeps.

    >>> wend.masked.cumsum(wend.tensor([1.0, 2.0, 4.0]), 0, mask=wend.tensor([True, False, True]))
    tensor([1., 1., 5.])
    """
    dtype = dtype or input.dtype
    return _filled(input, mask, 0).cumsum(_dims(dim, input.dim())[0], dtype=dtype)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None, mask: Mask = None) -> Tensor:
    """Running products of the elements that the mask keeps.

    >>> wend.masked.cumprod(wend.tensor([1.0, 2.0, 4.0]), 0, mask=wend.tensor([True, False, True]))
    tensor([1., 1., 4.])
    """
    dtype = dtype or input.dtype
    return _filled(input, mask, 1).cumprod(_dims(dim, input.dim())[0], dtype=dtype)


def amax(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Mask = None,
) -> Tensor:
    """The largest of the elements that the mask keeps.

    >>> wend.masked.amax(wend.tensor([1.0, 9.0, 4.0]), mask=wend.tensor([True, False, True]))
    tensor(4.)
    """
    filled = _filled(input, mask, _least(input.dtype))
    return filled.amax(_dims(dim, input.dim()), bool(keepdim)).to(dtype or input.dtype)


def amin(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Mask = None,
) -> Tensor:
    """The smallest of the elements that the mask keeps.

    >>> wend.masked.amin(wend.tensor([1.0, -9.0, 4.0]), mask=wend.tensor([True, False, True]))
    tensor(1.)
    """
    filled = _filled(input, mask, _greatest(input.dtype))
    return filled.amin(_dims(dim, input.dim()), bool(keepdim)).to(dtype or input.dtype)


def argmax(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Mask = None,
) -> Tensor:
    """Where the largest of the elements stands that the mask keeps.

    dtype: the input's, unless another is given.

    >>> wend.masked.argmax(wend.tensor([1, 9, 4]), mask=wend.tensor([True, False, True]))
    tensor(2)
    """
    filled = _filled(input, mask, _least(input.dtype))
    return filled.argmax(dim, bool(keepdim)).to(dtype or input.dtype)


def argmin(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Mask = None,
) -> Tensor:
    """Where the smallest of the elements stands that the mask keeps.

    dtype: the input's, unless another is given.

    >>> wend.masked.argmin(wend.tensor([1, -9, 4]), mask=wend.tensor([True, False, True]))
    tensor(0)
    """
    filled = _filled(input, mask, _greatest(input.dtype))
    return filled.argmin(dim, bool(keepdim)).to(dtype or input.dtype)


def _count(input: Tensor, dim: Dims, keepdim: bool, mask: Mask) -> Tensor:
    kept = _C.ones(input.shape, dtype=_types.bool) if mask is None else _kept(input, mask)
    return kept.sum(_dims(dim, input.dim()), keepdim)


def mean(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Mask = None,
) -> Tensor:
    """The mean of the elements that the mask keeps; nan where it keeps none.

    >>> wend.masked.mean(wend.tensor([1.0, 2.0, 4.0]), mask=wend.tensor([True, False, True]))
    tensor(2.5000)
    """
    source = "Input" if dtype is None else "Optional"
    dtype = dtype or input.dtype
    if not dtype.is_floating_point:
        raise ValueError(
            f"mean(): Could not infer output dtype. {source} dtype must be either "
            f"a floating point or complex dtype. Got: {dtype}"
        )
    total = sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask)
    return total / _count(input, dim, bool(keepdim), mask)


def median(
    input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Mask = None
) -> Tensor:
    """The median, the lower of two, of the elements that the mask keeps; nan where it keeps none.

    >>> wend.masked.median(wend.tensor([1.0, 2.0, 4.0]), mask=wend.tensor([True, False, True]))
    tensor(1.)
    """
    (dim,) = _dims(dim, input.dim())
    values = input if input.is_floating_point() else input.to(_types.float32)
    found = _filled(values, mask, float("nan")).nanmedian(dim, keepdim)[0]
    if values is input:
        return found
    if found.isnan().any():
        raise ValueError(
            "masked median expects no fully masked out rows if dtype is not floating point"
        )
    return found.to(dtype or input.dtype)


def logsumexp(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Mask = None
) -> Tensor:
    """The logarithm of the sum of the exponentials of the elements that the mask keeps.

    >>> wend.masked.logsumexp(wend.zeros(3), mask=wend.tensor([True, False, True]))
    tensor(0.6931)
    """
    filled = _filled(input, mask, _least(input.dtype))
    return filled.logsumexp(_dims(dim, input.dim()), keepdim).to(dtype or input.dtype)


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: Any = None,
    input_mask: Mask = None,
    other_mask: Mask = None,
) -> Tensor:
    """log(exp(input) + exp(other)), where each side has a mask of its own.

    >>> keep = wend.tensor([True, False])
    >>> wend.masked.logaddexp(wend.zeros(2), wend.zeros(2), input_mask=keep)
    tensor([0.6931, 0.0000])
    """
    left = _filled(input, input_mask, _least(input.dtype))
    right = _filled(other, other_mask, _least(other.dtype))
    return _C.logaddexp(left, right).to(dtype or input.dtype)


def norm(
    input: Tensor,
    ord: float | None = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Mask = None,
) -> Tensor:
    """The norm of the vector of the elements that the mask keeps.

    >>> wend.masked.norm(wend.tensor([3.0, 9.0, 4.0]), mask=wend.tensor([True, False, True]))
    tensor(5.)
    """
    filled = _filled(input, mask, _inf if ord == -_inf else 0)
    return wend.linalg.vector_norm(
        filled,
        2.0 if ord is None else ord,
        _dims(dim, input.dim()),
        bool(keepdim),
        dtype=dtype or input.dtype,
    )


def _variance(
    input: Tensor,
    dim: Dims,
    unbiased: bool | None,
    correction: float | None,
    keepdim: bool | None,
    dtype: Any,
    mask: Mask,
) -> Tensor:
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 0.0 if unbiased is False else 1.0
    dtype = dtype or (input.dtype if input.is_floating_point() else _types.float32)
    compute = dtype if dtype.is_floating_point else _types.float32
    count = _count(input, dim, True, mask)
    middle = sum(input, dim, keepdim=True, dtype=dtype, mask=mask) / count
    total = sum((input - middle).square(), dim, keepdim=keepdim, dtype=compute, mask=mask)
    count = count.reshape(total.shape)
    if correction:
        count = (count.to(compute) - correction).clamp(min=0)
    return (total / count).to(dtype)


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Mask = None,
) -> Tensor:
    """The variance of the elements that the mask keeps.

    >>> wend.masked.var(wend.tensor([1.0, 9.0, 3.0]), mask=wend.tensor([True, False, True]))
    tensor(2.)
    """
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool | None = False,
    dtype: Any = None,
    mask: Mask = None,
) -> Tensor:
    """The standard deviation of the elements that the mask keeps.

    >>> wend.masked.std(wend.tensor([1.0, 9.0, 3.0]), mask=wend.tensor([True, False, True]))
    tensor(1.4142)
    """
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()


def softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Mask = None) -> Tensor:
    """softmax of the elements that the mask keeps; the others are 0.

    >>> wend.masked.softmax(wend.zeros(3), 0, mask=wend.tensor([True, False, True]))
    tensor([0.5000, 0.0000, 0.5000])
    """
    (dim,) = _dims(dim, input.dim())
    return _filled(input, mask, _least(input.dtype)).softmax(dim, dtype or input.dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Mask = None) -> Tensor:
    """The logarithm of softmax of the elements that the mask keeps; the others are -inf.

    >>> wend.masked.log_softmax(wend.zeros(3), 0, mask=wend.tensor([True, False, True]))
    tensor([-0.6931,    -inf, -0.6931])
    """
    (dim,) = _dims(dim, input.dim())
    return _filled(input, mask, _least(input.dtype)).log_softmax(dim, dtype or input.dtype)


def softmin(input: Tensor, dim: int, *, dtype: Any = None, mask: Mask = None) -> Tensor:
    """softmax of the negated elements that the mask keeps; the others are 0.

    >>> wend.masked.softmin(wend.zeros(3), 0, mask=wend.tensor([True, False, True]))
    tensor([0.5000, 0.0000, 0.5000])
    """
    (dim,) = _dims(dim, input.dim())
    return (-_filled(input, mask, _greatest(input.dtype))).softmax(dim, dtype or input.dtype)


def normalize(
    input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Mask = None
) -> Tensor:
    """The elements that the mask keeps over their norm, or eps; the others are 0.

    >>> keep = wend.tensor([True, False, True])
    >>> wend.masked.normalize(wend.tensor([3.0, 9.0, 4.0]), 2, 0, mask=keep)
    tensor([0.6000, 0.0000, 0.8000])
    """
    length = norm(input, ord, dim, keepdim=True, dtype=dtype or input.dtype, mask=mask)
    return _filled(input, mask, 0) / _C.maximum(length, length.new_full((), eps))
