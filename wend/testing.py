"""assert_close: are two tensors, numbers or containers of them equal up to rounding?

Tensors with random elements are _made_tensors'.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import wend
from wend._C import Tensor
from wend._made_tensors import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

# Relative and absolute, by dtype; others are to be equal.
_TOLERANCES = {
    wend.float16: (1e-3, 1e-5),
    wend.bfloat16: (1.6e-2, 1e-5),
    wend.float32: (1.3e-6, 1e-5),
    wend.float64: (1e-7, 1e-7),
}


class _Comparison:
    """What to look at, and how closely."""

    def __init__(self, rtol: float | None, atol: float | None, **asked: bool) -> None:
        if (rtol is None) != (atol is None):
            missing = "rtol" if rtol is None else "atol"
            raise ValueError(
                f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
            )
        self.rtol, self.atol, self.asked = rtol, atol, asked

    def problem(self, actual: Any, expected: Any, place: str = "") -> str | None:
        """What differs, in words; None if nothing does."""
        found = self._container(actual, expected, place)
        if found is not NotImplemented:
            return found  # type: ignore[no-any-return]
        if isinstance(actual, bool) and isinstance(expected, bool):
            text = None if actual is expected else f"Booleans mismatch: {actual} is not {expected}"
        elif isinstance(actual, (int, float)) and isinstance(expected, (int, float)):
            text = self._numbers(actual, expected)
        else:
            text = self._tensors(*_as_tensors(actual, expected))
        return text and text + (f"\n\nThe failure occurred for item {place}" if place else "")

    def _container(self, actual: Any, expected: Any, place: str) -> Any:
        if isinstance(actual, Mapping) and isinstance(expected, Mapping):
            missing, more = expected.keys() - actual.keys(), actual.keys() - expected.keys()
            if missing or more:
                return (
                    "The keys of the mappings do not match:\n"
                    f"Missing keys in the actual mapping: {sorted(missing)}\n"
                    f"Additional keys in the actual mapping: {sorted(more)}"
                )
            pairs = [(key, actual[key], expected[key]) for key in expected]
        elif all(isinstance(x, Sequence) and not isinstance(x, str) for x in (actual, expected)):
            if len(actual) != len(expected):
                sizes = f"{len(actual)} != {len(expected)}"
                return f"The length of the sequences mismatch: {sizes}"
            pairs = [(i, *each) for i, each in enumerate(zip(actual, expected, strict=True))]
        else:
            return NotImplemented
        found = (self.problem(a, e, f"{place}[{key!r}]") for key, a, e in pairs)
        return next((text for text in found if text), None)

    def _tolerances(self, *dtypes: Any) -> tuple[float, float]:
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        both = [_TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in dtypes]
        return max(each[0] for each in both), max(each[1] for each in both)

    def _numbers(self, actual: float, expected: float) -> str | None:
        exact = isinstance(actual, int) and isinstance(expected, int)
        dtype = wend.int64 if exact else wend.float64
        ours, theirs = (wend.tensor(each, dtype=dtype) for each in (actual, expected))
        return self._values(ours, theirs, *self._tolerances(dtype, dtype))

    def _tensors(self, actual: Tensor, expected: Tensor) -> str | None:
        for name in ("shape", "dtype", "stride"):
            values = [getattr(each, name) for each in (actual, expected)]
            values = [value() if callable(value) else value for value in values]
            if values[0] != values[1] and self.asked.get(f"check_{name}", True):
                shown = "stride()" if name == "stride" else name
                return (
                    f"The values for attribute '{shown}' do not match: {values[0]} != {values[1]}."
                )
        tolerances = self._tolerances(actual.dtype, expected.dtype)
        if actual.dtype is not expected.dtype:
            wider = wend.promote_types(actual.dtype, expected.dtype)
            actual, expected = actual.to(wider), expected.to(wider)
        return self._values(actual.detach(), expected.detach(), *tolerances)

    def _values(self, actual: Tensor, expected: Tensor, rtol: float, atol: float) -> str | None:
        near = wend.isclose(actual, expected, rtol, atol, self.asked["equal_nan"])
        if bool(near.all()):
            return None
        state = "equal" if rtol == atol == 0 else "close"
        if actual.dtype is wend.bool:
            actual, expected = actual.long(), expected.long()
        apart = (actual - expected).abs()
        share = apart / expected.abs()
        allowed = [f" (up to {each} allowed)" if state == "close" else "" for each in (atol, rtol)]
        if actual.dim() == 0:
            return (
                f"Scalars are not {state}!\n\n"
                f"Expected {expected.item()} but got {actual.item()}.\n"
                f"Absolute difference: {apart.item()}{allowed[0]}\n"
                f"Relative difference: {share.item()}{allowed[1]}"
            )
        return "\n".join(
            [
                f"Tensor-likes are not {state}!\n",
                _mismatched(near),
                f"Greatest absolute difference: {_largest(apart, near)}{allowed[0]}",
                f"Greatest relative difference: {_largest(share, near)}{allowed[1]}",
            ]
        )


def _as_tensors(actual: Any, expected: Any) -> tuple[Tensor, Tensor]:
    both = []
    for each in (actual, expected):
        if hasattr(each, "__array__") and not isinstance(each, Tensor):
            each = wend.as_tensor(each)
        both.append(each)
    if not all(isinstance(each, Tensor) for each in both):
        raise TypeError(
            f"No comparison pair was able to handle inputs of type {type(actual)} and "
            f"{type(expected)}."
        )
    return both[0], both[1]


def _mismatched(near: Tensor) -> str:
    count, whole = int((~near).sum()), near.numel()
    return f"Mismatched elements: {count} / {whole} ({count / whole:.1%})"


def _largest(difference: Tensor, near: Tensor) -> str:
    """The largest difference among elements that differ, and where it is."""
    considered = wend.where(near, wend.zeros_like(difference), difference)
    place = int(considered.argmax())
    index = tuple(int(each) for each in wend.unravel_index(wend.tensor(place), near.shape))
    return f"{difference.flatten()[place].item()} at index {index}"


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise AssertionError, which says what differs most and where, unless both are nearly equal.

    Tensors, numbers, arrays, and sequences and mappings of them. Tolerances follow the dtype.

    >>> wend.testing.assert_close(wend.tensor([1.0, 2.0]), wend.tensor([1.0, 2.0 + 1e-7]))
    """
    comparison = _Comparison(
        rtol, atol, equal_nan=equal_nan, check_dtype=check_dtype, check_stride=check_stride
    )
    if not allow_subclasses and type(actual) is not type(expected):
        raise TypeError(
            f"No comparison pair was able to handle inputs of type {type(actual)} and "
            f"{type(expected)}."
        )
    text = comparison.problem(actual, expected)
    if text is not None:
        raise AssertionError(msg(text) if callable(msg) else msg or text)


# What assert_allclose allows where nothing is said.
_OLD_TOLERANCES = {
    wend.float16: (1e-3, 1e-3),
    wend.float32: (1e-4, 1e-5),
    wend.float64: (1e-5, 1e-8),
}


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """Raise AssertionError unless both are nearly equal, as assert_close with other tolerances."""
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a "
        "future release. Please use `torch.testing.assert_close()` instead. You can find detailed "
        "upgrade instructions in https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=2,
    )
    actual = actual if isinstance(actual, Tensor) else wend.tensor(actual)
    if not isinstance(expected, Tensor):
        expected = wend.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        both = [_OLD_TOLERANCES.get(each.dtype, (0.0, 0.0)) for each in (actual, expected)]
        rtol, atol = (max(each) for each in zip(*both, strict=True))
    assert_close(
        actual,
        expected,
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_dtype=False,
        msg=msg or None,
    )
