"""What layers share when they are built: parameters that may be absent, and printed fields."""

from __future__ import annotations

from typing import Any

import wend
from wend.nn.parameter import Parameter

__all__ = ["add_parameter", "listed"]


def add_parameter(module: Any, name: str, wanted: bool, shape: Any, **factory: Any) -> None:
    """Register an empty parameter of a shape, or None where it is not wanted."""
    made = Parameter(wend.empty(shape, **factory)) if wanted else None
    module.register_parameter(name, made)


def listed(module: Any, *names: str) -> str:
    """Fields of a module as `name=value`, separated by commas."""
    return ", ".join(f"{name}={getattr(module, name)}" for name in names)
