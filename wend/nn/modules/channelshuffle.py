"""The layer that mixes groups of channels."""

from __future__ import annotations

from wend._C import Tensor
from wend.nn import functional as F
from wend.nn.modules.module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Channels of (N, C, ...) in an order that takes one of each group in turn.

    >>> wend.nn.ChannelShuffle(2)(wend.arange(4.0).reshape(1, 4, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """Return the channels in their new order."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """Return the number of groups."""
        return f"groups={self.groups}"
