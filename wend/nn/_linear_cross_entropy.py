"""linear_cross_entropy of nn.functional: the cross entropy of a linear layer's output."""

from __future__ import annotations

import math
from typing import Any

from wend import _C
from wend._C import Tensor
from wend.nn._losses import cross_entropy


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """Cross entropy of the scores that a linear layer gives for the input.

    linear_weight: (classes, ..., in_features). options: how PyTorch would go through the batch;
    here it is computed at once.

    >>> F = wend.nn.functional
    >>> F.linear_cross_entropy(wend.ones(1, 2), wend.zeros(4, 2), wend.tensor([3]))
    tensor(1.3863)
    """
    if input.dim() not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(
            f"expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}"
        )
    if input.size(-1) != linear_weight.size(-1):
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{input.size(-1)} and {linear_weight.size(-1)}, respectively"
        )
    outputs = tuple(linear_weight.shape[:-1])
    if linear_bias is not None and tuple(linear_bias.shape) != outputs:
        raise RuntimeError(f"expected linear_bias shape {outputs}, got {tuple(linear_bias.shape)}")
    if len(outputs) > 1 and input.dim() == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} "
            f"requires batched input, (N, {input.size(-1)}), got unbatched input with shape "
            f"{tuple(input.shape)}"
        )
    shape = (*input.shape[:-1], *outputs)
    if tuple(target.shape) == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    flat_bias = None if linear_bias is None else linear_bias.reshape(-1)
    flat_weight = linear_weight.reshape(math.prod(outputs), -1)
    scores = _C.linear(input, flat_weight, flat_bias).reshape(shape)
    return cross_entropy(
        scores,
        target,
        weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )
