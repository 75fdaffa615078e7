"""No reduction, norm or long sum is more than twice as far from float64 as PyTorch's.

Errors are relative to the largest result; below a few units in the last place all count as equal.
"""

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from both import torch, wend

Op = Callable[..., Any]
Dim = int | tuple[int, ...] | None

DATA = {
    "normal": lambda random, shape: random.standard_normal(shape),
    "positive": lambda random, shape: random.random(shape),
    "near 1000": lambda random, shape: 1000 + random.standard_normal(shape),
    "near 10000": lambda random, shape: 10000 + random.standard_normal(shape) / 10,
    "wide": lambda random, shape: numpy.exp(2 * random.standard_normal(shape)),
}
# The shape, what is reduced, and how it lies in memory.
LAYOUTS: dict[str, tuple[tuple[int, ...], Dim, Op]] = {
    "all": ((20003,), None, lambda x: x),
    "few": ((300,), 0, lambda x: x),
    "rows": ((9, 2000), 1, lambda x: x),
    "short rows": ((500, 7), 1, lambda x: x),
    "columns": ((1000, 20), 0, lambda x: x),
    "narrow columns": ((4000, 3), 0, lambda x: x),
    "wide columns": ((50, 400), 0, lambda x: x),
    "transposed": ((500, 40), 1, lambda x: x.t().contiguous().t()),
    "middle": ((6, 300, 20), 1, lambda x: x),
    "several": ((30, 20, 40), (0, 2), lambda x: x),
    "steps": ((30, 1000), 1, lambda x: x.repeat_interleave(2, 1)[:, ::2]),
    "repeated": ((30, 1), 1, lambda x: x.expand(30, 1000)),
}


# What has the rounding of each element's exponential in it may be a little further off.
LEAST = {"softmax": 4.0, "log_softmax": 4.0}


def last(dim: Dim) -> int:
    return dim[-1] if isinstance(dim, tuple) else dim or 0


REDUCTIONS: dict[str, Op] = {
    "sum": lambda torch, x, dim: x.sum(dim),
    "mean": lambda torch, x, dim: x.mean(dim),
    "fused sum": lambda torch, x, dim: (x * 2 + 1).abs().sum(dim),
    "nansum": lambda torch, x, dim: x.nansum(dim),
    "var": lambda torch, x, dim: x.var(dim),
    "std": lambda torch, x, dim: x.std(dim),
    "var_mean": lambda torch, x, dim: torch.cat([y.reshape(-1) for y in torch.var_mean(x, dim)]),
    "norm": lambda torch, x, dim: torch.linalg.vector_norm(x, 2, dim),
    "norm 1": lambda torch, x, dim: torch.linalg.vector_norm(x, 1, dim),
    "norm 3": lambda torch, x, dim: torch.linalg.vector_norm(x, 3, dim),
    "norm 1.5": lambda torch, x, dim: torch.linalg.vector_norm(x, 1.5, dim),
    "logsumexp": lambda torch, x, dim: x.logsumexp(0 if dim is None else dim),
    "prod": lambda torch, x, dim: x.prod(last(dim)),
    "cumsum": lambda torch, x, dim: x.cumsum(last(dim)),
    "softmax": lambda torch, x, dim: x.softmax(last(dim)),
    "log_softmax": lambda torch, x, dim: x.log_softmax(last(dim)),
    "normalize": lambda torch, x, dim: torch.nn.functional.normalize(x, dim=last(dim)),
    "trapezoid": lambda torch, x, dim: torch.trapezoid(x, dim=last(dim)),
}


def matrix(x: Any) -> Any:
    return x if x.ndim > 1 else x[None]


NORMS: dict[str, Op] = {
    "layer_norm": lambda torch, x: torch.nn.functional.layer_norm(x, x.shape[-1:]),
    "rms_norm": lambda torch, x: torch.nn.functional.rms_norm(x, x.shape[-1:]),
    "group_norm": lambda torch, x: torch.nn.functional.group_norm(matrix(x)[..., None], 1),
    "instance_norm": lambda torch, x: torch.nn.functional.instance_norm(matrix(x)[None]),
    "batch_norm": lambda torch, x: torch.nn.functional.batch_norm(
        matrix(x).mT, None, None, training=True
    ),
}
ROWS = {"long": (200_003,), "row": (4096,), "rows": (40, 1000), "short": (300, 7), "few": (4, 64)}

PRODUCTS: dict[str, Op] = {
    "matmul": lambda torch, x, y: x @ y.mT,
    "dot": lambda torch, x, y: x.reshape(-1) @ y.reshape(-1),
    "einsum": lambda torch, x, y: torch.einsum("ij,kj->ik", x, y),
    "mse_loss": lambda torch, x, y: torch.nn.functional.mse_loss(x, y),
    "cosine_similarity": lambda torch, x, y: torch.nn.functional.cosine_similarity(x, y),
    "pairwise_distance": lambda torch, x, y: torch.nn.functional.pairwise_distance(x, y),
    "cdist": lambda torch, x, y: torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist"),
    "cov": lambda torch, x, y: torch.cov(x),
    "corrcoef": lambda torch, x, y: torch.corrcoef(x),
    "index_add": lambda torch, x, y: torch.zeros(3, x.shape[1], dtype=x.dtype).index_add(
        0, torch.arange(x.shape[0]) % 3, x
    ),
    "avg_pool": lambda torch, x, y: torch.nn.functional.avg_pool1d(x[None], x.shape[1] // 2),
    "conv": lambda torch, x, y: torch.nn.functional.conv1d(x[None], y[None, :, :500]),
}


def far(result: Any, exact: Any) -> float:
    """How far a result is from the exact one, relative to the largest."""
    result, exact = (numpy.asarray(x.detach().double().numpy()) for x in (result, exact))
    largest = max(float(numpy.abs(exact).max()), 1e-30)
    return float(numpy.abs(result - exact).max()) / largest


def require_as_exact(f: Op, dtype: str, *arrays: Any, ulps: float = 2.0) -> None:
    """Require that wend's error is at most twice PyTorch's, or a few units in the last place."""

    def run(library: Any, computed: Any) -> Any:
        given = [library.tensor(a).to(getattr(library, dtype)).to(computed) for a in arrays]
        return f(library, *given)

    exact = run(torch, torch.float64)
    theirs = far(run(torch, getattr(torch, dtype)), exact)
    ours = far(run(wend, getattr(wend, dtype)), exact)
    allowed = max(2 * theirs, ulps * torch.finfo(getattr(torch, dtype)).eps)
    assert ours <= allowed, f"{ours:.1e} off, PyTorch {theirs:.1e}"


def gradient_of(f: Op) -> Op:
    def gradient(library: Any, *given: Any) -> Any:
        leaves = [x.detach().requires_grad_() for x in given]
        result = f(library, *leaves)
        weight = numpy.sin(numpy.arange(result.numel()) * 1.7 + 0.3).reshape(tuple(result.shape))
        found = library.autograd.grad(
            result, leaves, library.tensor(weight).to(result.dtype), allow_unused=True
        )
        return library.cat([g.reshape(-1) for g in found if g is not None])

    return gradient


def numbers(name: str, data: str, shape: tuple[int, ...], seed: int = 0) -> Any:
    made = DATA[data](numpy.random.default_rng(seed), shape)
    return 1 + made / (1000 * numpy.abs(made).max()) if name == "prod" else made


def reducing(name: str, layout: str) -> Op:
    _, dim, laid = LAYOUTS[layout]
    return lambda library, x: REDUCTIONS[name](library, laid(x), dim)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_is_as_exact_as_pytorch(name: str) -> None:
    for data in DATA:
        for layout in LAYOUTS:
            x = numbers(name, data, LAYOUTS[layout][0])
            require_as_exact(reducing(name, layout), "float32", x, ulps=LEAST.get(name, 2.0))


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_of_16_bit_floats_is_as_exact_as_pytorch(name: str) -> None:
    for data in ("normal", "near 1000"):
        for layout in ("rows", "columns"):
            x = numbers(name, data, LAYOUTS[layout][0])
            require_as_exact(reducing(name, layout), "bfloat16", x)


@pytest.mark.parametrize("name", ["sum", "var", "std", "norm", "softmax", "log_softmax", "prod"])
def test_the_gradient_of_a_reduction_is_as_exact_as_pytorch(name: str) -> None:
    for data in ("normal", "positive", "near 1000"):
        for key in ("few", "rows", "columns", "transposed"):
            x = numbers(name, data, LAYOUTS[key][0])
            require_as_exact(gradient_of(reducing(name, key)), "float32", x, ulps=4)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", NORMS)
def test_a_norm_is_as_exact_as_pytorch(name: str, dtype: str) -> None:
    for data in DATA:
        for shape in ROWS.values():
            require_as_exact(NORMS[name], dtype, numbers(name, data, shape))


def places(library: Any, n: int) -> Any:
    return library.arange(n) % 3


def gathered_slope(library: Any, x: Any) -> Any:
    table = library.zeros(3, x.shape[1], dtype=x.dtype, requires_grad=True)
    index = places(library, x.shape[0])[:, None].expand(*x.shape)
    return library.autograd.grad((table.gather(0, index) * x).sum(), table)[0]


# Many elements added, or multiplied, into few places.
COLLECTED: dict[str, Op] = {
    "scatter_add": lambda torch, x: torch.zeros(3, x.shape[1], dtype=x.dtype).scatter_add(
        0, places(torch, x.shape[0])[:, None].expand(*x.shape), x
    ),
    "scatter_add along": lambda torch, x: torch.zeros(x.shape[0], 3, dtype=x.dtype).scatter_add(
        1, places(torch, x.shape[1]).expand(*x.shape), x
    ),
    "scatter mean": lambda torch, x: torch.zeros(3, x.shape[1], dtype=x.dtype).scatter_reduce(
        0, places(torch, x.shape[0])[:, None].expand(*x.shape), x, "mean"
    ),
    "index_add": lambda torch, x: torch.ones(3, x.shape[1], dtype=x.dtype).index_add(
        0, places(torch, x.shape[0]), x
    ),
    "index_put": lambda torch, x: torch.zeros(3, x.shape[1], dtype=x.dtype).index_put(
        (places(torch, x.shape[0]),), x, accumulate=True
    ),
    "embedding_bag": lambda torch, x: torch.nn.functional.embedding_bag(
        torch.arange(x.shape[0]), x, torch.tensor([0, 5]), mode="sum"
    ),
    "bincount": lambda torch, x: torch.bincount(places(torch, x.numel()), x.reshape(-1)),
    "gather's gradient": gathered_slope,
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("name", COLLECTED)
def test_what_is_collected_is_as_exact_as_in_pytorch(name: str, dtype: str) -> None:
    for data in ("normal", "positive"):
        for shape in ((3000, 9), (20, 2000)):
            require_as_exact(COLLECTED[name], dtype, numbers(name, data, shape))


DISTANCES: dict[str, Op] = {
    "pdist": lambda torch, x: torch.nn.functional.pdist(x),
    "pdist 1": lambda torch, x: torch.nn.functional.pdist(x, 1.0),
    "pdist 3": lambda torch, x: torch.nn.functional.pdist(x, 3.0),
    "cdist": lambda torch, x: torch.cdist(x, x.flip(0) + 1),
    "cdist alone": lambda torch, x: torch.cdist(
        x, x.flip(0) + 1, compute_mode="donot_use_mm_for_euclid_dist"
    ),
}


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_and_their_gradients_are_as_exact_as_in_pytorch(name: str) -> None:
    for data in ("normal", "near 1000", "near 10000"):
        for shape in ((6, 5000), (20, 30), (40, 5)):
            if name == "cdist" and shape[0] > 25:
                continue  # by a product, which cancels in PyTorch, too
            x = numbers(name, data, shape)
            require_as_exact(DISTANCES[name], "float32", x)
            require_as_exact(gradient_of(DISTANCES[name]), "float32", x, ulps=8)


@pytest.mark.parametrize("name", NORMS)
def test_the_gradient_of_a_norm_is_as_exact_as_pytorch(name: str) -> None:
    for data in ("normal", "positive", "near 1000"):
        for shape in ((4096,), (40, 1000), (300, 7)):
            require_as_exact(
                gradient_of(NORMS[name]), "float32", numbers(name, data, shape), ulps=4
            )


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_long_sum_is_as_exact_as_pytorch(name: str) -> None:
    for data in ("positive", "near 1000", "wide"):
        x, y = (numbers(name, data, (8, 5000), seed) for seed in (1, 2))
        require_as_exact(PRODUCTS[name], "float32", x, y, ulps=4)


def test_statistics_that_run_along_are_as_exact_as_pytorch() -> None:
    def running(library: Any, x: Any) -> Any:
        mean, var = (library.zeros(x.shape[1], dtype=x.dtype) for _ in range(2))
        library.nn.functional.batch_norm(x, mean, var, training=True)
        return var

    for data in DATA:
        require_as_exact(running, "float32", numbers("var", data, (3000, 16)), ulps=3)


def test_results_are_the_same_on_any_number_of_threads_and_in_batches() -> None:
    rows = [wend.tensor(numbers("var", "near 10000", (3000,), i)).float() for i in range(16)]
    alone = []
    for row in rows:
        alone.append([row.sum().item(), row.var().item(), row.softmax(0)[0].item()])
    together = [[row.sum(), row.var(), row.softmax(0)[0]] for row in rows]
    for each, batch in zip(alone, together, strict=True):
        assert [x.item() for x in batch] == pytest.approx(each, rel=2.4e-7)
    big, found = wend.cat(rows * 30), set()
    before = wend.get_num_threads()
    try:
        for threads in (1, 2):
            wend.set_num_threads(threads)
            found.add((big.sum().item(), big.var().item(), big.norm().item()))
    finally:
        wend.set_num_threads(before)
    assert len(found) == 1
