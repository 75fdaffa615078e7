"""A weight that is the right side of many products is turned once, and never out of date."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wend


def products(x: Any, w: Any) -> None:
    """Enough of them for the weight to be known."""
    for _ in range(3):
        right = x.numpy() @ np.array(w.tolist(), np.float32).T
        assert np.allclose((x @ w.t()).numpy(), right, atol=1e-4)


def write_in_place(w: Any) -> None:
    w.mul_(2)


def write_an_element(w: Any) -> None:
    w[3, 5] = 7.0


def write_by_another_name(w: Any) -> None:
    w.data.add_(1)


def write_from_outside(w: Any) -> None:
    w.numpy()[:] += 3


def write_from_outside_through_a_view(w: Any) -> None:
    w[2:5].numpy()[:] = 0.5


def write_by_dlpack(w: Any) -> None:
    np.from_dlpack(w.detach())
    array = w.detach().numpy()
    array *= 0.25


WRITES: list[Callable[[Any], None]] = [
    write_in_place,
    write_an_element,
    write_by_another_name,
    write_from_outside,
    write_from_outside_through_a_view,
    write_by_dlpack,
]


@pytest.mark.parametrize("again", WRITES)
@pytest.mark.parametrize("write", WRITES)
def test_a_weight_that_was_written_is_read_anew(
    write: Callable[[Any], None], again: Callable[[Any], None]
) -> None:
    wend.manual_seed(1)
    x, w = wend.randn(24, 96), wend.randn(80, 96)
    products(x, w)
    write(w)
    products(x, w)
    again(w)
    products(x, w)


@pytest.mark.parametrize("dtype", [wend.float32, wend.float64])
@pytest.mark.parametrize(("rows", "k", "n"), [(17, 64, 64), (33, 257, 19), (48, 100, 333)])
def test_products_are_the_same_to_the_bit_however_often(
    dtype: wend.dtype, rows: int, k: int, n: int
) -> None:
    x, w = wend.randn(rows, k, dtype=dtype), wend.randn(n, k, dtype=dtype)
    wend._C._empty_cache()
    first = (x @ w.t()).tolist()
    for _ in range(3):
        assert (x @ w.t()).tolist() == first
    assert wend.nn.functional.linear(x, w).tolist() == first


def test_many_weights_take_turns() -> None:
    x = wend.randn(20, 64)
    weights = [wend.randn(70 + i, 64) for i in range(12)]
    expected = [x.numpy() @ w.numpy().copy().T for w in weights]
    for _ in range(3):
        for w, right in zip(weights, expected, strict=True):
            fresh = w.clone()
            assert np.allclose((x @ fresh.t()).numpy(), right, atol=1e-4)
            assert np.allclose((x @ fresh.t()).numpy(), right, atol=1e-4)


def test_the_turned_copy_goes_with_the_cache() -> None:
    x, w = wend.randn(64, 512), wend.randn(512, 512)
    for _ in range(3):
        (x @ w.t()).sum().item()
    wend.empty_cache()
    assert np.allclose((x @ w.t()).numpy(), x.numpy() @ w.numpy().T, atol=1e-3)
