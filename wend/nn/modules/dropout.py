"""Layers that drop elements or channels while training; the computing is nn.functional's."""

from __future__ import annotations

from wend._C import Tensor
from wend.nn import functional as F
from wend.nn.modules.module import Module

__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
]


class _DropoutNd(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Return the probability."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Elements set to 0 with probability p while training, the others scaled to make up.

    >>> bool((wend.nn.Dropout().eval()(wend.ones(2)) == 1).all())
    True
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return what is left of the input."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Dropout of whole channels of (N, C, L) or (C, L).

    >>> bool((wend.nn.Dropout1d().eval()(wend.ones(2, 3)) == 1).all())
    True
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return what is left of the input."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Dropout of whole channels of (N, C, H, W).

    >>> bool((wend.nn.Dropout2d().eval()(wend.ones(1, 2, 3, 4)) == 1).all())
    True
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return what is left of the input."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W).

    >>> bool((wend.nn.Dropout3d().eval()(wend.ones(2, 3, 4, 5)) == 1).all())
    True
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return what is left of the input."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of what selu gives.

    >>> bool((wend.nn.AlphaDropout().eval()(wend.ones(2)) == 1).all())
    True
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return what is left of the input."""
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels, the second dimension.

    >>> bool((wend.nn.FeatureAlphaDropout().eval()(wend.ones(2, 3)) == 1).all())
    True
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return what is left of the input."""
        return F.feature_alpha_dropout(input, self.p, self.training)
