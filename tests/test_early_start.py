"""Large batches are started while the program goes on recording, on otherwise idle threads.

What is counted here shows that it happens, and that it does not take batches apart.
"""

from collections.abc import Iterator
from typing import Any

import pytest

import wend

pytestmark = pytest.mark.usefixtures("two_threads")


@pytest.fixture
def soon() -> Iterator[None]:
    """From 64 nodes on, batches of 4 are large."""
    before = wend._C._set_early_start(64, 4)
    yield
    wend._C._set_early_start(*before)


def counted() -> dict[str, int]:
    return wend._C._counters()


class Model:
    """Nested pairs of numbers, folded by a cell; a number is a row of a table."""

    def __init__(self) -> None:
        wend.manual_seed(3)
        self.table = wend.randn(9, 6).requires_grad_()
        self.weight = wend.randn(12, 12).requires_grad_()
        self.parameters = [self.table, self.weight]

    def state(self, tree: Any) -> Any:
        if isinstance(tree, int):
            return self.table[tree : tree + 1].tanh()
        both = wend.cat([self.state(child) for child in tree], 1)
        gate, value = (both @ self.weight).chunk(2, 1)
        return gate.sigmoid() * value.tanh()

    def loss(self, trees: list[Any]) -> Any:
        return wend.stack([self.state(tree).sum() for tree in trees]).sum()

    def step(self, trees: list[Any]) -> list[Any]:
        loss = self.loss(trees)
        loss.backward()
        gradients = [p.grad.tolist() for p in self.parameters]
        with wend.no_grad():
            for p in self.parameters:
                p -= 0.1 * p.grad
                p.grad = None
        return [loss.item(), gradients]


TREES: list[Any] = [
    ((1, 2), (3, (4, 5))),
    (0, (6, 7)),
    (((8, 1), 2), ((3, 4), (5, (6, 0)))),
    (7, 8),
    ((1, (2, (3, (4, 5)))), 6),
] * 8


def test_what_was_started_is_not_pending_any_more(soon: None) -> None:
    before = counted()
    loss = Model().loss(TREES)
    after = counted()
    assert after["nodes"] - before["nodes"] > 100
    assert after["pending"] - before["pending"] < after["recorded"] - before["recorded"] - 100
    loss.backward()


def test_steps_are_those_of_a_program_that_waits(soon: None) -> None:
    model = Model()
    early = [model.step(TREES) for _ in range(4)]
    wend.set_num_threads(1)
    model = Model()
    waiting = [model.step(TREES) for _ in range(4)]
    for a, b in zip(early, waiting, strict=True):
        assert a[0] == pytest.approx(b[0], rel=1e-5)
        for g, h in zip(a[1], b[1], strict=True):
            assert wend.allclose(wend.tensor(g), wend.tensor(h), atol=1e-5)


def test_what_comes_later_finds_its_kind_at_its_level(soon: None) -> None:
    """A change of weights in front, and starting in the middle of a tree, keep levels aligned."""

    def batches(trees: list[Any]) -> int:
        model = Model()
        model.step(trees)
        before = counted()["batches"]
        model.step(trees)
        return counted()["batches"] - before

    early = batches(TREES)
    wend.set_num_threads(1)
    waiting = batches(TREES)
    # Low levels are run in several parts, high ones are not.
    assert waiting < early < 8 * waiting


def test_one_thread_and_reports_start_nothing_early(soon: None) -> None:
    wend.set_num_threads(1)
    before = counted()["nodes"]
    loss = Model().loss(TREES)
    assert counted()["nodes"] - before < 10
    loss.item()
    wend.set_num_threads(2)
    with wend.report() as report:
        loss = Model().loss(TREES)
        loss.item()
    assert report.runs == 1


def test_few_nodes_are_left_alone() -> None:
    before = counted()["nodes"]
    loss = Model().loss(TREES)
    assert counted()["nodes"] - before < 10
    loss.item()


def test_what_nobody_can_look_at_is_not_started(soon: None) -> None:
    w = wend.randn(4, 4)
    wend.randn(1).item()
    before = counted()["nodes"]
    for _ in range(100):
        wend.tanh(wend.ones(1, 4) @ w)
    assert counted()["nodes"] - before < 10


def test_a_kind_that_cannot_run_at_once_waits_for_its_turn(soon: None) -> None:
    xs = [wend.arange(6.0) + i for i in range(40)]
    ys = [x.cumsum(0).flip(0) for x in xs]
    assert [y[0].item() for y in ys] == [15 + 6 * i for i in range(40)]


def test_however_much_is_recorded_little_waits(soon: None) -> None:
    w, xs = wend.randn(4, 4), wend.randn(3000, 1, 4).unbind()
    wend.stack(xs).sum().item()
    before, kept, waiting = counted(), [], 0
    for x in xs:
        kept.append(wend.tanh(x @ w) * 2)
        now = counted()
        ran, recorded = (now[what] - before[what] for what in ("nodes", "recorded"))
        waiting = max(waiting, recorded - ran)
    assert waiting < 1000


def test_what_was_dropped_does_not_keep_others_apart() -> None:
    x = wend.ones(2)
    for _ in range(20_000):
        x = x + 1
    del x
    with wend.report() as report:
        wend.stack([wend.tanh(wend.ones(3) * i) for i in range(20)]).sum().item()
    assert report.batches > 0


def test_a_long_way_back_is_started_while_the_walk_goes_on() -> None:
    x = wend.randn(8, 4, requires_grad=True)
    rows = [wend.stack([wend.tanh(row) for row in x.unbind()])]
    for _ in range(40):
        rows.append(wend.stack([wend.tanh(row * 0.9) for row in rows[-1].unbind()]))
    loss = rows[-1].sum()
    loss.item()

    def gradient() -> tuple[list[list[float]], int]:
        """And how many runs the way back took."""
        before = counted()["runs"]
        (found,) = wend.autograd.grad(loss, x, retain_graph=True)
        runs = counted()["runs"] - before
        return found.tolist(), runs

    gradient()  # what others left to run has run
    early, runs = gradient()
    wend.set_num_threads(1)
    waiting, fewer = gradient()
    assert early == waiting
    assert fewer < runs
