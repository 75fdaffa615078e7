"""Membership is PyTorch's, for every dtype and for numbers on either side."""

from typing import Any

import pytest
from both import compare, error_of

import wend

torch = pytest.importorskip("torch")

DTYPES = ["uint8", "int16", "int64", "float16", "bfloat16", "float32", "float64"]


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_elements_are_found_among_others(first: str, second: str, invert: bool) -> None:
    def found(T: Any) -> Any:
        elements = T.tensor([[1, 2, 3], [7, 0, 2]], dtype=getattr(T, first))
        among = T.tensor([[2, 5], [7, 7]], dtype=getattr(T, second))
        return T.isin(elements, among, invert=invert)

    compare(found(torch), found(wend))


@pytest.mark.parametrize(
    "values",
    [
        ([1.0, float("nan")], [float("nan"), 1.0]),
        ([], [1.0]),
        ([1.0, 2.0], []),
        ([1.0, 2.0], 2),
        (2.0, [1.0, 2.0]),
    ],
)
def test_nan_nothing_and_numbers(values: Any) -> None:
    def found(T: Any) -> Any:
        return T.isin(*(T.tensor(v) if isinstance(v, list) else v for v in values))

    compare(found(torch), found(wend))


@pytest.mark.parametrize("values", [(1, 2), ([True], [False])])
def test_what_has_no_members_is_refused(values: Any) -> None:
    def refused(T: Any) -> str:
        made = [T.tensor(v) if isinstance(v, list) else v for v in values]
        return error_of(lambda: T.isin(*made))

    assert refused(wend) == refused(torch)


@pytest.mark.parametrize("size", [(2, 3), (1, 3), (3,), (2, 1), (1,), (), (2,), (1, 2, 3)])
def test_sum_to_size_undoes_broadcasting(size: tuple[int, ...]) -> None:
    def summed(T: Any) -> Any:
        x = T.arange(6.0).reshape(2, 3).requires_grad_()
        try:
            y = x.sum_to_size(size)
        except RuntimeError as error:
            return str(error).splitlines()[0]
        y.sum().backward()
        return y, x.grad, x.sum_to_size(*size) if size else y

    compare(summed(torch), summed(wend))
