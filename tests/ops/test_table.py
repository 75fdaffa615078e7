"""Every entry of the op table, whatever it is, keeps what the table promises.

The calls are derived from the entry's signature (`samples`), and PyTorch and finite differences
are the judges: an op that is added to the table is tested without a line being added here.
"""

import functools
import math
import re
import warnings
from typing import Any

import pytest
from both import compare, described
from kernels import kernels
from ops.gradients import agrees_with_differences, gradients, second_gradients
from ops.recipes import LAYOUTS, Call, Recipe, make
from ops.samples import (
    Entry,
    Outcome,
    attempt,
    diverse,
    entries,
    find,
    on_a_copy,
    places,
    samples,
    tensors_in,
)

import wend

torch = pytest.importorskip("torch")

ALL = range(len(entries()))
every_entry = pytest.mark.parametrize("index", ALL, ids=[str(entry) for entry in entries()])
DTYPES = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
]  # fmt: skip


def ours(entry: Entry) -> Any:
    """wend's function."""
    if entry.override.through:
        return entry.override.through(wend)
    found = find(wend, entry.path)
    return on_a_copy(found) if entry.form == "in place" else found


def observed(function: Any, call: Call) -> Outcome:
    """What wend makes of a call, its values looked at."""
    outcome = attempt(function, wend, call)
    try:
        for tensor in tensors_in(outcome.result):
            tensor.tolist()
    except Exception as error:
        return Outcome(call, error=error)
    return outcome


def require_same(entry: Entry, expected: Outcome, got: Outcome) -> None:
    """Require PyTorch's result: values, sizes, dtypes, strides."""
    theirs, mine = tensors_in(expected.result), tensors_in(got.result)
    if "not implemented for" in str(got.error) and not any(t.numel() for t in theirs):
        return  # PyTorch did not get as far as looking for the code.
    assert got.error is None, f"{expected.call}: raised {got.error!r}"
    try:
        if not entry.is_random:
            compare(expected.result, got.result, tolerance=tolerance_of(entry, expected.call))
        for a, b in zip(theirs, mine, strict=True):
            assert str(b.dtype) == str(a.dtype)
            assert tuple(b.shape) == tuple(a.shape)
            assert entry.override.any_strides or steps(b) == steps(a), "strides"
    except AssertionError as error:
        raise AssertionError(f"{expected.call}: {error}") from None


def tolerance_of(entry: Entry, call: Call) -> float:
    halves = {"float16", "bfloat16"} & {recipe.dtype_name for recipe in call.recipes()}
    return entry.override.halfway if halves else 0.0


def steps(tensor: Any) -> list[int]:
    """The strides that matter: those of dimensions with several elements."""
    pairs = zip(tensor.shape, tensor.stride(), strict=True)
    return [stride for size, stride in pairs if size > 1 and tensor.numel() > 0]


def require_refused(expected: Outcome, got: Outcome, type_too: bool = True) -> None:
    """Require an exception, of PyTorch's type, unless PyTorch only lacks the code."""
    assert expected.error is not None
    if re.search("not implemented for|INTERNAL ASSERT", str(expected.error)):
        return
    assert got.error is not None, f"{expected.call}: accepted, but {described(expected.error)}"
    said = f"{expected.call}: {described(got.error)} against {described(expected.error)}"
    assert "internal" not in str(got.error), said
    assert not type_too or kinds(got.error) & kinds(expected.error), said


def kinds(error: Exception) -> set[str]:
    """The names that a program may catch an error by."""
    return {cls.__name__ for cls in type(error).__mro__} - {"Exception", "BaseException", "object"}


def require_alike(entry: Entry, expected: Outcome, got: Outcome) -> None:
    if expected.error is None:
        require_same(entry, expected, got)
    else:
        require_refused(expected, got)


@every_entry
def test_values_are_pytorchs(index: int) -> None:
    entry = entries()[index]
    for expected in samples(index).accepted:
        require_same(entry, expected, observed(ours(entry), expected.call))


@every_entry
def test_what_pytorch_refuses_is_refused(index: int) -> None:
    entry = entries()[index]
    accepted = [outcome.call for outcome in samples(index).accepted]
    for expected in samples(index).refused:
        # Where several things are wrong, it is a matter of taste which is told.
        one_is_wrong = any(differences(expected.call, call) == 1 for call in accepted)
        require_refused(expected, observed(ours(entry), expected.call), one_is_wrong)


def differences(a: Call, b: Call) -> int:
    """In how many arguments two calls differ."""
    given = [dict(enumerate(call.args)) | dict(call.kwargs) for call in (a, b)]
    return sum(given[0].get(key) != given[1].get(key) for key in given[0].keys() | given[1].keys())


@every_entry
def test_inputs_may_lie_in_memory_in_any_way(index: int) -> None:
    entry = entries()[index]
    for call in diverse([outcome.call for outcome in samples(index).accepted], 10):
        for layout in LAYOUTS[1:]:
            if layout == "expanded" and entry.override.not_expanded:
                continue
            strided = call.map(lambda recipe, to=layout: recipe._replace(layout=to))
            expected = attempt(entry.theirs, torch, strided)
            if "view size is not compatible" in str(expected.error) and not entry.facts["view"]:
                continue  # PyTorch's code would need a copy there.
            require_alike(entry, expected, observed(ours(entry), strided))


@functools.cache
def differentiable(index: int) -> list[Call]:
    """Calls of which PyTorch's result can be differentiated, the most different first."""
    entry = entries()[index]
    calls = [
        o.call for o in samples(index).accepted if "float" in {r.kind for r in o.call.recipes()}
    ]
    return [call for call in diverse(calls, 60) if expected_gradients(entry, call)][:8]


def expected_gradients(entry: Entry, call: Call) -> list[Any]:
    """PyTorch's gradients; none where it has none."""
    try:
        return gradients(torch, entry.theirs, call)
    except Exception:
        return []


@every_entry
def test_gradients_are_pytorchs(index: int) -> None:
    entry = entries()[index]
    if entry.is_random:
        pytest.skip("random: gradients are those of the distribution's own test")
    for call in differentiable(index):
        for layout in ("contiguous", "transposed", "expanded"):
            strided = call.map(lambda recipe, to=layout: recipe._replace(layout=to))
            expected = expected_gradients(entry, strided)
            if expected and not entry.override.rough_gradient:
                compare(expected, gradients(wend, ours(entry), strided), str(strided))


@every_entry
def test_gradients_of_first_and_second_order_are_slopes(index: int) -> None:
    entry = entries()[index]
    if entry.is_random or entry.override.rounds:
        pytest.skip("no smooth function to take the slope of")
    for call in differentiable(index)[:5]:
        agrees_with_differences(ours(entry), call)


@every_entry
def test_second_gradients_are_pytorchs(index: int) -> None:
    entry = entries()[index]
    if entry.is_random:
        pytest.skip("random: gradients are those of the distribution's own test")
    for call in differentiable(index)[:4]:
        try:
            expected = second_gradients(torch, entry.theirs, call)
        except RuntimeError as error:
            if re.search("not implemented|not differentiable", str(error)):
                continue
            raise
        compare(expected, second_gradients(wend, ours(entry), call), str(call))


def with_dtypes(call: Call, names: list[str]) -> Call:
    """The call with numbers of these dtypes, in turn; masks and indices stay what they are."""
    turn = iter(names)

    def change(recipe: Recipe) -> Recipe:
        if recipe.kind in ("float", "int"):
            name = next(turn, names[-1])
            kind = "bool" if name == "bool" else "float" if "float" in name else "int"
            seed = recipe.seed or (1 if name.startswith("uint") else 0)
            return recipe._replace(kind=kind, dtype=name, seed=seed)
        return recipe

    return call.map(change)


@every_entry
def test_dtypes_are_promoted_as_in_pytorch(index: int) -> None:
    entry = entries()[index]
    for call in diverse([outcome.call for outcome in samples(index).accepted], 3):
        if not call.recipes():
            continue
        several = len([recipe for recipe in call.recipes() if recipe.kind in ("float", "int")]) > 1
        tried = [[name] for name in DTYPES]
        if several:
            tried += [[a, b] for i, a in enumerate(DTYPES) for b in DTYPES[i % 3 :: 3]]
        for names in tried:
            changed = with_dtypes(call, names)
            expected = attempt(entry.theirs, torch, changed)
            require_alike(entry, expected, observed(ours(entry), changed))


@every_entry
def test_methods_and_keywords_do_the_same(index: int) -> None:
    entry = entries()[index]
    parameters = [p for p in entry.signature.parameters if p.default is None]
    for expected in samples(index).accepted[:3]:
        names = [p.name for p in parameters if not p.keyword_only]
        call = expected.call
        by_name = Call(call.args[:1], (*zip(names[1:], call.args[1:], strict=True), *call.kwargs))
        require_same(entry, expected, observed(ours(entry), by_name))
        if has_method(entry) and isinstance(call.args[0], Recipe):
            method = find(wend, f"Tensor.{entry.name}")
            require_same(entry, expected, observed(method, call))


def has_method(entry: Entry) -> bool:
    return entry.facts["method"] and not entry.facts["module"]


@every_entry
def test_in_place_forms_write_what_pytorch_writes(index: int) -> None:
    entry = entries()[index]
    theirs, mine = (find(T, f"Tensor.{entry.name}_") for T in (torch, wend))
    if not entry.facts["inplace"] or theirs is None:
        pytest.skip("no in-place form")
    calls = [o.call for o in samples(index).accepted if isinstance(o.call.args[0], Recipe)]
    for call in diverse(calls, 8):
        for layout in ("contiguous", "transposed", "stepped"):
            strided = call.map(lambda recipe, to=layout: recipe._replace(layout=to))
            expected = attempt(returning_self(theirs), torch, strided)
            require_alike(entry, expected, observed(returning_self(mine), strided))


def returning_self(method: Any) -> Any:
    """The in-place method, checked to give back the tensor that it wrote to."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = self._version
        assert method(self, *args, **kwargs) is self
        return self, self._version - before

    return call


@every_entry
def test_out_receives_the_result(index: int) -> None:
    entry = entries()[index]
    if entry.form != "function" or not takes_out(entry.theirs):
        pytest.skip("no out=")
    for expected in diverse_outcomes(index, 5):
        results = tensors_in(expected.result)
        for shape in {tuple(results[0].shape)} | (set() if entry.override.fixed_out else {(0,)}):
            outs = [Recipe(shape, kind_of(r), 9, dtype=name_of(r.dtype)) for r in results]
            call = Call(expected.call.args, (*expected.call.kwargs, ("out", outs)))
            written = attempt(through_out(entry.theirs), torch, call)
            require_alike(entry, written, observed(through_out(ours(entry)), call))


def diverse_outcomes(index: int, count: int) -> list[Outcome]:
    accepted = [o for o in samples(index).accepted if tensors_in(o.result)]
    chosen = diverse([o.call for o in accepted], count)
    return [next(o for o in accepted if o.call == call) for call in chosen]


def takes_out(function: Any) -> bool:
    return bool(re.search(r"out(=|\s*[:(])", function.__doc__ or ""))


def kind_of(tensor: Any) -> str:
    if tensor.dtype == torch.bool:
        return "bool"
    return "float" if tensor.is_floating_point() else "int"


def name_of(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def through_out(function: Any) -> Any:
    def call(*args: Any, out: list[Any], **kwargs: Any) -> Any:
        given = out[0] if len(out) == 1 else tuple(out)
        function(*args, **kwargs, out=given)
        return out

    return call


WRONG = {
    "nothing": Call(()),
    "text": Call(("text",)),
    "none": Call((None,)),
    "an unknown keyword": Call((Recipe((2, 3)),), (("nonsense", 1),)),
    "too many": Call((Recipe((2, 3)),) * 12),
}


@every_entry
def test_wrong_arguments_are_refused(index: int) -> None:
    entry = entries()[index]
    for call in WRONG.values():
        require_alike(entry, attempt(entry.theirs, torch, call), observed(ours(entry), call))


@every_entry
def test_the_example_runs(index: int) -> None:
    entry = entries()[index]
    if entry.number > 0 and not entry.facts["example"]:
        pytest.skip("the first overload has the example")
    if entry.override.through:
        pytest.skip("private: the function that it serves has the example")
    example = entry.facts["example"]
    assert example, f"{entry} has no example"
    assert re.search(rf"\b{entry.name}_?\(", example), f"the example of {entry} does not call it"
    assert entry.facts["doc"].endswith("."), f"the doc of {entry} is no sentence"
    shown = find(wend, entry.path).__doc__
    assert entry.facts["doc"] in shown
    assert example in shown
    own = {entry.name: entry.theirs} if entry.override.oracle else {}
    expected, got = evaluated(torch, example, **own), evaluated(wend, example)
    if not entry.is_random:
        assert repr(got) == repr(expected)


def evaluated(T: Any, example: str, **own: Any) -> Any:
    names: dict[str, Any] = {}
    for place in ("special", "linalg", "nn.functional", "autograd"):
        module = find(T, place)
        names |= vars(module) if module else {}
    plain = {"float": float, "int": int, "bool": bool}
    return eval(example, names | vars(T) | own | plain | {"torch": T, "wend": T})


def has_no_gradient(entry: Entry, call: Call) -> bool:
    """Whether PyTorch has none for the call."""
    try:
        return not gradients(torch, entry.theirs, call)
    except RuntimeError as error:
        return "not implemented" in str(error)


def test_no_entry_is_untested() -> None:
    for index, entry in enumerate(entries()):
        assert entry.theirs is not None, f"PyTorch has no {entry} at {places(entry.name)}: name it"
        found = samples(index)
        assert len(found.accepted) >= 2, f"{entry}: too few samples, give sizes or values for it"
        if entry.facts["differentiable"] and not entry.is_random:
            has_float = any(
                t.is_floating_point() for o in found.accepted for t in tensors_in(o.result)
            )
            takes_tensors = any(p.is_tensor for p in entry.signature.parameters)
            if has_float and takes_tensors:
                calls = [outcome.call for outcome in found.accepted[:20]]
                without = all(has_no_gradient(entry, call) for call in calls)
                assert without or differentiable(index), f"{entry}: no sample has a gradient"


def look_up_twice(T: Any) -> None:
    """What no single call leads to: gradients of a table that is looked up again."""
    table = T.ones(3, 2, requires_grad=True)
    rows = [T.nn.functional.embedding(T.tensor(i), table) for i in ([0, 2], [1])]
    T.cat(rows).sum().backward()


def test_hidden_entries_run_on_behalf_of_the_others() -> None:
    """An op that is not bound is reached through the gradients and bodies of those that are."""
    with warnings.catch_warnings(), wend.report() as report:
        warnings.simplefilter("ignore")
        for index, entry in enumerate(entries()):
            for outcome in samples(index).accepted[:60]:
                observed(ours(entry), outcome.call)
            for call in [] if entry.is_random else differentiable(index):
                second_gradients(wend, ours(entry), call)
        look_up_twice(wend)
    ran = kernels(report).keys()
    for facts in wend._C._op_table():
        has_kernel = facts["kind"] == "primitive" and not facts["view"]
        if facts["hidden"] and has_kernel and facts["family"] not in ("graph", "linalg"):
            assert facts["name"] in ran, f"no sample runs {facts['name']}"


def test_samples_stay_away_from_kinks() -> None:
    """Finite differences are only right where the function is smooth."""
    from ops.recipes import elements

    for seed in range(6):
        for value in elements(Recipe((40,), seed=seed)):
            assert abs(value - round(2 * value) / 2) > 0.02
            assert math.isfinite(value)


@every_entry
def test_whatever_is_called_stays_within_the_bounds_of_laziness(index: int) -> None:
    entry = entries()[index]
    calls = diverse([outcome.call for outcome in samples(index).accepted], 1)
    if not calls:
        pytest.skip("no call to try")
    kept = []
    made = make(wend, calls[0])
    with warnings.catch_warnings(), wend.laziness(nodes=8):
        warnings.simplefilter("ignore")
        for _ in range(12):
            kept.append(ours(entry)(*made.args, **made.kwargs))
            assert wend._C._counters()["pending"] <= 8
