"""Every entry of the op table gives the same whether its calls run one by one or as a batch.

Members of a batch have values of their own in some inputs and share the others; which is which is
tried in all ways.
"""

import itertools
import warnings
from typing import Any

import pytest
from both import compare
from ops.gradients import weighted
from ops.recipes import Call, Recipe, make
from ops.samples import Entry, diverse, entries, find, on_a_copy, samples, tensors_in

import wend

pytest.importorskip("torch")

MEMBERS = 9  # a run of fewer nodes is not looked at for batches
CALLS = 4  # of each entry

INDICES = [i for i, entry in enumerate(entries()) if find(wend, entry.path)]
every_entry = pytest.mark.parametrize("index", INDICES, ids=[str(entries()[i]) for i in INDICES])


def with_gap(t: Any) -> Any:
    """The same in a part of a larger tensor: in a batch there are gaps between members."""
    return wend.cat([t, t])[: len(t)] if t.dim() and t.layout == wend.strided else t


def members(call: Call, own: set[int], gaps: bool) -> tuple[list[Any], list[Any]]:
    """Arguments of each member, and the leaves: recipes in `own` are made anew for each."""
    leaves: list[Any] = []
    shared: dict[int, Any] = {}

    def tensor(recipe: Recipe) -> Any:
        made = make(wend, Call((recipe,)), grad=True)
        leaves.extend(made.leaves)
        return made.args[0]

    def member(number: int) -> Any:
        places = itertools.count()

        def argument(recipe: Recipe) -> Any:
            place = next(places)
            if place in own:
                # Integers are drawn by another rule where the seed is 0.
                keep = recipe.kind == "int" and recipe.seed == 0
                made = tensor(recipe if keep else recipe._replace(seed=recipe.seed + 10 * number))
                return with_gap(made) if gaps else made
            if place not in shared:
                shared[place] = tensor(recipe)
            return shared[place]

        return make(wend, call.map(argument))

    return [member(number) for number in range(MEMBERS)], leaves


def called(entry: Entry, made: list[Any]) -> list[list[Any]]:
    """The tensors that the entry gives for each member."""
    function = find(wend, entry.path)
    function = on_a_copy(function) if entry.form == "in place" else function
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [tensors_in(function(*m.args, **m.kwargs)) for m in made]


def outcome(entry: Entry, call: Call, own: set[int], gaps: bool, batched: bool) -> Any:
    """Values and gradients of all members; None where one of them is refused."""
    made, leaves = members(call, own, gaps)
    wend.manual_seed(1)
    wend._C._set_batching(batched)
    try:
        results = called(entry, made)
        floats = [[t for t in member if t.is_floating_point()] for member in results]
        total = wend.stack([weighted(wend, member, 0) for member in floats]).sum()
        gradients: Any = []
        if total.requires_grad:
            gradients = wend.autograd.grad(total, leaves, allow_unused=True)
        values = [t.tolist() for member in results for t in member]
        return values, [None if g is None else g.tolist() for g in gradients]
    except Exception:
        return None
    finally:
        wend._C._set_batching(True)


def choices(call: Call) -> list[set[int]]:
    """Which tensors are the members' own, in all ways."""
    count = min(len(call.recipes()), 3)
    subsets = itertools.product((True, False), repeat=count)
    return [{i for i, mine in enumerate(subset) if mine} for subset in subsets]


def calls_of(index: int) -> list[Call]:
    found = [outcome.call for outcome in samples(index).accepted]
    return [call for call in diverse(found, CALLS) if call.recipes()]


@every_entry
def test_members_of_a_batch_are_as_each_by_itself(index: int) -> None:
    entry = entries()[index]
    if entry.name.startswith(("empty", "new_empty")):
        return
    for number, call in enumerate(calls_of(index)):
        turned = call.map(lambda recipe: recipe._replace(layout="transposed"))
        tried = [(call, own) for own in choices(call)] + [(turned, choices(call)[0])]
        for place, (one, own) in enumerate(tried):
            gaps = (number + place) % 2 == 1
            expected = outcome(entry, one, own, gaps, batched=False)
            if expected is not None:
                got = outcome(entry, one, own, gaps, batched=True)
                compare(expected, got, f"{one} own {own}, gaps {gaps}")


def batched_nodes(entry: Entry, call: Call, own: set[int]) -> int:
    """How many nodes run in batches when the members are looked at."""
    made, _ = members(call, own, gaps=False)
    before = wend._C._counters()["batched"]
    results = called(entry, made)
    for tensor in itertools.chain(*results):
        tensor.tolist()
    return int(wend._C._counters()["batched"] - before)


@every_entry
def test_an_entry_with_a_rule_for_batches_runs_in_them(index: int) -> None:
    entry = entries()[index]
    calls = calls_of(index)
    if entry.facts.get("batches") and not entry.facts["view"] and calls:
        tried = ((call, own) for call in calls for own in choices(call))
        assert any(batched_nodes(entry, call, own) >= MEMBERS for call, own in tried)


def index_of(number: int, *sizes: int) -> Any:
    """Indices into a dimension of 3, other ones for each member, some from the end."""
    count = 1
    for size in sizes:
        count *= size
    return wend.tensor([(number * 7 + 3 * i) % 6 - 3 for i in range(count)]).view(sizes)


INDEXED = {
    "one": lambda x, i: x[index_of(i, 4)],
    "a matrix": lambda x, i: x[index_of(i, 2, 2)],
    "in the middle": lambda x, i: x[:, index_of(i, 4)],
    "at the end": lambda x, i: x[:, :, index_of(i, 4)],
    "two": lambda x, i: x[index_of(i, 4), index_of(i + 1, 4)],
    "two behind": lambda x, i: x[:, index_of(i, 4), index_of(i + 1, 4)],
    "two apart": lambda x, i: x[index_of(i, 4), :, index_of(i + 1, 4)],
    "broadcast": lambda x, i: x[index_of(i, 4, 1), index_of(i + 1, 2)],
    "all": lambda x, i: x[index_of(i, 4), index_of(i, 4), index_of(i, 4)],
    "the same for all": lambda x, i: x[:, index_of(0, 4)],
    "the same for all, apart": lambda x, i: x[index_of(0, 4), :, index_of(1, 4)],
    "one own": lambda x, i: x[index_of(0, 4), index_of(i, 4)],
    "take": lambda x, i: x.take(index_of(i, 2, 2)),
    "put": lambda x, i: x.index_put((index_of(i, 4),), x[0] * 2, accumulate=True),
    "put behind": lambda x, i: x.index_put(
        (index_of(0, 1), index_of(i, 4)), x[0, 0] * 2, accumulate=True
    ),
    "written": lambda x, i: x.index_put((wend.tensor([i % 3, -1 - (i + 1) % 3]),), x[1] * 2),
}


@pytest.mark.parametrize("shared", [False, True], ids=["own tensors", "one tensor"])
@pytest.mark.parametrize("indexed", INDEXED.values(), ids=INDEXED.keys())
def test_advanced_indices_of_each_member_run_in_batches(indexed: Any, shared: bool) -> None:
    def run(batched: bool) -> tuple[Any, int]:
        wend.manual_seed(2)
        leaves = [wend.rand(3, 3, 3, requires_grad=True) for _ in range(MEMBERS)]
        before = wend._C._counters()["batched"]
        with wend.batching(batched):
            xs = [leaves[0 if shared else i] * 1 for i in range(MEMBERS)]
            parts = [indexed(x, i) for i, x in enumerate(xs)]
            loss = wend.stack([(part.sin() * (i + 1)).sum() for i, part in enumerate(parts)]).sum()
            gradients = wend.autograd.grad(loss, leaves, allow_unused=True)
        found = [None if g is None else g.tolist() for g in gradients]
        values = [part.tolist() for part in parts]
        return (values, found), int(wend._C._counters()["batched"] - before)

    (expected, none), (got, many) = run(False), run(True)
    compare(expected, got, "batched")
    assert none == 0
    assert many >= 4 * MEMBERS


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_weighted_losses_run_in_batches(reduction: str, smoothing: float) -> None:
    def run(batched: bool) -> tuple[Any, int]:
        wend.manual_seed(3)
        weight = wend.rand(5)
        x = [wend.rand(4, 5, requires_grad=True) for _ in range(MEMBERS)]
        targets = [wend.randint(5, (4,)) for _ in range(MEMBERS)]
        before = wend._C._counters()["kernels"]
        with wend.batching(batched):
            losses = [
                wend.nn.functional.cross_entropy(
                    a * 2, t, weight, reduction=reduction, label_smoothing=smoothing
                )
                for a, t in zip(x, targets, strict=True)
            ]
            total = wend.stack([loss.sum() ** 2 for loss in losses]).sum()
            first = wend.autograd.grad(total, x, create_graph=True)
            second = wend.autograd.grad(sum(g.square().sum() for g in first), x)
        values = [t.tolist() for t in (*losses, *first, *second)]
        return values, int(wend._C._counters()["kernels"] - before)

    (expected, many), (got, few) = run(False), run(True)
    compare(expected, got, "batched")
    assert few * 3 < many


PRODUCTS = {
    "prod": lambda a, b: a.prod() * b[0],
    "rows_tn": lambda a, b: wend.autograd.grad((a @ b).sin().sum(), b, create_graph=True)[0],
    "baddbmm": lambda a, b: wend.baddbmm(wend.ones(1), a[None], b[None], beta=2, alpha=3),
    "addmv": lambda a, b: wend.addmv(b[0], a, b[:, 1], beta=2, alpha=3),
    "vdot": lambda a, b: wend.vdot(a[0], b[:, 0]),
    "vectors": lambda a, b: a.expand(2, 3, 3) @ b[0],
}


@pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS.keys())
def test_products_of_each_member_run_in_batches(product: Any) -> None:
    def run(batched: bool) -> tuple[Any, int]:
        wend.manual_seed(4)
        pairs = [[wend.rand(3, 3, requires_grad=True) for _ in "ab"] for _ in range(MEMBERS)]
        before = wend._C._counters()["kernels"]
        with wend.batching(batched):
            results = [product(a * 1, b * 1) for a, b in pairs]
            total = wend.stack([r.square().sum() for r in results]).sum()
            gradients = wend.autograd.grad(total, [t for p in pairs for t in p])
        values = [t.tolist() for t in (*results, *gradients)]
        return values, int(wend._C._counters()["kernels"] - before)

    (expected, many), (got, few) = run(False), run(True)
    compare(expected, got, "batched")
    assert few < many


def test_members_may_share_all_but_the_bias() -> None:
    x, w = wend.arange(6.0).view(2, 3), wend.arange(12.0).view(4, 3)
    for biases in (wend.arange(36.0).view(MEMBERS, 4), wend.arange(9.0)):
        results = [wend.nn.functional.linear(x, w, b) for b in biases]
        assert [r.tolist() for r in results] == [(x @ w.t() + b).tolist() for b in biases]


def test_members_may_look_up_parts_of_their_indices() -> None:
    table = wend.arange(20.0).view(10, 2).requires_grad_()
    indices = [wend.arange(5) + i for i in range(6)]
    parts = [(i * 1 % 10)[:3] for i in indices] + [(i * 1 % 10)[2:] for i in indices]
    rows = [wend.nn.functional.embedding(part, table) for part in parts]
    wend.stack(rows).sum().backward()
    assert [r.tolist() for r in rows] == [table[part].tolist() for part in parts]
    assert table.grad.sum(1).tolist() == [
        2.0 * sum(p.tolist().count(i) for p in parts) for i in range(10)
    ]


DRAWN = {
    "dropout": lambda x: wend.nn.functional.dropout(x, 0.3),
    "dropout of channels": lambda x: wend.nn.functional.dropout1d(x, 0.3),
    "alpha dropout": lambda x: wend.nn.functional.alpha_dropout(x, 0.3, training=True),
    "bernoulli": lambda x: wend.bernoulli(x),
    "normal": lambda x: wend.normal(x, 1.0) + wend.normal(x, x),
    "poisson": lambda x: wend.poisson(x * 3),
    "multinomial": lambda x: wend.multinomial(x, 2).double(),
    "rand": lambda x: x + wend.rand_like(x) + wend.randn(4),
    "in place": lambda x: (x * 2).normal_() + (x * 3).uniform_() + (x * 4).exponential_(),
    "gumbel": lambda x: wend.nn.functional.gumbel_softmax(x, dim=1),
    "rrelu": lambda x: wend.nn.functional.rrelu(x - 0.5, training=True),
}


@pytest.mark.parametrize("drawn", DRAWN.values(), ids=DRAWN.keys())
def test_members_draw_the_same_numbers_in_batches(drawn: Any) -> None:
    def run(batched: bool) -> Any:
        wend.manual_seed(5)
        leaves = [wend.rand(3, 4, requires_grad=True) for _ in range(MEMBERS)]
        with wend.batching(batched):
            results = [drawn(x * 1) for x in leaves]
            total = wend.stack([(r * r).sum() for r in results]).sum()
            if total.requires_grad:
                total.backward()
        gradients = [x.grad is not None and x.grad.tolist() for x in leaves]
        return [r.tolist() for r in results], gradients

    compare(run(False), run(True), "batched")
