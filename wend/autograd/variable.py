"""`Variable`, which is a tensor: the name that programs of long ago still use.

>>> import wend
>>> isinstance(wend.ones(2), wend.autograd.Variable)
True
"""

from __future__ import annotations

import warnings
from typing import Any

import wend

__all__ = ["Variable"]


class _VariableMeta(type):
    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, wend.Tensor)


class Variable(metaclass=_VariableMeta):
    """Makes a tensor of a tensor: the same storage, requiring grad or not."""

    def __new__(cls, data: wend.Tensor, requires_grad: bool = False, volatile: bool = False) -> Any:
        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                stacklevel=2,
            )
        return data.detach().requires_grad_(requires_grad)
