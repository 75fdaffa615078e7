"""Functions of nn.functional over images that are written in Python agree with PyTorch."""

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

import wend

torch = pytest.importorskip("torch")

RANDOM = np.random.default_rng(0)


def agree(call: Any, *arrays: np.ndarray, rtol: float = 1e-7) -> None:
    """Require PyTorch's result, and its gradients of both orders for every array."""
    results = []
    for T in (torch, wend):
        leaves = [T.tensor(a, requires_grad=True) for a in arrays]
        with warnings.catch_warnings(action="ignore"):
            out = call(T.nn.functional, *leaves)
        weights = T.linspace(0.5, 1.5, out.numel(), dtype=out.dtype).reshape(out.shape)
        first = T.autograd.grad((out * weights).sin().sum(), leaves, create_graph=True)
        bent = sum((g * g).sum() for g in first)
        second = T.autograd.grad(bent, leaves)
        results.append([each.detach().numpy() for each in (out, *first, *second)])
    for expected, got in zip(*results, strict=True):
        np.testing.assert_allclose(got, expected, rtol, rtol)


SIZES = [{"size": 7}, {"size": 2}, {"scale_factor": 1.7}, {"scale_factor": 0.6}]
MODES = [
    *((mode, n, None) for mode in ("nearest", "nearest-exact", "area") for n in (1, 2, 3)),
    *(
        (mode, n, align)
        for mode, n in (("linear", 1), ("bilinear", 2), ("trilinear", 3), ("bicubic", 2))
        for align in (False, True)
    ),
]


@pytest.mark.parametrize(("mode", "n", "align"), MODES)
@pytest.mark.parametrize("to", SIZES, ids=str)
@pytest.mark.parametrize("recompute", [False, True])
def test_interpolate(
    mode: str, n: int, align: bool | None, to: dict[str, Any], recompute: bool
) -> None:
    if "size" in to and recompute:
        return
    x = RANDOM.normal(size=(2, 2, 4, 5, 3)[: n + 2])
    options: Any = {"mode": mode, "align_corners": align, **to}
    if "scale_factor" in to:
        options["recompute_scale_factor"] = recompute
    agree(lambda F, x: F.interpolate(x, **options), x)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("size", [(3, 4), (9, 2), (12, 11)])
def test_interpolate_against_aliasing(mode: str, size: tuple[int, int]) -> None:
    x = RANDOM.normal(size=(2, 2, 8, 9))
    agree(lambda F, x: F.interpolate(x, size, mode=mode, antialias=True), x)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize(
    ("mode", "n"), [("bilinear", 2), ("nearest", 2), ("bilinear", 3), ("nearest", 3)]
)
def test_grid_sample(mode: str, n: int, padding: str, align: bool) -> None:
    x = RANDOM.normal(size=(2, 3, 4, 5, 3)[: n + 2])
    grid = RANDOM.uniform(-1.6, 1.6, size=(2, *(3, 2, 4)[:n], n))

    def first_order(T: Any) -> list[Any]:
        leaves = [T.tensor(a, requires_grad=True) for a in (x, grid)]
        out = T.nn.functional.grid_sample(*leaves, mode, padding, align)
        grads = T.autograd.grad(out.sin().sum(), leaves, allow_unused=True)
        return [out, *(g if g is not None else T.zeros(1) for g in grads)]

    for expected, got in zip(first_order(torch), first_order(wend), strict=True):
        theirs, mine = expected.detach().numpy(), got.detach().numpy()
        if not theirs.any():
            assert not mine.any()
        else:
            np.testing.assert_allclose(mine, theirs, 1e-7, 1e-7)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [False, True])
def test_grid_sample_of_third_degree(padding: str, align: bool) -> None:
    x = RANDOM.normal(size=(2, 3, 4, 5))
    grid = RANDOM.uniform(-1.2, 1.2, size=(2, 3, 2, 2))
    outs = [
        T.nn.functional.grid_sample(T.tensor(x), T.tensor(grid), "bicubic", padding, align)
        for T in (torch, wend)
    ]
    np.testing.assert_allclose(outs[1].numpy(), outs[0].numpy(), 1e-7, 1e-7)


@pytest.mark.parametrize(("n", "align"), [*itertools.product((2, 3), (False, True))])
def test_affine_grid(n: int, align: bool) -> None:
    theta = RANDOM.normal(size=(2, n, n + 1))
    agree(lambda F, t: F.affine_grid(t, (2, 1, 3, 1, 4)[: n + 2], align_corners=align), theta)


@pytest.mark.parametrize("p", [0.7, 1, 2, 3, float("inf")])
def test_pdist(p: float) -> None:
    x = RANDOM.normal(size=(4, 3))
    results = []
    for T in (torch, wend):
        leaf = T.tensor(x, requires_grad=True)
        out = T.nn.functional.pdist(leaf, p)
        out.sin().sum().backward()
        results.append((out.detach().numpy(), leaf.grad.numpy()))
    for expected, got in zip(*results, strict=True):
        np.testing.assert_allclose(got, expected, 1e-7)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_unpooling_puts_maxima_back(n: int) -> None:
    x = RANDOM.normal(size=(2, 2, 4, 6, 5)[: n + 2])

    def there_and_back(F: Any, x: Any) -> Any:
        values, places = getattr(F, f"max_pool{n}d")(x, 2, return_indices=True)
        return getattr(F, f"max_unpool{n}d")(values, places, 2, output_size=x.shape[2:])

    agree(there_and_back, x)


@pytest.mark.parametrize("channels_last", [False, True])
def test_many_small_images_are_convolved_and_pooled_as_one_batch(channels_last: bool) -> None:
    weight = wend.randn(3, 2, 3, 3, requires_grad=True)
    images = [wend.randn(1, 2, 6, 6) for _ in range(8)]
    if channels_last:
        images = [each.to(memory_format=wend.channels_last) for each in images]
    F = wend.nn.functional

    def total() -> Any:
        return sum(F.max_pool2d(F.conv2d(x, weight, padding=1).relu(), 2).sum() for x in images)

    with wend.report() as ran:
        expected = total()
        (batched,) = wend.autograd.grad(expected, [weight])
    assert ran.batches > 0
    with wend.eager():
        (alone,) = wend.autograd.grad(total(), [weight])
    np.testing.assert_allclose(batched.numpy(), alone.numpy(), 1e-4, 1e-4)
