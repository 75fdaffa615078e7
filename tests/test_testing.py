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
