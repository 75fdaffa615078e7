"""Names for the types of arguments, for annotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import wend
from wend._types import Size, device, dtype

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = Any
Storage: TypeAlias = "wend.UntypedStorage"
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_int: TypeAlias = int
_float: TypeAlias = float
_bool: TypeAlias = bool
_dtype: TypeAlias = dtype
_device: TypeAlias = device
_TensorOrTensors: TypeAlias = "wend.Tensor | Sequence[wend.Tensor]"
