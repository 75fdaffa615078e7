"""Padding of the last one, two or three dimensions: by a constant, or by the input itself.

The computing is nn.functional's pad.
"""

from __future__ import annotations

from wend._C import Tensor
from wend.nn import functional as F
from wend.nn.common_types import Size
from wend.nn.modules.module import Module
from wend.nn.modules.utils import _ntuple

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _PadNd(Module):
    """Padding by the input itself, in the way that `_mode` names."""

    _spatial = 0
    _mode = "constant"

    def __init__(self, padding: Size) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self._spatial)(padding)

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with its margins."""
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """Return the margins."""
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    _mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with its margins."""
        n = self._spatial
        if input.dim() not in (n + 1, n + 2):
            raise ValueError(f"expected {n + 1}D or {n + 2}D input (got {input.dim()}D input)")
        return super().forward(input)


class _ConstantPadNd(_PadNd):
    def __init__(self, padding: Size, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with its margins."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """Return the margins and what they are filled with."""
        return f"padding={self.padding}, value={self.value}"


class _ReflectionPadNd(_PadNd):
    _mode = "reflect"


class _ReplicationPadNd(_PadNd):
    _mode = "replicate"


class CircularPad1d(_CircularPadNd):
    """A margin of the last dimension, wrapped around.

    >>> wend.nn.CircularPad1d(1)
    CircularPad1d((1, 1))
    """

    _spatial = 1


class CircularPad2d(_CircularPadNd):
    """A margin of the last two dimensions, wrapped around.

    >>> wend.nn.CircularPad2d(1)
    CircularPad2d((1, 1, 1, 1))
    """

    _spatial = 2


class CircularPad3d(_CircularPadNd):
    """A margin of the last three dimensions, wrapped around.

    >>> wend.nn.CircularPad3d(1)
    CircularPad3d((1, 1, 1, 1, 1, 1))
    """

    _spatial = 3


class ConstantPad1d(_ConstantPadNd):
    """A margin of the last dimension, filled with a value.

    >>> wend.nn.ConstantPad1d(1, 3.5)
    ConstantPad1d(padding=(1, 1), value=3.5)
    """

    _spatial = 1


class ConstantPad2d(_ConstantPadNd):
    """A margin of the last two dimensions, filled with a value.

    >>> wend.nn.ConstantPad2d(1, 3.5)
    ConstantPad2d(padding=(1, 1, 1, 1), value=3.5)
    """

    _spatial = 2


class ConstantPad3d(_ConstantPadNd):
    """A margin of the last three dimensions, filled with a value.

    >>> wend.nn.ConstantPad3d(1, 3.5)
    ConstantPad3d(padding=(1, 1, 1, 1, 1, 1), value=3.5)
    """

    _spatial = 3


class ReflectionPad1d(_ReflectionPadNd):
    """A margin of the last dimension, as in a mirror.

    >>> wend.nn.ReflectionPad1d(1)
    ReflectionPad1d((1, 1))
    """

    _spatial = 1


class ReflectionPad2d(_ReflectionPadNd):
    """A margin of the last two dimensions, as in a mirror.

    >>> wend.nn.ReflectionPad2d(1)
    ReflectionPad2d((1, 1, 1, 1))
    """

    _spatial = 2


class ReflectionPad3d(_ReflectionPadNd):
    """A margin of the last three dimensions, as in a mirror.

    >>> wend.nn.ReflectionPad3d(1)
    ReflectionPad3d((1, 1, 1, 1, 1, 1))
    """

    _spatial = 3


class ReplicationPad1d(_ReplicationPadNd):
    """A margin of the last dimension, filled with what is next to it.

    >>> wend.nn.ReplicationPad1d(1)
    ReplicationPad1d((1, 1))
    """

    _spatial = 1


class ReplicationPad2d(_ReplicationPadNd):
    """A margin of the last two dimensions, filled with what is next to it.

    >>> wend.nn.ReplicationPad2d(1)
    ReplicationPad2d((1, 1, 1, 1))
    """

    _spatial = 2


class ReplicationPad3d(_ReplicationPadNd):
    """A margin of the last three dimensions, filled with what is next to it.

    >>> wend.nn.ReplicationPad3d(1)
    ReplicationPad3d((1, 1, 1, 1, 1, 1))
    """

    _spatial = 3


class ZeroPad1d(ConstantPad1d):
    """A margin of the last dimension, of zeros.

    >>> wend.nn.ZeroPad1d(1)
    ZeroPad1d((1, 1))
    """

    def __init__(self, padding: Size) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the margins."""
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """A margin of the last two dimensions, of zeros.

    >>> wend.nn.ZeroPad2d(1)
    ZeroPad2d((1, 1, 1, 1))
    """

    def __init__(self, padding: Size) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the margins."""
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """A margin of the last three dimensions, of zeros.

    >>> wend.nn.ZeroPad3d(1)
    ZeroPad3d((1, 1, 1, 1, 1, 1))
    """

    def __init__(self, padding: Size) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the margins."""
        return f"{self.padding}"
