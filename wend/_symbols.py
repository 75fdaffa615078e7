"""Arithmetic on sizes, which in PyTorch may be symbols; here they are ordinary numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def sym_int(a: Any) -> int:
    """Return a number without its fraction.

    >>> wend.sym_int(-3.7)
    -3
    """
    return int(a)


def sym_float(a: Any) -> float:
    """Return a number as a float.

    >>> wend.sym_float(3)
    3.0
    """
    return float(a)


def sym_not(a: Any) -> bool:
    """Return whether something does not hold.

    >>> wend.sym_not(True)
    False
    """
    return not a


def sym_sqrt(a: float) -> float:
    """Return the square root of a number.

    >>> wend.sym_sqrt(9)
    3.0
    """
    return math.sqrt(a)


def _kind(a: Any, b: Any) -> type:
    """float if either is one."""
    return float if isinstance(a, float) or isinstance(b, float) else int


def sym_max(a: Any, b: Any) -> Any:
    """Return the larger number, as a float if either is one.

    >>> wend.sym_max(3, 2.0)
    3.0
    """
    return _kind(a, b)(max(a, b))


def sym_min(a: Any, b: Any) -> Any:
    """Return the smaller number, as a float if either is one.

    >>> wend.sym_min(3, 2)
    2
    """
    return _kind(a, b)(min(a, b))


def sym_ite(b: bool, t: Any, f: Any) -> Any:
    """Return t if b holds, or else f.

    >>> wend.sym_ite(3 > 2, "more", "less")
    'more'
    """
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: t is {type(t)}, f is {type(f)}")
    return t if b else f


def sym_sum(*args: Any) -> Any:
    """Return the sum of numbers, given in a list or one by one.

    >>> wend.sym_sum([1, 2, 3])
    6
    """
    numbers: Sequence[Any] = args
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        numbers = args[0]
    return sum(numbers)
