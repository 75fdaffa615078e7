"""Gradients and Jacobians as functions of functions, for arguments in any nested container.

Each is a few calls of `autograd.grad`; a result can itself be differentiated where what the
function was given, or refers to, requires grad.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import wend
from wend._C import Tensor
from wend.utils._pytree import TreeSpec, tree_flatten, tree_map, tree_unflatten

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp"]


def _inputs(tree: Any) -> tuple[list[Tensor], TreeSpec]:
    """Tensors to differentiate by, which know where they are from."""
    leaves, spec = tree_flatten(tree)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")
    own = [
        leaf.view_as(leaf) if leaf.requires_grad else leaf.detach().requires_grad_()
        for leaf in leaves
    ]
    return own, spec


def _chosen(args: tuple[Any, ...], argnums: Any) -> Any:
    """The arguments to differentiate by."""
    for number in argnums if isinstance(argnums, tuple) else (argnums,):
        if not isinstance(number, int):
            raise RuntimeError(f"argnum must be int, got: {type(number)}")
        if not -len(args) <= number < len(args):
            raise RuntimeError(f"Got argnum={number}, but only {len(args)} positional inputs")
    return tuple(args[i] for i in argnums) if isinstance(argnums, tuple) else args[argnums]


def _replaced(args: tuple[Any, ...], argnums: Any, chosen: Any) -> list[Any]:
    changed = list(args)
    for number, value in (
        zip(argnums, chosen, strict=True) if isinstance(argnums, tuple) else [(argnums, chosen)]
    ):
        changed[number] = value
    return changed


def _leads_elsewhere(outputs: list[Tensor], own: list[Tensor]) -> bool:
    """Whether outputs depend on something that requires grad other than what we made."""
    made = {id(each.grad_fn) for each in own if each.grad_fn is not None}
    leaves = {id(each) for each in own}
    seen: set[Any] = set()
    todo = [each.grad_fn for each in outputs if each.grad_fn is not None]
    if any(each.grad_fn is None and id(each) not in leaves for each in outputs):
        return True
    while todo:
        node: Any = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if id(node) in made or (variable is not None and id(variable) not in leaves):
            return True
        todo += [below for below, _ in node.next_functions if below is not None]
    return False


def _gradients(
    outputs: list[Tensor], own: list[Tensor], vectors: list[Tensor] | None, keep: bool
) -> list[Tensor]:
    """Gradients of the outputs that require grad, zeros where an input is not used."""
    given: Any = vectors or [None] * len(outputs)
    pairs = [(o, v) for o, v in zip(outputs, given, strict=True) if o.requires_grad]
    if not pairs or not own:
        return [wend.zeros_like(each) for each in own]
    found = wend.autograd.grad(
        [o for o, _ in pairs],
        own,
        None if vectors is None else [v for _, v in pairs],
        retain_graph=True,
        create_graph=keep,
        allow_unused=True,
    )
    return [wend.zeros_like(x) if g is None else g for g, x in zip(found, own, strict=True)]


def _plain(tree: Any, keep: bool) -> Any:
    """The results, without history where nothing of the caller's is in it."""
    return tree if keep else tree_map(lambda x: x.detach() if isinstance(x, Tensor) else x, tree)


def _split_aux(result: Any, has_aux: bool, caller: str) -> tuple[Any, Any]:
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(
            f"{caller}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return result


def grad_and_value(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that gives the gradient of `func` and its value.

    >>> wend.func.grad_and_value(lambda x: (x * x).sum())(wend.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    @functools.wraps(func)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        caller = "grad_and_value(f)(*args)"
        outside = wend.is_grad_enabled()
        with wend.enable_grad():
            own, spec = _inputs(_chosen(args, argnums))
            changed = _replaced(args, argnums, tree_unflatten(own, spec))
            value, aux = _split_aux(func(*changed, **kwargs), has_aux, caller)
            if not isinstance(value, Tensor):
                raise RuntimeError(
                    f"{caller}: Expected f(*args) to return a Tensor, got {type(value)}"
                )
            if value.dim() != 0:
                raise RuntimeError(
                    f"{caller}: Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{value.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            keep = outside and _leads_elsewhere([value], own)
            found = _gradients([value], own, None, keep)
        gradient = _plain(tree_unflatten(found, spec), keep)
        value = _plain(value, keep)
        return (gradient, (value, _plain(aux, keep))) if has_aux else (gradient, value)

    return differentiated


def grad(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that gives the gradient of `func`.

    >>> square = lambda x: x * x
    >>> wend.func.grad(square)(wend.tensor(3.0))
    tensor(6.)
    >>> wend.func.grad(wend.func.grad(square))(wend.tensor(3.0))
    tensor(2.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return differentiated


def _outputs(tree: Any, caller: str) -> tuple[list[Tensor], TreeSpec]:
    leaves, spec = tree_flatten(tree)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(
                f"{caller}: Expected f(*primals) to return only tensors, got unsupported type "
                f"{type(leaf)}"
            )
    return leaves, spec


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return what `func` returns, and a function from vectors to their products with its Jacobian.

    >>> value, product = wend.func.vjp(lambda x: x * x, wend.tensor([1.0, 2.0]))
    >>> product(wend.ones(2))
    (tensor([2., 4.]),)
    """
    outside = wend.is_grad_enabled()
    caller = "vjp(f, *primals)"
    with wend.enable_grad():
        own, spec = _inputs(primals)
        result, aux = _split_aux(func(*tree_unflatten(own, spec)), has_aux, caller)
        outputs, form = _outputs(result, caller)
        keep = outside and _leads_elsewhere(outputs, own)

    def product(*cotangents: Any) -> Any:
        given = cotangents[0] if len(cotangents) == 1 and form.type is not tuple else cotangents
        if form.type is tuple and len(cotangents) == 1:
            given = cotangents[0]
        vectors = tree_flatten(given)[0]
        if len(vectors) != len(outputs):
            raise RuntimeError(
                f"Expected pytree structure of cotangents to be the same as pytree structure of "
                f"outputs to the function. cotangents: {tree_flatten(given)[1]}, "
                f"primal output: {form}"
            )
        tracked = wend.is_grad_enabled() and (keep or any(v.requires_grad for v in vectors))
        with wend.enable_grad():
            found = _gradients(outputs, own, vectors, tracked)
        return _plain(tree_unflatten(found, spec), tracked)

    shown = _plain(result, keep)
    return (shown, product, _plain(aux, keep)) if has_aux else (shown, product)


def jvp(
    func: Callable[..., Any],
    primals: Any,
    tangents: Any,
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """Return what `func` returns, and the product of its Jacobian with the tangents.

    It is the gradient, by the vector, of the product from the other side.

    >>> wend.func.jvp(lambda x: x * x, (wend.tensor([1.0, 2.0]),), (wend.ones(2),))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    caller = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{caller}: Expected primals to be a tuple. E.g. it should be valid to call "
            "f(*primals)."
        )
    directions = tree_flatten(tangents)[0]
    outside = wend.is_grad_enabled()
    with wend.enable_grad():
        own, spec = _inputs(primals)
        if len(own) != len(directions):
            raise RuntimeError(
                f"{caller}: Expected primals and tangents to have the same python structure."
            )
        result, aux = _split_aux(func(*tree_unflatten(own, spec)), has_aux, caller)
        outputs, form = _outputs(result, caller)
        keep = outside and (
            _leads_elsewhere(outputs, own) or any(each.requires_grad for each in directions)
        )
        vectors = [wend.zeros_like(each).requires_grad_() for each in outputs]
        back = _gradients(outputs, own, vectors, True)
        if strict and not any(each.requires_grad for each in back):
            raise RuntimeError(f"{caller}: the output does not depend on the primals")
        found = _gradients(back, vectors, directions, keep)
    shown = _plain(result, keep), _plain(tree_unflatten(found, form), keep)
    return (*shown, _plain(aux, keep)) if has_aux else shown


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Return what `func` returns, and a function from tangents to their products with its Jacobian.

    >>> value, product = wend.func.linearize(lambda x: x * x, wend.tensor([1.0, 2.0]))
    >>> product(wend.ones(2))
    tensor([2., 4.])
    """
    caller = "linearize(f, *primals)"
    outside = wend.is_grad_enabled()
    with wend.enable_grad():
        own, spec = _inputs(primals)
        result = func(*tree_unflatten(own, spec))
        outputs, form = _outputs(result, caller)
        keep = outside and _leads_elsewhere(outputs, own)
        vectors = [wend.zeros_like(each).requires_grad_() for each in outputs]
        back = _gradients(outputs, own, vectors, True)

    def product(*tangents: Any) -> Any:
        directions, given = tree_flatten(tangents)
        if given != spec:
            raise RuntimeError(
                f"Expected the tangents {given} to have the same argspec as the primals {spec}"
            )
        for number, (direction, primal) in enumerate(zip(directions, own, strict=True)):
            for fact in ("shape", "dtype"):
                theirs, ours = getattr(direction, fact), getattr(primal, fact)
                if theirs != ours:
                    raise RuntimeError(
                        f"tangent:{number} with {fact} {theirs} in flattened pytree doesn't match "
                        f"the {fact} {ours} of the corresponding primal."
                    )
        tracked = wend.is_grad_enabled() and (keep or any(d.requires_grad for d in directions))
        with wend.enable_grad():
            found = _gradients(back, vectors, directions, tracked)
        return _plain(tree_unflatten(found, form), tracked)

    return _plain(result, keep), product


def _rows(output: Tensor, own: list[Tensor], keep: bool) -> list[Tensor]:
    """The Jacobian of one output by each input: gradients of its elements, one after the other."""
    rows = [_gradients([element], own, None, keep) for element in output.reshape(-1).unbind()]
    return [
        wend.stack([row[i] for row in rows]).reshape(output.shape + x.shape)
        if rows
        else x.new_zeros(output.shape + x.shape)
        for i, x in enumerate(own)
    ]


def jacrev(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that gives the Jacobian of `func`, row by row.

    >>> wend.func.jacrev(lambda x: x * x)(wend.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        outside = wend.is_grad_enabled()
        with wend.enable_grad():
            own, spec = _inputs(_chosen(args, argnums))
            changed = _replaced(args, argnums, tree_unflatten(own, spec))
            result, aux = _split_aux(func(*changed, **kwargs), has_aux, "jacrev(f)(*args)")
            outputs, form = _outputs(result, "jacrev(f)(*args)")
            keep = outside and _leads_elsewhere(outputs, own)
            found = [tree_unflatten(_rows(each, own, keep), spec) for each in outputs]
        jacobian = _plain(tree_unflatten(found, form), keep)
        return (jacobian, _plain(aux, keep)) if has_aux else jacobian

    return differentiated


def jacfwd(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
) -> Callable[..., Any]:
    """Return a function that gives the Jacobian of `func`; computed as `jacrev` computes it.

    >>> wend.func.jacfwd(lambda x: x * x)(wend.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    return jacrev(func, argnums, has_aux=has_aux)


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """Return a function that gives the second derivatives of `func`.

    >>> wend.func.hessian(lambda x: (x * x * x).sum())(wend.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
