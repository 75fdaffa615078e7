"""Names that packages take from inside PyTorch are there, and do what PyTorch's do."""

import importlib
import types
from collections.abc import Callable
from typing import Any

import pytest
from both import STANDIN, alike, both, error_of, torch, wend

MEMBERS = [
    "_foreach_utils._has_foreach_support",
    "checkpoint.get_device_states",
    "checkpoint.set_device_states",
    "data._utils.collate.collate_tensor_fn",
    "data._utils.collate.default_collate_fn_map",
    "data._utils.collate.np_str_obj_array_pattern",
    "data._utils.worker.get_worker_info",
    "model_zoo.load_url",
]


@pytest.mark.parametrize("path", MEMBERS)
@pytest.mark.parametrize("package", ["wend", "torch"])
def test_a_member_of_a_private_module_is_there(package: str, path: str) -> None:
    module, _, name = path.rpartition(".")
    assert hasattr(importlib.import_module(f"{package}.utils.{module}"), name)


@pytest.mark.parametrize("name", torch.functional.__all__)
def test_torch_functional_has_the_functions_of_the_package(name: str) -> None:
    assert getattr(wend.functional, name) is getattr(wend, name)


@pytest.mark.parametrize("name", wend.return_types.__all__)
def test_types_of_results_have_pytorchs_names(name: str) -> None:
    ours, theirs = getattr(wend.return_types, name), getattr(torch.return_types, name)
    assert ours.__name__ == theirs.__name__


def test_results_are_instances_of_their_types() -> None:
    assert isinstance(wend.ones(2, 3).max(1), wend.return_types.max)
    assert isinstance(wend.linalg.svd(wend.eye(2)), wend.return_types.linalg_svd)
    assert not isinstance(wend.ones(2, 3).max(1), wend.return_types.min)


@pytest.mark.parametrize(
    "ask",
    [
        lambda t: t.sym_int(2.7),
        lambda t: t.sym_int(-2.7),
        lambda t: t.sym_float(2),
        lambda t: t.sym_max(2, 3),
        lambda t: t.sym_min(2, 3),
        lambda t: t.sym_not(True),
        lambda t: t._check(True),
        lambda t: t._assert(True, "no"),
        lambda t: t._assert_async(t.ones(1)),
        lambda t: isinstance(str | t.DeviceObjType, types.UnionType),
        lambda t: t._C._is_tracing(),
        lambda t: t.get_autocast_cpu_dtype() is t.bfloat16,
        lambda t: t.ones(2).real.tolist(),
        lambda t: issubclass(t.OutOfMemoryError, RuntimeError),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_programs_ask_is_answered_alike(ask: Any) -> None:
    assert ask(wend) == ask(torch)


def raised(call: Any) -> tuple[type, str]:
    with pytest.raises((AssertionError, RuntimeError)) as caught:
        call()
    return caught.type, str(caught.value).partition(" (")[0]


@pytest.mark.parametrize(
    "claim",
    [
        lambda t: t._check(False, lambda: "the reason"),
        lambda t: t._check(False),
        lambda t: t._assert(False, "the reason"),
        lambda t: t.ones(2).imag,
    ],
)
def test_claims_that_do_not_hold_raise_alike(claim: Any) -> None:
    assert raised(lambda: claim(wend)) == raised(lambda: claim(torch))


@alike
def test_the_real_part_is_the_tensor(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.real = torch.tensor([3.0, 4.0])
    return y.real is y, y, x.real is x


@alike
def test_tensors_are_grouped_by_dtype(torch: Any) -> Any:
    module = importlib.import_module(f"{torch.__name__}.utils._foreach_utils")
    tensors = [torch.ones(1), torch.ones(2, dtype=torch.float64), torch.ones(3)]
    groups = module._group_tensors_by_device_and_dtype([tensors, [None] * 3], with_indices=True)
    return [
        (str(kind), [x.shape for x in lists[0]], lists[1], indices)
        for (_, kind), (lists, indices) in sorted(groups.items(), key=str)
    ]


@pytest.mark.skipif(STANDIN is not None, reason="PyTorch's own")
def test_points_of_a_sequence_say_what_to_use() -> None:
    from wend._absent_parts import PARTS

    assert "scipy" in PARTS["quasirandom"][1]


CHECKS: dict[str, Callable[[Any], Any]] = {
    "right": lambda T: [T._check(True), T._assert(True, "no")],
    "wrong": lambda T: [
        error_of(lambda: T._check(False)), error_of(lambda: T._check(False, lambda: "bad")),
        error_of(lambda: T._check_index(False, lambda: 3)),
        error_of(lambda: T._check_value(False)), error_of(lambda: T._check_type(False)),
        error_of(lambda: T._check_not_implemented(False)),
        error_of(lambda: T._assert(False, "no")),
        error_of(lambda: T._check_tensor_all(T.tensor([True, False]), lambda: "some")),
        error_of(lambda: T._check_with(KeyError, False, lambda: "m")),
    ],
    "no conditions": lambda T: [
        error_of(lambda: T._check(T.tensor(True))), error_of(lambda: T._check(1)),
        error_of(lambda: T._check(False, "text")),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CHECKS)
def test_conditions_that_a_program_relies_on(name: str) -> None:
    both(CHECKS[name])
