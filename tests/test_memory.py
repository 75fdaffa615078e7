"""The most memory that training steps take, against PyTorch's, and what gradients of views cost.

Bytes and kernels are counted, so that the same program always gives the same numbers.
"""

import resource
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from kernels import kernels

import wend
from benchmarks.memory import torch_tensor_peak, wend_tensor_peak
from benchmarks.transformer import block_step
from benchmarks.tree_lstm import Examples, recursion


def test_a_step_of_a_transformer_block_takes_no_more_memory_than_pytorch() -> None:
    ours, theirs = block_step(wend), block_step(torch)
    assert ours()[0] == pytest.approx(theirs()[0], rel=1e-4)
    assert wend_tensor_peak(wend, ours) <= torch_tensor_peak(torch, theirs)


def test_trees_that_are_batched_take_no_more_memory_than_pytorch_needs_for_each() -> None:
    trees = Examples.generated(6)
    ours, theirs = (recursion(T, trees, hidden=128) for T in (wend, torch))
    assert ours()[0] == pytest.approx(theirs()[0], rel=1e-4)
    assert wend_tensor_peak(wend, ours) <= torch_tensor_peak(torch, theirs)


def test_a_minibatch_of_trees_takes_no_more_memory_than_pytorch() -> None:
    step = recursion(wend, Examples.generated(64), hidden=128)
    step()
    # What benchmarks/w10_growth.py finds for PyTorch 2.13, in half a minute.
    assert wend_tensor_peak(wend, step) <= 10_439_920


def convolutions(T: Any) -> Callable[[], Any]:
    T.manual_seed(0)
    model = T.nn.Sequential(
        T.nn.Conv2d(3, 16, 3, padding=1),
        T.nn.BatchNorm2d(16),
        T.nn.ReLU(),
        T.nn.MaxPool2d(2),
        T.nn.Conv2d(16, 32, 3, padding=1),
        T.nn.ReLU(),
        T.nn.Flatten(),
        T.nn.Linear(32 * 16 * 16, 10),
    )
    x, labels = T.ones(16, 3, 32, 32), T.arange(16) % 10

    def step() -> Any:
        model.zero_grad()
        loss = T.nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        return loss.item(), None

    return step


def perceptron(T: Any) -> Callable[[], Any]:
    sizes = [256, 512, 512, 10]
    layers: list[Any] = []
    for before, after in pairwise(sizes):
        layers += [T.nn.Linear(before, after), T.nn.Dropout(0.5), T.nn.Tanh()]
    model = T.nn.Sequential(*layers)
    x = T.ones(512, 256)

    def step() -> Any:
        model.zero_grad()
        loss = (model(x) ** 2).mean()
        loss.backward()
        return loss.item(), None

    return step


@pytest.mark.parametrize("program", [convolutions, perceptron])
def test_training_steps_take_no_more_memory_than_pytorch(program: Any) -> None:
    ours = wend_tensor_peak(wend, program(wend))
    assert ours <= torch_tensor_peak(torch, program(torch))


def work_of_backward(views: Callable[[Any], list[Any]], *sizes: int) -> dict[str, Any]:
    """What kernels do for the gradient of a weighted sum of views, which is PyTorch's."""
    gradients = []
    for T in (torch, wend):
        x = T.arange(float(torch.Size(sizes).numel())).view(sizes).requires_grad_()
        parts = views(x * 1)
        total = sum(((i + 2) * part.sin()).sum() for i, part in enumerate(parts))
        total.item()
        if T is torch:
            total.backward()
        else:
            with wend.report() as report:
                total.backward()
                x.grad.sum().item()
        gradients.append(x.grad.numpy())
    assert gradients[0] == pytest.approx(gradients[1], rel=1e-5, abs=1e-5)
    return kernels(report)


COVERING = {
    "chunk": lambda x: x.chunk(5, 1),
    "split": lambda x: x.split([3, 1, 6], 1),
    "unbind": lambda x: x.unbind(1),
    "select": lambda x: [x[i] for i in (2, 0, 3, 1)],
    "every second": lambda x: [x[:, 1::2], x[:, ::2]],
    "of a transposed": lambda x: x.t().chunk(2, 0),
}


@pytest.mark.parametrize("views", COVERING.values(), ids=COVERING.keys())
def test_gradients_of_views_that_cover_a_tensor_are_written_once(views: Any) -> None:
    work = work_of_backward(views, 4, 10)
    assert (work["placed"].calls, work["placed"].bytes) == (1, 4 * 10 * 4)
    assert not {"filled", "add_parts", "add", "contiguous_copy"} & work.keys()


PARTLY = {
    "a slice": lambda x: [x[1:3, 2:7]],
    "quarters": lambda x: [x[:2, :5], x[2:, :5], x[:2, 5:], x[2:, 5:]],
    "ends": lambda x: [x[:, 8:], x[:, :2]],
    "a row and a column": lambda x: [x[1], x[:, 4]],
    "what meets": lambda x: [x[:3], x[1:], x[2]],
    "one twice": lambda x: [x[1:], x[1:]],
    "diagonals": lambda x: [x.diagonal(), x.diagonal(1), x.diagonal(-1)],
    "windows": lambda x: [x.unfold(1, 4, 2), x[:, 9]],
    "steps": lambda x: [x[::2, ::3], x[1::2, 1::3], x[0]],
    "nothing": lambda x: [x[2:2], x[1]],
    "an element each": lambda x: [x[i, j] for i in range(4) for j in range(0, 10, 3)],
    "many": lambda x: [x[i % 4, i % 10] for i in range(100)],
    "other views too": lambda x: [x[1:], x.view(5, 8), x.t()[2]],
}


@pytest.mark.parametrize("views", PARTLY.values(), ids=PARTLY.keys())
def test_gradients_of_other_views_need_no_tensor_of_zeros(views: Any) -> None:
    work = work_of_backward(views, 4, 10)
    assert "placed" in work
    assert "filled" not in work


def test_one_slice_of_a_large_tensor_gives_back_one_large_tensor() -> None:
    x = wend.ones(1 << 20, requires_grad=True)
    (x * 1)[:10].sum().backward()
    x.grad = None
    before = wend.memory_stats()["allocated_bytes"]
    y = (x * 1)[:10].sum()
    y.item()
    wend.reset_peak_memory_stats()
    y.backward()
    assert wend.memory_stats()["peak_bytes"] - before < 2.5 * x.nbytes


def test_many_rows_of_a_large_tensor_give_back_one_large_tensor() -> None:
    x = wend.ones(256, 4096, requires_grad=True)  # more than may be pending, if each were one
    y = sum((x[i] * float(i)).sum() for i in range(256))
    y.item()
    before = wend.memory_stats()["allocated_bytes"]
    wend.reset_peak_memory_stats()
    y.backward()
    assert x.grad.sum(1).tolist() == [4096.0 * i for i in range(256)]
    assert wend.memory_stats()["peak_bytes"] - before < 2.5 * x.nbytes


@pytest.mark.parametrize("graph", [False, True])
def test_parts_that_ran_because_somebody_looked_are_part_of_the_gradient(graph: bool) -> None:
    x = wend.arange(12.0).reshape(6, 2).requires_grad_()
    rows, looked = [], []
    for i in (0, 3, 1, 3, 2, 5):
        rows.append(x[i] * x[i])
        rows[-1].register_hook(lambda g: looked.append((g + 1).tolist()))
        rows[-1].tolist()  # so that the way back leads through one after the other
    total = sum(rows[1:], rows[0]).sum()
    (g,) = wend.autograd.grad(total, x, create_graph=graph)
    assert g.tolist() == [[0, 2], [4, 6], [8, 10], [24, 28], [0, 0], [20, 22]]
    assert looked == [[2, 2]] * 6
    if graph:
        (h,) = wend.autograd.grad((g * g).sum(), x)
        assert h.tolist() == [[0, 8], [16, 24], [32, 40], [192, 224], [0, 0], [80, 88]]


@pytest.mark.parametrize("nodes", [1, 20, 300])
def test_gates_go_back_within_any_bound_of_laziness(nodes: int) -> None:
    wend.manual_seed(0)
    w, xs = wend.rand(4, 12), [wend.rand(5, 4) for _ in range(8)]

    def gradient() -> list[float]:
        v, total = w.clone().requires_grad_(), wend.tensor(0.0)
        for sequence in xs:
            h = wend.zeros(1, 4)
            for x in sequence.split(1):
                a, b, c = ((x + h) @ v).chunk(3, 1)
                h = a.sigmoid() * b.tanh() + c.sin()
            total = total + h.sum()
        total.backward()
        return v.grad.flatten().tolist()

    expected = gradient()
    with wend.laziness(nodes=nodes):
        assert gradient() == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_gates_of_batched_cells_go_back_through_one_kernel() -> None:
    w = wend.rand(8, 20, requires_grad=True)

    def cell(x: Any) -> Any:
        a, b, c, d = (x @ w).chunk(4, 1)
        return (a.sigmoid() * b.tanh() + c.sin() * d.exp()).sum()

    total = sum(cell(wend.rand(1, 8)) for _ in range(30))
    total.item()
    with wend.report() as report:
        total.backward()
        w.grad.sum().item()
    work = kernels(report)
    assert work["placed"].calls == 1
    assert "filled" not in work


def test_stats_count_what_is_alive_and_what_is_kept() -> None:
    wend.empty_cache()
    before = wend.memory_stats()
    x = wend.ones(1 << 18) + 1
    x[0].item()
    wend.reset_peak_memory_stats()
    held = wend.memory_stats()
    assert held["allocated_bytes"] - before["allocated_bytes"] == x.nbytes
    assert held["buffers"] - before["buffers"] == 1
    assert held["allocations"] > before["allocations"]
    assert held["reserved_bytes"] >= held["allocated_bytes"] + held["cached_bytes"] - (1 << 20)
    size = x.nbytes
    del x
    after = wend.memory_stats()
    assert held["allocated_bytes"] - after["allocated_bytes"] == size
    assert after["cached_bytes"] - held["cached_bytes"] == size
    assert after["reserved_bytes"] == held["reserved_bytes"]
    assert after["peak_bytes"] == held["allocated_bytes"]
    wend.empty_cache()
    last = wend.memory_stats()
    assert last["cached_bytes"] == 0
    assert after["reserved_bytes"] - last["reserved_bytes"] == after["cached_bytes"]
    assert last["peak_reserved_bytes"] == held["reserved_bytes"]


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def test_memory_of_an_emptied_cache_goes_back_and_comes_again(resident_memory: None) -> None:
    made = [wend.full((size << 18,), float(size)) for size in (1, 2, 3, 6, 12, 48)]
    for x in made:
        x[0].item()
    held = resident_bytes()
    size = sum(x.nbytes for x in made)
    del made, x
    wend.empty_cache()
    assert held - resident_bytes() > 0.9 * size
    for size in (1, 2, 3, 6, 12, 48):
        assert wend.full((size << 18,), float(size)).sum().item() == size * (size << 18)


def blocks_of(mib: int) -> list[wend.Tensor]:
    """So many tensors of a MiB, with their values."""
    made = [wend.full((1 << 18,), float(i)) for i in range(mib)]
    for x in made:
        x[0].item()
    return made


def test_as_much_is_kept_as_was_in_use_at_once() -> None:
    wend.empty_cache()
    made = blocks_of(384)
    held = wend.memory_stats()["reserved_bytes"]
    del made
    assert wend.memory_stats()["cached_bytes"] >= 384 << 20
    again = blocks_of(384)
    assert wend.memory_stats()["reserved_bytes"] == held
    del again
    wend.empty_cache()


def test_what_was_long_not_used_again_is_not_kept() -> None:
    wend.empty_cache()
    del blocks_of(512)[:]
    assert wend.memory_stats()["cached_bytes"] >= 512 << 20
    few = wend.memory_stats()["allocated_bytes"] + (16 << 20)
    for _ in range(2 * 16 * 1024 // 16 + 1):  # until many times as much was handed out, twice
        del blocks_of(16)[:]
    stats = wend.memory_stats()
    assert stats["cached_bytes"] <= max(256 << 20, 1.25 * few)
    wend.empty_cache()


def test_blocks_that_are_handed_out_in_order_again_are_each_handed_out_once() -> None:
    x = wend.tensor([1.0, 2.0], requires_grad=True)
    steps = 70_000

    def gradient() -> list[float]:
        y = x
        for i in range(steps):
            y = y + i % 2 if i % 3 else y * 1.0
        return wend.autograd.grad(y.sum(), x)[0].tolist()

    reserved = []
    for _ in range(4):
        assert gradient() == [1.0, 1.0]
        reserved.append(wend.memory_stats()["reserved_bytes"])
    assert reserved[-1] == reserved[1]
