"""Gradients against finite differences: `gradcheck`, `gradgradcheck`, with PyTorch's signatures.

Only real dense tensors exist here; both kinds of gradient come from the engine and the function.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import wend

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

Tensors: TypeAlias = "tuple[wend.Tensor, ...]"

UNDEFINED_GRAD_NOTES = (
    'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
)


class GradcheckError(RuntimeError):
    """Raised by `gradcheck` and `gradgradcheck` when a gradient is wrong."""


class _Check(NamedTuple):
    """The function under test, the point it is tested at, and how close is close enough."""

    func: Callable[..., Any]
    inputs: tuple[Any, ...]
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool

    def variables(self) -> Tensors:
        """The inputs to differentiate by."""
        return tuple(x for x in self.inputs if isinstance(x, wend.Tensor) and x.requires_grad)

    def call(self) -> Tensors:
        return _as_tuple(self.func(*self.inputs))


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Return True if the gradients of `func` at `inputs` agree with central differences.

    `inputs` that require grad should be float64. `fast_mode` compares the derivatives in one
    random direction instead of every element. With `masked`, a gradient of nearly zero passes
    for one that `func` multiplied by its zero output gradient.

    >>> import wend
    >>> x = wend.tensor([0.5, 1.5], dtype=wend.float64, requires_grad=True)
    >>> wend.autograd.gradcheck(lambda x: x.exp() * x, x)
    True
    """
    _require(
        check_forward_ad or check_backward_ad,
        "Expected at least one of check_forward_ad or check_backward_ad to be True",
    )
    _require(
        check_backward_ad or not check_batched_grad,
        "Setting check_batched_grad=True requires check_backward_ad to be True",
    )
    _require(
        check_forward_ad or not check_batched_forward_grad,
        "Setting check_batched_forward_grad=True requires check_forward_ad to be True",
    )
    _refuse_unsupported(check_forward_ad=check_forward_ad, check_batched_grad=check_batched_grad)
    check = _Check(func, _as_tuple(inputs), eps, atol, rtol, nondet_tol, check_grad_dtypes)
    try:
        _run(check, fast_mode, bool(masked), check_undefined_grad)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Return True if the second gradients of `func` at `inputs` agree with central differences.

    `grad_outputs` are random unless given, and then not contiguous if
    `gen_non_contig_grad_outputs` says so.

    >>> import wend
    >>> x = wend.tensor([0.5, 1.5], dtype=wend.float64, requires_grad=True)
    >>> wend.autograd.gradgradcheck(lambda x: x.exp() * x, x)
    True
    """
    _require(
        check_fwd_over_rev or check_rev_over_rev,
        "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True",
    )
    for name, wanted in (
        ("check_undefined_grad", check_undefined_grad),
        ("check_batched_grad", check_batched_grad),
    ):
        _require(
            check_rev_over_rev or not wanted,
            f"Setting {name}=True requires check_rev_over_rev to be True",
        )
    _refuse_unsupported(check_fwd_over_rev=check_fwd_over_rev)
    points = _as_tuple(inputs)
    if grad_outputs is None:
        outputs = _differentiable(_as_tuple(func(*points)))
        seeds = tuple(_random_seed(y, gen_non_contig_grad_outputs) for y in outputs)
    else:
        seeds = _as_tuple(grad_outputs)
    return gradcheck(
        _gradient_of(func, points, seeds),
        points + seeds,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        masked=masked,
    )


def _gradient_of(func: Callable[..., Any], points: Tensors, seeds: Tensors) -> Callable[..., Any]:
    """Return the function from `(*points, *seeds)` to the gradients of `func`."""
    by = [i for i, x in enumerate(points) if isinstance(x, wend.Tensor) and x.requires_grad]

    def gradient(*args: Any) -> Tensors:
        point, seed = args[: len(points)], args[len(points) :]
        outputs = _differentiable(_as_tuple(func(*point)))
        gradients = wend.autograd.grad(
            outputs, [point[i] for i in by], seed, create_graph=True, allow_unused=True
        )
        return tuple(g for g in gradients if g is not None)

    return gradient


def _random_seed(output: wend.Tensor, non_contiguous: bool) -> wend.Tensor:
    shape = (*output.shape, 2) if non_contiguous else tuple(output.shape)
    seed = wend.rand(shape, dtype=output.dtype) * 2 - 1
    return (seed[..., 0] if non_contiguous else seed).detach().requires_grad_()


def _run(check: _Check, fast_mode: bool, masked: bool, check_undefined_grad: bool) -> None:
    _refuse_bad_inputs(check.inputs)
    outputs = check.call()
    differentiable = _differentiable(outputs)
    compare = _compare_in_one_direction if fast_mode else _compare_every_element
    if differentiable:
        compare(check, outputs)
        _check_scales_with_output_gradient(check, differentiable, masked)
    else:
        _check_is_constant(check, outputs)
    if check_undefined_grad and differentiable:
        _check_takes_undefined_gradients(check, len(differentiable))


def _refuse_bad_inputs(inputs: tuple[Any, ...]) -> None:
    variables = [
        (i, x) for i, x in enumerate(inputs) if isinstance(x, wend.Tensor) and x.requires_grad
    ]
    for i, x in variables:
        if x.dtype != wend.float64:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or"
                " complex. This check will likely fail if all the inputs are not of double"
                " precision floating point or complex. ",
                stacklevel=4,
            )
        if any(stride == 0 and size > 1 for stride, size in zip(x.stride(), x.shape, strict=True)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs"
                " that are non-overlapping to be able to compute the numerical gradients"
                " correctly. You should call .contiguous on the input before passing it to"
                " gradcheck."
            )
    if not variables:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them"
            " have requires_grad=True."
        )


def _compare_every_element(check: _Check, outputs: Tensors) -> None:
    kept = [i for i, y in enumerate(outputs) if y.requires_grad]
    numerical = [_numerical_jacobian(check, x, kept) for x in check.variables()]
    for i, place in enumerate(kept):
        if outputs[place].numel() == 0:
            continue
        analytical = _reentrant_gradients(check, outputs[place], _basis(outputs[place]))
        for j, rows in enumerate(analytical):
            found, expected = wend.stack(rows, dim=1), numerical[j][i]
            if not _close(found, expected, check.rtol, check.atol):
                raise GradcheckError(_mismatch(i, j, expected, found))


def _compare_in_one_direction(check: _Check, outputs: Tensors) -> None:
    """Compare `v @ J @ u` for random `u` and `v`, without ever forming the Jacobian `J`."""
    generator = wend.Generator()  # the user's random numbers are not disturbed
    kept = [i for i, y in enumerate(outputs) if y.requires_grad]
    us = [_direction(x, generator) for x in check.variables()]
    vs = [_direction(outputs[i], generator) for i in kept]
    pushed = [
        _central_difference(check, x.data, check.eps * u.reshape(x.shape), kept)
        for x, u in zip(check.variables(), us, strict=True)
    ]
    for i, (place, v) in enumerate(zip(kept, vs, strict=True)):
        seed = v.reshape(outputs[place].shape)
        pulled = _reentrant_gradients(check, outputs[place], [seed])
        for j, u in enumerate(us):
            expected, found = (v * pushed[j][i]).sum(), (pulled[j][0] * u).sum()
            # An error of atol in every element of J is one of atol * sum(u) * sum(v) here.
            atol = check.atol * u.sum().item() * v.sum().item()
            if not _close(found, expected, check.rtol, atol):
                detail = _full_jacobians(check, outputs, place, j)
                raise GradcheckError(_mismatch(i, j, expected, found) + detail)


def _full_jacobians(check: _Check, outputs: Tensors, output: int, variable: int) -> str:
    y = outputs[output]
    expected = _numerical_jacobian(check, check.variables()[variable], [output])[0]
    found = wend.stack(_gradients(check, y, _basis(y))[variable], dim=1)
    passes = _close(found, expected, check.rtol, check.atol)
    return (
        "\nThese are products of the Jacobians with random vectors. The Jacobians themselves:\n"
        f"numerical:{expected}\nanalytical:{found}\n"
        f"The largest difference of two elements is {(found - expected).abs().max().item()}.\n"
        + ("With fast_mode=False the check would have passed.\n" if passes else "")
    )


def _numerical_jacobian(check: _Check, x: wend.Tensor, kept: Sequence[int]) -> list[wend.Tensor]:
    """Return a matrix of `x.numel()` rows for each of the outputs `kept`."""
    # Written through .data: the function may hold `x` itself, and `x` may be a leaf.
    data = x.data
    rows = [
        _central_difference(check, data[place], check.eps, kept, place)
        for place in itertools.product(*(range(size) for size in x.shape))
    ]
    if not rows:
        outputs = check.call()
        return [outputs[i].new_zeros((0, outputs[i].numel())) for i in kept]
    return [wend.stack(column) for column in zip(*rows, strict=True)]


def _central_difference(
    check: _Check,
    entry: wend.Tensor,
    step: wend.Tensor | float,
    kept: Sequence[int],
    place: tuple[int, ...] | None = None,
) -> list[wend.Tensor]:
    """Return the change of the outputs `kept`, flat, per `eps`, as `entry` moves by `step`."""
    original = entry.clone()
    try:
        entry.copy_(original - step)
        before = [y.clone() for y in check.call()]
        entry.copy_(original + step)
        after = [y.clone() for y in check.call()]
    finally:
        entry.copy_(original)
    for a, b in zip(before, after, strict=True):
        _refuse_change_of_form(a, b, check.eps, place)
    return [((after[i] - before[i]) / (2 * check.eps)).detach().reshape(-1) for i in kept]


def _refuse_change_of_form(
    before: wend.Tensor, after: wend.Tensor, eps: float, place: tuple[int, ...] | None
) -> None:
    where = "" if place is None else f"on index {place} "
    for form, a, b in (
        ("shape", before.shape, after.shape),
        ("dtype", before.dtype, after.dtype),
    ):
        _require(
            a == b,
            f"Expected `func` to return outputs with the same {form} when inputs are perturbed"
            f" {where}by {eps}, but got: {form}s {a} and {b}.",
        )


def _reentrant_gradients(
    check: _Check, output: wend.Tensor, seeds: Sequence[wend.Tensor]
) -> list[list[wend.Tensor]]:
    """Return `_gradients`, having seen that a second time gives the same."""
    first = _gradients(check, output, seeds)
    second = _gradients(check, output, seeds)
    for a, b in zip(itertools.chain(*first), itertools.chain(*second), strict=True):
        if a.numel() and (a - b).abs().max().item() > check.nondet_tol:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and"
                " grad_output multiple times gives different values, although analytical gradient"
                " matches numerical gradient.The tolerance for nondeterminism was"
                f" {check.nondet_tol}.\n\n"
                "If that much is to be expected of this function, say so with `nondet_tol`."
            )
    return first


def _gradients(
    check: _Check, output: wend.Tensor, seeds: Sequence[wend.Tensor]
) -> list[list[wend.Tensor]]:
    """Return, for each variable, its flat gradient for each of the seeds."""
    variables = check.variables()
    gradients: list[list[wend.Tensor]] = [[] for _ in variables]
    for seed in seeds:
        found = wend.autograd.grad(output, variables, seed, retain_graph=True, allow_unused=True)
        for column, gradient, x in zip(gradients, found, variables, strict=True):
            value = wend.zeros_like(x) if gradient is None else gradient
            if check.check_grad_dtypes and value.dtype != x.dtype:
                raise GradcheckError("Gradient has dtype mismatch")
            if value.shape != x.shape:
                raise GradcheckError("Analytical gradient has incorrect size")
            # A clone, since a backward of the user's may return the same tensor every time.
            column.append(value.detach().clone().reshape(-1))
    return gradients


def _check_is_constant(check: _Check, outputs: Tensors) -> None:
    floating = [i for i, y in enumerate(outputs) if y.is_floating_point()]
    for x in check.variables():
        for jacobian in _numerical_jacobian(check, x, floating):
            if jacobian.ne(0).any().item():
                raise GradcheckError("Numerical gradient for function expected to be zero")


def _check_scales_with_output_gradient(check: _Check, outputs: Tensors, masked: bool) -> None:
    seeds = [wend.zeros_like(y) for y in outputs]
    gradients = wend.autograd.grad(outputs, check.variables(), seeds, allow_unused=True)
    for gradient in gradients:
        if gradient is None:
            continue
        zeros = wend.zeros_like(gradient)
        vanishes = wend.allclose(gradient, zeros) if masked else not gradient.ne(0).any().item()
        if not vanishes:
            raise GradcheckError("backward not multiplied by grad_output")


def _check_takes_undefined_gradients(check: _Check, count: int) -> None:
    everything = set(range(count))
    subsets = [everything, *({i} for i in range(count))] if count > 1 else [everything]
    for undefined in subsets:
        outputs = [
            _with_undefined_gradient(y) if i in undefined else y
            for i, y in enumerate(_differentiable(check.call()))
        ]
        try:
            gradients = wend.autograd.grad(
                outputs,
                check.variables(),
                [wend.zeros_like(y) for y in outputs],
                allow_unused=True,
            )
        except RuntimeError as error:
            raise GradcheckError(
                "Expected backward function to handle undefined output grads. "
                + UNDEFINED_GRAD_NOTES
            ) from error
        if any(g is not None and g.ne(0).any().item() for g in gradients):
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are"
                f" undefined or zero. {UNDEFINED_GRAD_NOTES}"
            )


def _with_undefined_gradient(output: wend.Tensor) -> wend.Tensor:
    """Return `output`, by way of a function that passes no gradient back."""
    methods = {"forward": lambda ctx, x: x.view_as(x), "backward": lambda ctx, gradient: None}
    body = {name: staticmethod(method) for name, method in methods.items()}
    undefined_grad: Any = type("UndefinedGrad", (wend.autograd.Function,), body)
    hidden: wend.Tensor = undefined_grad.apply(output)
    return hidden


def _basis(output: wend.Tensor) -> list[wend.Tensor]:
    n = output.numel()
    return list(wend.eye(n, dtype=output.dtype).reshape(n, *output.shape))


def _direction(x: wend.Tensor, generator: wend.Generator) -> wend.Tensor:
    vector = wend.rand(x.numel(), generator=generator).to(x.dtype)
    return vector / vector.norm()


def _close(a: wend.Tensor, b: wend.Tensor, rtol: float, atol: float) -> bool:
    return bool(wend.allclose(a.to(wend.float64), b.to(wend.float64), rtol, atol))


def _mismatch(output: int, variable: int, numerical: Any, analytical: Any) -> str:
    return (
        f"Jacobian mismatch for output {output} with respect to input {variable},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
    )


def _differentiable(outputs: Tensors) -> Tensors:
    return tuple(y for y in outputs if y.requires_grad)


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def _refuse_unsupported(**options: bool) -> None:
    for name, wanted in options.items():
        if wanted:
            raise NotImplementedError(
                f"{name}=True is not supported: wend has neither forward-mode duals nor vmap,"
                " only reverse mode to any order"
            )
