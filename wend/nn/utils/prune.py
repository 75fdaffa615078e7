"""Pruning: setting the least important elements of parameters to zero, by masks kept as buffers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import wend
from wend._C import Tensor
from wend.nn.parameter import Parameter

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


def _count(amount: float, size: int) -> int:
    """How many of `size` an amount means: a number, or a part."""
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if isinstance(amount, int):
        if amount < 0:
            raise ValueError(
                f"amount={amount} should either be a float in the range [0, 1] or a "
                "non-negative integer"
            )
        if amount > size:
            raise ValueError(
                f"amount={amount} should be smaller than the number of parameters to prune={size}"
            )
        return amount
    if not 0.0 <= amount <= 1.0:
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
            "integer"
        )
    return round(amount * size)


class BasePruningMethod:
    """Computes a mask, and the masked parameter before each call of its module."""

    PRUNING_TYPE = "unstructured"
    _tensor_name: str

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask for a tensor, given the one that it has."""
        raise NotImplementedError

    def apply_mask(self, module: Any) -> Tensor:
        """Return the masked parameter."""
        name = self._tensor_name
        mask, original = getattr(module, name + "_mask"), getattr(module, name + "_orig")
        result: Tensor = mask.to(original.dtype) * original
        return result

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """Return a tensor with its least important elements set to zero."""
        scores = t if importance_scores is None else importance_scores
        mask = wend.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, mask)

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Tensor | None = None, **kw: Any
    ) -> Any:
        """Prune a parameter of a module, on top of what was pruned before."""
        method = cls(*args, **kw)
        method._tensor_name = name
        if not isinstance(getattr(module, name + "_orig", None), Parameter):
            original = module._parameters[name]
            scores = original if importance_scores is None else importance_scores
            mask = method.compute_mask(scores.detach(), wend.ones_like(original.detach()))
            del module._parameters[name]
            module.register_parameter(name + "_orig", original)
            module.register_buffer(name + "_mask", mask)
            module.register_forward_pre_hook(method)
        else:
            before = getattr(module, name + "_mask")
            scores = getattr(module, name) if importance_scores is None else importance_scores
            setattr(module, name + "_mask", method.compute_mask(scores.detach(), before))
        setattr(module, name, method.apply_mask(module))
        return method

    def remove(self, module: Any) -> None:
        """Make the pruned parameter an ordinary one."""
        name = self._tensor_name
        original = module._parameters[name + "_orig"]
        original.data = self.apply_mask(module).detach()
        delattr(module, name)
        del module._parameters[name + "_orig"]
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


class Identity(BasePruningMethod):
    """Prunes nothing."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask that is there."""
        return default_mask


class CustomFromMask(BasePruningMethod):
    """Prunes what a mask says."""

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return both masks as one."""
        return default_mask * self.mask.to(default_mask.dtype)


class _Unstructured(BasePruningMethod):
    """Prunes single elements that are not pruned yet."""

    def __init__(self, amount: float) -> None:
        _count(amount, 2**62)
        self.amount = amount

    def _scores(self, t: Tensor) -> Tensor:
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask without the least important elements that are left."""
        left = default_mask.reshape(-1) != 0
        count = _count(self.amount, int(left.sum()))
        if count == 0:
            return default_mask.clone()
        scores = wend.where(left, self._scores(t).reshape(-1), math.inf)
        lowest = scores.topk(count, largest=False).indices
        flat = default_mask.reshape(-1).index_fill(0, lowest, 0)
        return flat.reshape(default_mask.shape)


class L1Unstructured(_Unstructured):
    """Prunes the elements that are nearest to zero."""

    def _scores(self, t: Tensor) -> Tensor:
        return t.abs()


class RandomUnstructured(_Unstructured):
    """Prunes elements at random."""

    def _scores(self, t: Tensor) -> Tensor:
        return wend.rand(t.shape, dtype=t.dtype)


class _Structured(BasePruningMethod):
    """Prunes whole channels along a dimension."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        _count(amount, 2**62)
        self.amount = amount
        self.dim = dim

    def _scores(self, t: Tensor, dims: list[int]) -> Tensor:
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask without the least important channels that are left."""
        t.size(self.dim)  # raises where there is no such dimension
        dim = self.dim % t.dim()
        others = [d for d in range(t.dim()) if d != dim]
        left = (default_mask != 0).sum(others) != 0
        count = _count(self.amount, int(left.sum()))
        if count == 0:
            return default_mask.clone()
        scores = wend.where(left, self._scores(t, others), math.inf)
        return default_mask.index_fill(dim, scores.topk(count, largest=False).indices, 0)


class LnStructured(_Structured):
    """Prunes the channels of the least n-norm."""

    def __init__(self, amount: float, n: float, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _scores(self, t: Tensor, dims: list[int]) -> Tensor:
        return t.norm(self.n, dims)


class RandomStructured(_Structured):
    """Prunes channels at random."""

    def _scores(self, t: Tensor, dims: list[int]) -> Tensor:
        return wend.rand(t.size(self.dim), dtype=t.dtype)


def identity(module: Any, name: str) -> Any:
    """Prune nothing, but put the mask in place."""
    Identity.apply(module, name)
    return module


def l1_unstructured(
    module: Any, name: str, amount: float, importance_scores: Tensor | None = None
) -> Any:
    """Set the elements that are nearest to zero to zero; an amount is a number or a part.

    >>> m = wend.nn.utils.prune.l1_unstructured(wend.nn.Linear(2, 3), "weight", 2)
    >>> int((m.weight == 0).sum())
    2
    """
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Set elements at random to zero.

    >>> m = wend.nn.utils.prune.random_unstructured(wend.nn.Linear(2, 3), "weight", 0.5)
    >>> int((m.weight == 0).sum())
    3
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def ln_structured(
    module: Any,
    name: str,
    amount: float,
    n: float,
    dim: int,
    importance_scores: Tensor | None = None,
) -> Any:
    """Set the channels of the least n-norm along dim to zero.

    >>> m = wend.nn.utils.prune.ln_structured(wend.nn.Linear(2, 3), "weight", 1, 2, dim=0)
    >>> int((m.weight == 0).sum())
    2
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Set channels along dim, at random, to zero."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    """Set what a mask has zeros for to zero."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Any, str]], pruning_method: type[_Unstructured], **kwargs: Any
) -> None:
    """Prune several parameters as if they were one.

    >>> a, b = wend.nn.Linear(2, 3), wend.nn.Linear(3, 2)
    >>> prune = wend.nn.utils.prune
    >>> prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=4)
    >>> int((a.weight == 0).sum() + (b.weight == 0).sum())
    4
    """
    pairs = list(parameters)
    tensors = [getattr(module, name).detach() for module, name in pairs]
    masks = [
        getattr(module, name + "_mask", wend.ones_like(tensor))
        for (module, name), tensor in zip(pairs, tensors, strict=True)
    ]
    method = pruning_method(**kwargs)
    whole = method.compute_mask(
        wend.cat([tensor.reshape(-1) for tensor in tensors]),
        wend.cat([mask.reshape(-1) for mask in masks]),
    )
    parts = whole.split([tensor.numel() for tensor in tensors])
    for (module, name), tensor, part in zip(pairs, tensors, parts, strict=True):
        custom_from_mask(module, name, part.reshape(tensor.shape))


def remove(module: Any, name: str) -> Any:
    """Make a pruned parameter an ordinary one; its zeros stay."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Any) -> bool:
    """Return whether a parameter of the module or of its submodules is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for each in module.modules()
        for hook in each._forward_pre_hooks.values()
    )
