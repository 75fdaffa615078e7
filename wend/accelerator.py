"""What programs ask before they use an accelerator: there is none, wend runs on the CPU."""

from __future__ import annotations

from typing import Any, NoReturn


class AcceleratorError(RuntimeError):
    """An accelerator failed; never raised, since there is none."""

    __module__ = "torch"


class OutOfMemoryError(RuntimeError):
    """An accelerator has no memory left; never raised, since there is none."""

    __module__ = "torch"


def is_available() -> bool:
    """Return False.

    >>> wend.accelerator.is_available()
    False
    """
    return False


def device_count() -> int:
    """Return 0."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """Return None: there is no accelerator."""
    return


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise: there is no accelerator."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


current_device_index = current_device_idx = _refuse
set_device_index = set_device_idx = _refuse
current_stream = set_stream = synchronize = _refuse
