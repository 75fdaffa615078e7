"""Weights of convolutions in another order in memory, which changes no result."""

from __future__ import annotations

from typing import Any, TypeVar

from wend.nn.modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from wend.nn.modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]

M = TypeVar("M", bound=Module)


def _convert(module: M, memory_format: Any, kinds: tuple[type[Module], ...]) -> M:
    for each in module.modules():
        if isinstance(each, kinds):
            layer: Any = each
            layer.weight.data = layer.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: M, memory_format: Any) -> M:
    """Lay the weights of all Conv2d and ConvTranspose2d in another order; return the module.

    >>> conv = wend.nn.Conv2d(2, 2, 3)
    >>> conv = wend.nn.utils.convert_conv2d_weight_memory_format(conv, wend.channels_last)
    >>> conv.weight.stride()
    (18, 1, 6, 2)
    """
    return _convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: M, memory_format: Any) -> M:
    """Lay the weights of all Conv3d and ConvTranspose3d in another order; return the module."""
    return _convert(module, memory_format, (Conv3d, ConvTranspose3d))
