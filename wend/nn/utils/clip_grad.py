"""Clipping of gradients, by their norm or by value, in place."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable
from typing import Any

import wend
from wend._C import Tensor

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
]

Tensors = Tensor | Iterable[Tensor]


def _listed(tensors: Tensors) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def get_total_norm(
    tensors: Tensors,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the norm of all tensors as if they were one vector.

    >>> wend.nn.utils.get_total_norm([wend.tensor([3.0]), wend.tensor([4.0])])
    tensor(5.)
    """
    norm_type = float(norm_type)
    with wend.no_grad():
        norms = [tensor.norm(norm_type) for tensor in _listed(tensors)]
        if not norms:
            return wend.tensor(0.0)
        total: Tensor = wend.stack(norms).norm(norm_type)
        if error_if_nonfinite and not bool(total.isfinite()):
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients from `parameters` is "
                "non-finite, so it cannot be clipped. To disable this error and scale the "
                "gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
            )
        return total


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale gradients so that a total norm that is known becomes max_norm at most.

    >>> p = wend.ones(1, requires_grad=True)
    >>> p.grad = wend.tensor([4.0])
    >>> wend.nn.utils.clip_grads_with_norm_(p, 2.0, wend.tensor(4.0))
    >>> p.grad
    tensor([2.0000])
    """
    with wend.no_grad():
        factor = (float(max_norm) / (total_norm + 1e-6)).clamp_max(1.0)
        for parameter in _listed(parameters):
            if parameter.grad is not None:
                parameter.grad.mul_(factor)


def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale gradients so that their total norm is max_norm at most; return what it was.

    foreach: accepted; all gradients are scaled in one run in any case.

    >>> p = wend.ones(1, requires_grad=True)
    >>> p.grad = wend.tensor([4.0])
    >>> wend.nn.utils.clip_grad_norm_(p, 2.0), p.grad
    (tensor(4.), tensor([2.0000]))
    """
    found = _listed(parameters)
    if isinstance(parameters, types.GeneratorType) and not found:
        warnings.warn(
            "`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2
        )
    grads = [parameter.grad for parameter in found if parameter.grad is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(found, max_norm, total, foreach)
    return total


def clip_grad_norm(*args: Any, **kwargs: Any) -> Tensor:
    """The old name of clip_grad_norm_."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
        "`torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(*args, **kwargs)


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Hold each element of the gradients within ±clip_value.

    >>> p = wend.ones(2, requires_grad=True)
    >>> p.grad = wend.tensor([4.0, -1.0])
    >>> wend.nn.utils.clip_grad_value_(p, 2.0)
    >>> p.grad
    tensor([ 2., -1.])
    """
    bound = float(clip_value)
    with wend.no_grad():
        for parameter in _listed(parameters):
            if parameter.grad is not None:
                parameter.grad.clamp_(-bound, bound)
