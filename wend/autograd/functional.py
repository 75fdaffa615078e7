"""Jacobians, Hessians and their products with vectors, with PyTorch's signatures and errors.

Each is a few calls of `autograd.grad`; computing a gradient is left to the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import wend

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors: TypeAlias = "tuple[wend.Tensor, ...]"
TensorOrTensors: TypeAlias = "wend.Tensor | tuple[wend.Tensor, ...]"
Gradients: TypeAlias = "Sequence[wend.Tensor | None]"

OUTPUTS = "outputs of the user-provided function"
FORBIDDEN = "This is not allowed in strict mode"

# What strict mode says of a gradient that does not exist, by the product being computed.
MISSING = {
    "vjp": f"The output of the user-provided function is independent of input {{i}}. {FORBIDDEN}.",
    "jvp": "The gradient with respect to the input is independent of entry {i} in the grad_outputs"
    f" when using the double backward trick to compute forward mode gradients. {FORBIDDEN}.",
    "vhp": "The jacobian of the user-provided function is independent of input {i}. "
    f"{FORBIDDEN}.",
    "hvp": "The hessian of the user-provided function is independent of entry {i} in the"
    f" grad_jacobian. {FORBIDDEN} as it prevents from using the double backward trick to"
    " replace forward mode AD.",
}
# What it says of one that exists but is constant, when its own derivative was asked for.
CONSTANT = (
    "The {order} of the user-provided function is independent of input {i}."
    f" {FORBIDDEN} when create_graph=True."
)
CONSTANT_OUTPUT = (
    "Output {i} of the user-provided function does not require gradients. The outputs must be"
    " computed in a differentiable manner from the input when running in strict mode."
)
CONSTANT_GRADIENT = (
    "The gradient with respect to input {i} is independent of the inputs of the"
    f" user-provided function. {FORBIDDEN}."
)
CONSTANT_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with"
    f" respect to input {{i}} is independent of the input. {FORBIDDEN}. You should ensure that"
    " your function is twice differentiable and that the jacobian depends on the inputs (this"
    " would be violated by a linear function for example)."
)


def vjp(
    func: Callable[..., Any],
    inputs: TensorOrTensors,
    v: TensorOrTensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return `func(*inputs)` and the product of the vector `v` with its Jacobian.

    `strict` refuses a function of which an output does not depend on an input, where the
    answer would otherwise be zeros.

    >>> import wend
    >>> x = wend.tensor([1.0, 2.0, 3.0])
    >>> wend.autograd.functional.vjp(lambda x: x * x, x, wend.ones(3))
    (tensor([1., 4., 9.]), tensor([2., 4., 6.]))
    """
    with wend.enable_grad():
        nested, xs = _attached_inputs(inputs, "vjp", create_graph)
        returned_tuple, ys = _call(func, xs, "vjp", strict)
        vs = _vector(v, ys, returned_tuple, "vjp", create_graph)
    with _grad_mode(create_graph):
        products = _grad(ys, xs, vs, create_graph)
        products = _without_gaps(products, xs, "vjp", strict, create_graph)
    return _result(ys, returned_tuple, create_graph), _result(products, nested, create_graph)


def jvp(
    func: Callable[..., Any],
    inputs: TensorOrTensors,
    v: TensorOrTensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return `func(*inputs)` and the product of its Jacobian with the vector `v`.

    >>> import wend
    >>> x = wend.tensor([1.0, 2.0, 3.0])
    >>> wend.autograd.functional.jvp(lambda x: x * x.sum(), x, wend.ones(3))
    (tensor([ 6., 12., 18.]), tensor([ 9., 12., 15.]))
    """
    with wend.enable_grad():
        nested, xs = _attached_inputs(inputs, "jvp", create_graph)
        vs = _vector(v, xs, nested, "jvp", create_graph)
        returned_tuple, ys = _call(func, xs, "jvp", strict)
        seeds, gradients = _linear_gradients(ys, xs)
        if strict:
            _refuse_constants(gradients, CONSTANT_GRADIENT)
    with _grad_mode(create_graph):
        products = _grad(gradients, seeds, vs, create_graph)
        products = _without_gaps(products, ys, "jvp", strict, create_graph)
    return (
        _result(ys, returned_tuple, create_graph),
        _result(products, returned_tuple, create_graph),
    )


def jacobian(
    func: Callable[..., Any],
    inputs: TensorOrTensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the derivative of every output element with respect to every input element.

    The result for output `i` and input `j`, of shape `output.shape + input.shape`, is nested as
    `result[i][j]`, without the level of which there is no tuple. `strategy="forward-mode"`
    takes a pass per input element instead of one per output element, with the same result;
    `vectorize` asks for those passes at once, which is the scheduler's work in any case.

    >>> import wend
    >>> wend.autograd.functional.jacobian(lambda x: x * x.sum(), wend.tensor([1.0, 2.0]))
    tensor([[4., 1.],
            [2., 5.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            'function has more outputs than inputs, "forward-mode" tends to be more performant. '
            'Otherwise, prefer to use "reverse-mode".'
        )
    forward = strategy == "forward-mode"
    if strict and forward:
        raise _unsupported_together('strategy="forward-mode"', 'strategy="reverse-mode"', " (yet)")
    with wend.enable_grad():
        nested, xs = _attached_inputs(inputs, "jacobian", create_graph)
        returned_tuple, ys = _call(func, xs, "jacobian", strict)
        if strict and vectorize:
            raise _unsupported_together("vectorized=True", "vectorize=False")
        if forward:
            rows = _columns_by_input(ys, xs, create_graph)
        else:
            rows = _rows_by_output(ys, xs, create_graph, strict)
    blocks = [_result(row, nested, create_graph) for row in rows]
    return tuple(blocks) if returned_tuple else blocks[0]


def hessian(
    func: Callable[..., Any],
    inputs: TensorOrTensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the second derivatives of a function whose result is one number.

    With a tuple of inputs, `result[i][j]` is the derivative by input `i` and input `j`.

    >>> import wend
    >>> wend.autograd.functional.hessian(lambda x: (x**3).sum(), wend.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    nested, xs = _as_tensors(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def number(*point: wend.Tensor) -> wend.Tensor:
        _, (y,) = _call_for_number(func, point, "hessian", strict)
        return y.squeeze()

    def gradient(*point: wend.Tensor) -> Tensors:
        gradients: Tensors = jacobian(number, point, create_graph=True)
        if strict:
            _refuse_constants(gradients, CONSTANT_JACOBIAN)
        return gradients

    rows = jacobian(gradient, xs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return rows if nested else rows[0][0]


def vhp(
    func: Callable[..., Any],
    inputs: TensorOrTensors,
    v: TensorOrTensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return `func(*inputs)`, one number, and the product of `v` with its Hessian.

    >>> import wend
    >>> x = wend.tensor([1.0, 2.0])
    >>> wend.autograd.functional.vhp(lambda x: (x**3).sum(), x, wend.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with wend.enable_grad():
        nested, xs = _attached_inputs(inputs, "vhp", create_graph)
        vs = _vector(v, xs, nested, "vhp", create_graph)
        returned_tuple, ys = _call_for_number(func, xs, "vhp", strict)
        gradients = _differentiable_gradients(ys, xs, strict)
    with _grad_mode(create_graph):
        products = _grad(gradients, xs, vs, create_graph)
        products = _without_gaps(products, xs, "vhp", strict, create_graph)
    return _result(ys, returned_tuple, create_graph), _result(products, nested, create_graph)


def hvp(
    func: Callable[..., Any],
    inputs: TensorOrTensors,
    v: TensorOrTensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return `func(*inputs)`, one number, and the product of its Hessian with `v`.

    Equal to `vhp`, and slower, when the second derivatives are continuous.

    >>> import wend
    >>> x = wend.tensor([1.0, 2.0])
    >>> wend.autograd.functional.hvp(lambda x: (x**3).sum(), x, wend.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with wend.enable_grad():
        nested, xs = _attached_inputs(inputs, "hvp", create_graph)
        vs = _vector(v, xs, nested, "hvp", create_graph)
        returned_tuple, ys = _call_for_number(func, xs, "hvp", strict)
        gradients = _differentiable_gradients(ys, xs, strict)
        seeds = tuple(wend.zeros_like(x, requires_grad=True) for x in xs)
        second = _grad(gradients, xs, seeds, create_graph=True)
    with _grad_mode(create_graph):
        products = _grad(second, seeds, vs, create_graph)
        products = _without_gaps(products, xs, "hvp", strict, create_graph)
    return _result(ys, returned_tuple, create_graph), _result(products, nested, create_graph)


def _as_tensors(value: Any, what: str, who: str) -> tuple[bool, Tensors]:
    """Return whether `value` is a tuple, and it as a tuple of which every member is a tensor."""
    nested = isinstance(value, tuple)
    members = value if nested else (value,)
    for i, member in enumerate(members):
        if not isinstance(member, wend.Tensor):
            place = f"value at index {i}" if nested else f"given {what}"
            raise TypeError(
                f"The {what} given to {who} must be either a Tensor or a tuple of Tensors but the"
                f" {place} has type {type(member)}."
            )
    return nested, members


def _attached_inputs(inputs: Any, who: str, create_graph: bool) -> tuple[bool, Tensors]:
    nested, tensors = _as_tensors(inputs, "inputs", who)
    return nested, tuple(_own(x, create_graph, requires_grad=True) for x in tensors)


def _own(x: wend.Tensor, create_graph: bool, requires_grad: bool) -> wend.Tensor:
    # Always a tensor of our own: the function may also hold `x` itself, by a closure, and the
    # gradient with respect to that use is not what is asked for.
    if create_graph and x.requires_grad:
        return x.view_as(x)
    return x.detach().requires_grad_(requires_grad)


def _call(func: Callable[..., Any], xs: Tensors, who: str, strict: bool) -> tuple[bool, Tensors]:
    returned_tuple, ys = _as_tensors(func(*xs), OUTPUTS, who)
    if strict:
        _refuse_constants(ys, CONSTANT_OUTPUT)
    return returned_tuple, ys


def _call_for_number(
    func: Callable[..., Any], xs: Tensors, who: str, strict: bool
) -> tuple[bool, Tensors]:
    returned_tuple, ys = _call(func, xs, who, strict)
    if returned_tuple:
        raise RuntimeError(f"The function given to {who} should return a single Tensor")
    if ys[0].nelement() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {who} should contain a single element"
        )
    return returned_tuple, ys


def _vector(
    v: Any, refs: Tensors, refs_nested: bool, who: str, create_graph: bool
) -> Tensors | None:
    """Return `v` as a tuple that fits `refs`, or None for the implicit 1 of a single number."""
    if v is None:
        if len(refs) != 1 or refs[0].nelement() != 1:
            subject = (
                "user-provided function returns"
                if who == "vjp"
                else "input to the user-provided function is"
            )
            raise RuntimeError(
                f"The vector v can only be None if the {subject} a single Tensor with a single"
                " element."
            )
        return None
    _, vs = _as_tensors(v, "v", who)
    if len(vs) != len(refs):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(refs)} but got {len(vs)}."
            if refs_nested
            else "The given v should contain a single Tensor."
        )
    for i, (given, ref) in enumerate(zip(vs, refs, strict=True)):
        if given.size() != ref.size():
            entry = f"Entry {i} in " if refs_nested else ""
            raise RuntimeError(
                f"{entry}v has invalid size: should be {ref.size()} but got {given.size()}."
            )
    return tuple(_own(given, create_graph, requires_grad=False) for given in vs)


def _grad_mode(create_graph: bool) -> Any:
    return wend.set_grad_enabled(create_graph or wend.is_grad_enabled())


def _grad(
    outputs: Gradients,
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    retain_graph: bool | None = None,
) -> Gradients:
    """`autograd.grad` that takes outputs which are missing or constant, as contributing nothing."""
    seeds = v if v is not None else (None,) * len(outputs)
    pairs = [
        (output, seed)
        for output, seed in zip(outputs, seeds, strict=True)
        if output is not None and output.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    live, live_seeds = zip(*pairs, strict=True)
    gradients: Gradients = wend.autograd.grad(
        live, inputs, live_seeds, retain_graph, create_graph, allow_unused=True
    )
    return gradients


def _linear_gradients(ys: Tensors, xs: Tensors) -> tuple[Tensors, Gradients]:
    """Return seeds, and the gradients of `xs` as functions of them.

    A gradient is linear in its seed, so its derivative by the seed is the Jacobian, transposed:
    the reverse pass of a reverse pass goes forward. The seed's value does not matter.
    """
    seeds = tuple(wend.zeros_like(y, requires_grad=True) for y in ys)
    return seeds, _grad(ys, xs, seeds, create_graph=True)


def _differentiable_gradients(ys: Tensors, xs: Tensors, strict: bool) -> Gradients:
    gradients = _grad(ys, xs, create_graph=True)
    if strict:
        _refuse_constants(gradients, CONSTANT_JACOBIAN)
    return gradients


def _rows_by_output(ys: Tensors, xs: Tensors, create_graph: bool, strict: bool) -> list[Tensors]:
    rows = []
    for i, y in enumerate(ys):
        gradients = _gradients_by_element(y, xs, create_graph)
        if strict:
            _refuse_independence(gradients, i, create_graph)
        rows.append(
            tuple(
                _stacked(column, x, 0).view(y.size() + x.size())
                for column, x in zip(_by_target(gradients, xs), xs, strict=True)
            )
        )
    return rows


def _columns_by_input(ys: Tensors, xs: Tensors, create_graph: bool) -> list[Tensors]:
    seeds, gradients = _linear_gradients(ys, xs)
    columns = []
    for x, gradient in zip(xs, gradients, strict=True):
        tangents: list[Gradients] = [(None,) * len(ys)] * x.nelement()
        if gradient is not None and gradient.requires_grad:
            tangents = _gradients_by_element(gradient, seeds, create_graph)
        columns.append(
            tuple(
                _stacked(row, y, -1).view(y.size() + x.size())
                for row, y in zip(_by_target(tangents, ys), ys, strict=True)
            )
        )
    return list(zip(*columns, strict=True))


def _gradients_by_element(
    source: wend.Tensor, targets: Tensors, create_graph: bool
) -> list[Gradients]:
    flat = source.reshape(-1)
    return [
        _grad((flat[j],), targets, None, create_graph, retain_graph=True)
        for j in range(flat.nelement())
    ]


def _by_target(gradients: list[Gradients], targets: Tensors) -> list[Gradients]:
    return [[gradient[k] for gradient in gradients] for k in range(len(targets))]


def _stacked(members: Gradients, like: wend.Tensor, dim: int) -> wend.Tensor:
    """Stack along a new dimension, zeros shaped as `like` standing for what is missing."""
    if not members:
        shape = like.size()
        return like.new_zeros((0, *shape) if dim == 0 else (*shape, 0))
    filled = [wend.zeros_like(like) if member is None else member for member in members]
    return wend.stack(filled, dim=dim)


def _without_gaps(
    gradients: Gradients, refs: Tensors, who: str, strict: bool, create_graph: bool
) -> Tensors:
    """Return the gradients with zeros for those missing, which strict mode refuses."""
    order = "jacobian" if who in ("vjp", "jvp") else "hessian"
    for i, gradient in enumerate(gradients if strict else ()):
        if gradient is None:
            raise RuntimeError(MISSING[who].format(i=i))
        if create_graph and not gradient.requires_grad:
            raise RuntimeError(CONSTANT.format(order=order, i=i))
    return tuple(
        wend.zeros_like(ref) if gradient is None else gradient
        for gradient, ref in zip(gradients, refs, strict=True)
    )


def _refuse_constants(tensors: Gradients, message: str) -> None:
    for i, tensor in enumerate(tensors):
        if tensor is None:
            raise RuntimeError(MISSING["vjp"].format(i=i))
        if not tensor.requires_grad:
            raise RuntimeError(message.format(i=i))


def _refuse_independence(rows: list[Gradients], output: int, create_graph: bool) -> None:
    for row in rows:
        for i, gradient in enumerate(row):
            if gradient is None:
                raise RuntimeError(
                    f"Output {output} of the user-provided function is independent of input {i}."
                    f" {FORBIDDEN}."
                )
            if create_graph and not gradient.requires_grad:
                # PyTorch names the output where it says "input"; programs match the text.
                raise RuntimeError(CONSTANT.format(order="jacobian", i=output))


def _unsupported_together(option: str, remedy: str, yet: str = "") -> RuntimeError:
    return RuntimeError(
        f"torch.autograd.functional.jacobian: `strict=True` and `{option}` are not supported"
        f" together{yet}. Please either set `strict=False` or `{remedy}`."
    )


def _result(tensors: Tensors, nested: bool, create_graph: bool) -> Any:
    """Undo `_as_tensors`, and forget the history unless it was asked for."""
    members = tensors if create_graph else tuple(tensor.detach() for tensor in tensors)
    return members if nested else members[0]
