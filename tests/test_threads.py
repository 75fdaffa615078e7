"""Several threads, and forked children, may record, run and differentiate.

What one thread sees does not depend on what the others do.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import wend


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """The results of work(0), work(1), …, each in a thread of its own; raises what one raised."""
    results: list[Any] = [None] * count
    errors: list[BaseException] = []

    def call(i: int) -> None:
        try:
            results[i] = work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=call, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]
    return results


def in_child(work: Callable[[], Any]) -> str:
    """What a forked child writes about work(): its result, or how it failed."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = repr(work())
        except BaseException as error:
            text = f"failed: {error!r}"
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text


def chain(start: float) -> list[float]:
    x = wend.tensor([start, start + 1], requires_grad=True)
    y = x
    for _ in range(300):
        y = y * 1.01 + 0.5
    y.sum().backward()
    return x.grad.tolist() + y.tolist()


def test_four_threads_record_at_once() -> None:
    expected = [chain(float(i)) for i in range(4)]
    assert in_threads(4, lambda i: [chain(float(i)) for _ in range(20)][-1]) == expected


def test_a_large_run_in_one_thread_does_not_disturb_the_others() -> None:
    def work(i: int) -> Any:
        if i == 0:
            x = wend.ones(600, 600)
            for _ in range(20):
                x = (x @ x) / 600
            return x[0, 0].item()
        return [chain(float(i)) for _ in range(30)][-1]

    results = in_threads(3, work)
    assert results[0] == pytest.approx(1.0)
    assert results[1:] == [chain(1.0), chain(2.0)]


def test_tensors_can_be_shared_between_threads() -> None:
    shared = wend.arange(1000.0)
    doubled = shared * 2
    assert in_threads(4, lambda i: (doubled + i).sum().item()) == [
        999000.0 + 1000 * i for i in range(4)
    ]


def test_grad_mode_belongs_to_the_thread() -> None:
    with wend.no_grad():
        assert in_threads(1, lambda i: wend.is_grad_enabled()) == [True]
        assert not wend.is_grad_enabled()


def test_a_forked_child_runs() -> None:
    expected = chain(3.0)
    pending = wend.arange(4.0) + 1
    assert in_child(lambda: (chain(3.0), pending.tolist())) == repr(
        (expected, [1.0, 2.0, 3.0, 4.0])
    )
    assert pending.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_a_child_forked_after_a_large_run_uses_its_own_threads() -> None:
    large = wend.ones(500, 500)
    before = (large @ large).sum().item()
    assert in_child(lambda: (large @ large).sum().item()) == repr(before)


def test_a_fork_waits_for_a_run_in_another_thread() -> None:
    large = wend.ones(700, 700)

    def work(i: int) -> Any:
        if i == 0:
            x = large
            for _ in range(10):
                x = (x @ large) / 700
            return x[0, 0].item()
        return in_child(lambda: chain(1.0)) == repr(chain(1.0))

    results = in_threads(2, work)
    assert results[0] == pytest.approx(1.0)
    assert results[1]


@pytest.fixture
def watched(two_threads: None) -> Iterator[None]:
    before = wend._C._watch_workers(True)
    yield
    wend._C._watch_workers(before)


def launched(x: wend.Tensor) -> tuple[float, int]:
    """A sum of products, and how many kernels ran beside the scheduler for it."""
    before = wend._C._counters()["launched"]
    total = sum((x @ x).sum() for _ in range(3)).item()
    return total, wend._C._counters()["launched"] - before


def wait_until_launched(x: wend.Tensor) -> None:
    """Other programs may use the cores by themselves: workers are tried again after a while."""
    for _ in range(1000):
        total, count = launched(x)
        assert total == 3 * 256**3
        if count:
            return
        time.sleep(0.01)
    pytest.fail("workers were never used again")


def test_workers_whose_cores_others_use_are_not_waited_for(watched: None) -> None:
    x = wend.ones(256, 256)
    wait_until_launched(x)
    wend._C._worker_was_held_up()
    wend._C._worker_was_held_up()
    assert launched(x) == (3 * 256**3, 0)
    wait_until_launched(x)
