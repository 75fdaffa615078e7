"""Making modules without filling their parameters."""

from __future__ import annotations

import inspect
from typing import Any

from wend.nn.modules.module import Module

__all__ = ["skip_init"]


def skip_init(module_cls: type[Any], *args: Any, **kwargs: Any) -> Any:
    """Make a module whose parameters hold whatever is in memory.

    >>> wend.nn.utils.skip_init(wend.nn.Linear, 2, 3)
    Linear(in_features=2, out_features=3, bias=True)
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    # Nothing is computed before it is read, so what was to fill the parameters never runs.
    return module_cls(*args, **kwargs).to_empty(device=device)
