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


def members(call: Call, own: set[int]) -> tuple[list[Any], list[Any]]:
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
                return tensor(recipe if keep else recipe._replace(seed=recipe.seed + 10 * number))
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


def outcome(entry: Entry, call: Call, own: set[int], batched: bool) -> Any:
    """Values and gradients of all members; None where one of them is refused."""
    made, leaves = members(call, own)
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
    """Which tensors are the members' own, in all ways, but not none."""
    count = min(len(call.recipes()), 3)
    subsets = itertools.product((True, False), repeat=count)
    return [{i for i, mine in enumerate(subset) if mine} for subset in subsets if any(subset)]


def calls_of(index: int) -> list[Call]:
    found = [outcome.call for outcome in samples(index).accepted]
    return [call for call in diverse(found, CALLS) if call.recipes()]


@every_entry
def test_members_of_a_batch_are_as_each_by_itself(index: int) -> None:
    entry = entries()[index]
    if entry.name.startswith(("empty", "new_empty")):
        return
    for call in calls_of(index):
        turned = call.map(lambda recipe: recipe._replace(layout="transposed"))
        tried = [(call, own) for own in choices(call)] + [(turned, choices(call)[0])]
        for one, own in tried:
            expected = outcome(entry, one, own, batched=False)
            if expected is not None:
                compare(expected, outcome(entry, one, own, batched=True), f"{one} own {own}")


def batched_nodes(entry: Entry, call: Call, own: set[int]) -> int:
    """How many nodes run in batches when the members are looked at."""
    made, _ = members(call, own)
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
