"""Many models of one kind as one set of stacked parameters, to be mapped over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wend
from wend._C import Tensor

__all__ = ["stack_module_state"]


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
