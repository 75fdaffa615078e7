"""The dtype of a result is PyTorch's for every pair of dtypes, with and without dimensions.

What is computed then is test_table's; here only the dtype is looked at.
"""

import itertools
import warnings
from typing import Any

import pytest
from ops.recipes import Call, Recipe
from ops.samples import attempt, diverse, entries, samples, tensors_in
from ops.test_table import ours

import wend

torch = pytest.importorskip("torch")

DTYPES = ["bool", "int32", "float16", "bfloat16", "float32", "float64"]
SEVERAL = [
    index
    for index, entry in enumerate(entries())
    if sum(p.is_tensor for p in entry.signature.parameters) > 1 and not entry.is_random
]


def numeric(call: Call) -> int:
    return sum(recipe.kind in ("float", "int") for recipe in call.recipes())


def mixed(call: Call, dtypes: tuple[str, ...], flat: tuple[bool, ...]) -> Call:
    """The call with these dtypes in turn, and no dimensions where `flat` says so."""
    turn = iter(zip(dtypes, flat, strict=True))

    def change(recipe: Recipe) -> Recipe:
        if recipe.kind not in ("float", "int"):
            return recipe
        name, is_flat = next(turn, ("float32", False))
        kind = "bool" if name == "bool" else "float" if "float" in name else "int"
        shape = () if is_flat else recipe.shape
        return recipe._replace(dtype=name, kind=kind, shape=shape, seed=recipe.seed or 1)

    return call.map(change)


def dtypes_of(outcome: Any) -> Any:
    """The dtypes of the results; none where the call is refused."""
    if outcome.error is not None:
        return None
    return [str(t.dtype) for t in tensors_in(outcome.result)]


@pytest.mark.parametrize("index", SEVERAL, ids=[str(entries()[i]) for i in SEVERAL])
def test_dtypes_of_results_are_pytorchs(index: int) -> None:
    entry = entries()[index]
    accepted = [outcome.call for outcome in samples(index).accepted]
    several = [call for call in accepted if numeric(call) > 1]
    numbered = [call for call in several if any(type(v) is float for _, v in call.kwargs)]
    for call in diverse(several, 1) + numbered[:1]:
        places = min(numeric(call), 3)
        for names in itertools.product(DTYPES, repeat=2):
            for flat in itertools.product((False, True), repeat=places):
                changed = mixed(call, (*names, names[0])[:places], flat)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    expected = dtypes_of(attempt(entry.theirs, torch, changed))
                    if expected is not None:
                        got = dtypes_of(attempt(ours(entry), wend, changed))
                        assert got == expected, changed
