"""Every module of PyTorch's module database agrees with PyTorch, given its parameters."""

import warnings
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")

import torch
from database import DATABASE, check, construct, error_of, inputs, ours, run, same
from torch.testing._internal.common_modules import ModuleErrorEnum

import wend

EVERY = sorted(DATABASE)


def cases(name: str, training: bool) -> list[Any]:
    """The database's cases; of how a fused loss is chunked, which wend ignores, a few."""
    found = inputs(DATABASE[name], training)
    chunked = [c for c in found if c.constructor_input.kwargs.get("options") is not None]
    return [c for c in found if c not in chunked] + chunked[::40]


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("name", EVERY)
def test_outputs_gradients_and_buffers_are_pytorchs(name: str, training: bool) -> None:
    found = cases(name, training)
    assert found
    for case in found:
        try:
            check(DATABASE[name], case, training)
        except Exception as error:
            error.add_note(f"case {case.desc!r}: {case.constructor_input.kwargs}")
            raise


@pytest.mark.parametrize("name", EVERY)
def test_modules_print_as_in_pytorch(name: str) -> None:
    for case in cases(name, True):
        theirs, own = construct(DATABASE[name], case.constructor_input)
        assert repr(own) == repr(theirs)


@pytest.mark.parametrize("name", EVERY)
def test_names_of_parameters_and_buffers_are_pytorchs(name: str) -> None:
    for case in cases(name, True):
        theirs, own = construct(DATABASE[name], case.constructor_input)
        assert list(own.state_dict()) == list(theirs.state_dict())
        assert [n for n, _ in own.named_modules()] == [n for n, _ in theirs.named_modules()]


WITH_ERRORS = [name for name in EVERY if DATABASE[name].module_error_inputs_func is not None]


@pytest.mark.parametrize("name", WITH_ERRORS)
def test_bad_input_is_refused_as_in_pytorch(name: str) -> None:
    info = DATABASE[name]
    bad = info.module_error_inputs_func(
        info, device="cpu", dtype=torch.float32, requires_grad=False, training=False
    )
    for case in bad:
        given = case.module_error_input
        theirs, own = info.module_cls, getattr(wend.nn, name)
        call = given.constructor_input
        with warnings.catch_warnings(action="ignore"):
            if case.error_on is not ModuleErrorEnum.CONSTRUCTION_ERROR:
                theirs, own = construct(info, call, as_double=False)
                call = given.forward_input
            expected = error_of(theirs, call.args, call.kwargs)
            got = error_of(own, ours(call.args), ours(call.kwargs))
        assert got == expected


@pytest.mark.parametrize("name", EVERY)
def test_a_copied_and_a_pickled_module_compute_the_same(name: str) -> None:
    import copy
    import pickle

    case = cases(name, False)[0]
    _, own = construct(DATABASE[name], case.constructor_input)
    own.eval()
    call = case.forward_input
    expected, _ = run(own, ours(call.args), ours(call.kwargs))
    for again in (copy.deepcopy(own), pickle.loads(pickle.dumps(own))):
        got, _ = run(again, ours(call.args), ours(call.kwargs))
        same([e.detach() for e in _flat(expected)], [g.detach() for g in _flat(got)], "output")


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [each for part in value for each in _flat(part)]
    return [] if value is None else [value]
