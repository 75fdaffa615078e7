"""Operations that work element by element run in one pass: the same values, bit for bit, as one by
one, and PyTorch's gradients; nothing in between is allocated.
"""

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from both import STANDIN, compare, torch, wend
from ways import ASKED, Way, running

from wend._called import called

pytestmark = pytest.mark.skipif(bool(STANDIN), reason="PyTorch has no fusion to switch")

SIZES = (37, 130)  # of what a program computes; more elements than are left alone
# What is broadcast to them, and in which order it lies in memory.
OPERANDS: list[tuple[tuple[int, ...], str]] = [
    (SIZES, "rows"),
    (SIZES, "columns"),
    (SIZES, "every other"),
    (SIZES, "rows"),
    ((130,), "rows"),
    ((37, 1), "rows"),
    ((1, 130), "rows"),
    ((), "rows"),
    ((1, 1), "rows"),
]

Run = Callable[[Any, int], Any]


def operand(T: Any, source: np.random.RandomState, index: int, dtype: str) -> Any:
    sizes, order = OPERANDS[index]
    grad = dtype.startswith(("float", "bfloat")) and index % 2 == 0
    doubled = (*sizes[:-1], 2 * sizes[-1]) if order == "every other" else sizes
    values = source.uniform(-2, 2, doubled[::-1] if order == "columns" else doubled)
    leaf = T.tensor(values.tolist()).to(getattr(T, dtype)).requires_grad_(grad)
    x = leaf.t() if order == "columns" else leaf[..., ::2] if order == "every other" else leaf
    return leaf, x


UNARY = ["tanh", "sigmoid", "exp", "relu", "neg", "sin", "abs", "square"]
BINARY = ["add", "sub", "mul", "maximum", "div"]
REDUCTIONS: list[Callable[[Any], Any]] = [
    lambda x: x.sum(),
    lambda x: x.mean(),
    lambda x: x.sum(1, keepdim=True),
    lambda x: x.mean(0, keepdim=True),
    lambda x: x.amax(1, keepdim=True),
    lambda x: x.sum((0, 1)),
    lambda x: x.max(),
]


class Program:
    """A random directed graph of operations over a few values, the same for every package."""

    def __init__(self, T: Any, seed: int) -> None:
        self.T, self.rng = T, random.Random(seed)
        source = np.random.RandomState(seed)
        self.dtype = self.rng.choice(["float32", "float32", "float64", "bfloat16"])
        chosen = [0, *self.rng.sample(range(1, len(OPERANDS)), 4)]
        made = [operand(T, source, i, self.dtype) for i in chosen]
        self.leaves = [leaf for leaf, _ in made if leaf.requires_grad]
        self.values = [x for _, x in made]
        self.kept: list[Any] = []

    def pick(self) -> Any:
        return self.rng.choice(self.values[-5:] + self.values[:2])

    def step(self) -> Any:
        rng, T, a, b = self.rng, self.T, self.pick(), self.pick()
        kind = rng.randrange(10)
        if kind < 3:
            a = a.clamp(-3, 3)
            return getattr(a, rng.choice(UNARY))()
        if kind < 6:
            name = rng.choice(BINARY)
            return getattr(a, name)(b * b + 1 if name == "div" else b)
        if kind == 6:
            return T.where(a > b, a, b * rng.choice([0.5, 2]))
        if kind == 7:
            return (a > rng.choice([0, 0.5])).to(a.dtype) * b
        if kind == 8:
            return (a.to(T.float64) * 0.3).to(a.dtype) + b.detach().to(T.float32).to(b.dtype)
        return (b * 2).clone().add_(a * 1).mul_(0.5) if b.shape == SIZES else a * 0.25 + b

    def run(self, steps: int = 14) -> list[Any]:
        for number in range(steps):
            value = self.step()
            if self.rng.random() < 0.15 and tuple(value.shape) == SIZES:
                value = value - self.rng.choice(REDUCTIONS)(value)
            self.values.append(value)
            if self.rng.random() < 0.25:
                self.kept.append(value)
            if number == steps // 2 and self.rng.random() < 0.3:
                self.kept.append(self.T.tensor(value.detach().double().sum().item()))
        last = self.values[-1] + self.values[-2] * self.values[0]
        return [*self.kept, last, *(reduce(last) for reduce in REDUCTIONS)]

    def gradients(self, results: list[Any]) -> list[Any]:
        T = self.T
        total = sum((r.to(T.float64).sum() for r in results if r.requires_grad), T.tensor(0.0))
        if not self.leaves or not total.requires_grad:
            return []
        if self.rng.random() < 0.3:
            first = T.autograd.grad(total, self.leaves, create_graph=True, allow_unused=True)
            slopes = [g.to(T.float64).square().sum() for g in first if g is not None]
            total = sum(slopes, T.tensor(0.0))
            # What they add up to is compared too: second derivatives are as exact as it is large.
            if not total.requires_grad:
                return [*first, total]
            return [*first, total, *T.autograd.grad(total, self.leaves, allow_unused=True)]
        return list(T.autograd.grad(total, self.leaves, allow_unused=True))


def outcome(T: Any, seed: int) -> tuple[list[Any], list[Any]]:
    """Results and gradients."""
    program = Program(T, seed)
    results = program.run()
    gradients = program.gradients(results)

    def seen(values: list[Any]) -> list[Any]:
        return [None if t is None else t.detach().to(T.float64) for t in values]

    return seen(results), seen(gradients)


def alone(function: Callable[..., Any], *arguments: Any) -> Any:
    with wend.fusion(False), wend.batching(False):
        return function(*arguments)


def bits(values: list[Any]) -> list[Any]:
    return [None if v is None else v.numpy().tobytes() for v in values]


def some_way(seed: int) -> Way:
    rng = random.Random(seed)
    return Way(
        batching=rng.random() < 0.5,
        launching=rng.random() < 0.5,
        fuses_from=rng.choice([1, 200, 1024]),
        nodes=rng.choice([3, 7, 50, 1000]),
        bytes=rng.choice([1 << 12, 1 << 18, 1 << 26]),
    )


ROUNDING = {"bfloat16": 4e-3, "float32": 6e-8, "float64": 1e-16}


def require_close(ours: Any, theirs: Any, dtype: str, tolerance: float) -> None:
    """Within the tolerance, and within what is lost where large numbers add up to a small one."""
    largest = max(abs(t.numpy()).max() for part in theirs for t in part if t is not None)
    for one, other in zip([*ours[0], *ours[1]], [*theirs[0], *theirs[1]], strict=True):
        assert (one is None) == (other is None)
        if one is None:
            continue
        a, b = one.numpy(), other.numpy()
        assert a.shape == b.shape
        within = tolerance * max(1, abs(b).max()) + 20 * ROUNDING[dtype] * largest
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=within)


def require_same(ours: Any, theirs: Any, dtype: str) -> None:
    """To the bit, but for gradients that are added up in another order."""
    assert bits(ours[0]) == bits(theirs[0])
    require_close(ours, theirs, dtype, 100 * ROUNDING[dtype])


@pytest.mark.parametrize("seed", range(100, 100 + int(ASKED)) if ASKED else range(60))
def test_programs_give_the_same_fused_and_one_by_one_and_pytorchs(seed: int) -> None:
    expected = alone(outcome, wend, seed)
    with wend.report() as report, wend.batching(False):
        fused = outcome(wend, seed)
    assert report.fusions > 0
    dtype = Program(wend, seed).dtype
    require_same(fused, expected, dtype)
    tolerance = {"bfloat16": 0.3, "float32": 1e-3, "float64": 1e-8}[dtype]
    if dtype == "float64" or not ASKED:  # of many programs, in some rounding decides between ties
        require_close(fused, outcome(torch, seed), dtype, tolerance)
    way = some_way(seed)
    with running(way):
        got = outcome(wend, seed)
    # Sums of several at once are added up in another order than those of one.
    if way.batching:
        require_close(got, fused, dtype, tolerance)
    else:
        require_same(got, fused, dtype)


def test_a_chain_allocates_one_result_and_runs_one_kernel() -> None:
    x = wend.rand(1000, 1000)
    x.sum().item()
    with wend.report() as report:
        y = x
        for i in range(5):
            y = (y * 1.5 - i).tanh() if i % 2 else y + x
        y.sum(0)
        wend._C._run()
    assert (report.nodes, report.kernels, report.bytes) == (9, 1, x.nbytes)
    names = "add mul sub tanh add mul sub tanh add"
    assert report.fused_ops == {tuple(names.split()): 1}


def test_a_reduction_at_the_end_needs_no_memory_for_what_it_reduces() -> None:
    x, y = wend.rand(500, 1000), wend.rand(1000)
    (x.sum() + y.sum()).item()
    for reduce in REDUCTIONS[:-1]:
        with wend.report() as report:
            z = reduce((x - y).square() * 0.5)
            z.tolist()
        assert (report.kernels, report.bytes) == (1, z.nbytes)
        expected = alone(lambda r=reduce: r((x - y).square() * 0.5))
        assert z.tolist() == expected.tolist()


def gates(T: Any, x: Any) -> Any:
    """Parts of a tensor, what is made of them, and some of it side by side."""
    a, b, c, d = x.chunk(4, 1)
    state = a.sigmoid() * b.tanh() + c.sigmoid() * d
    return T.cat([state, state.tanh(), a, state, a.sigmoid()], 1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("width", [5, 64, 130, 300])
def test_what_is_put_together_is_written_there(width: int, dtype: str) -> None:
    values = np.random.RandomState(width).randn(37, 4 * width).tolist()

    def run(T: Any) -> list[Any]:
        x = T.tensor(values).to(getattr(T, dtype)).requires_grad_()
        y = gates(T, x)
        y.to(T.float32).square().sum().backward()
        return [t.detach().to(T.float32) for t in (y, x.grad)]

    with wend.batching(False):
        ours = run(wend)
    assert bits(ours) == bits(alone(run, wend))
    tolerance = 0.1 if dtype == "bfloat16" else 1e-4
    for mine, theirs in zip(ours, run(torch), strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), tolerance, tolerance)


def test_parts_that_are_made_for_a_whole_have_no_memory_of_their_own() -> None:
    x = wend.rand(100, 80)
    x.sum().item()
    with wend.report() as report:
        kept = x * 2
        y = wend.cat([kept, (x + 1).exp(), kept], 1)
        y[0, 0].item()
    assert (report.kernels, report.bytes) == (1, y.nbytes + x.nbytes)
    assert (y.numpy()[:, :80] == kept.numpy()).all()
    assert (y.numpy()[:, 160:] == kept.numpy()).all()


@pytest.mark.parametrize("width", [40, 128, 130, 300])
def test_rows_of_batches_are_read_where_they_lie(width: int) -> None:
    values = np.random.RandomState(width).randn(2, 64, width).astype("float32")
    order = np.random.RandomState(1).permutation(64)

    def run(T: Any) -> list[Any]:
        xs, ys = ([T.tensor(row) for row in value] for value in values)
        w = T.tensor(values[0][0], requires_grad=True)
        first = [T.tanh(x * w) for x in xs]
        other = [T.sin(y * w) for y in ys]
        total = T.stack([first[j] * other[i] + first[i] for i, j in enumerate(order)])
        total.square().sum().backward()
        return [total.detach(), w.grad]

    with wend.report() as report:
        ours = run(wend)
    assert any(called("gathered") in ops for ops in report.fused_ops)
    assert any(called("assembled") in ops for ops in report.fused_ops)
    with wend.fusion(False):
        assert bits(ours) == bits(run(wend))
    for mine, theirs in zip(ours, run(torch), strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), 1e-4, 1e-5)


def test_a_dead_operand_gives_its_memory() -> None:
    x = wend.rand(1000, 100)
    x.sum().item()
    expected = alone(lambda: (x * 2 + 1).tanh().tolist())
    with wend.report() as report:
        x.mul_(2).add_(1).tanh_()
        wend._C._run()
    assert (report.kernels, report.bytes, report.donated) == (1, 0, 1)
    assert x.tolist() == expected


def test_a_dead_operand_that_is_read_late_keeps_its_memory() -> None:
    x, y = wend.rand(100, 100), wend.rand(100, 100)
    (x + y).sum().item()
    a, b = x.numpy().copy(), y.numpy().copy()
    with wend.report() as report:
        first = x * 2
        second = (first + y).neg()
        third = second * x
        del x, y
        wend._C._run()
    assert report.fusions == 1
    assert (first.numpy() == a * 2).all()
    assert (second.numpy() == -(a * 2 + b)).all()
    assert (third.numpy() == -(a * 2 + b) * a).all()


def test_what_is_kept_is_written_and_the_rest_is_not() -> None:
    x = wend.rand(100, 100)
    x.sum().item()
    with wend.report() as report:
        kept = x * 2
        last = (kept + 1).exp() - 1
        last.sum().item()
    assert report.kernels == 1
    assert report.bytes == 2 * x.nbytes + 4
    assert (kept.numpy() == x.numpy() * 2).all()


def test_values_saved_for_the_way_back_are_kept() -> None:
    def program(T: Any) -> Any:
        x = T.linspace(-2, 2, 10000).reshape(100, 100).requires_grad_()
        y = ((x * 3).tanh() * x.exp()).sigmoid()
        (y * y).sum().backward()
        return x.grad

    compare(program(torch), program(wend))


def test_hooks_see_gradients_of_what_is_never_written() -> None:
    def program(T: Any) -> Any:
        x = T.linspace(-2, 2, 10000).requires_grad_()
        seen = []
        middle = x * 3
        middle.register_hook(lambda g: seen.append(g) or g * 2)
        y = (middle + 1).sin()
        del middle
        y.sum().backward()
        return x.grad, seen

    compare(program(torch), program(wend))


def test_views_of_members_are_of_their_values() -> None:
    def program(T: Any) -> Any:
        x = T.linspace(-2, 2, 10000).reshape(100, 100)
        y = (x * 2 + 1).abs()
        z = y.t()[3:60] + y[3:60].sum()
        return z * 2 - 1, y.reshape(-1)[::7] * 3

    compare(program(torch), program(wend))


@pytest.mark.parametrize("examples", [1, 20])
def test_the_way_back_leads_through_views_before_what_they_are_views_of(examples: int) -> None:
    def gradients(T: Any) -> list[Any]:
        xs = [T.linspace(-1, i, 2000).requires_grad_() for i in range(examples)]
        products = [x * x.tanh() for x in xs]
        views = [m[:1000] for m in products]
        sum(m.sum() for m in products).item()  # views have no reader yet, and do not run
        sum(v.tanh().sum() + (m * m).sum() for v, m in zip(views, products, strict=True)).backward()
        return [x.grad for x in xs]

    compare(gradients(torch), gradients(wend))


def test_memory_shared_with_numpy_is_read_when_the_operation_is_called() -> None:
    array = np.linspace(-2, 2, 10000, dtype=np.float32)
    x = wend.from_numpy(array)
    y = (x * 2 + 1).tanh()
    array[:] = 0
    expected = np.tanh(np.linspace(-2, 2, 10000, dtype=np.float32) * 2 + 1)
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-6)
    x.mul_(3).add_(1)
    assert (array == 1).all()


def test_integers_are_still_not_divided_by_zero() -> None:
    x = wend.arange(10000)
    y = (x * 2 + 1) // (x - 5)
    z = x * 3 + 1
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        (y + 1).tolist()
    assert z.tolist() == [3 * i + 1 for i in range(10000)]


def test_too_little_memory_leaves_everything_to_be_tried_again() -> None:
    x = wend.ones(1, 4096).exp()
    x.sum().item()
    with wend.laziness(bytes=1 << 62):
        y = x.expand(1 << 40, 4096) * 2
        z = y.tanh() + 1
        for _ in range(2):
            with pytest.raises(MemoryError, match=r"(?s)mul\(input: .* at .*test_fusion.py"):
                z[0, 0].item()
            assert [node.op for node in wend.graph(z) if node.state == "pending"][-1] == "add"
        del y, z
    assert (x * 2 + 1).tolist() == alone(lambda: (x * 2 + 1).tolist())


def test_empty_and_single_elements_are_as_ever() -> None:
    with wend.fusion(elements=1), wend.report() as report:
        assert (wend.zeros(0, 5) * 2 + 1).sum().item() == 0
        assert ((wend.zeros(()) + 2) * 3).item() == 6
        assert ((wend.zeros(1, 1) + 2) * 3).tolist() == [[6.0]]
    assert report.fusions == 2


def test_random_draws_do_not_depend_on_fusion() -> None:
    def program() -> Any:
        wend.manual_seed(3)
        x = wend.rand(100, 100)
        noise = wend.randn(100, 100)
        return wend.nn.functional.dropout(x * 2 + noise, 0.5) * 3 - noise

    assert (program().numpy() == alone(lambda: program().numpy())).all()


def test_the_number_of_threads_does_not_matter() -> None:
    x = wend.rand(700, 1000)
    bias = wend.rand(1000)

    def program() -> Any:
        y = ((x + bias).tanh() * x - 0.5).exp()
        return y.numpy().tobytes(), (y * 2 + bias).sum(1).numpy().tobytes()

    before = wend.get_num_threads()
    try:
        results = []
        for count in (1, 2, 5):
            wend.set_num_threads(count)
            results.append(program())
    finally:
        wend.set_num_threads(before)
    assert results[0] == results[1] == results[2]
    assert results[0] == alone(program)


def test_threads_may_record_while_others_run() -> None:
    errors: list[Exception] = []

    def work(seed: int) -> None:
        try:
            x = wend.full((300, 500), float(seed))
            for _ in range(10):
                y = ((x * 2 + 1) * 0.5 - 0.5).abs()
                assert (y.numpy() == seed).all()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_fusion_is_a_context_and_a_decorator() -> None:
    x = wend.rand(100, 100)
    x.sum().item()

    def fusions() -> int:
        with wend.report() as report:
            (x * 2 + 1).tolist()
        return report.fusions

    assert fusions() == 1
    with wend.fusion(False):
        assert fusions() == 0
        with wend.fusion():
            assert fusions() == 1
        assert fusions() == 0
    assert wend.fusion(False)(fusions)() == 0
    assert wend.fusion(elements=10001)(fusions)() == 0
    assert wend.fusion(elements=10000)(fusions)() == 1
    with pytest.raises(ValueError, match="must not be negative"):
        wend.fusion(elements=-1)


def test_a_report_divides_the_work_of_a_pass_among_its_lines() -> None:
    x = wend.rand(100, 100)
    x.sum().item()
    with wend.report() as report:
        y = x * 2
        z = (y + 1).tanh()
        del y
        z.tolist()
    assert {work.name: work.calls for work in report.by_op} == {"mul": 1, "add": 1, "tanh": 1}
    assert {work.name: work.bytes for work in report.by_op}["tanh"] == x.nbytes
    assert len(report.by_line) == 2
    assert "3 fused in 1 pass" in report.explain()
