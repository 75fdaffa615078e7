"""Each way to read a value, to change a tensor, to draw numbers is one event; none is silent."""

import copy
import io
import math
import pickle
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wend
import wend.nn.functional as F
from wend._watch import Events, where

Event = tuple[Any, ...]


def events_of(kind: str, program: Callable[[], Any]) -> list[Event]:
    with Events() as events:
        program()
        happened = events.take()
    return [event[2:] if kind != "drew" else event[1:] for event in happened if event[0] == kind]


def pending(values: Any, **options: Any) -> wend.Tensor:
    """A tensor whose value nobody has looked at, and that no part of the library can know."""
    given = wend.tensor(values, **options)
    return given.clone() if given.dtype is wend.bool else given * 1


def in_a_slice(i: wend.Tensor) -> Any:
    return [10, 20, 30][i]  # type: ignore[call-overload]


def loaded(x: Any) -> None:
    wend.save(x, io.BytesIO())


# What is looked at, how, and what it tells: a truth, a number, all bytes, or a size.
READS: dict[str, tuple[Any, Callable[[Any], Any], str, Any]] = {
    "bool": ([3.0], bool, "truth", True),
    "bool of zero": (0, bool, "truth", False),
    "bool of NaN": (math.nan, bool, "truth", True),
    "if": (0.0, lambda x: 1 if x else 2, "truth", False),
    "not": (True, lambda x: not x, "truth", True),
    "and": ([0.0], lambda x: x and 1, "truth", False),
    "assert": (5, lambda x: [1 for _ in range(1) if x], "truth", True),
    "a comparison": (5, lambda x: 1 if x > 3 else 2, "truth", True),
    "max": ((2.5), lambda x: max(x, 1.0), "truth", False),
    "is_nonzero": ([2.0], lambda x: x.is_nonzero(), "truth", True),
    "equal": ([1.0, 2.0], lambda x: wend.equal(x, wend.ones(2)), "truth", False),
    "allclose": ([1.0, 1.0], lambda x: wend.allclose(x, wend.ones(2)), "truth", True),
    "item": (2.5, lambda x: x.item(), "number", 2.5),
    "item of an integer": (2**53 + 1, lambda x: x.item(), "number", 2**53 + 1),
    "item of a truth": (True, lambda x: x.item(), "number", True),
    "float": (2, float, "number", 2),
    "int": (2.75, int, "number", 2.75),
    "index": (2, in_a_slice, "number", 2),
    "range": (2, range, "number", 2),
    "round": (2.0, lambda x: math.floor(x), "number", 2.0),
    "format": (2.5, lambda x: f"{x:.1f}", "number", 2.5),
    "an index into a tensor": (1, lambda i: wend.arange(3)[i], "number", 1),
    "a truth as an index": (True, lambda i: wend.arange(3)[i], "truth", True),
    "a bound of a slice": (1, lambda i: wend.arange(3)[:i], "number", 1),
    "a size": (2, lambda n: wend.zeros(n), "number", 2),
    "an element of new data": (2.5, lambda x: wend.tensor([x, 1.0]), "number", 2.5),
    "an argument that is a number": (1.5, lambda x: wend.full((2,), x), "number", 1.5),
    "tolist": ([1.0, 2.0], lambda x: x.tolist(), "bytes", None),
    "tolist of nothing": ([], lambda x: x.tolist(), "bytes", None),
    "repr": ([1.0, 2.0], repr, "bytes", None),
    "str": (1.0, str, "bytes", None),
    "numpy": ([1.0, 2.0], lambda x: x.numpy(), "bytes", None),
    "__array__": ([1.0, 2.0], lambda x: np.asarray(x), "bytes", None),
    "buffer": ([1.0, 2.0], memoryview, "bytes", None),
    "DLPack": ([1.0, 2.0], lambda x: np.from_dlpack(x), "bytes", None),
    "data_ptr": ([1.0, 2.0], lambda x: x.data_ptr(), "bytes", None),
    "pickle": ([1.0, 2.0], pickle.dumps, "bytes", None),
    "save": ([1.0, 2.0], loaded, "bytes", None),
    "the storage": ([1.0], lambda x: x.untyped_storage().tolist(), "bytes", None),
    "unique": ([1.0, 1.0], lambda x: x.unique(), "bytes", None),
    "unique_consecutive": ([1.0, 1.0], lambda x: x.unique_consecutive(), "bytes", None),
    "bincount": ([1, 1], lambda x: x.bincount(), "bytes", None),
    "repeat_interleave": ([1, 2], lambda x: wend.ones(2).repeat_interleave(x), "bytes", None),
    "tensor_split": ([1, 2], lambda x: wend.ones(4).tensor_split(x), "bytes", None),
    "a generator's state": (
        list(struct.pack("QQ", 5, 7)),
        lambda x: wend.Generator().set_state(x.to(wend.uint8)),
        "bytes",
        None,
    ),
    "nonzero": ([1.0, 0.0], lambda x: x.nonzero(), "size", 1),
    "argwhere": ([1.0, 0.0], lambda x: x.argwhere(), "size", 1),
    "where": ([True, True], lambda x: wend.where(x), "size", 2),
    "masked_select": ([True, False], lambda m: wend.ones(2).masked_select(m), "size", 1),
    "masked_scatter": (
        [True, False],
        lambda m: wend.ones(2).masked_scatter(m, wend.zeros(2)),
        "size",
        1,
    ),
    "a mask as an index": ([False, False], lambda m: wend.ones(2)[m], "size", 0),
    "one_hot": ([0, 2], F.one_hot, "size", 3),
}


@pytest.mark.parametrize("there", [False, True], ids=["pending", "there"])
@pytest.mark.parametrize("name", READS)
def test_each_way_to_read_is_one_event_with_its_answer(name: str, there: bool) -> None:
    values, look, how, answer = READS[name]
    x = pending(values)
    if there:
        x.tolist()
    events = events_of("read", lambda: look(x))
    assert [event[0] for event in events] == [how]
    read = events[0][1]
    assert type(read) is type(answer)
    assert read == answer


SILENT: dict[str, Callable[[Any], Any]] = {
    "sizes": lambda x: (x.shape, x.size(0), len(x), x.numel(), x.stride(), x.dtype, x.dim()),
    "arithmetic": lambda x: (x * 2 + 1).exp().sum(),
    "views": lambda x: (x[0], x[:1], x.t(), x.view(-1), list(x), x.unbind()),
    "a graph": lambda x: wend.graph(x + 1),
    "hash and identity": lambda x: (hash(x), x is x, id(x)),
    "a clone": lambda x: (x.clone(), copy.copy(x), x.detach(), x.data),
    "a conversion": lambda x: (x.double(), x.to(wend.int64), x.type()),
    "a layer": lambda x: wend.nn.Linear(2, 3)(x),
    "a loss": lambda x: F.cross_entropy(x, wend.tensor([0, 1])),
    "a choice by a condition": lambda x: wend.where(x > 0, x, 0),
    "a number drawn": lambda x: F.dropout(x, 0.5),
}


@pytest.mark.parametrize("name", SILENT)
def test_what_learns_nothing_is_no_reading(name: str) -> None:
    x = pending([[1.0, 2.0], [3.0, 4.0]])
    assert events_of("read", lambda: SILENT[name](x)) == []


def test_a_walk_back_reads_nothing() -> None:
    w = wend.ones(2, 2, requires_grad=True)
    x = pending([[1.0, 2.0], [3.0, 4.0]])
    assert events_of("read", lambda: (x @ w).sum().backward()) == []


def without_grad(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def changed(x: Any) -> None:
        with wend.no_grad():
            change(x)

    return changed


# What is changed, and how it is told. The tensor has two rows of two numbers.
WRITES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "in place": (lambda x: x.add_(1), "value"),
    "an operator in place": (lambda x: x.__imul__(2), "value"),
    "through a view": (lambda x: x[0].zero_(), "value"),
    "through a transpose": (lambda x: x.t()[0].mul_(2), "value"),
    "through detach": (lambda x: x.detach().fill_(3), "value"),
    "through data": (lambda x: x.data.fill_(3), "value"),
    "an element": (lambda x: x.__setitem__((0, 1), 5.0), "value"),
    "a row": (lambda x: x.__setitem__(0, wend.zeros(2)), "value"),
    "by a mask": (lambda x: x.__setitem__(x > 2, 0.0), "value"),
    "copy_": (lambda x: x.copy_(wend.ones(2, 2)), "value"),
    "out=": (lambda x: wend.add(wend.ones(2, 2), 1, out=x), "value"),
    "out= of another size": (lambda x: wend.add(wend.ones(3), 1, out=wend.empty(0)), "value"),
    "drawn in place": (lambda x: x.normal_(), "value"),
    "initialised": (lambda x: wend.nn.init.xavier_uniform_(x), "value"),
    "data assigned": (lambda x: setattr(x, "data", wend.ones(3)), "data"),
    "set_": (lambda x: x.set_(wend.ones(3)), "data"),
    "set_ with sizes": (lambda x: x.set_(wend.ones(3), 0, (2,), (1,)), "data"),
    "t_": (lambda x: x.t_(), "geometry"),
    "unsqueeze_": (lambda x: x.unsqueeze_(0), "geometry"),
    "as_strided_": (lambda x: x.as_strided_((2,), (1,)), "geometry"),
    "t_ of a leaf without grad": (
        without_grad(lambda x: wend.ones(2, 2, requires_grad=True).t_()),
        "geometry",
    ),
    "resize_": (lambda x: x.resize_(5), "storage"),
    "resize_ to fewer": (lambda x: x.resize_(1), "storage"),
    "requires_grad_": (lambda x: x.requires_grad_(), "history"),
    "requires_grad assigned": (lambda x: setattr(x, "requires_grad", True), "history"),
    "detach_": (lambda x: (wend.ones(2, requires_grad=True) * 2).detach_(), "history"),
    "version": (lambda x: wend.autograd.graph.increment_version(x), "version"),
    "numpy": (lambda x: x.numpy(), "outside"),
    "DLPack": (lambda x: np.from_dlpack(x), "outside"),
    "grad assigned": (lambda x: setattr(x, "grad", wend.ones(2, 2)), "gradient"),
    "grad removed": (lambda x: setattr(x, "grad", None), "gradient"),
    "manual_seed": (lambda x: wend.manual_seed(1), "generator"),
    "a generator's seed": (lambda x: wend.Generator().seed(), "generator"),
    "a generator's manual_seed": (lambda x: wend.Generator().manual_seed(3), "generator"),
    "set_rng_state": (lambda x: wend.set_rng_state(wend.get_rng_state()), "generator"),
}


@pytest.mark.parametrize("name", WRITES)
def test_each_way_to_change_is_one_event(name: str) -> None:
    change, what = WRITES[name]
    x = wend.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert events_of("wrote", lambda: change(x)) == [(what,)]


def test_a_gradient_that_arrives_is_one_event_for_each_leaf() -> None:
    a, b = wend.ones(2, requires_grad=True), wend.ones(2, requires_grad=True)
    for _ in range(3):  # the first becomes .grad, later ones are added to it
        assert events_of("wrote", lambda: (a * b).sum().backward()) == [("gradient",)] * 2
    loss = (a * b).sum()
    assert events_of("wrote", lambda: loss.backward(create_graph=True)) == [("gradient",)] * 2


def test_what_changes_nothing_is_no_event() -> None:
    x = wend.ones(2, 2)
    programs = [
        lambda: x.requires_grad_(False),
        lambda: F.dropout(x, 0.0, inplace=True),
        lambda: x.resize_(2, 2),
        lambda: x + 1,
        lambda: x.view(4),
    ]
    for program in programs:
        assert events_of("wrote", program) == []


DRAWS: dict[str, Callable[[], Any]] = {
    "rand": lambda: wend.rand(3),
    "randn": lambda: wend.randn(3),
    "randint": lambda: wend.randint(5, (3,)),
    "randperm": lambda: wend.randperm(5),
    "rand_like": lambda: wend.rand_like(wend.ones(2)),
    "normal": lambda: wend.normal(0.0, 1.0, (3,)),
    "bernoulli": lambda: wend.bernoulli(wend.full((3,), 0.5)),
    "multinomial": lambda: wend.multinomial(wend.ones(3), 2),
    "poisson": lambda: wend.poisson(wend.ones(3)),
    "uniform_": lambda: wend.ones(3).uniform_(),
    "exponential_": lambda: wend.ones(3).exponential_(),
    "random_": lambda: wend.ones(3).random_(),
    "dropout": lambda: F.dropout(wend.ones(3), 0.5),
    "rrelu": lambda: F.rrelu(-wend.ones(3), training=True),
    "a generator of one's own": lambda: wend.rand(3, generator=wend.Generator()),
}


@pytest.mark.parametrize("name", DRAWS)
def test_each_way_to_draw_is_one_event(name: str) -> None:
    (drawn,) = events_of("drew", DRAWS[name])
    assert drawn[0] > 0


def test_every_node_is_told_with_the_node_whose_gradient_it_is() -> None:
    w = wend.ones(3, 3, requires_grad=True)
    with Events() as events:
        before = wend._C._counters()["recorded"]
        loss = (w @ w).exp().sum()
        loss.backward()
        recorded = [event for event in events.take() if event[0] == "recorded"]
        numbers = [number for _, number, _, _, _ in recorded]
    assert numbers == sorted(numbers)
    forward = {number: op for _, number, op, of, _ in recorded if of == 0}
    assert list(forward.values()) == ["mm", "exp", "sum"]
    assert {forward[of] for _, _, _, of, _ in recorded if of} == set(forward.values())
    # Numbers of the program are constants, which are shared and nobody's event.
    assert wend._C._counters()["recorded"] - before - len(recorded) <= 1


def test_watching_changes_nothing_and_ends() -> None:
    def program() -> list[float]:
        wend.manual_seed(0)
        x = wend.rand(8, 4, requires_grad=True)
        rows = [wend.tanh(row @ wend.ones(4, 4)).sum() for row in x]
        sum(rows, wend.zeros(())).backward()
        assert x.grad is not None
        return [*x.grad.flatten().tolist(), *(row.item() for row in rows)]

    plain = program()
    counters = wend._C._counters()
    assert program() == plain
    between = wend._C._counters()
    with Events():
        assert program() == plain
    after = wend._C._counters()
    assert {k: after[k] - between[k] for k in after} == {k: between[k] - counters[k] for k in after}
    with Events() as events:
        assert events.take() == []


def test_other_threads_and_fibers_are_watched_too() -> None:
    def sign(x: wend.Tensor) -> int:
        return 1 if x > 0 else -1

    xs = [pending(v) for v in (1.0, -1.0, 2.0)]
    reads = events_of("read", lambda: wend.map(sign, xs))
    assert reads == [("truth", True), ("truth", False), ("truth", True)]


def contexts_of(program: Callable[[], Any]) -> dict[str, list[list[tuple[str, str]]]]:
    """Where each op was recorded, by its name."""
    found: dict[str, list[list[tuple[str, str]]]] = {}
    with Events() as events:
        program()
        for event in events.take():
            if event[0] == "recorded":
                found.setdefault(event[2], []).append(where(event[4]))
    return found


def balanced(events: list[Event]) -> bool:
    open_now: list[int] = []
    for kind, *rest in events:
        if kind == "entered":
            open_now.append(rest[0])
        elif kind == "left" and open_now.pop() != rest[0]:
            return False
    return not open_now


class Inner(wend.nn.Module):
    def forward(self, x: wend.Tensor) -> wend.Tensor:
        return x.exp()


class Outer(wend.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = wend.nn.ModuleList([Inner(), Inner()])
        self.last = Inner()

    def forward(self, x: wend.Tensor) -> wend.Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.last(x).sin()


def test_what_a_module_records_belongs_to_its_path() -> None:
    model, x = Outer(), wend.ones(2)
    found = contexts_of(lambda: model(x))
    outer = ("module", "Outer")
    assert found["exp"] == [
        [outer, ("module", "layers.0")],
        [outer, ("module", "layers.1")],
        [outer, ("module", "last")],
    ]
    assert found["sin"] == [[outer]]
    assert contexts_of(lambda: x.exp()) == {"exp": [[]]}


def test_a_module_that_raises_is_left() -> None:
    class Failing(wend.nn.Module):
        def forward(self, x: wend.Tensor) -> None:
            raise ValueError("no")

    def program() -> None:
        with pytest.raises(ValueError, match="no"):
            Failing()(wend.ones(2))
        wend.ones(2).exp()

    assert contexts_of(program)["exp"] == [[]]


def test_gradients_steps_and_named_stretches_have_contexts() -> None:
    w = wend.ones(2, requires_grad=True)
    optimizer = wend.optim.SGD([w], lr=0.1)

    def program() -> None:
        with wend.profiler.record_function("forward"):
            loss = (w.exp() * 2).sum()
        loss.backward()
        optimizer.step()

    with Events() as events:
        program()
        happened = events.take()
    assert balanced(happened)
    paths = {tuple(where(event[1])) for event in happened if event[0] == "entered"}
    assert paths == {(("range", "forward"),), (("backward", ""),), (("step", "SGD"),)}
    by_gradient = {where(event[4])[0] for event in happened if event[0] == "recorded" and event[3]}
    assert by_gradient == {("backward", "")}


def test_examples_of_a_map_have_contexts_of_their_own_though_they_take_turns() -> None:
    inner = Inner()

    def example(x: wend.Tensor) -> float:
        with wend.profiler.record_function("loop"):
            while x.sum() < 100:
                x = inner(x) + 1
            return x.sum().item()

    found = contexts_of(lambda: wend.map(example, [pending([float(i)] * 40) for i in range(3)]))
    places = {tuple(path) for path in found["exp"]}
    assert places == {
        (("example", str(i)), ("range", "loop"), ("module", "Inner")) for i in range(3)
    }


def test_contexts_cost_nothing_when_nobody_watches() -> None:
    model = Outer()
    model(wend.ones(2))
    assert wend._C._enter("range", "unseen") == 0
    assert contexts_of(lambda: wend.ones(2).exp())["exp"] == [[]]


def test_a_number_that_is_no_context_is_refused() -> None:
    with pytest.raises(IndexError):
        where(2**31)
