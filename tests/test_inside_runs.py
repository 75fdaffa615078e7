"""User code that is called in the middle of a run, from wherever that may be, may do anything.

The run and what user code does both give what they would give by themselves.
"""

import functools
import gc
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pytest

import wend
from tests.ways import Way, running
from wend.autograd.graph import saved_tensors_hooks

WAYS = {
    "in order": Way(batching=False, fuses_from=1 << 20),
    "in batches": Way(),
    "in one pass": Way(fuses_from=1),
    "beside the scheduler": Way(launching=True, fuses_from=1),
    "early": Way(starting=(8, 2), fuses_from=1),
    "late kinds": Way(late_from=1),
    "little at a time": Way(nodes=7),
}
Call = Callable[[], None]


class Calls:
    """An object that calls when it goes."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def __del__(self) -> None:
        self.call()


class World:
    """What user code reads, writes and drops: nodes that a run passes over are among it."""

    def __init__(self) -> None:
        self.weight = self.initialised()
        self.plain = wend.ones(3, 3).add_(1)
        self.view = self.plain.t()
        self.pending = [wend.ones(3) * i + 1 for i in range(8)]
        self.written = wend.zeros(3)
        self.made: list[wend.Tensor] = []
        self.wrong: list[Any] = []
        self.times = 0

    def initialised(self) -> wend.Tensor:
        return wend.ones(3, 3).mul_(0.5).requires_grad_()

    def record(self) -> None:
        self.made.append((self.weight @ self.view).sum())
        self.weight = self.initialised()  # for the next time

    def observe(self) -> None:
        self.expect((self.weight @ self.view).sum().item(), 27.0)

    def write(self) -> None:
        expected = [float(self.times)] * 2
        now = self.written.add_(1)[1:] + 0  # to look at it may call this again
        self.expect(now.tolist(), expected)

    def backward(self) -> None:
        x = wend.ones(3, 3, requires_grad=True)
        with wend.enable_grad():
            ((x @ self.weight.detach()) * self.view).sum().backward()
        assert x.grad is not None
        self.expect(x.grad.tolist(), [[3.0] * 3] * 3)

    def drop(self) -> None:
        self.record()
        del self.pending[:2]

    def fail(self) -> None:
        self.record()
        raise ZeroDivisionError("as user code may")

    def expect(self, value: Any, expected: Any) -> None:
        if value != expected:
            self.wrong.append((value, expected))

    def calling(self, what: str) -> Call:
        def call() -> None:
            self.times += 1
            getattr(self, what)()

        return call

    def check(self) -> None:
        assert not self.wrong
        assert [x.item() for x in self.made] == [27.0] * len(self.made)
        assert self.weight.tolist() == [[0.5] * 3] * 3
        assert all(x.tolist() == [x[0].item()] * 3 for x in self.pending)


def with_hook(x: wend.Tensor, call: Call) -> wend.Tensor:
    calls = Calls(call)
    y = x * 2
    y.register_hook(lambda gradient: gradient if calls else None)
    return (y * 3).detach()


def with_weak_reference(x: wend.Tensor, call: Call) -> wend.Tensor:
    def hook(gradient: wend.Tensor) -> None: ...

    weakref.finalize(hook, call)
    y = x * 2
    y.register_hook(hook)
    return (y * 3).detach()


def with_function(x: wend.Tensor, call: Call) -> wend.Tensor:
    class Twice(wend.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: wend.Tensor) -> wend.Tensor:
            ctx.calls = Calls(call)
            return x * 2

    result: wend.Tensor = (Twice.apply(x) * 3).detach()
    return result


def with_saved_tensor_hooks(x: wend.Tensor, call: Call) -> wend.Tensor:
    left = [Calls(call)]

    def pack(tensor: wend.Tensor) -> Any:
        own = left and tensor.shape == x.shape  # what user code records meanwhile is packed, too
        return left.pop() if own else None, tensor

    with saved_tensors_hooks(pack, lambda packed: packed[1]):
        y = x * x.detach()
    return (y / x.detach() * 6).detach()


def with_array(x: wend.Tensor, call: Call) -> wend.Tensor:
    array = np.full(3, 6, np.float32)
    weakref.finalize(array, call)
    return x.detach() * wend.from_numpy(array)


def with_capsule(x: wend.Tensor, call: Call) -> wend.Tensor:
    array = np.full(3, 6, np.float32)
    weakref.finalize(array, call)
    return x.detach() * wend.from_dlpack(array)


def with_code(x: wend.Tensor, call: Call) -> wend.Tensor:
    names: dict[str, Any] = {}
    exec("def six(x): return x * 6", names)
    weakref.finalize(names["six"].__code__, call)
    result: wend.Tensor = names.pop("six")(x.detach())
    return result


PLACES = [
    with_hook,
    with_weak_reference,
    with_function,
    with_saved_tensor_hooks,
    with_array,
    with_capsule,
    with_code,
]
ACTIONS = ["record", "observe", "write", "backward", "drop", "fail"]


def program(place: Callable[[wend.Tensor, Call], wend.Tensor], call: Call) -> list[float]:
    """Examples of which each calls user code while it runs, or soon after."""
    weight = wend.eye(3).mul_(0.5).requires_grad_()
    results = []
    for i in range(8):
        x = wend.full((3,), float(i + 1), requires_grad=True)
        results.append(place(x, call) @ weight.detach() + 1)
    del x
    values: list[float] = wend.stack(results).sum(1).tolist()
    return values


@contextmanager
def unraisable() -> Iterator[list[Any]]:
    """The types of the exceptions that Python cannot raise anywhere."""
    seen: list[Any] = []
    before = sys.unraisablehook
    sys.unraisablehook = lambda what: seen.append(what.exc_type)
    yield seen
    sys.unraisablehook = before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("place", PLACES)
def test_what_goes_during_a_run_may_do_anything(
    place: Callable[[wend.Tensor, Call], wend.Tensor], action: str, way: str
) -> None:
    with running(WAYS[way]), unraisable() as raised:
        world = World()
        for _ in range(3):
            assert program(place, world.calling(action)) == [9.0 * i + 3 for i in range(1, 9)]
        gc.collect()
        wend._C._run()
        world.check()
    assert world.times == 24
    assert set(raised) <= {ZeroDivisionError}
    assert action != "fail" or raised


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("action", ACTIONS[:-1])
def test_callbacks_of_the_way_back_may_do_anything(action: str, way: str) -> None:
    class Tripled(wend.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: wend.Tensor) -> wend.Tensor:
            call()
            return x * 3

        @staticmethod
        def backward(ctx: Any, gradient: wend.Tensor) -> wend.Tensor:  # type: ignore[override]
            call()
            return gradient * 3

    with running(WAYS[way]):
        world = World()
        call = world.calling(action)
        weight = wend.ones(3).mul_(2).requires_grad_()
        weight.register_hook(lambda gradient: call())
        weight.register_post_accumulate_grad_hook(lambda tensor: call())
        total = wend.zeros(())
        for i in range(6):
            y = weight * i
            y.register_hook(lambda gradient: call())
            total = total + Tripled.apply(y).exp().log().sum()
        total.backward()
        assert weight.grad is not None
        wend.testing.assert_close(weight.grad, wend.full((3,), 45.0))
        world.check()
    assert world.times == 6 + 2 + 12


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("action", ACTIONS[:-1])
def test_a_callback_of_the_garbage_collector_may_do_anything(action: str, way: str) -> None:
    with running(WAYS[way]):
        world = World()
        call = world.calling(action)
        inside = False

        def callback(phase: str, info: Any) -> None:
            nonlocal inside
            if phase == "stop" and not inside and world.times < 50:
                inside = True
                call()
                inside = False

        before = gc.get_threshold()
        gc.callbacks.append(callback)
        gc.set_threshold(5)
        try:
            for _ in range(3):
                values = program(with_hook, lambda: None)
                assert values == [9.0 * i + 3 for i in range(1, 9)]
        finally:
            gc.set_threshold(*before)
            gc.callbacks.remove(callback)
        world.check()
    assert world.times > 0


def long_program() -> wend.Tensor:
    """Runs for some milliseconds: products one by one, and examples as a batch."""
    x = wend.ones(256, 256) / 256
    rows = [wend.ones(256) * i for i in range(16)]
    for _ in range(40):
        x = x @ x
        rows = [(row @ x).relu() + 0 for row in rows]
    return wend.stack(rows).sum(1)


@pytest.fixture
def many_signals() -> Iterator[Callable[[Call], None]]:
    def begin(call: Call) -> None:
        signal.signal(signal.SIGALRM, lambda *_: call())
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.002)

    before = signal.getsignal(signal.SIGALRM)
    yield begin
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("action", ACTIONS[:-1])
def test_a_signal_handler_may_do_anything(
    action: str, way: str, many_signals: Callable[[Call], None]
) -> None:
    expected = [256.0 * i for i in range(16)]
    with running(WAYS[way]):
        world = World()
        call = world.calling(action)
        inside = False

        def handler() -> None:
            nonlocal inside
            if not inside:
                inside = True
                call()
                inside = False

        many_signals(handler)
        for _ in range(4):
            wend.testing.assert_close(long_program(), wend.tensor(expected))
        signal.setitimer(signal.ITIMER_REAL, 0)
        world.check()
    assert world.times > 0


def test_an_exception_of_a_signal_handler_ends_the_run_and_the_next_one_goes_on(
    many_signals: Callable[[Call], None],
) -> None:
    armed = False

    def handler() -> None:
        nonlocal armed
        if armed:
            armed = False
            raise InterruptedError

    def for_ever() -> None:
        nonlocal armed, values
        armed = True
        while True:
            values = long_program()
            values.tolist()

    values = long_program()
    many_signals(handler)
    for way in WAYS.values():
        with running(way):
            for _ in range(5):
                with pytest.raises(InterruptedError):
                    for_ever()
                wend.testing.assert_close(values, wend.tensor([256.0 * i for i in range(16)]))


@pytest.fixture
def fast_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("action", ACTIONS[:-1])
def test_another_thread_may_do_anything(action: str, way: str, fast_switches: None) -> None:
    expected = [256.0 * i for i in range(16)]
    errors: list[BaseException] = []
    done = threading.Event()
    times = 0

    def other() -> None:
        nonlocal times
        try:
            while not done.is_set():
                world = World()
                for _ in range(3):
                    world.calling(action)()
                model = wend.nn.Linear(3, 3)
                with wend.no_grad():
                    model.weight.fill_(1)
                    model.bias.zero_()
                assert model(wend.ones(2, 3)).tolist() == [[3.0] * 3] * 2
                world.check()
                times += 1
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=other)
    with running(WAYS[way]):
        thread.start()
        for _ in range(4):
            wend.testing.assert_close(long_program(), wend.tensor(expected))
        done.set()
        thread.join(60)
        assert not thread.is_alive()
    if errors:
        raise errors[0]
    assert times > 0


def test_another_thread_may_begin_and_end_a_report(fast_switches: None) -> None:
    done = threading.Event()

    def other() -> None:
        while not done.is_set():
            with wend.report():
                sum(range(100))

    thread = threading.Thread(target=other)
    thread.start()
    for _ in range(6):
        assert long_program()[1].item() == 256
    done.set()
    thread.join(60)
    assert not thread.is_alive()


class Acting:
    """A number that does something when it is read."""

    def __init__(self, value: int, act: Call) -> None:
        self.value, self.act = value, act

    def __index__(self) -> int:
        self.act()
        self.made = [wend.full((7,), float(i)) for i in range(64)]  # in memory that was let go of
        return self.value

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())


CHANGES: dict[str, Callable[[wend.Tensor], Any]] = {
    "add_": lambda x: x.add_(1),
    "data": lambda x: setattr(x, "data", wend.ones(2)),
    "set_": lambda x: x.set_(wend.ones(1)),
    "resize_": lambda x: x.resize_(2),
    "backward": lambda x: (x.detach().requires_grad_() * 2).sum().backward(),
}
READING: dict[str, Callable[[wend.Tensor, Any], Any]] = {
    "narrow": lambda x, v: x.narrow(0, 0, v),
    "view": lambda x, v: x.view(v, -1),
    "sum": lambda x, v: x.sum(v),
    "threshold": lambda x, v: wend.nn.functional.threshold(x, v, v),
    "clamp_": lambda x, v: x.clamp_(v, v),
    "index": lambda x, v: x[v],
    "slice": lambda x, v: x[:v],
    "list": lambda x, v: x[[v, 0]],
    "setitem": lambda x, v: x.__setitem__(v, 3.0),
    "index_fill_": lambda x, v: x.index_fill_(0, wend.tensor([0]), v),
    "cat": lambda x, v: wend.cat([x, x], dim=v),
    "keyword": lambda x, v: x.roll(shifts=v, dims=0),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("reading", READING)
def test_arguments_that_change_the_tensor_when_they_are_read(reading: str, change: str) -> None:
    """The call may refuse what it finds then."""
    for value in (0, 1, 5):
        x = wend.arange(6.0) * 1  # that nothing else holds
        acting = Acting(value, functools.partial(CHANGES[change], x))
        with suppress(RuntimeError, IndexError, TypeError, ValueError):
            given = READING[reading](x, acting)
            if isinstance(given, wend.Tensor):
                given.tolist()
        x.tolist()


def test_tensors_are_read_when_all_numbers_are() -> None:
    x = wend.zeros(4)
    assert x.narrow(0, 0, Acting(2, lambda: x.add_(1))).tolist() == [1.0, 1.0]
    assert wend.add(x, x, alpha=Acting(2, lambda: x.add_(1)).__index__()).tolist() == [6.0] * 4


@pytest.mark.parametrize("how", ["clear", "shorten", "replace", "extend"])
def test_lists_that_change_while_they_are_read(how: str) -> None:
    items: list[Any] = []
    changes: dict[str, Call] = {
        "clear": items.clear,
        "shorten": items.pop,
        "replace": lambda: items.__setitem__(slice(None), [object() for _ in items]),
        "extend": lambda: items.extend([1] * 100),
    }
    x = wend.arange(6.0)
    calls: list[Callable[[], Any]] = [
        lambda: x.view(items), lambda: wend.zeros(items), lambda: wend.tensor(items),
        lambda: wend.tensor([items, items]), lambda: x[items], lambda: x.sum(items),
        lambda: x.new_tensor(items), lambda: x.clone().resize_(items), lambda: wend.split(x, items),
        lambda: wend.cat(items), lambda: x.clone().__setitem__(items, 1.0),
        lambda: wend.nn.functional.interpolate(x.view(1, 1, 6), scale_factor=items),
    ]  # fmt: skip
    for call in calls:
        for place in range(3):
            items[:] = [1, 2, 3]
            items[place] = Acting(1, changes[how])
            with suppress(RuntimeError, IndexError, TypeError, ValueError):
                call()


def test_an_owner_of_memory_may_replace_tensors_when_it_goes() -> None:
    """What it drops is being taken apart while the owner itself goes."""

    class Bytes(bytearray):
        def __del__(self) -> None:
            call()

    def call() -> None:
        shared.data = shared.data.clone()
        seen.append((weight @ shared.t()).sum().item())
        made.append(wend.full((7,), 2.0) * 2)

    seen: list[float] = []
    made: list[wend.Tensor] = []
    weight = wend.ones(3, 3).mul_(0.5)
    shared = wend.ones(3, 3).add_(1)
    for way in WAYS.values():
        with running(way):
            for _ in range(20):
                array = Bytes(12)
                x = wend.frombuffer(array, dtype=wend.float32)
                y = (x * 2 + x + 1) * 2
                del array, x
                assert y.tolist() == [2.0] * 3
    assert seen == [27.0] * len(WAYS) * 20
    assert all(x.tolist() == [4.0] * 7 for x in made)


@pytest.mark.parametrize("change", [c for c in CHANGES if c != "backward"])
def test_a_tensor_may_change_while_it_is_written(change: str) -> None:
    """What is computed before the write may call user code."""
    for shares in (False, True):
        for write in (
            lambda x, mask: x.__setitem__(mask, wend.ones(3)),
            lambda x, mask: x.masked_scatter_(mask, wend.ones(6)),
            lambda x, mask: x.__setitem__(slice(None), mask * 2.0),
            lambda x, mask: x.index_put_((mask,), wend.ones(3)),
        ):
            x = wend.from_numpy(np.zeros(6, np.float32)) if shares else wend.zeros(6)
            calls = Calls(lambda x=x: CHANGES[change](x))  # type: ignore[misc]
            y = wend.arange(6.0, requires_grad=True) * 2
            y.register_hook(lambda gradient, calls=calls: None)
            mask = y.detach() > 5
            del calls, y
            with suppress(RuntimeError):
                write(x, mask)
            x.tolist()


def test_threads_that_use_wend_map_first_at_the_same_time() -> None:
    program = """
import sys, threading
sys.setswitchinterval(1e-6)
import wend
def work():
    barrier.wait()
    assert wend.map(lambda i: wend.ones(2).sum().item(), range(2)) == [2.0, 2.0]
barrier = threading.Barrier(4)
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
    for _ in range(4):
        subprocess.run([sys.executable, "-c", program], timeout=60, check=True)
