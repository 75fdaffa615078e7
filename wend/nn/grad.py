"""Gradients of convolutions by themselves: by the input, and by the weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wend
from wend import _C
from wend._C import Tensor

_CONVOLUTIONS: dict[int, Any] = {1: _C.conv1d, 2: _C.conv2d, 3: _C.conv3d}


def _by_input(ndim: int) -> Callable[..., Tensor]:
    def conv_input(
        input_size: Sequence[int],
        weight: Tensor,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        """Return the gradient of a convolution by its input."""
        x = _C.zeros(tuple(input_size), dtype=grad_output.dtype)
        return _gradient(ndim, x, weight, 0, grad_output, (stride, padding, dilation, groups))

    conv_input.__name__ = conv_input.__qualname__ = f"conv{ndim}d_input"
    return conv_input


def _by_weight(ndim: int) -> Callable[..., Tensor]:
    def conv_weight(
        input: Tensor,
        weight_size: Sequence[int],
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        """Return the gradient of a convolution by its weight."""
        weight = _C.zeros(tuple(weight_size), dtype=grad_output.dtype)
        return _gradient(ndim, input, weight, 1, grad_output, (stride, padding, dilation, groups))

    conv_weight.__name__ = conv_weight.__qualname__ = f"conv{ndim}d_weight"
    return conv_weight


def _gradient(
    ndim: int, x: Tensor, weight: Tensor, which: int, grad_output: Tensor, options: Any
) -> Tensor:
    """The convolution is linear in each, so that the value of the one asked for does not matter."""
    pair = [x, weight]
    graph = wend.is_grad_enabled() and any(
        each.requires_grad for each in (pair[1 - which], grad_output)
    )
    with wend.enable_grad():
        pair[which] = own = pair[which].detach().requires_grad_()
        out = _CONVOLUTIONS[ndim](pair[0], pair[1], None, *options)
        (found,) = wend.autograd.grad(out, own, grad_output, create_graph=graph)
    result: Tensor = found
    return result


conv1d_input, conv2d_input, conv3d_input = map(_by_input, (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = map(_by_weight, (1, 2, 3))
