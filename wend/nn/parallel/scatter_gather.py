"""Spreading inputs over GPUs, of which there are none: nothing can be given to one."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["gather", "scatter", "scatter_kwargs"]


def scatter(inputs: Any, target_gpus: Any, dim: int = 0) -> NoReturn:
    """Raise: there is no GPU."""
    raise AssertionError("Torch not compiled with CUDA enabled")


gather = scatter_kwargs = scatter
