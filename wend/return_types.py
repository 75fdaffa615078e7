"""The types of results with names, such as `max`'s; each is made by the op the first time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wend
from wend import linalg


def _of(module: Any, name: str, *args: Any) -> Callable[[], Any]:
    return lambda: getattr(module, name)(wend.ones(1, 1), *args)


_MADE: dict[str, Callable[[], Any]] = {
    **{name: _of(wend, name, 0) for name in ("cummax", "cummin", "max", "median", "min", "mode")},
    **{name: _of(wend, name, 1) for name in ("kthvalue", "nanmedian", "sort", "topk")},
    **{name: _of(wend, name) for name in ("aminmax", "frexp", "geqrf", "qr", "slogdet", "svd")},
    **{
        f"linalg_{name}": _of(linalg, name)
        for name in (
            *("cholesky_ex", "eigh", "inv_ex", "ldl_factor", "ldl_factor_ex"),
            *("lu", "lu_factor", "lu_factor_ex", "qr", "slogdet", "svd"),
        )
    },
    "histogram": lambda: wend.histogram(wend.ones(1), 1),
    "triangular_solve": lambda: wend.triangular_solve(wend.ones(1, 1), wend.ones(1, 1)),
}
__all__ = sorted(_MADE)


def __getattr__(name: str) -> Any:
    if name not in _MADE:
        raise AttributeError(f"module 'wend.return_types' has no attribute '{name}'")
    found = globals()[name] = type(_MADE[name]())
    return found
