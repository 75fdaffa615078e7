"""Memory that others may write: readers get what is there when they are recorded, and still batch.

PyTorch, which computes at once, says what is right.
"""

import array as python_arrays
import gc
import linecache
import os
import random
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ways import WAYS, Way, many, running

import wend

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")

WATCHED = 200  # rows and columns of a weight that is large enough to be watched by the system


def counted(name: str) -> Callable[[], int]:
    before = wend._C._counters()[name]
    return lambda: wend._C._counters()[name] - before


@contextmanager
def taken(at_first: int, at_all: int) -> Iterator[None]:
    before = wend._C._set_taken_bytes(at_first, at_all)
    try:
        yield
    finally:
        wend._C._set_taken_bytes(*before)


class Program:
    """Reads and writes drawn at random, the same for every library.

    One memory is seen as an array, as a view of it, as a tensor, and as views of the tensor.
    """

    def __init__(self, T: Any, seed: int, size: int, steps: int) -> None:
        self.T, self.draw, self.size = T, random.Random(seed), size
        self.array = np.random.RandomState(seed).randn(size, size).astype(np.float32)
        self.tensor = self.shared()
        self.views = [self.tensor, self.tensor.t(), self.tensor[1], self.tensor.detach()]
        self.results: list[Any] = []
        for _ in range(steps):
            self.draw.choice([self.read, self.read, self.read, self.write, self.write_back])()

    def shared(self) -> Any:
        if self.draw.random() < 0.5:
            return self.T.from_numpy(self.array)
        own = self.T.tensor(self.array)
        self.array = own.numpy()
        return own

    def number(self) -> float:
        return round(self.draw.uniform(-1, 1), 2)

    def read(self) -> None:
        T, view = self.T, self.draw.choice(self.views)
        x = T.ones(self.size) * self.number()
        compute = self.draw.choice(
            [
                lambda: x @ view if view.dim() == 2 else x * view,
                lambda: view + 1,
                lambda: (view * 2).sum(),
                lambda: T.tanh(T.nn.functional.linear(x, view)) if view.dim() == 2 else view.exp(),
                lambda: T.cat([view.reshape(-1)[:3], x[:2]]),
                lambda: view[0] * x,
            ]
        )
        # Several times, so that copies are met again.
        self.results += [compute() for _ in range(self.draw.choice([1, 1, 7]))]

    def write(self) -> None:
        """By the array; what was written may be put back, which must not go unnoticed."""
        at = self.draw.randrange(self.size), self.draw.randrange(self.size)
        before = self.array[at]
        self.array[at] = self.number()
        if self.draw.random() < 0.3:
            self.read()
            self.array[at] = before
        if self.draw.random() < 0.2:
            self.array[1:] *= self.number()

    def write_back(self) -> None:
        """By the tensor or a view of it."""
        view = self.draw.choice(self.views)
        how = self.draw.randrange(4)
        if how == 0:
            view.mul_(self.number())
        elif how == 1:
            view[0] = self.number()
        elif how == 2:
            view.copy_(self.T.ones(()) * self.number())
        else:
            self.tensor.data = self.tensor.data
            self.tensor += self.tensor

    def values(self) -> list[Any]:
        return [r.tolist() for r in self.results] + [self.tensor.tolist(), self.array.tolist()]


LIMITS = st.sampled_from([(1 << 20, 16 << 20), (0, 16 << 20), (64, 64), (1 << 20, 100)])


@many(60)
@given(st.integers(0, 1 << 30), st.sampled_from([3, 5, WATCHED]), WAYS, LIMITS, st.booleans())
def test_random_reads_and_writes_give_what_pytorch_gives(
    seed: int, size: int, way: Way, limits: tuple[int, int], watching: bool
) -> None:
    before = wend._C._set_watches_writes(watching)
    with running(way), taken(*limits), warnings.catch_warnings():
        warnings.simplefilter("ignore", wend.SharedMemoryWarning)
        ours = Program(wend, seed, size, 12).values()
    wend._C._set_watches_writes(before)
    theirs = Program(torch, seed, size, 12).values()
    for mine, right in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, right, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("size", [4, WATCHED])
def test_each_example_of_a_map_reads_what_is_there(size: int) -> None:
    array = np.zeros((size, size), np.float32)
    weight = wend.from_numpy(array)

    def example(i: int) -> tuple[float, float]:
        array[0, 0] = i
        first = (wend.ones(size) @ weight)[0]
        array[0, 0] = -i
        second = (wend.ones(size) @ weight)[0]
        return first.item(), second.item()

    assert wend.map(example, range(12)) == [(i, -i) for i in range(12)]


def shared_weight(how: str, size: int = 16) -> tuple[Any, Any]:
    """A weight that requires grad, and what shares its memory."""
    source = np.random.RandomState(0).randn(size, size).astype(np.float32)
    if how == "from_numpy":
        return wend.from_numpy(source).requires_grad_(), source
    weight = wend.tensor(source, requires_grad=True)
    if how == "numpy":
        return weight, weight.detach().numpy()
    if how == "dlpack":
        return weight, np.from_dlpack(weight.detach())
    if how == "memoryview":
        return weight, memoryview(weight.detach())
    if how == "share_memory":
        return weight.detach().share_memory_().requires_grad_(), None
    assert how == "nobody"
    return weight, None


SHARED = ["from_numpy", "numpy", "dlpack", "memoryview", "share_memory"]


def recurrent(weight: Any, see: Callable[[Any], Any]) -> tuple[int, Any, Any]:
    """How many batches ran, the loss and the gradient of an RNN over 12 sequences."""
    weight.grad = None
    size = weight.shape[0]
    wend.manual_seed(0)
    starts = [wend.randn(size) for _ in range(12)]
    wend.stack(starts).sum().item()
    batches = counted("batches")
    losses = []
    for h in starts:
        for _ in range(4):
            h = wend.tanh(h @ see(weight))
        losses.append(h.sum())
    loss = wend.stack(losses).sum()
    loss.backward()
    return batches(), loss.item(), weight.grad.tolist()


@pytest.mark.parametrize("how", SHARED)
@pytest.mark.parametrize("see", [lambda w: w, lambda w: w.t(), lambda w: w[:]])
@pytest.mark.parametrize("size", [16, WATCHED])
def test_a_shared_weight_batches_as_one_of_its_own_does(how: str, see: Any, size: int) -> None:
    own, _ = shared_weight("nobody", size)
    weight, others = shared_weight(how, size)
    for _ in range(2):
        batches, loss, grad = recurrent(weight, see)
        expected = recurrent(own, see)
        assert batches == expected[0]
        np.testing.assert_allclose(loss, expected[1], rtol=1e-5)
        np.testing.assert_allclose(grad, expected[2], rtol=1e-3, atol=1e-4)
    del others


@pytest.mark.parametrize("how", SHARED)
def test_a_weight_is_copied_once_for_all_readers_between_two_writes(how: str) -> None:
    weight, others = shared_weight(how)
    for _ in range(3):
        copies, again = counted("outside_copies"), counted("outside_again")
        results = [wend.ones(16) @ weight for _ in range(10)]
        assert (copies(), again()) == (1, 9)
        with wend.no_grad():
            weight += 1
        assert wend.stack(results).shape == (10, 16)
    del others


def test_hooks_and_gradients_of_views_of_a_shared_weight_see_all_of_it() -> None:
    got = []
    for T in (wend, torch):
        array = np.arange(16, dtype=np.float32).reshape(4, 4)
        weight = T.from_numpy(array).requires_grad_()
        turned = weight.t()
        turned.retain_grad()
        seen: list[Any] = []
        turned.register_hook(lambda g, seen=seen: seen.append(g.tolist()))
        loss = sum((T.ones(4) * i @ turned).tanh().sum() for i in range(8))
        other = T.autograd.grad(loss, turned, retain_graph=True)[0].tolist()
        loss.backward()
        name = type(weight.grad_fn).__name__, (turned + 1).grad_fn.next_functions[0][0].name()
        got.append((seen, turned.grad.tolist(), weight.grad.tolist(), other, name))
    np.testing.assert_allclose(got[0][0], got[1][0], rtol=1e-4)
    for ours, theirs in zip(got[0][1:4], got[1][1:4], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4)
    assert got[0][4] == got[1][4]


def test_the_gradient_is_that_of_the_values_that_were_read() -> None:
    array = np.full((WATCHED, WATCHED), 2, np.float32)
    weight = wend.from_numpy(array).requires_grad_()
    losses = []
    for k in range(6):
        array[:] = k
        losses.append((weight * weight).sum())
    array[:] = -1
    wend.stack(losses).sum().backward()
    assert weight.grad[0, 0].item() == 2 * sum(range(6))


def test_finite_differences_by_the_array_are_seen_by_every_read() -> None:
    """The array is put back each time: that it is the same again does not mean that it was."""
    array = np.random.RandomState(0).randn(WATCHED, WATCHED)
    weight = wend.from_numpy(array)
    x = wend.ones(WATCHED, dtype=wend.float64)
    at_rest = [(x @ weight).sum() for _ in range(8)]
    moved = []
    for i in range(8):
        before = array[i, i]
        array[i, i] += 1
        moved.append((x @ weight).sum())
        array[i, i] = before
    differences = wend.stack(moved) - wend.stack(at_rest)
    np.testing.assert_allclose(differences.tolist(), [1.0] * 8, rtol=1e-9)


def test_writes_by_system_calls_are_seen() -> None:
    array = np.zeros((WATCHED, WATCHED), np.float32)
    weight = wend.from_numpy(array)
    reads = []
    with open("/dev/zero", "rb") as zeros:
        for k in range(1, 12):
            array[WATCHED // 2] = k
            reads.append(weight.sum())
            zeros.readinto(memoryview(array).cast("B"))
            reads.append(weight.sum())
    assert [r.item() for r in reads[::2]] == [k * WATCHED for k in range(1, 12)]
    assert [r.item() for r in reads[1::2]] == [0] * 11


def test_two_tensors_over_one_array_each_see_every_write() -> None:
    array = np.zeros((WATCHED, WATCHED), np.float32)
    a, b = wend.from_numpy(array), wend.from_numpy(array[WATCHED // 4 :])
    reads = []
    for k in range(20):
        array[-1] = k
        reads.append((a.sum(), b.sum()))
        if k % 3 == 0:
            reads.append((b.sum(), a.sum()))
            array[0] = -k
            array[0] = 0
    for first, second in reads:
        assert first.item() == second.item()
    assert reads[-1][0].item() == 19 * WATCHED


def test_what_another_thread_writes_is_seen_in_order() -> None:
    array = np.zeros((WATCHED, WATCHED), np.float32)
    weight = wend.from_numpy(array)
    done = threading.Event()

    def write() -> None:
        for k in range(1, 400):
            array[3, 3] = k
            time.sleep(0)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    reads = []
    while not done.is_set():
        reads.append((array[3, 3], weight.sum(), array[3, 3]))
    writer.join()
    reads.append((399, weight.sum(), 399))
    for before, read, after in reads:
        assert before <= read.item() <= after


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_child_sees_its_own_writes_and_those_to_shared_memory() -> None:
    array = np.zeros((WATCHED, WATCHED), np.float32)
    weight = wend.from_numpy(array)
    common = wend.zeros(WATCHED, WATCHED).share_memory_()
    for _ in range(8):
        assert weight.sum().item() == common.sum().item() == 0
    child = os.fork()
    if child == 0:
        array[0] = 1
        common[0] = 1
        right = weight.sum().item() == common.sum().item() == WATCHED
        os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert weight.sum().item() == 0
    assert common.sum().item() == WATCHED
    array[0] = 2
    assert weight.sum().item() == 2 * WATCHED


# Who may write


def is_taken(x: Any) -> bool:
    copies = counted("outside_copies")
    (x + 1).sum().item()
    return copies() > 0


def over_bytearray() -> tuple[Any, Any]:
    owner = bytearray(32)
    return wend.from_numpy(np.frombuffer(owner)[1:]), owner


def over_memoryview() -> tuple[Any, Any]:
    first = memoryview(bytearray(32))
    return wend.from_numpy(np.frombuffer(first)), first[:]


def over_array(keep: Callable[[Any], Any], see: Callable[[Any], Any] = lambda a: a) -> Any:
    array = np.ones(6)
    return wend.from_numpy(see(array)), keep(array)


@pytest.mark.filterwarnings("ignore:The given (NumPy array|buffer) is not writ")
@pytest.mark.parametrize(
    ("make", "others_may_write"),
    [
        (lambda: over_array(lambda a: a), True),
        (lambda: over_array(lambda a: a[1:]), True),
        (lambda: over_array(lambda a: a, lambda a: a.reshape(2, 3)[1:]), True),
        (lambda: over_array(memoryview), True),
        (lambda: over_array(weakref.ref), True),
        (lambda: over_array(lambda a: a.setflags(write=False) or a), True),
        (over_bytearray, True),
        (over_memoryview, True),
        (lambda: over_array(lambda a: None), False),
        (lambda: over_array(lambda a: None, lambda a: a.reshape(2, 3)[1:]), False),
        (lambda: (wend.from_numpy(np.frombuffer(b"12345678" * 2)), None), False),
        (lambda: (wend.frombuffer(bytearray(16), dtype=wend.float64), None), False),
        (lambda: (wend.frombuffer(python_arrays.array("d", [1]), dtype=wend.float64), None), False),
    ],
)
def test_memory_that_nobody_else_can_reach_or_write_is_ordinary(
    make: Callable[[], Any], others_may_write: bool
) -> None:
    x, others = make()
    assert is_taken(x) is others_may_write
    del others


def test_memory_is_ordinary_again_when_its_owners_are_gone() -> None:
    weight, others = shared_weight("numpy")
    assert is_taken(weight)
    del others
    assert not is_taken(weight)


def test_copies_go_with_what_they_are_copies_of() -> None:
    array = np.ones((WATCHED, WATCHED))
    alive = weakref.ref(array)
    weight = wend.from_numpy(array).requires_grad_()
    for _ in range(10):
        (weight * 2).sum().backward()
    held = wend.memory_stats()["allocated_bytes"]
    del array, weight
    gc.collect()
    assert alive() is None
    assert wend.memory_stats()["allocated_bytes"] <= held - WATCHED * WATCHED * 8


def test_copies_of_examples_that_are_read_once_do_not_pile_up() -> None:
    examples = [np.ones(1 << 17, np.float32) for _ in range(200)]
    tensors = [wend.from_numpy(e) for e in examples]
    before = wend.memory_stats()["allocated_bytes"]
    for x in tensors:
        assert x.sum().item() == 1 << 17
    assert wend.memory_stats()["allocated_bytes"] - before < 40 << 20


# What stays slow says so


def read_often(weight: Any, times: int) -> float:
    total = 0.0
    for _ in range(times):
        total += (weight + 1).sum().item()
    return total


def test_readers_that_run_at_once_are_warned_of_once_a_line() -> None:
    weight = wend.from_numpy(array := np.ones((8, 8)))
    with taken(0, 0), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        assert read_often(weight, 40) == 40 * 128
    del array
    ours = [w for w in seen if w.category is wend.SharedMemoryWarning]
    assert len(ours) == 1
    assert ours[0].filename == __file__
    assert "(weight + 1).sum()" in linecache.getline(__file__, ours[0].lineno)
    assert "float64 tensor of size (8, 8) made at" in str(ours[0].message)
    assert ".clone()" in str(ours[0].message)


def test_the_warning_can_be_an_error() -> None:
    weight = wend.from_numpy(array := np.ones((8, 8)))
    with taken(0, 0), warnings.catch_warnings():
        warnings.simplefilter("error", wend.SharedMemoryWarning)
        with pytest.raises(wend.SharedMemoryWarning, match="too large"):
            read_often(weight, 40)
    assert (weight.sum() + array.sum()).item() == 128


def test_nobody_is_warned_of_memory_that_is_read_now_and_then() -> None:
    with taken(0, 0), warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(40):
            assert wend.from_numpy(np.ones((8, 8))).sum().item() == 64


def test_explain_names_the_tensor_and_the_remedy() -> None:
    weight = wend.from_numpy(array := np.ones((8, 8)))
    with taken(0, 0), wend.report() as report:
        read_often(weight, 10)
    said = [line for line in report.explain().splitlines() if "others may write" in line]
    assert len(said) == 1
    assert "float64 tensor of size (8, 8) made at" in said[0]
    assert "10 operations that read it ran at once" in said[0]
    assert ".clone()" in said[0]
    del array
