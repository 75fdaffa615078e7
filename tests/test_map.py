"""wend.map: programs for one example, run together; reading a value suspends that example only.

Values and gradients are those of PyTorch's plain loop; counters say how much ran at once.
"""

import contextlib
import gc
import re
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from both import compare, torch
from ways import ALWAYS_WAIT

import wend

greenlet = pytest.importorskip("greenlet")


def mapped(T: Any, fn: Callable[..., Any], *iterables: Any, **options: Any) -> list[Any]:
    """The results of a plain loop, or in wend of a map."""
    if T is torch:
        return [fn(*arguments) for arguments in zip(*iterables, strict=True)]
    return wend.map(fn, *iterables, **options)


def alike(program: Callable[[Any], Any]) -> Callable[[], None]:
    """Make a test of a program that maps: it returns what the loop returns on PyTorch."""

    def test() -> None:
        compare(program(torch), program(wend))

    test.__doc__ = program.__doc__
    return test


@contextlib.contextmanager
def counted() -> Iterator[dict[str, int]]:
    before = wend._C._counters()
    counts: dict[str, int] = {}
    yield counts
    after = wend._C._counters()
    counts.update({name: after[name] - before[name] for name in after})


def suspended() -> list[Any]:
    """Greenlets that are in the middle of a function."""
    found = [thing for thing in gc.get_objects() if type(thing) is greenlet.greenlet]
    return [thing for thing in found if thing.gr_frame is not None]


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """Every fiber that a test makes ends with it, and the modes are what they were."""
    yield
    gc.collect()
    assert suspended() == []
    assert wend.is_grad_enabled()
    assert not wend.is_inference_mode_enabled()
    assert wend.get_default_dtype() is wend.float32


@pytest.fixture(autouse=True)
def _examples_wait(request: pytest.FixtureRequest) -> Iterator[None]:
    """Examples wait for each other however little they need, unless the test is about that."""
    if "by_themselves" in request.fixturenames:
        yield
        return
    costs = wend._C._set_waiting_costs(*ALWAYS_WAIT)
    yield
    wend._C._set_waiting_costs(*costs)


@pytest.fixture
def by_themselves() -> None:
    """Examples go on by themselves where to wait costs more."""


def inputs(T: Any, count: int = 40, size: int = 3) -> list[Any]:
    return [T.tensor([(7.0 * i + j) % 11 - 5 for j in range(size)]) for i in range(count)]


# Values


def collatz(x: Any) -> Any:
    """Takes as many steps as the value asks for."""
    steps = 0
    while x.sum() > 1 and steps < 50:
        x = x / 2 if int(x.sum()) % 2 == 0 else x * 0.75 - 0.125
        steps += 1
    return x, steps


@alike
def test_an_example_may_branch_on_what_it_reads(T: Any) -> Any:
    return mapped(T, collatz, inputs(T))


@alike
def test_every_way_of_reading_a_value(T: Any) -> Any:
    def read(x: Any) -> Any:
        y = x * 2 + 1
        found: list[Any] = [y.sum().item(), (y * 2).tolist(), bool((y + 1).sum() > 0)]
        found += [float(y.sum() - 1), int(y.sum() * 3), str((y - 1).abs())]
        found += [(y * 4).numpy().tolist(), (y + y).nonzero(), y[y > 0] * 2, (y > 1).any().item()]
        found += [[float(row) for row in y * y], T.equal(y, y * 1), y.unique()]
        return found

    return mapped(T, read, inputs(T))


@alike
def test_results_are_in_order_and_of_any_kind(T: Any) -> Any:
    def odd(i: int, x: Any) -> Any:
        if i % 3 == 0:
            return None
        return {"sum": x.sum().item(), "i": i} if i % 3 == 1 else x + i

    return mapped(T, odd, range(20), inputs(T, 20))


@alike
def test_rows_of_a_tensor_are_examples(T: Any) -> Any:
    x = T.arange(12.0).reshape(4, 3)
    return mapped(T, lambda row: (row.sum() * 2).item(), x)


# Gradients


def weights(T: Any) -> tuple[Any, Any]:
    w = T.tensor([[0.5, -0.25, 0.125], [0.75, 0.5, -0.5], [-0.125, 0.25, 1.0]], requires_grad=True)
    return w, T.tensor([0.1, -0.2, 0.3], requires_grad=True)


def step(x: Any, w: Any, b: Any) -> Any:
    h = x
    while h.abs().sum() > 1.5:
        h = ((h @ w + b).tanh() if h[0] > 0 else (h @ w - b).sigmoid()) * 0.75
    return (h * h).sum()


@alike
def test_gradients_after_the_map(T: Any) -> Any:
    w, b = weights(T)
    losses = mapped(T, lambda x: step(x, w, b), inputs(T))
    total = sum(losses)
    total.backward()
    return total, w.grad, b.grad


@alike
def test_backward_inside_an_example(T: Any) -> Any:
    w, b = weights(T)

    def learn(x: Any) -> float:
        loss = step(x, w, b)
        loss.backward()
        return loss.item()

    return mapped(T, learn, inputs(T)), w.grad, b.grad


@alike
def test_gradients_of_gradients_inside_an_example(T: Any) -> Any:
    def curvature(x: Any) -> Any:
        x = x.clone().requires_grad_()
        y = (x**3).sum() if x.sum() > 0 else (x.sin() * x).sum()
        (g,) = T.autograd.grad(y, x, create_graph=True)
        if g.sum() > 0:
            g = g * 2
        (h,) = T.autograd.grad(g.sum(), x)
        return g.detach(), h

    return mapped(T, curvature, inputs(T))


@alike
def test_hooks_and_functions_may_read_values(T: Any) -> Any:
    seen: list[float] = []

    class Half(T.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x / 2 if x.sum() > 0 else x / 4

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g / 2 if x.sum() > 0 else g / 4

    def hooked(x: Any) -> Any:
        x = x.clone().requires_grad_()
        y = Half.apply(x * 3)
        y.register_hook(lambda g: g * 2 if (g * y.detach()).sum() > 0 else g)
        x.register_hook(lambda g: seen.append(g.sum().item()))
        (y * y).sum().backward()
        return x.grad

    grads = mapped(T, hooked, inputs(T))
    return grads, sorted(seen)


@alike
def test_state_of_an_example_is_written_in_place(T: Any) -> Any:
    def states(x: Any) -> Any:
        state = T.zeros(3)
        for i in range(3):
            state[i] = x[i] * 2
            state.add_(1)
            if state[i] > 2:
                state[: i + 1].mul_(0.5)
        return state

    return mapped(T, states, inputs(T))


@alike
def test_saved_tensor_hooks_belong_to_their_example(T: Any) -> Any:
    def packed(x: Any) -> Any:
        x = x.clone().requires_grad_()
        calls = []
        with T.autograd.graph.saved_tensors_hooks(
            lambda t: calls.append(t.sum().item()) or t, lambda t: t
        ):
            y = (x * x).sum()
        y.item()
        z = (x.exp() * x).sum()
        (y + z).backward()
        return x.grad, len(calls)

    return mapped(T, packed, inputs(T, 12))


@alike
def test_errors_that_depend_on_values_are_those_of_the_example(T: Any) -> Any:
    def counts(i: int, x: Any) -> Any:
        try:
            return T.histc(x / (i % 2), 4, -5, 5), T.normal(x * 0, x.abs()).shape
        except RuntimeError as error:
            return str(error).splitlines()[0]

    return mapped(T, counts, range(20), inputs(T, 20))


@alike
def test_one_example_reads_what_another_made(T: Any) -> Any:
    made = [T.ones(3)]

    def chained(x: Any) -> Any:
        made.append(x * 2)
        return (made[0] * x).sum().item()

    return mapped(T, chained, inputs(T)), sum(made).tolist()


# How much runs at once


def test_examples_that_read_values_run_in_few_runs() -> None:
    xs = inputs(wend, 200)
    with counted() as counts:
        results = wend.map(collatz, xs)
    longest = max(steps for _, steps in results)
    assert counts["runs"] <= 2 * longest + 2
    assert counts["kernels"] * 5 < counts["nodes"]
    with counted() as plain:
        assert [steps for _, steps in map(collatz, xs)] == [steps for _, steps in results]
    assert plain["runs"] > 10 * counts["runs"]


def test_one_reading_is_one_run() -> None:
    xs = inputs(wend, 100)
    with counted() as counts:
        wend.map(lambda x: (x.exp() * 2).sum().item(), xs)
    assert counts["runs"] == 1
    assert counts["batches"] == 3
    assert counts["batched"] == 300


def test_backward_of_all_examples_runs_together() -> None:
    w, _ = weights(wend)

    def learn(x: Any) -> None:
        ((x @ w).tanh() ** 2).sum().backward()

    with counted() as counts:
        wend.map(learn, inputs(wend, 100))
    assert counts["runs"] == 2


def test_what_nobody_reads_is_not_run_by_the_map() -> None:
    with counted() as counts:
        wend.map(lambda x: x * 2, inputs(wend))
    assert counts["runs"] == 0


def test_nested_maps_run_together() -> None:
    xs = inputs(wend, 12)

    def row(x: Any) -> list[float]:
        return wend.map(lambda y: (x * y).sum().item(), xs)

    with counted() as counts:
        products = wend.map(row, xs)
    assert counts["runs"] == 1
    stacked = torch.stack(inputs(torch, 12))
    compare((stacked @ stacked.T).tolist(), products)


def test_a_nested_map_beside_examples_without_one() -> None:
    def program(T: Any) -> Any:
        def outer(i: int, x: Any) -> Any:
            if (x * i).sum() > 0:
                return mapped(T, lambda y: collatz(x + y), inputs(T, i % 4))
            return collatz(x)

        return mapped(T, outer, range(20), inputs(T, 20))

    compare(program(torch), program(wend))


# When it is not worth it to wait


def recurrent(T: Any, width: int) -> Callable[[Any], Any]:
    """Read a value at every step; how long a step takes depends on the width."""
    w = T.full((width, width), 0.5 / width, requires_grad=True)

    def steps(x: Any) -> Any:
        h = x
        for _ in range(4):
            h = (h @ w + x).tanh()
            if h.norm() > 1:
                h = h * 0.5
        return h.sum()

    return steps


def runs_of(width: int, count: int, grad: bool, **options: Any) -> int:
    xs = [wend.full((width,), 0.1 * i) for i in range(count)]
    steps = recurrent(wend, width)
    wend._C._run()
    with counted() as counts, wend.set_grad_enabled(grad):
        wend.map(steps, xs, **options)
    return counts["runs"]


@pytest.mark.usefixtures("by_themselves")
def test_an_example_that_needs_little_does_not_wait_for_the_others() -> None:
    assert runs_of(8, 50, grad=False) == 50 * 4
    order = []
    wend.map(lambda i: [order.append((i, (wend.ones(2) * i).sum().item())) for _ in "ab"], range(3))
    assert [i for i, _ in order] == [0, 0, 1, 1, 2, 2]


@pytest.mark.usefixtures("by_themselves")
def test_large_products_are_worth_waiting_for() -> None:
    assert runs_of(256, 50, grad=False) == 4


@pytest.mark.usefixtures("by_themselves")
def test_the_way_back_is_worth_waiting_for() -> None:
    wend.ones(1, requires_grad=True).sum().backward()
    assert runs_of(8, 50, grad=True) == 4
    # ... unless examples go back by themselves, one by one.
    w = wend.ones(2, requires_grad=True)
    wend.map(lambda i: (w * i).sum().backward(), range(3))
    assert runs_of(8, 50, grad=True) == 50 * 4


@pytest.mark.usefixtures("by_themselves")
@pytest.mark.parametrize(("count", "options"), [(1, {}), (3, {"in_flight": 1})])
def test_one_at_a_time_waits_for_nobody(count: int, options: dict[str, int]) -> None:
    assert runs_of(256, count, grad=True, **options) == 4 * count


@pytest.mark.usefixtures("by_themselves")
def test_two_examples_wait_only_for_much() -> None:
    assert runs_of(64, 2, grad=False) == 8
    assert runs_of(512, 2, grad=False) == 4


@pytest.mark.usefixtures("by_themselves")
def test_what_an_example_does_not_need_yet_still_runs_with_the_others() -> None:
    """Small values are read at once; the product waits for those of the other examples."""
    w = wend.full((128, 128), 0.01)

    def both(i: int) -> float:
        x = wend.full((128,), 0.01 * i)
        y = ((x @ w) @ w) @ w
        scale = 2.0 if (x[0] * 2).item() > 0.1 else 1.0
        return (y * scale).sum().item()

    with counted() as counts:
        found = wend.map(both, range(40))
    assert counts["runs"] == 40 + 1
    assert counts["batched"] >= 3 * 40
    wend._C._set_waiting_costs(*ALWAYS_WAIT)
    expected = wend.map(both, range(40))
    wend._C._set_waiting_costs(450, 400)
    compare(expected, found)


@pytest.mark.usefixtures("by_themselves")
@pytest.mark.parametrize("width", [8, 256])
def test_values_and_gradients_are_the_same_whether_examples_wait_or_not(width: int) -> None:
    def program(T: Any) -> Any:
        xs = [T.full((width,), 0.1 * i, requires_grad=True) for i in range(12)]
        total = sum(mapped(T, recurrent(T, width), xs))
        total.backward()
        return total, [x.grad for x in xs]

    compare(program(torch), program(wend))


@pytest.mark.usefixtures("by_themselves")
def test_errors_of_examples_that_do_not_wait() -> None:
    def divide(i: int) -> int:
        x = wend.tensor([6, 7])
        return int((x // (wend.tensor(2) - i)).sum().item())

    with pytest.raises(RuntimeError, match=r"ZeroDivisionError|division by zero|zero") as caught:
        wend.map(divide, range(4))
    assert caught.value.__notes__ == ["in example 2 of wend.map"]
    assert caught.value.results == {0: 6, 1: 13}  # type: ignore[attr-defined]


# Examples


def test_no_examples() -> None:
    assert wend.map(collatz, []) == []
    assert wend.map(collatz, iter(())) == []


def test_a_generator_of_examples_is_taken_as_needed() -> None:
    taken = 0
    ahead = []

    def examples() -> Iterator[Any]:
        nonlocal taken
        for x in inputs(wend, 50):
            taken += 1
            yield x

    done = 0

    def look(x: Any) -> float:
        nonlocal done
        ahead.append(taken - done)
        y = (x * 2).sum().item()
        done += 1
        return y

    expected = [(x * 2).sum().item() for x in inputs(torch, 50)]
    compare(expected, wend.map(look, examples(), in_flight=8))
    assert max(ahead) == 8


def test_a_generator_may_itself_read_values() -> None:
    def examples() -> Iterator[Any]:
        x = wend.tensor([1.0])
        while x.item() < 100:
            yield x
            x = x * 3

    assert wend.map(lambda x: x.item() + 1, examples(), in_flight=2) == [2.0, 4.0, 10.0, 28.0, 82.0]


@pytest.mark.parametrize("in_flight", [1, 7, 1024])
def test_thousands_of_examples(in_flight: int) -> None:
    def small(i: int) -> float:
        x = wend.tensor([float(i), 1.0])
        return (x * 2).sum().item() if x[0] > 1500 else (x + 1).sum().item()

    expected = [2.0 * i + 2 if i > 1500 else i + 3.0 for i in range(3000)]
    assert wend.map(small, range(3000), in_flight=in_flight) == expected


def test_iterables_of_different_lengths() -> None:
    with pytest.raises(ValueError, match="argument 2 is shorter than argument 1"):
        wend.map(lambda x, i: x.sum().item(), inputs(wend, 5), range(4))
    with pytest.raises(ValueError, match="argument 2 is longer than argument 1"):
        wend.map(lambda x, i: x.sum().item(), inputs(wend, 5), range(6), in_flight=2)


def test_bad_arguments() -> None:
    with pytest.raises(TypeError, match="not callable"):
        wend.map(3, [1])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="at least two arguments"):
        wend.map(collatz)
    with pytest.raises(TypeError, match="iter"):
        wend.map(collatz, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="in_flight must be positive, got 0"):
        wend.map(collatz, [], in_flight=0)
    with pytest.raises(TypeError, match="integer"):
        wend.map(collatz, [], in_flight=1.5)  # type: ignore[arg-type]


# Errors


def test_an_example_that_raises_ends_the_map() -> None:
    closed = []

    def fail_at_seven(i: int, x: Any) -> float:
        try:
            y = (x * i).sum().item()
            if i < 3:
                return float(i)
            if i == 7:
                raise KeyError("seven")
            return y + (x + 1).sum().item()
        finally:
            closed.append(i)
            assert (x * 0 + i).sum().item() == 3 * i

    xs = inputs(wend, 10)
    with pytest.raises(KeyError, match="seven") as caught:
        wend.map(fail_at_seven, range(10), xs)
    assert caught.value.__notes__ == ["in example 7 of wend.map"]
    assert caught.value.results == {0: 0.0, 1: 1.0, 2: 2.0}  # type: ignore[attr-defined]
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "fail_at_seven"
    assert sorted(closed) == list(range(10))


def test_what_an_example_raises_while_it_is_closed_is_noted() -> None:
    def stubborn(i: int) -> None:
        try:
            wend.ones(2).sum().item()
            if i == 1:
                raise ZeroDivisionError
            wend.ones(3).sum().item()
        finally:
            if i == 2:
                raise OSError("on the way out")

    with pytest.raises(ZeroDivisionError) as caught:
        wend.map(stubborn, range(4))
    assert caught.value.__notes__ == [
        "in example 1 of wend.map",
        "example 2 raised OSError('on the way out') while it was closed",
    ]


def test_the_error_of_a_nested_map_says_where_it_was() -> None:
    def inner(i: int, j: int) -> float:
        if (wend.ones(1) * (i + j)).item() == 5:
            raise ValueError("five")
        return wend.ones(2).sum().item()

    with pytest.raises(ValueError, match="five") as caught:
        wend.map(lambda i: wend.map(lambda j: inner(i, j), range(4)), range(4))
    assert caught.value.__notes__ == ["in example 3 of wend.map", "in example 2 of wend.map"]


def test_a_generator_of_examples_that_raises() -> None:
    closed = []

    def examples() -> Iterator[int]:
        yield from range(3)
        raise OSError("no more")

    def look(i: int) -> None:
        try:
            wend.ones(2).sum().item()
        finally:
            closed.append(i)

    with pytest.raises(OSError, match="no more"):
        wend.map(look, examples())
    assert closed == [0, 1, 2]


def test_a_generator_that_examples_share_is_explained() -> None:
    def numbers() -> Iterator[float]:
        for i in range(10):
            yield (wend.ones(2) * i).sum().item()

    shared = numbers()
    with pytest.raises(ValueError, match="generator already executing") as caught:
        wend.map(lambda _: next(shared), range(3))
    assert caught.value.__notes__[0] == "in example 1 of wend.map"
    assert "share a generator" in caught.value.__notes__[1]
    own = [numbers() for _ in range(3)]
    assert wend.map(next, own) == [0.0] * 3


def test_a_lock_may_be_taken_between_readings() -> None:
    lock, total = threading.Lock(), []

    def add(x: Any) -> None:
        value = (x * 2).sum().item()
        with lock:
            total.append(value)
        (x * 3).sum().item()

    wend.map(add, inputs(wend))
    assert sorted(total) == sorted((x * 2).sum().item() for x in inputs(torch))


def test_errors_of_ops_name_the_line_in_the_example() -> None:
    def wrong(x: Any) -> Any:
        if x.sum() > 0:
            return x @ wend.ones(4, 4)
        return x

    with pytest.raises(RuntimeError, match=f"{__file__}:{wrong.__code__.co_firstlineno + 2}"):
        wend.map(wrong, inputs(wend))


def test_what_a_builtin_records_is_of_the_line_of_the_map() -> None:
    xs = inputs(wend, 3)
    with wend.report() as report:
        wend.stack(wend.map(wend.exp, xs)).tolist()
        line = sys._getframe().f_lineno - 1
    assert {work.name for work in report.by_line} == {
        f"{__file__}:{line} in test_what_a_builtin_records_is_of_the_line_of_the_map"
    }


def test_memory_that_runs_out_is_an_error_of_the_map() -> None:
    closed = []

    def greedy(i: int) -> float:
        try:
            x = wend.ones(2).sum().item()
            if i < 3:
                return x
            wend.ones(2).sum().item()
            huge = wend.zeros(1).expand(1 << 40) + wend.ones(1).expand(1 << 40)
            return huge.sum().item()
        finally:
            closed.append(i)

    with wend.laziness(bytes=1 << 62), pytest.raises(MemoryError) as caught:
        wend.map(greedy, range(6))
    assert "3 examples of wend.map ran together" in caught.value.__notes__[-1]
    assert caught.value.results == {0: 2.0, 1: 2.0, 2: 2.0}  # type: ignore[attr-defined]
    assert closed == list(range(6))
    sums = [x.sum().item() for x in inputs(torch, 2)]
    assert wend.map(lambda x: x.sum().item(), inputs(wend, 2)) == sums


def test_a_value_that_is_gone_is_an_error_of_its_example_only() -> None:
    def some_fail(x: Any) -> str:
        y = (x.clone().requires_grad_() * 2).sum()
        y.backward()
        if x[0] > 0:
            with pytest.raises(RuntimeError, match="second time"):
                y.backward()
            return "twice"
        return "once"

    expected = ["twice" if x[0] > 0 else "once" for x in inputs(torch)]
    assert wend.map(some_fail, inputs(wend)) == expected


def test_an_interrupt_closes_the_examples() -> None:
    closed = []

    def look(i: int) -> None:
        try:
            if (wend.ones(1) * i).item() == 2:
                raise KeyboardInterrupt
            wend.ones(3).sum().item()
        finally:
            closed.append(i)

    with pytest.raises(KeyboardInterrupt):
        wend.map(look, range(4))
    assert sorted(closed) == [0, 1, 2, 3]


def test_nothing_is_kept_after_an_error() -> None:
    x = wend.ones(3)
    gone = weakref.ref(x)

    def fail(i: int, x: Any) -> None:
        (x * i).sum().item()
        raise ValueError

    with contextlib.suppress(ValueError):
        wend.map(fail, range(3), [x] * 3)
    del x
    gc.collect()
    assert gone() is None


def test_a_tensor_of_an_example_is_freed_with_it() -> None:
    alive: list[Any] = []

    def make(i: int) -> None:
        x = wend.ones(2) * i
        alive.append(weakref.ref(x))
        x.sum().item()

    wend.map(make, range(30), in_flight=4)
    assert [r() for r in alive] == [None] * 30


def test_taking_an_example_raises_in_the_map_not_in_an_example() -> None:
    """The list grows while it is taken, and is longer than the other in the end."""
    longer, done = [1, 2], []

    def grow(i: int, j: int) -> None:
        done.append(i)
        if len(longer) < 3:
            longer.append(3)

    with pytest.raises(ValueError, match=r"is shorter than|is longer than") as caught:
        wend.map(grow, longer, [1, 2])
    assert not hasattr(caught.value, "__notes__")
    assert caught.value.results == {0: None, 1: None}  # type: ignore[attr-defined]


def test_greenlets_are_used_again() -> None:
    def greenlets() -> int:
        return sum(type(thing) is greenlet.greenlet for thing in gc.get_objects())

    for _ in range(3):
        wend.map(collatz, inputs(wend))
    before = greenlets()
    for _ in range(3):
        wend.map(collatz, inputs(wend))
    assert greenlets() == before
    assert before <= 257


def test_greenlets_of_a_thread_end_with_it() -> None:
    before = [thing for thing in gc.get_objects() if type(thing) is greenlet.greenlet]
    thread = threading.Thread(target=lambda: wend.map(collatz, inputs(wend)))
    thread.start()
    thread.join(timeout=120)
    gc.collect()
    now = [thing for thing in gc.get_objects() if type(thing) is greenlet.greenlet]
    assert len(now) <= len(before) + 1  # greenlet itself keeps that of the thread for a while


def test_maps_at_another_depth_have_as_much_room() -> None:
    def at(depth: int) -> list[float]:
        if depth:
            return at(depth - 1)
        return wend.map(lambda i: deep(i, 150), range(3))

    def deep(i: int, n: int) -> float:
        return (wend.ones(1) * i).item() if n == 0 else deep(i, n - 1)

    limit = sys.getrecursionlimit()
    for depth in (limit // 2, 3, limit // 3):
        assert at(depth) == [0.0, 1.0, 2.0]


def test_a_debugger_sees_every_example() -> None:
    xs = inputs(wend, 5)
    wend.map(collatz, xs)
    seen = []

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code is collatz.__code__ and event == "call":
            seen.append(frame)

    sys.settrace(trace)
    try:
        wend.map(collatz, xs)
    finally:
        sys.settrace(None)
    assert len(seen) == 5


def test_the_table_of_greenlets_functions_is_as_its_header_says() -> None:
    """The extension is compiled without that header."""
    from pathlib import Path

    source = Path(__file__).parent.parent / "bind" / "greenlet.cpp"
    header = Path(greenlet.__file__).parent / "greenlet.h"
    if not header.exists() or not source.exists():
        pytest.skip("no header, or no source")
    used = dict(re.findall(r"constexpr size_t (\w+_NUM) = (\d+);", source.read_text()))
    declared = dict(re.findall(r"#define (\w+_NUM) (\d+)", header.read_text()))
    assert len(used) == 7
    assert used.items() <= declared.items()


# What belongs to an example


def test_modes_belong_to_the_example() -> None:
    seen = []

    def modes(i: int) -> None:
        with wend.set_grad_enabled(i % 2 == 0), wend.inference_mode(i % 3 == 0):
            before = wend.is_grad_enabled(), wend.is_inference_mode_enabled()
            wend.ones(2).sum().item()
            seen.append(before == (wend.is_grad_enabled(), wend.is_inference_mode_enabled()))
        wend.ones(2).sum().item()
        seen.append(wend.is_grad_enabled())

    wend.map(modes, range(12))
    assert seen == [True] * 24


def test_examples_begin_in_the_modes_of_the_caller() -> None:
    with wend.no_grad():
        assert wend.map(lambda i: wend.is_grad_enabled(), range(3)) == [False] * 3


def test_the_default_dtype_belongs_to_the_example() -> None:
    def typed(i: int) -> Any:
        wend.set_default_dtype(wend.float64 if i % 2 else wend.float32)
        wend.ones(2).sum().item()
        return wend.ones(2).dtype, wend.tensor(1.5).dtype

    assert wend.map(typed, range(4)) == [(wend.float32,) * 2, (wend.float64,) * 2] * 2


def test_context_variables_are_those_of_the_caller() -> None:
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 3
        assert wend.map(lambda i: str(Decimal(1) / 3), range(2)) == ["0.333"] * 2


def test_eager_examples_do_not_wait() -> None:
    order = []

    def look(i: int) -> None:
        with wend.eager():
            (wend.ones(2) * i).sum().item()
            order.append(i)

    wend.map(look, range(4))
    assert order == [0, 1, 2, 3]


def test_without_batching_examples_run_one_after_the_other() -> None:
    order = []

    def look(i: int) -> None:
        for part in range(2):
            (wend.ones(2) * i).sum().item()
            order.append((i, part))

    with wend.batching(False), counted() as counts:
        wend.map(look, range(3))
    assert order == [(i, part) for i in range(3) for part in range(2)]
    assert counts["batches"] == 0


# Random numbers


def draws(i: int) -> list[float]:
    found = [wend.rand(1).item()]
    if i % 2:
        found += wend.randn(3).tolist()
    found += wend.nn.functional.dropout(wend.ones(4), 0.5).tolist()
    return [*found, *wend.rand(2).tolist()]


def test_random_numbers_depend_on_the_index_alone() -> None:
    found = []
    for in_flight in (1, 3, 1000):
        wend.manual_seed(3)
        found.append((wend.map(draws, range(30), in_flight=in_flight), wend.rand(3).tolist()))
    assert found[0] == found[1] == found[2]
    firsts = [numbers[0] for numbers in found[0][0]]
    assert len(set(firsts)) == 30
    wend.manual_seed(4)
    assert wend.map(draws, range(30)) != found[0][0]


def test_a_second_map_draws_other_numbers() -> None:
    wend.manual_seed(0)
    assert wend.map(draws, range(3)) != wend.map(draws, range(3))


def test_random_numbers_of_nested_maps() -> None:
    found = []
    for in_flight in (2, 1000):
        wend.manual_seed(5)
        found.append(
            wend.map(
                lambda i, n=in_flight: wend.map(draws, range(3), in_flight=n),
                range(4),
                in_flight=in_flight,
            )
        )
    assert found[0] == found[1]
    assert len({numbers[0] for row in found[0] for numbers in row}) == 12


def test_an_example_may_seed_its_own_numbers() -> None:
    def seeded(i: int) -> float:
        wend.manual_seed(7)
        wend.ones(1).sum().item()
        return wend.rand(1).item()

    wend.manual_seed(7)
    expected = wend.rand(1).item()
    wend.manual_seed(1)
    before = wend.default_generator.get_state().tolist()
    assert wend.map(seeded, range(3)) == [expected] * 3
    assert wend.initial_seed() == 1
    assert wend.default_generator.get_state().tolist() != before


# Together with the rest


def test_maps_in_threads() -> None:
    expected = [steps for _, steps in map(collatz, inputs(torch))]
    results: list[Any] = [None] * 4

    def work(i: int) -> None:
        for _ in range(3):
            results[i] = [steps for _, steps in wend.map(collatz, inputs(wend))]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert results == [expected] * 4


def test_random_numbers_of_maps_in_threads_do_not_mix() -> None:
    def drawn() -> Any:
        generator = threading.get_ident()
        return generator and wend.map(lambda i: (wend.manual_seed(i), draws(i))[1], range(20))

    expected = drawn()
    results: list[Any] = [None] * 4

    def work(i: int) -> None:
        results[i] = [drawn() for _ in range(5)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert results == [[expected] * 5] * 4


def test_greenlets_of_the_users_own_do_not_wait() -> None:
    def own(x: Any) -> Any:
        child = greenlet.greenlet(lambda: (x * 2).sum().item())
        return child.switch() + (x + 1).sum().item()

    expected = [(x * 2).sum().item() + (x + 1).sum().item() for x in inputs(torch)]
    compare(expected, wend.map(own, inputs(wend)))


def test_a_map_inside_a_hook() -> None:
    def program(T: Any) -> Any:
        x = T.tensor([1.0, 2.0], requires_grad=True)

        def hook(g: Any) -> Any:
            return sum(mapped(T, lambda i: g * i if (g * i).sum() > 2 else g, range(5)))

        x.register_hook(hook)
        (x * x).sum().backward()
        return x.grad

    compare(program(torch), program(wend))


def test_destructors_may_read_values_inside_an_example() -> None:
    class Watcher:
        def __init__(self, x: Any) -> None:
            self.x = x * 2

        def __del__(self) -> None:
            read.append(self.x.sum().item())

    read: list[float] = []

    def watched(x: Any) -> float:
        y = x * 3
        y.watcher = Watcher(x)
        z = (y + 1).sum()
        del y
        return z.item()

    expected = [(x * 3 + 1).sum().item() for x in inputs(torch)]
    compare(expected, wend.map(watched, inputs(wend)))
    assert sorted(read) == sorted((x * 2).sum().item() for x in inputs(torch))


def test_laziness_is_bounded_inside_examples() -> None:
    def chain(x: Any) -> Any:
        for _ in range(50):
            x = x * 1.01 + 0.5
        return x.sum().item()

    expected = [chain(x) for x in inputs(torch)]
    with wend.laziness(nodes=100):
        compare(expected, wend.map(chain, inputs(wend)))


def test_deep_recursion_in_examples() -> None:
    def depth(i: int, n: int) -> float:
        return (wend.ones(1) * i).item() if n == 0 else depth(i, n - 1)

    n = sys.getrecursionlimit() // 2
    assert wend.map(lambda i: depth(i, n), range(20)) == [float(i) for i in range(20)]
