"""Pooling agrees with PyTorch for any windows, those included that lie in the padding alone."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from both import torch, wend

Numbers = tuple[int, int, int, int, int, bool]  # size, kernel, stride, padding, dilation, ceil_mode


def windows(n: int) -> Iterator[Numbers]:
    sizes = range(1, 5) if n < 3 else range(2, 3)
    for size, kernel, stride in itertools.product(sizes, range(1, 4), range(1, 4)):
        for padding, dilation in itertools.product(range(2), range(1, 5)):
            for ceil in (False, True):
                yield size, kernel, stride, padding, dilation, ceil


def image(T: Any, n: int, size: int, dtype: str) -> Any:
    sizes = [1, 2, size, size + 1, 2][: n + 2]
    x = T.arange(1, 1 + int(torch.tensor(sizes).prod())).flip(0).reshape(sizes)
    return x.to(getattr(T, dtype))


def pooled(T: Any, n: int, at: Numbers, *, indices: bool, dtype: str = "float64") -> list[Any]:
    size, kernel, stride, padding, dilation, ceil = at
    pool = getattr(T.nn.functional, f"max_pool{n}d")
    x = image(T, n, size, dtype)
    try:
        out = pool(x, kernel, stride, padding, dilation, ceil, return_indices=indices)
    except RuntimeError:
        return ["refused"]
    return [each.tolist() for each in (out if indices else [out])]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_largest_of_no_elements_is_as_low_as_can_be(n: int) -> None:
    for at in windows(n):
        for indices in (False, True):
            assert pooled(wend, n, at, indices=indices) == pooled(torch, n, at, indices=indices), at


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int64", "int32", "uint8"])
def test_it_is_of_any_dtype(dtype: str) -> None:
    for at in [(1, 2, 3, 1, 3, True), (3, 2, 4, 1, 4, False), (2, 2, 2, 1, 4, True)]:
        got = pooled(wend, 2, at, indices=True, dtype=dtype)
        assert got == pooled(torch, 2, at, indices=True, dtype=dtype)


@pytest.mark.parametrize("n", [1, 2])
def test_windows_without_elements_have_no_gradient(n: int) -> None:
    """PyTorch writes such a gradient to where the window would begin, beyond its memory."""
    for size, kernel, stride, padding, dilation, ceil in windows(n):
        x = image(wend, n, size, "float64").requires_grad_()
        pool = getattr(wend.nn.functional, f"max_pool{n}d")
        try:
            out, at = pool(x, kernel, stride, padding, dilation, ceil, return_indices=True)
        except RuntimeError:
            continue
        out.sum().backward()
        expected = wend.zeros_like(x).flatten(2)
        places, there = at.flatten(2), out.isfinite().flatten(2)
        expected.scatter_add_(2, places * there, there.to(x.dtype))
        assert wend.equal(x.grad.flatten(2), expected)


def averaged(T: Any, name: str, n: int, at: Numbers, count_pad: bool) -> list[Any]:
    size, kernel, stride, padding, _, ceil = at
    x = image(T, n, size, "float64").requires_grad_()
    pool = getattr(T.nn.functional, f"{name}{n}d")
    given = (3.0, kernel, stride) if name == "lp_pool" else (kernel, stride, padding)
    try:
        out = pool(x, *given, ceil) if name == "lp_pool" else pool(x, *given, ceil, count_pad)
    except RuntimeError:
        return []
    out.sum().backward()
    return [torch.tensor(out.tolist()), torch.tensor(x.grad.tolist())]


@pytest.mark.parametrize("name", ["avg_pool", "lp_pool"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_means_and_norms_agree_for_any_windows(name: str, n: int) -> None:
    for at in windows(n):
        if at[4] > 1:
            continue
        for count_pad in (False, True) if name == "avg_pool" else (False,):
            got, expected = (averaged(T, name, n, at, count_pad) for T in (wend, torch))
            assert len(got) == len(expected), at
            for a, b in zip(got, expected, strict=True):
                assert torch.allclose(a, b, equal_nan=True), at


def test_padding_beyond_half_of_the_kernel_is_refused() -> None:
    for n in (2, 3):
        said = []
        for T in (wend, torch):
            with pytest.raises(RuntimeError) as error:
                getattr(T.nn.functional, f"max_pool{n}d")(image(T, n, 3, "float32"), 2, 1, 2, 5)
            said.append(str(error.value).splitlines()[0])
        assert said[0] == said[1]
