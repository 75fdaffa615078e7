"""Models and functions made ready to be mapped over: stacked parameters, no running statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import wend
from wend._C import Tensor

M = TypeVar("M", bound="wend.nn.Module")

__all__ = ["functionalize", "replace_all_batch_norm_modules_", "stack_module_state"]


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the models' parameters and buffers, each stacked along a new first dimension.

    >>> models = [wend.nn.Linear(2, 1) for _ in range(3)]
    >>> {name: tuple(each.shape) for name, each in wend.func.stack_module_state(models)[0].items()}
    {'weight': (3, 1, 2), 'bias': (3, 1)}
    """
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stacked(name: str, tensors: list[Tensor]) -> Tensor:
        required = {tensor.requires_grad for tensor in tensors}
        if len(required) > 1:
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        return wend.stack(tensors).detach().requires_grad_(required.pop())

    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return (
        {name: stacked(name, [each[name] for each in parameters]) for name in parameters[0]},
        {name: stacked(name, [each[name] for each in buffers]) for name in buffers[0]},
    )


def replace_all_batch_norm_modules_(root: M) -> M:
    """Let every batch norm of a model go by each batch, without running statistics.

    >>> model = wend.func.replace_all_batch_norm_modules_(wend.nn.BatchNorm1d(2))
    >>> model.running_mean is None
    True
    """
    from wend.nn.modules.batchnorm import _BatchNorm

    for each in root.modules():
        if isinstance(each, _BatchNorm) and each.track_running_stats:
            each.running_mean = each.running_var = each.num_batches_tracked = None
            each.track_running_stats = False
    return root


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """Return the function itself: a write in place makes new values, here as there.

    >>> wend.func.functionalize(lambda x: x.clone().add_(1))(wend.ones(2))
    tensor([2., 2.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            "functionalize(f, remove='mutations'): received invalid argument for "
            f"remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the "
            "program, and replaced with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators "
            "{view} will be replaced with their non-aliasing counterparts, {view}_copy.\n"
        )
    return func
