"""Layers that do the work of a batch norm behind them as well, for inference."""

from __future__ import annotations

import copy
from typing import Any

from wend import _C
from wend._C import Tensor
from wend.nn.parameter import Parameter


def _fused(
    weight: Tensor,
    bias: Tensor | None,
    mean: Tensor,
    var: Tensor,
    eps: float,
    bn_weight: Tensor | None,
    bn_bias: Tensor | None,
    dim: int,
) -> tuple[Any, Any]:
    """Weight and bias, scaled and moved by the statistics; outputs are in dimension `dim`."""
    bias = _C.zeros_like(mean) if bias is None else bias
    scale = (var + eps).rsqrt()
    if bn_weight is not None:
        scale = scale * bn_weight
    moved = (bias - mean) * scale
    if bn_bias is not None:
        moved = moved + bn_bias
    shape = [1] * weight.dim()
    shape[dim] = -1
    scaled = (weight * scale.reshape(shape)).to(weight.dtype)
    return (
        Parameter(scaled.detach(), weight.requires_grad),
        Parameter(moved.to(bias.dtype).detach(), bias.requires_grad),
    )


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Any, Any]:
    """Weight and bias of a convolution that does the work of the batch norm behind it."""
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, int(transpose))


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Any, Any]:
    """Weight and bias of a linear layer that does the work of the batch norm behind it."""
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 0)


def _checked(bn: Any) -> Any:
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    return bn


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A copy of a convolution that does the work of the batch norm behind it; both in eval().

    >>> conv, bn = wend.nn.Conv2d(1, 2, 3).eval(), wend.nn.BatchNorm2d(2).eval()
    >>> x = wend.ones(1, 1, 3, 3)
    >>> wend.allclose(fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)))
    True
    """
    if conv.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused, bn = copy.deepcopy(conv), _checked(bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight,
        fused.bias,
        bn.running_mean,
        bn.running_var,
        bn.eps,
        bn.weight,
        bn.bias,
        transpose,
    )
    return fused


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A copy of a linear layer that does the work of the batch norm behind it; both in eval()."""
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.num_features not in (1, linear.out_features):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    fused, bn = copy.deepcopy(linear), _checked(bn)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused
