"""What programs ask before they use Intel's GPU: wend runs on the CPU."""

from __future__ import annotations

from typing import Any, NoReturn


def is_available() -> bool:
    """Return False."""
    return False


def device_count() -> int:
    """Return 0."""
    return 0


def is_initialized() -> bool:
    """Return False."""
    return False


def manual_seed(seed: int) -> None:
    """Do nothing: there is no GPU whose generator could be seeded."""


manual_seed_all = manual_seed


def empty_cache() -> None:
    """Do nothing: there is no GPU memory."""


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise: there is no such GPU."""
    raise AssertionError("Torch not compiled with XPU enabled")


current_device = get_device_name = set_device = synchronize = _refuse
