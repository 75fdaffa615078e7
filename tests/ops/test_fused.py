"""Every entry of the op table gives the same alone and in one pass with its neighbours."""

import warnings
from typing import Any

import pytest
from both import compare
from ops.gradients import weighted
from ops.recipes import Call, make
from ops.samples import Entry, diverse, entries, find, on_a_copy, samples, tensors_in

import wend

pytest.importorskip("torch")

CALLS = 3  # of each entry

INDICES = [i for i, entry in enumerate(entries()) if find(wend, entry.path)]
every_entry = pytest.mark.parametrize("index", INDICES, ids=[str(entries()[i]) for i in INDICES])


def neighboured(value: Any) -> Any:
    """A tensor as the result of an operation that works element by element."""
    if isinstance(value, wend.Tensor):
        return value.clone()
    return [neighboured(v) for v in value] if isinstance(value, list) else value


def outcome(entry: Entry, call: Call) -> Any:
    """Values and gradients; None where the call is refused."""
    function = find(wend, entry.path)
    function = on_a_copy(function) if entry.form == "in place" else function
    made = make(wend, call, grad=True)
    wend.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            args = [neighboured(a) for a in made.args]
            kwargs = {name: neighboured(a) for name, a in made.kwargs.items()}
            results = tensors_in(function(*args, **kwargs))
            after = [r.clone() for r in results]
            floats = [r for r in after if r.is_floating_point()]
            total = weighted(wend, floats, 0)
            values = [r.tolist() for r in after]
        except Exception:
            return None
        return values, gradients_of(total, made.leaves)


def gradients_of(total: Any, leaves: list[Any]) -> Any:
    if not total.requires_grad:
        return []
    try:
        gradients = wend.autograd.grad(total, leaves, allow_unused=True)
    except RuntimeError as error:
        if "not implemented" not in str(error):
            raise
        return "none, in both ways"
    return [None if g is None else g.tolist() for g in gradients]


def calls_of(index: int) -> list[Call]:
    found = [outcome.call for outcome in samples(index).accepted]
    return [call for call in diverse(found, CALLS) if call.recipes()]


@every_entry
def test_values_and_gradients_do_not_depend_on_neighbours(index: int) -> None:
    entry = entries()[index]
    if entry.name.startswith(("empty", "new_empty")):
        return
    fused: set[str] = set()
    for call in calls_of(index):
        turned = call.map(lambda recipe: recipe._replace(layout="transposed"))
        for one in (call, turned):
            with wend.fusion(False), wend.batching(False):
                expected = outcome(entry, one)
            if expected is None:
                continue
            with wend.fusion(elements=1), wend.batching(False), wend.report() as report:
                compare(expected, outcome(entry, one), f"{one}")
            fused.update(*report.fused_ops)
    assert entry.name in fused or not entry.facts["elementwise"]
