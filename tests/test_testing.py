"""wend.testing.assert_close accepts and refuses what PyTorch's does, in the same words."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from both import torch, wend

Case = Callable[[Any], tuple[Any, ...]]
nan = float("nan")

EQUAL: dict[str, Case] = {
    "tensors": lambda T: (T.tensor([1.0, 2.0]), T.tensor([1.0, 2.0 + 1e-7])),
    "numbers": lambda T: (1.0, 1.0 + 1e-8),
    "tuple and list": lambda T: ((1.0, 2), [1.0, 2]),
    "nan": lambda T: (T.tensor(nan), T.tensor(nan), {"equal_nan": True}),
    "dtypes": lambda T: (T.ones(2), T.ones(2).double(), {"check_dtype": False}),
    "loosely": lambda T: (T.ones(2), T.ones(2) * 1.1, {"rtol": 0.2, "atol": 0}),
    "arrays": lambda T: (np.ones(2), np.ones(2)),
    "strides": lambda T: (T.ones(2, 3), T.ones(3, 2).t()),
    "halves": lambda T: (T.ones(2).half(), T.ones(2).half() * 1.0005),
}
DIFFERENT: dict[str, Case] = {
    "tensors": lambda T: (T.tensor([1.0, 2.0, 3.0]), T.tensor([1.0, 2.5, 4.0])),
    "matrices": lambda T: (T.eye(3), T.eye(3).flip(0)),
    "integers": lambda T: (T.tensor([1, 2]), T.tensor([1, 3])),
    "truths": lambda T: (T.tensor([True]), T.tensor([False])),
    "numbers": lambda T: (1.0, 2.0),
    "whole numbers": lambda T: (1, 2),
    "booleans": lambda T: (True, False),
    "shapes": lambda T: (T.ones(2), T.ones(3)),
    "dtypes": lambda T: (T.ones(2), T.ones(2).double()),
    "strides": lambda T: (T.ones(2, 3), T.ones(3, 2).t(), {"check_stride": True}),
    "lists": lambda T: ([1.0, 2.0], [1.0, 3.0]),
    "dicts": lambda T: ({"a": [T.ones(1)]}, {"a": [T.zeros(1)]}),
    "keys": lambda T: ({"a": 1.0}, {"b": 1.0}),
    "lengths": lambda T: ([1.0], [1.0, 2.0]),
    "nan": lambda T: (T.tensor(nan), T.tensor(nan)),
    "exactly": lambda T: (T.ones(1), T.ones(1) + 1e-6, {"rtol": 0, "atol": 0}),
    "said so": lambda T: (1, 2, {"msg": "no"}),
    "said more": lambda T: (1, 2, {"msg": lambda text: "no: " + text}),
    "one tolerance": lambda T: (1.0, 1.0, {"rtol": 0.1}),
}


def answer(T: Any, case: Case) -> str | None:
    """What the comparison of a case says."""
    *pair, options = [*case(T), {}] if not isinstance(case(T)[-1], dict) else case(T)
    if len(pair) == 1:
        pair, options = list(case(T)), {}
    try:
        T.testing.assert_close(*pair, **options)
    except (AssertionError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize("name", EQUAL)
def test_what_is_close_passes(name: str) -> None:
    assert [answer(T, EQUAL[name]) for T in (torch, wend)] == [None, None]


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_is_not_is_described(name: str) -> None:
    theirs, ours = (answer(T, DIFFERENT[name]) for T in (torch, wend))
    assert theirs is not None
    assert ours == theirs


@pytest.mark.parametrize("pair", [("a", "b"), (1.0, "b"), ([1.0], 1.0)])
def test_what_cannot_be_compared_is_refused(pair: Any) -> None:
    for T in (torch, wend):
        with pytest.raises(TypeError, match="No comparison pair was able to handle inputs of type"):
            T.testing.assert_close(*pair)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "uint8", "bool"])
def test_tensors_are_made_with_elements_in_bounds(dtype: str) -> None:
    kind = getattr(wend, dtype)
    made = wend.testing.make_tensor((40, 5), dtype=kind, device="cpu")
    usual = torch.testing.make_tensor((400, 5), dtype=getattr(torch, dtype), device="cpu")
    assert made.dtype is kind
    assert made.float().min() >= usual.float().min().item() - 0.1
    assert made.float().max() <= usual.float().max().item() + 0.1
    assert len(made.unique()) > 1
    apart = wend.testing.make_tensor(3, 4, dtype=kind, device="cpu", noncontiguous=True)
    assert (apart.shape, apart.is_contiguous()) == ((3, 4), False)
    no_zero = wend.testing.make_tensor(500, dtype=kind, device="cpu", low=0, exclude_zero=True)
    assert bool((no_zero != 0).all())


def test_tensors_are_made_from_the_largest_numbers() -> None:
    for kind in (wend.float64, wend.float16):
        least, most = wend.finfo(kind).min, wend.finfo(kind).max
        made = wend.testing.make_tensor(99, dtype=kind, device="cpu", low=least, high=most)
        assert bool(made.isfinite().all())
        assert bool((made < 0).any())
        assert bool((made > 0).any())
    assert wend.testing.make_tensor(2, dtype=wend.float32, device="cpu", requires_grad=True).is_leaf


@pytest.mark.parametrize(
    ("dtype", "options"),
    [
        ("int64", {"low": 5, "high": 5}),
        ("int64", {"requires_grad": True}),
        ("float32", {"low": nan}),
        ("float32", {"low": 3, "high": 2}),
        ("uint8", {"low": 300, "high": 400}),
    ],
)
def test_tensors_that_cannot_be_made(dtype: str, options: dict[str, Any]) -> None:
    said = []
    for T in (torch, wend):
        with pytest.raises(ValueError, match=r".") as error:
            T.testing.make_tensor(2, dtype=getattr(T, dtype), device="cpu", **options)
        said.append(str(error.value))
    assert said[0] == said[1]


def test_allclose_is_asserted_with_wider_bounds() -> None:
    for T in (torch, wend):
        with pytest.warns(FutureWarning, match="assert_allclose"):
            T.testing.assert_allclose(T.ones(2), [1.0, 1.0 + 5e-5])
        with pytest.warns(FutureWarning), pytest.raises(AssertionError):
            T.testing.assert_allclose(T.ones(2), [1.0, 1.1])
