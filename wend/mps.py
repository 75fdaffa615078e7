"""What programs ask before they use Apple's GPU: wend runs on the CPU."""

from __future__ import annotations

from typing import Any, NoReturn


def is_available() -> bool:
    """Return False."""
    return False


def device_count() -> int:
    """Return 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Do nothing: there is no GPU whose generator could be seeded."""


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise: there is no such GPU."""
    raise RuntimeError("Cannot execute this without MPS backend.")


empty_cache = synchronize = current_allocated_memory = driver_allocated_memory = _refuse
