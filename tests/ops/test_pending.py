"""Every entry of the op table takes tensors and numbers that each member of a batch has of its own.

The tensors are computed and nobody has looked at them, so that whoever plans the run knows their
sizes and not their values; whatever the way of running, results are PyTorch's.
"""

import math
from typing import Any

import pytest
from both import compare
from ops.calls import computed, function_of
from ops.recipes import Call, Recipe
from ops.samples import attempt, diverse, entries, find, samples, tensors_in
from ways import Way, running

import wend

torch = pytest.importorskip("torch")

MEMBERS = 9  # a run of fewer nodes is not looked at for batches
CALLS = 2  # of each entry, beside those with numbers that members have each their own

INDICES = [i for i, entry in enumerate(entries()) if find(wend, entry.path) and not entry.is_random]
every_entry = pytest.mark.parametrize("index", INDICES, ids=[str(entries()[i]) for i in INDICES])

WAYS = {
    "batches": Way(),
    "beside the scheduler": Way(launching=True, fuses_from=1, late_from=1),
    "early": Way(starting=(8, 2), launching=True),
    "little by little": Way(nodes=7, fuses_from=1),
}

# Where PyTorch's numbers do not serve: what runs one by one in eager mode says what is right.
NOT_PYTORCHS = {
    "airy_ai": "PyTorch's is off by 2e-5 below -2.09",
    "histc": "an element on the edge of two bins is in either",
}


def own_number(value: Any, number: int) -> Any:
    """Another number of that kind for each member."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return value + (number if isinstance(value, int) else number / 8)


def member(call: Call, number: int, own_numbers: bool) -> Call:
    def other(recipe: Recipe) -> Recipe:
        # Integers are drawn by another rule where the seed is 0.
        keep = recipe.kind != "float" and recipe.seed == 0
        return recipe if keep else recipe._replace(seed=recipe.seed + 10 * number)

    call = call.map(other)
    if not own_numbers:
        return call
    args = tuple(own_number(value, number) for value in call.args)
    return Call(args, tuple((name, own_number(value, number)) for name, value in call.kwargs))


def programs_of(index: int) -> list[tuple[list[Call], list[Any]]]:
    """Calls of all members, and what PyTorch says to them."""
    found = [outcome.call for outcome in samples(index).accepted]
    found = [call for call in found if call.recipes()]
    with_numbers = [call for call in found if member(call, 1, True) != member(call, 1, False)]
    tried = [(call, False) for call in diverse(found, CALLS)]
    tried += [(call, True) for call in diverse(with_numbers, CALLS)]
    programs = []
    for call, own_numbers in tried:
        calls = [member(call, number, own_numbers) for number in range(MEMBERS)]
        outcomes = [attempt(entries()[index].theirs, torch, each) for each in calls]
        if any(outcome.error for outcome in outcomes):
            continue
        if entries()[index].name in NOT_PYTORCHS:
            with wend.eager():
                function = function_of(entries()[index])
                outcomes = [attempt(function, wend, each) for each in calls]
        programs.append((calls, [tensors_in(outcome.result) for outcome in outcomes]))
    return programs


def values(tensors: list[Any]) -> list[Any]:
    return [t.double().tolist() for t in tensors if t.layout in (torch.strided, wend.strided)]


@every_entry
def test_what_is_pending_is_not_read_to_plan_its_run(index: int) -> None:
    function = function_of(entries()[index])
    for calls, expected in programs_of(index):
        known = [values(each) for each in expected]
        if not all(map(math.isfinite, flat(known))):
            continue
        for name, way in WAYS.items():
            with running(way):
                results = [computed(function, call) for call in calls]
                got = [values(each) for each in results]
            compare(known, got, f"{calls[1]}, {name}")
        mapped = wend.map(lambda call: values(computed(function, call)), calls)
        compare(known, list(mapped), f"{calls[1]}, mapped")


def flat(nested: Any) -> list[float]:
    if isinstance(nested, list):
        return [number for each in nested for number in flat(each)]
    return [float(nested)]
