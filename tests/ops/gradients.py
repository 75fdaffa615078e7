"""Gradients of a call, of first and second order, and the finite differences they must agree with.

All in float64; a gradient is checked along one direction, as cheap for a matrix as for a number.
"""

import math
import warnings
from typing import Any

from ops.recipes import Call, make
from ops.samples import tensors_in

STEP = 1e-6


def weights(T: Any, tensor: Any, seed: int) -> Any:
    """Fixed numbers, as many as the tensor has elements, without a pattern."""
    count = math.prod(tensor.shape)
    numbers = [math.sin(7.3 * i + 1.7 * seed + 0.4) + 0.2 for i in range(count)]
    return T.tensor(numbers, dtype=tensor.dtype).reshape(tuple(tensor.shape))


def weighted(T: Any, tensors: list[Any], first_seed: int) -> Any:
    """One number that depends on every element of the tensors."""
    total = T.zeros((), dtype=T.float64)
    for seed, tensor in enumerate(tensors, first_seed):
        total = total + (tensor * weights(T, tensor, seed)).sum().to(T.float64)
    return total


def outcome(T: Any, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = tensors_in(function(*args, **kwargs))
    return weighted(T, [t for t in results if t.is_floating_point()], 0)


def first(T: Any, total: Any, leaves: list[Any], create_graph: bool) -> list[Any]:
    """The gradient by each leaf, zero where there is none."""
    zeros = [T.zeros_like(leaf, requires_grad=False) for leaf in leaves]
    if not total.requires_grad:
        return zeros
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = T.autograd.grad(total, leaves, create_graph=create_graph, allow_unused=True)
    if not create_graph:  # PyTorch's gradient of an empty tensor may be that tensor itself.
        found = [g if g is None else g.detach() for g in found]
    return [zero if g is None else zero + g for zero, g in zip(zeros, found, strict=True)]


def gradients(T: Any, function: Any, call: Call) -> list[Any]:
    """The gradients of a weighted sum of the results; none if it does not depend on the tensors."""
    made = make(T, call, grad=True)
    total = outcome(T, function, made.args, made.kwargs)
    return first(T, total, made.leaves, False) if total.requires_grad else []


def second_gradients(T: Any, function: Any, call: Call) -> list[Any]:
    """Gradients of a weighted sum of the gradients."""
    made = make(T, call, grad=True)
    total = outcome(T, function, made.args, made.kwargs)
    slopes = first(T, total, made.leaves, True)
    return first(T, weighted(T, slopes, 20), made.leaves, False)


def agrees_with_differences(function: Any, call: Call) -> None:
    """Require that gradients of first and second order are slopes, along one direction."""
    import wend as T

    made = make(T, call, grad=True)
    total = outcome(T, function, made.args, made.kwargs)
    slopes = first(T, total, made.leaves, True)
    curves = first(T, weighted(T, slopes, 20), made.leaves, False)
    directions = [weights(T, leaf, 40 + i) for i, leaf in enumerate(made.leaves)]

    def along(found: list[Any]) -> float:
        pairs = zip(found, directions, strict=True)
        return sum((g * v).sum().item() for g, v in pairs)

    def moved(step: float) -> tuple[float, float]:
        with T.no_grad():
            for leaf, v in zip(made.leaves, directions, strict=True):
                leaf.add_(v * step)
        total = outcome(T, function, made.args, made.kwargs)
        slopes = first(T, total, made.leaves, True)
        return total.item(), weighted(T, slopes, 20).item()

    if not math.isfinite(total.item()):
        return  # the mean of nothing
    up, down = moved(STEP), moved(-2 * STEP)
    for order, found in enumerate((along(slopes), along(curves))):
        expected = (up[order] - down[order]) / (2 * STEP)
        assert math.isclose(found, expected, rel_tol=1e-4, abs_tol=1e-5 * (1 + abs(expected))), (
            f"{call}: gradient {order + 1} along a direction is {found}, but the slope {expected}"
        )
