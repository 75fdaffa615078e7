"""vmap: a function written for one example, called for each; the engine batches the calls.

The function runs as often as there are examples, so that it may branch on values.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import wend
from wend._C import Tensor
from wend.utils._pytree import TreeSpec, tree_flatten, tree_leaves, tree_unflatten

__all__ = ["vmap"]

_RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the "
    "'same' or 'different' randomness flags on vmap or perform the randomness operation out of "
    "vmap"
)


def _spread(dims: Any, tree: Any) -> list[Any] | None:
    """The dimension of each leaf, where one may stand for a whole part; None if it does not fit."""
    if dims is None or isinstance(dims, int):
        return [dims] * len(tree_leaves(tree))
    own, given = tree_flatten(tree)[1], type(dims)
    if own.type is not given or len(own.children) != len(dims):
        return None
    if isinstance(dims, dict):
        if list(dims) != list(tree):
            return None
        pairs = list(zip(dims.values(), tree.values(), strict=True))
    else:
        pairs = list(zip(dims, tree, strict=True))
    spread: list[Any] = []
    for each, part in pairs:
        below = _spread(each, part)
        if below is None:
            return None
        spread += below
    return spread


class _Mapped:
    """One call of a mapped function: its arguments as leaves, with the dimension of each."""

    def __init__(self, func: Any, in_dims: Any, args: tuple[Any, ...]) -> None:
        self.name = getattr(func, "__name__", repr(func))
        self.call = f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>)"
        if not isinstance(in_dims, (int, tuple)):
            raise ValueError(
                f"{self.call}: expected `in_dims` to be int or a (potentially nested) tuple "
                f"matching the structure of inputs, got: {type(in_dims)}."
            )
        if not args:
            raise ValueError(
                f"vmap({self.name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or "
                "you are trying to vmap over a function with no inputs. The latter is unsupported."
            )
        self.leaves, self.spec = tree_flatten(args)
        dims = _spread(in_dims, args)
        if dims is None:
            raise ValueError(
                f"{self.call}: in_dims is not compatible with the structure of `inputs`. in_dims "
                f"has structure {tree_flatten(in_dims)[1]} but inputs has structure {self.spec}."
            )
        self.dims = dims
        sizes = self._sizes()
        if not sizes:
            raise ValueError("vmap: Expected at least one Tensor to vmap over")
        if len(set(sizes)) > 1:
            raise ValueError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got "
                f"sizes {sizes} for the mapped dimension"
            )
        self.size = sizes[0]
        self.slices = [
            leaf if dim is None else leaf.unbind(dim)
            for leaf, dim in zip(self.leaves, self.dims, strict=True)
        ]

    def _sizes(self) -> list[int]:
        sizes = []
        for leaf, dim in zip(self.leaves, self.dims, strict=True):
            if dim is None:
                continue
            if not isinstance(leaf, Tensor):
                raise ValueError(
                    f"{self.call}: Got in_dim={dim} for an input but the input is of type "
                    f"{type(leaf)}. We cannot vmap over non-Tensor arguments, please use None as "
                    "the respective in_dim"
                )
            if not -leaf.dim() <= dim < leaf.dim():
                raise ValueError(
                    f"{self.call}: Got in_dim={dim} for some input, but that input is a Tensor of "
                    f"dimensionality {leaf.dim()} so expected in_dim to satisfy "
                    f"-{leaf.dim()} <= in_dim < {leaf.dim()}."
                )
            sizes.append(leaf.size(dim))
        return sizes

    def arguments(self, index: int) -> Any:
        """The arguments of one example."""
        chosen = [
            part if dim is None else part[index]
            for part, dim in zip(self.slices, self.dims, strict=True)
        ]
        return tree_unflatten(chosen, self.spec)


def _called(func: Any, mapped: _Mapped, kwargs: dict[str, Any], randomness: str) -> list[Any]:
    """The results for every example."""
    results = []
    state = wend.get_rng_state()
    for index in range(mapped.size):
        if randomness == "same":
            wend.set_rng_state(state)
        results.append(func(*mapped.arguments(index), **kwargs))
        drawn = index == 0 and not wend.equal(state, wend.get_rng_state())
        if drawn and randomness == "error":
            raise RuntimeError(_RANDOM)
    return results


def _stacked(name: str, results: list[Any], out_dims: Any) -> Any:
    flat = [tree_flatten(result) for result in results]
    spec: TreeSpec = flat[0][1]
    dims = _spread(out_dims, results[0])
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with "
            f"the structure of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but "
            f"outputs has structure {spec}."
        )
    stacked = []
    for dim, *leaves in zip(dims, *(each[0] for each in flat), strict=True):
        if dim is not None and not isinstance(leaves[0], Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type "
                f"{type(leaves[0])}. Did you mean to set out_dims= to None for output?"
            )
        stacked.append(leaves[0] if dim is None else wend.stack(leaves, dim))
    return tree_unflatten(stacked, spec)


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that calls `func` for every slice of its arguments and stacks the results.

    in_dims: the dimension to go along, for each argument; None for what all share.
    chunk_size: makes no difference, for the engine bounds what it holds.

    >>> wend.vmap(wend.dot)(wend.ones(3, 2), wend.ones(3, 2))
    tensor([2., 2., 2.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. "
            f"Got {randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        inputs = _Mapped(func, in_dims, args)
        if inputs.size == 0:
            raise RuntimeError("vmap over a dimension of size 0 has no example to call with")
        results = _called(func, inputs, kwargs, randomness)
        return _stacked(inputs.name, results, out_dims)

    return mapped
