"""What the losses share: how they are reduced, and weights."""

from __future__ import annotations

from wend._C import Tensor
from wend.nn._losses import _chosen
from wend.nn.modules.module import Module

__all__ = ["_Loss", "_WeightedLoss"]


class _Loss(Module):
    """A loss that is averaged, summed or left as it is."""

    reduction: str

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.reduction = _chosen(size_average, reduce, reduction)


class _WeightedLoss(_Loss):
    """A loss with a weight for each class or element."""

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
