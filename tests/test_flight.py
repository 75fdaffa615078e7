"""Kernels that run beside the scheduler give what they give in their turn, whoever looks when.

`every_kernel` launches even the smallest, so that small programs show what large ones do.
"""

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import wend
from tests.ways import Way, running


@pytest.fixture
def every_kernel(two_threads: None) -> Iterator[None]:
    before = wend._C._set_launches_from(0)
    yield
    wend._C._set_launches_from(before)


def launched() -> int:
    return wend._C._counters()["launched"]


def step(size: int) -> list[list[float]]:
    """Values and gradients of a few layers, with a write in place and a branch in between."""
    wend.manual_seed(1)
    w = wend.randn(size, size, requires_grad=True)
    x = wend.randn(size, size)
    h = x
    for i in range(4):
        h = wend.tanh(h @ w) + wend.cat([h[: size // 2], x[size // 2 :]])
        h[i] = h[i] * 2
    if h.sum() > 0:
        h = h.softmax(1)
    loss = (h * h).mean()
    loss.backward()
    return [[loss.item()], w.grad.flatten().tolist()]


def test_large_kernels_are_launched_and_small_ones_are_not(two_threads: None) -> None:
    before = launched()
    step(4)
    assert launched() == before
    step(256)
    assert launched() > before


def test_one_thread_launches_nothing(two_threads: None) -> None:
    wend.set_num_threads(1)
    before = launched()
    step(256)
    assert launched() == before


def test_a_report_runs_kernels_in_their_turn(two_threads: None) -> None:
    before = launched()
    with wend.report():
        step(256)
    assert launched() == before


@pytest.mark.parametrize("size", [4, 64, 256])
def test_values_are_those_of_one_thread(size: int, every_kernel: None) -> None:
    got = step(size)
    wend.set_num_threads(1)
    assert got == step(size)


def test_an_error_names_its_op_and_the_others_have_their_values(every_kernel: None) -> None:
    x = wend.randn(64, 64)
    before = x @ x
    index = (x.sum() * 0).long() + 64
    bad = wend.nn.functional.embedding(index, before)
    after = before @ x
    with pytest.raises(IndexError, match="index out of range"):
        bad.sum().item()
    assert after.sum().item() == pytest.approx((x @ x @ x).sum().item(), rel=1e-3)


def test_who_goes_during_a_run_may_look_at_what_is_in_flight(every_kernel: None) -> None:
    seen: list[float] = []
    x = wend.ones(64, 64)
    product = x @ x

    class Looks(wend.Tensor):
        def __del__(self) -> None:
            seen.append(product.sum().item())

    made = [wend.ones(64, 64).as_subclass(Looks) for _ in range(8)]
    sums = [(m @ x + product).sum() for m in made]
    del made
    assert [s.item() for s in sums] == [2 * 64.0**3] * 8
    assert seen == [64.0**3] * 8


def test_threads_look_at_each_others_values(every_kernel: None) -> None:
    x = wend.ones(256, 256)
    wrong: list[Any] = []

    def work() -> None:
        for _ in range(20):
            y = x @ x
            z = (y + 1) @ x
            if y[0, 0].item() != 256 or z[0, 0].item() != 257 * 256:
                wrong.append((y, z))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive(), "a thread hangs"
    assert not wrong


def test_the_number_of_threads_may_change_between_runs(every_kernel: None) -> None:
    expected = step(64)
    for count in (3, 1, 2, 4, 2):
        wend.set_num_threads(count)
        assert step(64) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_launches_too(every_kernel: None) -> None:
    expected = step(64)
    child = os.fork()
    if child == 0:
        os._exit(0 if step(64) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_synchronize_returns_when_nothing_is_left_to_compute(every_kernel: None) -> None:
    x = wend.ones(64, 64, requires_grad=True)
    (x @ x).sum().backward()
    y = x.grad + 1
    wend.cpu.synchronize()
    before = wend._C._counters()
    assert before["in_flight"] == 0
    assert y.tolist() == [[129.0] * 64] * 64
    assert wend._C._counters()["runs"] == before["runs"]


ALL = 1 << 30  # kernels


@pytest.fixture
def fail(every_kernel: None) -> Iterator[Callable[[int, int], None]]:
    """Lets so many kernels find no memory, after so many that do."""
    yield wend._C._let_kernels_fail
    wend._C._let_kernels_fail(0, 0)


def test_a_kernel_that_finds_no_memory_runs_again(fail: Callable[[int, int], None]) -> None:
    expected = step(8)
    for after in range(60):
        fail(after, 1)
        assert step(8) == expected


LOOKS: list[Callable[[Any], Any]] = [
    lambda y: y.tolist(),
    lambda y: (y + 1).sum().item(),
    lambda y: y[0, 0].item(),
    lambda y: (y // 2).tolist(),
    lambda y: wend.cpu.synchronize(),
]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("after", [0, 1, 2])
def test_where_memory_is_missing_who_needs_the_value_raises(
    look: Callable[[Any], Any], after: int, fail: Callable[[int, int], None]
) -> None:
    x = wend.ones(64, 64)
    y = (x @ x).tanh() @ x
    fail(after, ALL)
    with pytest.raises(MemoryError):
        look(y)
    fail(0, 0)
    with pytest.raises(MemoryError):
        y.tolist()
    assert (x @ x).sum().item() == 64**3


@pytest.mark.parametrize("examples", [1, 12])
def test_a_way_back_without_memory_raises_and_the_next_is_right(
    examples: int, fail: Callable[[int, int], None]
) -> None:
    def gradient(after: int) -> Any:
        wend.manual_seed(0)
        w = wend.randn(32, 32, requires_grad=True)
        xs = [wend.randn(1, 32) for _ in range(examples)]
        total = wend.stack([(wend.tanh(x @ w) @ w).square().sum() for x in xs]).sum()
        fail(after, 0 if after < 0 else ALL)
        total.backward()
        return w.grad.tolist()

    expected = gradient(-1)
    for after in range(40):
        try:
            assert gradient(after) == expected
        except MemoryError:
            fail(0, 0)
            assert gradient(-1) == expected


def test_rows_of_a_table_are_looked_up_beside_others_and_bad_indices_are_told(
    every_kernel: None,
) -> None:
    x, table = wend.randn(300, 300), wend.arange(12.0).reshape(4, 3)
    there, bad = wend.tensor([3, 0]), wend.tensor([1, 2]) * 3
    product = x @ x
    good = wend.nn.functional.embedding(there, table)
    rows = wend.nn.functional.embedding(bad, table)
    after = product.sum() + good.sum()
    with pytest.raises(IndexError, match="index out of range in self"):
        rows.tolist()
    assert good.tolist() == [[9.0, 10.0, 11.0], [0.0, 1.0, 2.0]]
    assert after.item() == pytest.approx((x @ x).sum().item() + 33, rel=1e-4, abs=1e-2)


def test_memory_that_a_worker_has_just_written_is_exposed() -> None:
    with running(Way(launching=True)):
        for size in (4, 64, 256):
            x = wend.ones(size, size)
            assert (x @ x).numpy().max() == size
            assert (x + x).relu_().numpy().sum() == 2 * size * size
