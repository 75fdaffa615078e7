"""Random programs, each written for one example and run over several, give the same values and
gradients whether or not nodes run in batches, in one run or in several, and the same as PyTorch.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from both import STANDIN, torch, wend
from hypothesis import given
from hypothesis import strategies as st
from ways import WAYS, Way, many, running

from benchmarks.tree_lstm import Examples, recursion

pytestmark = pytest.mark.skipif(bool(STANDIN), reason="PyTorch has no batches")

WIDTH = 3
ROWS = 6  # of a state, at most
APART = 0.123  # states that are equal but for rounding are not compared with each other


@dataclass(frozen=True)
class Move:
    """One instruction of a program: what is done to which of the states so far."""

    name: str
    i: int
    j: int
    k: int


@dataclass(frozen=True)
class Program:
    """What is done for each example, and how the way back is gone."""

    rows: list[int]  # of each example
    moves: list[Move]
    loss: str
    back: str
    dtype: str
    seed: int


# Calls a function for each example.
Each = Callable[[Callable[..., Any], Any], Any]


class Machine:
    """Interprets a program over PyTorch or wend: its weights and inputs, and what came of them."""

    def __init__(self, T: Any, program: Program) -> None:
        self.T, self.program = T, program
        source = np.random.RandomState(program.seed)
        shapes = {
            "weight": (WIDTH, WIDTH),
            "other": (WIDTH, WIDTH),
            "bias": (WIDTH,),
            "scale": (WIDTH,),
            "table": (5, WIDTH),
            "wide": (2 * WIDTH, WIDTH),
        }
        self.weights = {name: self.tensor(source.randn(*s), True) for name, s in shapes.items()}
        self.inputs = [
            self.tensor(source.randn(rows, WIDTH), i % 2 == 0)
            for i, rows in enumerate(program.rows)
        ]
        self.examples: list[Example] = []

    def tensor(self, values: Any, requires_grad: bool) -> Any:
        dtype = getattr(self.T, self.program.dtype)
        return self.T.tensor(values.tolist(), dtype=dtype, requires_grad=requires_grad)

    @property
    def middle(self) -> list[Any]:
        """States whose gradients are asked for."""
        return [example.states[len(example.states) // 2] for example in self.examples]

    def run(self, each: Each) -> list[Any]:
        """Losses, values seen on the way, and gradients, as lists of numbers."""
        numbers = range(len(self.inputs))
        self.examples = [Example(self, number) for number in numbers]
        losses = list(each(Example.loss, self.examples))
        gradients = BACKS[self.program.back](self, losses)
        leaves = [*self.weights.values(), *(x for x in self.inputs if x.requires_grad)]
        found = [*losses, *gradients, *(leaf.grad for leaf in leaves)]
        seen = [example.seen for example in self.examples]
        return [*seen, *(None if t is None else t.detach().tolist() for t in found)]


class Example:
    """One example on its way through the program."""

    def __init__(self, machine: Machine, number: int) -> None:
        self.machine, self.number = machine, number
        self.T, self.F = machine.T, machine.T.nn.functional
        self.program, self.weights = machine.program, machine.weights
        self.states = [machine.inputs[number]]
        self.seen: list[float] = []

    def loss(self) -> Any:
        for move in self.program.moves:
            state = MOVES[move.name](self, move)
            if state is not None:
                self.states.append(state)
        return LOSSES[self.program.loss](self, self.states[-1])

    # States, by the numbers in a move.
    def at(self, i: int) -> Any:
        return self.states[-1 - i % len(self.states)]

    def pair(self, move: Move) -> tuple[Any, Any]:
        """Two states, cut to equally many rows."""
        a, b = self.at(move.i), self.at(move.j)
        rows = min(a.shape[0], b.shape[0])
        return a[:rows], b[:rows]

    def weight(self, k: int) -> Any:
        return self.weights["weight" if k % 2 else "other"]

    def indices(self, count: int, below: int, k: int) -> Any:
        """Places that differ from example to example."""
        return self.T.tensor([(k + self.number * 2 + i) % below for i in range(count)])

    def observe(self, value: float) -> float:
        self.seen.append(value)
        return value


def written(m: Example, move: Move) -> Any:
    state = m.at(move.i).clone()
    state[move.k % state.shape[0]] = m.at(move.j)[0]
    return state


def written_through_view(m: Example, move: Move) -> Any:
    state = m.at(move.i) * 1.0
    state[:, move.k % WIDTH].add_(m.at(move.j)[0, 0]).mul_(0.5)
    return state


def filled_by_element(m: Example, move: Move) -> Any:
    state = m.T.zeros(1, WIDTH, dtype=getattr(m.T, m.program.dtype))
    for i in range(WIDTH):
        state[0, i] = m.at(move.i)[0, (i + move.k) % WIDTH]
    return state


def branch(m: Example, move: Move) -> Any:
    state = m.at(move.i)
    if m.observe(state.sum().item()) > 0.1234:
        return (state @ m.weight(move.k)).tanh()
    return state * 0.9 if move.k % 2 else None


def hooked(m: Example, move: Move) -> Any:
    state = m.at(move.i) * 1.0
    if state.requires_grad:
        state.register_hook(lambda g: g * (0.5 + move.k))
    return state


def earlier(m: Example, move: Move) -> Any:
    """The last state of an example that came before."""
    if m.number == 0:
        return None
    return m.machine.examples[move.k % m.number].states[-1]


def chunks(m: Example, move: Move) -> Any:
    gates = m.T.cat([m.at(move.i), m.at(move.i) @ m.weight(move.k)], 1)
    left, right = gates.chunk(2, 1)
    return left.sigmoid() * right.tanh()


def tall(m: Example, move: Move) -> Any:
    parts = [m.at(move.i), m.at(move.j)]
    return m.T.cat(parts)[:ROWS] if move.k % 2 else m.T.cat(parts)[-ROWS:]


def attention(m: Example, move: Move) -> Any:
    a, b = m.at(move.i), m.at(move.j)
    return (a @ b.t()).softmax(-1) @ b


def looked_up(m: Example, move: Move) -> Any:
    rows = m.at(move.i).shape[0]
    return m.F.embedding(m.indices(rows, 5, move.k), m.weights["table"])


def spaced(m: Example, move: Move) -> Any:
    """A state whose columns differ, since deviations from none have no gradient to speak of."""
    return m.at(move.i).tanh() + 3.0 * m.T.arange(WIDTH)


MOVES: dict[str, Callable[[Example, Move], Any]] = {
    "tanh": lambda m, v: m.at(v.i).tanh(),
    "sigmoid": lambda m, v: m.at(v.i).sigmoid(),
    "exp": lambda m, v: m.at(v.i).tanh().exp(),
    "relu": lambda m, v: m.at(v.i).relu(),
    "scaled": lambda m, v: m.at(v.i) * (0.3 + 0.1 * v.k + 0.05 * m.number),
    "shifted": lambda m, v: 1 - m.at(v.i),
    "add": lambda m, v: (lambda a, b: a + b)(*m.pair(v)),
    "mul": lambda m, v: (lambda a, b: a * b.tanh())(*m.pair(v)),
    "div": lambda m, v: (lambda a, b: a / (1.5 + b.sigmoid()))(*m.pair(v)),
    "maximum": lambda m, v: (lambda a, b: m.T.maximum(a, b + APART))(*m.pair(v)),
    "where": lambda m, v: (lambda a, b: m.T.where(a > b + APART, a.tanh(), b))(*m.pair(v)),
    "masked": lambda m, v: m.at(v.i).masked_fill(m.at(v.i) > 0.5, 0.25),
    "matmul": lambda m, v: (m.at(v.i) @ m.weight(v.k)).tanh(),
    "affine": lambda m, v: (m.at(v.i) @ m.weight(v.k) + m.weights["bias"]).tanh(),
    "linear": lambda m, v: m.F.linear(m.at(v.i), m.weight(v.k), m.weights["bias"]).sigmoid(),
    "addmm": lambda m, v: m.T.addmm(m.weights["bias"], m.at(v.i), m.weight(v.k)).tanh(),
    "joined": lambda m, v: (m.T.cat(m.pair(v), 1) @ m.weights["wide"]).tanh(),
    "chunks": chunks,
    "tall": tall,
    "attention": attention,
    "looked_up": looked_up,
    "rows": lambda m, v: m.at(v.i)[v.k % m.at(v.i).shape[0] :],
    "row": lambda m, v: m.at(v.i)[m.number % m.at(v.i).shape[0]].unsqueeze(0),
    "turned": lambda m, v: (m.at(v.i).t() * 2).t().contiguous(),
    "as_seen": lambda m, v: m.at(v.i).t().reshape(-1).view(-1, WIDTH),
    "spread": lambda m, v: m.at(v.i)[:1].expand(1 + v.k, WIDTH),
    "flipped": lambda m, v: m.at(v.i).flip(v.k % 2),
    "rolled": lambda m, v: m.at(v.i).roll(1 + v.k, v.k % 2),
    "selected": lambda m, v: m.at(v.i).index_select(0, m.indices(2, m.at(v.i).shape[0], v.k)),
    "gathered": lambda m, v: (
        m.at(v.i).gather(1, m.indices(2, WIDTH, v.k).expand(1, 2)).sum(1, keepdim=True)
        * m.at(v.j).tanh()
    ),
    "picked": lambda m, v: m.at(v.i)[m.indices(2, m.at(v.i).shape[0], v.k)],
    "summed": lambda m, v: m.at(v.i).sum(0, keepdim=True).tanh(),
    "mean": lambda m, v: m.at(v.i).mean(1, keepdim=True) * m.at(v.j)[:1],
    "largest": lambda m, v: m.at(v.i).amax(1, keepdim=True) + m.at(v.j)[:1],
    "max": lambda m, v: m.at(v.i).max(1, keepdim=True)[0] * m.at(v.j)[:1],
    "std": lambda m, v: spaced(m, v).std(1, keepdim=True) * 0.2 * m.at(v.j)[:1],
    "norm": lambda m, v: m.at(v.i) / (1 + m.at(v.i).norm(dim=1, keepdim=True)),
    "logsumexp": lambda m, v: m.at(v.i).logsumexp(1, keepdim=True) * m.at(v.j)[:1].tanh(),
    "softmax": lambda m, v: m.at(v.i).softmax(v.k % 2),
    "log_softmax": lambda m, v: m.at(v.i).log_softmax(1) * 0.5,
    "layer_norm": lambda m, v: m.F.layer_norm(
        m.at(v.i), (WIDTH,), m.weights["scale"], m.weights["bias"], eps=0.5
    ),
    "cumsum": lambda m, v: m.at(v.i).cumsum(v.k % 2).tanh(),
    "sorted": lambda m, v: m.at(v.i).sort(1)[0],
    "padded": lambda m, v: m.T.constant_pad_nd(m.at(v.i), (0, 0, v.k % 2, 0))[:ROWS],
    "cast": lambda m, v: m.at(v.i).to(m.T.float64).to(getattr(m.T, m.program.dtype)),
    "detached": lambda m, v: m.at(v.i).detach() * m.weights["scale"],
    "dropout": lambda m, v: m.F.dropout(m.at(v.i), 0.3),
    "written": written,
    "written_through_view": written_through_view,
    "filled_by_element": filled_by_element,
    "branch": branch,
    "hooked": hooked,
    "earlier": earlier,
}
# Random numbers are wend's own; mapped examples draw from streams of their own, and do not wait
# for each other.
RANDOM, IN_ORDER = {"dropout"}, {"dropout", "earlier"}

LOSSES: dict[str, Callable[[Example, Any], Any]] = {
    "squares": lambda m, h: (h * h).sum(),
    "mean": lambda m, h: h.tanh().mean(),
    "classes": lambda m, h: m.F.cross_entropy(h[:1], m.T.tensor([m.number % WIDTH])),
    "all_rows": lambda m, h: m.F.cross_entropy(h, m.indices(h.shape[0], WIDTH, 1), reduction="sum"),
}


def total(m: Machine, losses: list[Any]) -> Any:
    return m.T.stack(losses).sum()


def whole(m: Machine, losses: list[Any]) -> list[Any]:
    total(m, losses).backward()
    return []


def twice(m: Machine, losses: list[Any]) -> list[Any]:
    loss = total(m, losses)
    loss.backward(retain_graph=True)
    loss.backward()
    return []


def first_then_all(m: Machine, losses: list[Any]) -> list[Any]:
    losses[0].backward(retain_graph=True)
    total(m, losses).backward()
    return []


def one_by_one(m: Machine, losses: list[Any]) -> list[Any]:
    for loss in losses[::-1]:
        loss.backward(retain_graph=True)
    return []


def first_then_rest(m: Machine, losses: list[Any]) -> list[Any]:
    """Where examples share a part of the graph, it is gone when the second comes there."""
    losses[0].backward()
    if len(losses) > 1:
        try:
            total(m, losses[1:]).backward()
        except RuntimeError as error:
            if "a second time" not in str(error):
                raise
            for leaf in [*m.weights.values(), *m.inputs]:
                leaf.grad = None
    return []


def targets(m: Machine) -> list[Any]:
    return [t for t in [*m.weights.values(), *m.middle] if t.requires_grad]


def asked(m: Machine, losses: list[Any]) -> list[Any]:
    return list(m.T.autograd.grad(total(m, losses), targets(m), allow_unused=True))


def asked_of_some(m: Machine, losses: list[Any]) -> list[Any]:
    some = targets(m)[1::2]
    return list(m.T.autograd.grad(total(m, losses[::2]), some, allow_unused=True))


def retained(m: Machine, losses: list[Any]) -> list[Any]:
    kept = [t for t in m.middle if t.requires_grad and not t.is_leaf]
    for t in kept:
        t.retain_grad()
    total(m, losses).backward()
    return [t.grad for t in kept]


def twice_differentiated(m: Machine, losses: list[Any]) -> list[Any]:
    weights = list(m.weights.values())
    first = m.T.autograd.grad(total(m, losses), weights, create_graph=True, allow_unused=True)
    there = [g for g in first if g is not None and g.requires_grad]
    if there:
        m.T.stack([(g * g).sum() for g in there]).sum().backward()
    return [*first]


BACKS: dict[str, Callable[[Machine, list[Any]], list[Any]]] = {
    "whole": whole,
    "twice": twice,
    "first_then_all": first_then_all,
    "first_then_rest": first_then_rest,
    "one_by_one": one_by_one,
    "asked": asked,
    "asked_of_some": asked_of_some,
    "retained": retained,
    "twice_differentiated": twice_differentiated,
}


def small(high: int) -> st.SearchStrategy[int]:
    return st.integers(0, high)


PROGRAMS = st.builds(
    Program,
    rows=st.lists(st.sampled_from([1, 1, 1, 2, 3]), min_size=2, max_size=6),
    moves=st.lists(
        st.builds(Move, st.sampled_from(sorted(MOVES)), small(3), small(3), small(3)),
        min_size=1,
        max_size=10,
    ),
    loss=st.sampled_from(sorted(LOSSES)),
    back=st.sampled_from(sorted(BACKS)),
    dtype=st.sampled_from(["float64", "float32"]),
    seed=small(1000),
)


def looking(every: int) -> Each:
    """Examples one by one, some of whose losses are looked at."""

    def each(loss: Callable[[Example], Any], examples: list[Example]) -> Iterator[Any]:
        for number, example in enumerate(examples):
            value = loss(example)
            if number % every == 0:
                value.item()
            yield value

    return each


def outcome(T: Any, program: Program, each: Each = map) -> list[Any] | str:
    """What a program gives; PyTorch's and wend's own errors must be the same, too."""
    T.manual_seed(program.seed)
    try:
        return Machine(T, program).run(each)
    except RuntimeError as error:
        return f"RuntimeError: {str(error).splitlines()[0]}"


def freed_writes(program: Program) -> bool:
    """PyTorch refuses a second way back through writes even where it needs nothing of the first."""
    names = {move.name for move in program.moves}
    writes = {"written", "written_through_view", "filled_by_element"}
    return program.back == "first_then_rest" and "earlier" in names and bool(names & writes)


def require_equal(expected: Any, got: Any, dtype: str, what: str) -> None:
    assert type(expected) is type(got), f"{what}: {got} against {expected}"
    if isinstance(expected, str):
        assert expected == got, what
        return
    tolerance = 1e-8 if dtype == "float64" else 2e-3
    assert len(expected) == len(got), what
    for n, (a, b) in enumerate(zip(expected, got, strict=True)):
        assert (a is None) == (b is None), f"{what}, item {n}: {b} against {a}"
        if a is None:
            continue
        a, b = np.array(a), np.array(b)
        assert a.shape == b.shape, f"{what}, item {n}"
        finite = np.abs(a[np.isfinite(a)])
        within = tolerance * (1 + (finite.max() if finite.size else 0))
        close = np.isclose(a, b, rtol=tolerance, atol=within, equal_nan=True)
        assert close.all(), f"{what}, item {n}: {b} against {a}"


def check(program: Program, way: Way, each: str = "in several") -> None:
    with wend.batching(False):
        plain = outcome(wend, program)
    names = {move.name for move in program.moves}
    if not names & RANDOM and not freed_writes(program):
        require_equal(outcome(torch, program), plain, program.dtype, "plain")
    ways = {"in one run": map, "in several": looking(2), "in a run each": looking(1)}
    if not names & IN_ORDER:
        ways["mapped"] = wend.map
    for name, one in ways.items():
        require_equal(plain, outcome(wend, program, one), program.dtype, name)
    with running(way):
        got = outcome(wend, program, ways.get(each, map))
        require_equal(plain, got, program.dtype, f"{each}, {way}")


@many(250)
@given(PROGRAMS, WAYS, st.sampled_from(["in one run", "in several", "in a run each", "mapped"]))
def test_programs_give_the_same_however_they_run(program: Program, way: Way, each: str) -> None:
    check(program, way, each)


@pytest.mark.parametrize("back", ["whole", "asked", "retained"])
def test_gradients_of_batches_of_losses_batch_in_turn(back: str) -> None:
    moves = [Move("layer_norm", 0, 0, 0)]
    check(Program([1, 1, 1, 1, 1], moves, "classes", back, "float64", 0), Way())


def test_hooks_change_what_was_asked_for_only_where_the_walk_ends() -> None:
    add, hook = Move("add", 0, 0, 0), Move("hooked", 0, 0, 0)
    moves = [add, add, hook, Move("earlier", 0, 0, 0), add, Move("add", 0, 2, 0)]
    check(Program([1, 1, 1], moves, "all_rows", "asked", "float64", 0), Way())


def counted(work: Callable[[], Any]) -> dict[str, int]:
    """What the work adds to the engine's counters."""
    before = wend._C._counters()
    work()
    after = wend._C._counters()
    return {name: after[name] - before[name] for name in after}


def test_a_minibatch_of_trees_runs_in_a_tenth_as_many_kernels_as_nodes() -> None:
    step = recursion(wend, Examples.generated(64), hidden=16)
    step()
    counts = counted(step)
    assert counts["nodes"] > 20_000
    assert counts["kernels"] <= counts["nodes"] / 10


def test_element_writes_move_as_many_elements_as_are_written() -> None:
    state = wend.zeros(1000)

    def write() -> None:
        for i in range(1000):
            state[i] = float(i)
        state.tolist()

    assert counted(write)["bytes"] < 100 * 1000 * 4


@pytest.mark.parametrize("kinds", [1, 7, 200])
def test_a_level_may_hold_any_number_of_kinds_in_any_order(kinds: int) -> None:
    source = np.random.RandomState(kinds)
    order = source.permutation(np.repeat(np.arange(kinds), 8))
    xs = [wend.full((1 + int(kind),), float(i)) for i, kind in enumerate(order)]
    wend.cat(xs).sum().item()
    with wend.report() as report:
        ys = [x.sin() for x in xs]
        total = wend.cat(ys).sum().item()
    assert report.batch_sizes == {8: kinds}
    assert total == pytest.approx(sum(np.sin(i) * (1 + kind) for i, kind in enumerate(order)), 1e-3)


@pytest.mark.parametrize("which", [0, 3])
def test_each_of_several_views_of_one_value_has_its_own_gradient(which: int) -> None:
    def gradient(T: Any) -> list[Any]:
        state = T.tensor([[1.0, 2.0]], requires_grad=True) * 1.0
        views = [state[:1] for _ in range(6)]
        loss = T.stack([(view * (i + 1)).exp().sum() for i, view in enumerate(views)]).sum()
        found: list[Any] = T.autograd.grad(loss, views[which])[0].tolist()
        return found

    assert gradient(wend)[0] == pytest.approx(gradient(torch)[0], rel=1e-5)


@pytest.mark.parametrize("shared_scores", [False, True])
def test_losses_may_share_their_target(shared_scores: bool) -> None:
    def outcome(T: Any) -> list[Any]:
        source = np.random.RandomState(0)
        rows = [source.randn(1, 4).tolist() for _ in range(40)]
        xs = [T.tensor(row, requires_grad=True) for row in rows[: 1 if shared_scores else 40]]
        target = T.tensor([2])
        losses = [T.nn.functional.cross_entropy(xs[i % len(xs)] * 1.5, target) for i in range(40)]
        T.stack(losses).sum().backward()
        return [[loss.item() for loss in losses], *(x.grad.tolist() for x in xs)]

    require_equal(outcome(torch), outcome(wend), "float32", "losses")


def test_a_look_at_one_loss_leaves_the_others_batched() -> None:
    weight = wend.ones(4, 4, requires_grad=True)
    inputs = [wend.tensor([[float(i)] * 4]) for i in range(50)]

    def losses() -> list[Any]:
        return [(x @ weight).tanh().sum() for x in inputs]

    def look() -> None:
        first, *_ = kept = losses()
        first.item()
        wend.stack(kept).sum().item()

    assert counted(look)["kernels"] < 20


def test_vectors_that_each_meet_a_weight_of_their_own_agree_with_pytorch() -> None:
    results = []
    for T in (torch, wend):
        source = np.random.RandomState(0)
        layers = [T.tensor(source.randn(4, 3), requires_grad=True) for _ in range(12)]
        biases = [T.tensor(source.randn(4), requires_grad=True) for _ in range(12)]
        x = T.tensor(source.randn(3))
        made = [
            T.nn.functional.linear(x * i, *pair)
            for i, pair in enumerate(zip(layers, biases, strict=True))
        ]
        T.stack(made).tanh().sum().backward()
        results.append([leaf.grad.numpy() for leaf in (*layers, *biases)])
    for theirs, ours in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("elements", [4, 512])
def test_one_member_of_a_batch_may_meet_all_of_the_next(elements: int) -> None:
    def states(T: Any) -> list[Any]:
        inputs = [T.full((elements,), i / 32) for i in range(32)]
        scaled = [x * 2.0 for x in inputs]
        return [(scaled[7] * x).exp().sum().item() for x in inputs]

    assert states(wend) == pytest.approx(states(torch), rel=1e-5)


class Looks:
    """A hook that looks at a tensor when it goes."""

    def __init__(self, tensor: Any, seen: list[float]) -> None:
        self.tensor, self.seen = tensor, seen

    def __call__(self, gradient: Any) -> None: ...

    def __del__(self) -> None:
        self.seen.append(self.tensor.sum().item())


@pytest.mark.parametrize("elements", [4, 512])
def test_what_goes_while_a_batch_runs_may_look_at_what_is_pending(elements: int) -> None:
    seen: list[float] = []
    leaves = [wend.full((elements,), float(i), requires_grad=True) for i in range(32)]
    pending = [wend.full((elements,), i + 1.0) * 0.5 for i in range(32)]
    for leaf, tensor in zip(leaves, pending, strict=True):
        leaf.register_hook(Looks(tensor, seen))
    with wend.no_grad():
        doubled = [leaf * 2.0 for leaf in leaves]
        squared = [x * x for x in doubled]
    del leaves, leaf, tensor
    assert [x[0].item() for x in squared] == [4.0 * i * i for i in range(32)]
    assert [x[-1].item() for x in doubled] == [2.0 * i for i in range(32)]
    wend.cpu.synchronize()  # a kernel holds what it reads until then
    assert sorted(seen) == [elements * (i + 1) / 2 for i in range(32)]


@pytest.mark.parametrize("apart", ["by op", "by weight"])
def test_what_goes_while_a_batch_runs_may_run_the_next_one(apart: str) -> None:
    seen: list[float] = []
    leaves = [wend.full((1, 3), float(i), requires_grad=True) for i in range(32)]
    values = [wend.full((1, 3), i + 1.0) for i in range(32)]
    weights = [wend.eye(3), 2 * wend.eye(3)]
    for x in (*leaves, *values, *weights):
        x.numpy(force=True)
    with wend.no_grad():
        first = [leaf @ weights[0] for leaf in leaves]
        second = [x.neg() if apart == "by op" else x @ weights[1] for x in values]
    for leaf, tensor in zip(leaves, second, strict=True):
        leaf.register_hook(Looks(tensor, seen))
    del leaves, leaf, tensor, x
    factor = -3.0 if apart == "by op" else 6.0
    assert [x.sum().item() for x in first] == [3.0 * i for i in range(32)]
    assert [x.sum().item() for x in second] == [factor * (i + 1) for i in range(32)]
    assert sorted(seen) == sorted(factor * (i + 1) for i in range(32))
