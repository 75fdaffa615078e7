"""Parts of PyTorch that copies of its layers import: gradients, reductions, lists as vectors."""

import importlib
from typing import Any

import pytest
from both import alike, both, error_of, wend


def numbers(torch: Any, *shape: int) -> Any:
    count = 1
    for size in shape:
        count *= size
    return (torch.arange(float(count), dtype=torch.float64) * 1.7).sin().reshape(shape)


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_gradients_of_convolutions_by_themselves(ndim: int) -> None:
    def program(torch: Any) -> Any:
        module = importlib.import_module(f"{torch.__name__}.nn.grad")
        x, w = numbers(torch, 2, 4, *[5] * ndim), numbers(torch, 6, 2, *[2] * ndim)
        f = getattr(torch.nn.functional, f"conv{ndim}d")
        g = f(x, w, None, 2, 1, 1, 2).cos()
        by_input = getattr(module, f"conv{ndim}d_input")
        by_weight = getattr(module, f"conv{ndim}d_weight")
        w.requires_grad_()
        first = by_input(x.shape, w, g, 2, 1, 1, 2)
        first.square().sum().backward()
        return first, w.grad, by_weight(x, w.shape, g, stride=2, padding=1, groups=2)

    both(program)


@alike
def test_reductions_as_numbers(torch: Any) -> Any:
    reduction = torch.nn._reduction
    return [
        [reduction.get_enum(name) for name in ("none", "mean", "sum")],
        error_of(lambda: reduction.get_enum("all")),
        [
            reduction.legacy_get_string(size_average, reduce, emit_warning=False)
            for size_average in (None, True, False)
            for reduce in (None, True, False)
        ],
        reduction.legacy_get_enum(False, None, emit_warning=False),
    ]


@alike
def test_many_tensors_as_one_vector(torch: Any) -> Any:
    tensors = [numbers(torch, 2, 3), numbers(torch, 4), numbers(torch, 1, 1, 1).float()]
    utils = torch._utils
    flat = utils._flatten_dense_tensors(tensors[:2])
    groups = [
        [[each.shape for each in group] for group in utils._take_tensors(tensors, limit)]
        for limit in (1, 50, 1000)
    ]
    return flat, utils._unflatten_dense_tensors(flat * 2, tensors[:2]), groups


@alike
def test_functions_of_the_package_by_another_name(torch: Any) -> Any:
    functions = importlib.import_module(f"{torch.__name__}._VF")
    return functions.relu(torch.tensor([-1.0, 1.0])), hasattr(functions, "no_such_function")


@alike
def test_a_convolution_over_time_is_of_both(torch: Any) -> Any:
    given = numbers(torch, 5, 2, 3), numbers(torch, 2, 3, 4), numbers(torch, 4)
    return torch.nn.functional.conv_tbc(*given, 1)


def test_there_is_one_convolution_over_time() -> None:
    assert wend.conv_tbc is wend.nn.functional.conv_tbc
