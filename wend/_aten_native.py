"""Normalizations and dropout with what PyTorch's kernels return beside the result."""

from __future__ import annotations

from collections.abc import Sequence

import wend
from wend import _C
from wend._C import Tensor
from wend.nn import _normalization

Three = tuple[Tensor, Tensor, Tensor]


def _statistics(input: Tensor, dims: list[int], keepdim: bool, eps: float) -> tuple[Tensor, Tensor]:
    """Mean and inverse deviation."""
    mean = input.mean(dims, keepdim=keepdim)
    return mean, (input.var(dims, correction=0, keepdim=keepdim) + eps).rsqrt()


def native_layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
) -> Three:
    """nn.functional.layer_norm, means and inverse deviations.

    >>> wend.native_layer_norm(wend.tensor([[1.0, 3.0]]), [2], None, None, 0.0)[1]
    tensor([[2.]])
    """
    result = _C.layer_norm(input, normalized_shape, weight, bias, eps)
    dims = list(range(input.dim() - len(normalized_shape), input.dim()))
    return result, *_statistics(input.detach(), dims, True, eps)


def native_group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,  # noqa: N803
    C: int,  # noqa: N803
    HxW: int,  # noqa: N803
    group: int,
    eps: float,
) -> Three:
    """nn.functional.group_norm, means and inverse deviations of each group, with gradients.

    >>> wend.native_group_norm(wend.tensor([[1.0, 3.0]]), None, None, 1, 2, 1, 1, 0.0)[1]
    tensor([[2.]])
    """
    if tuple(input.shape[:2]) != (N, C) or N * C * HxW != input.numel():
        raise RuntimeError(
            f"native_group_norm: input of shape {list(input.shape)} is not N={N}, C={C}, HxW={HxW}"
        )
    result = _normalization.over_groups(input, group, weight, bias, eps)
    return result, *_statistics(input.reshape(N, group, C // group * HxW), [2], False, eps)


def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Three:
    """nn.functional.batch_norm, means and inverse deviations; without training those are empty.

    >>> x = wend.tensor([[1.0], [3.0]])
    >>> wend.native_batch_norm(x, None, None, None, None, True, 0.1, 0.0)[1]
    tensor([2.])
    """
    parameters = (running_mean, running_var, weight, bias)
    result = _normalization.over_batch(input, *parameters, training, momentum, eps)
    if not training:
        return result, input.new_empty(0), input.new_empty(0)
    return result, *_statistics(input.detach(), [0, *range(2, input.dim())], False, eps)


def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """nn.functional.dropout, and which elements were kept.

    >>> wend.native_dropout(wend.ones(2), 0.5, False)
    (tensor([1., 1.]), tensor([True, True]))
    """
    if train is False:
        return input.clone(), _C.ones_like(input, dtype=wend.bool)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={1 - p:g}")
    kept = _C.rand(input.shape) >= p
    return input * kept * (0.0 if p == 1 else 1 / (1 - p)), kept
