"""The sizes that layers take: one number for all dimensions, or one for each."""

from __future__ import annotations

from collections.abc import Sequence

from wend._C import Tensor

__all__ = ["LARGEST", "Size", "Tensor"]

LARGEST = 2**63 - 1  # a size can be no larger

Size = int | Sequence[int]
_size_any_t = _size_1_t = _size_2_t = _size_3_t = _size_any_opt_t = Size
