"""Numbers in a row, and their powers."""

from __future__ import annotations

import warnings
from typing import Any

import wend
from wend import _C
from wend._C import Tensor

__all__ = ["range", "vander"]


def range(start: float = 0, end: float | None = None, step: float = 1, **options: Any) -> Tensor:
    """Numbers from start to end, which is among them; `arange` leaves it out.

    Of floats unless dtype says otherwise.
    """
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior "
        "is inconsistent with Python's range builtin. Instead, use torch.arange, which produces "
        "values in [start, end).",
        stacklevel=2,
    )
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) / step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    options["dtype"] = options.get("dtype") or wend.get_default_dtype()
    count = int((end - start) / step + 1)
    return _C.arange(count, **options) * step + start


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:  # noqa: N803
    """Powers of each element in a row, falling unless `increasing`.

    >>> wend.vander(wend.tensor([1, 2, 3]), 2)
    tensor([[1, 1],
            [2, 1],
            [3, 1]])
    """
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    powers = x.unsqueeze(-1) ** _C.arange(len(x) if N is None else N)
    return powers if increasing else powers.flip(-1)
