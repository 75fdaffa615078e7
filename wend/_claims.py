"""What programs claim and ask in ways meant for PyTorch's compilers: checks, and sizes as symbols.

A program runs as written here, and sizes are ordinary integers.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

from wend._C import Tensor

sym_float = builtins.float
sym_max = builtins.max
sym_min = builtins.min


def sym_int(a: Any) -> int:
    """Return a number without what follows its point.

    >>> wend.sym_int(2.7)
    2
    """
    whole: int = math.trunc(a)
    return whole


def sym_not(a: Any) -> bool:
    """Return whether something is not true.

    >>> wend.sym_not(False)
    True
    """
    return not a


def _check(cond: bool, message: Callable[[], Any] | None = None) -> None:
    """Raise a RuntimeError unless a condition holds."""
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if not cond:
        raise RuntimeError(
            "Expected cond to be True, but got False." if message is None else str(message())
        )


def _assert(condition: Any, message: str) -> None:
    """Raise an AssertionError unless a condition holds."""
    assert condition, message


def _assert_async(input: Tensor, assert_msg: str | None = None) -> None:
    """Raise a RuntimeError unless a tensor's one value is true."""
    if not input:
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")
