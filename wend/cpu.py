"""The CPU as a device, for programs that ask any device the same questions."""

from __future__ import annotations

from typing import Any

from wend import _C

__all__ = ["current_device", "device_count", "is_available", "set_device", "synchronize"]


def is_available() -> bool:
    """Return True.

    >>> wend.cpu.is_available()
    True
    """
    return True


def device_count() -> int:
    """Return 1."""
    return 1


def current_device() -> str:
    """Return "cpu"."""
    return "cpu"


def set_device(device: Any) -> None:
    """Do nothing: there is one CPU."""


def synchronize(device: Any = None) -> None:
    """Return when all that was recorded and that somebody may look at is computed.

    Values are there when they are looked at in any case; this is for those who measure time.
    """
    _C._run()
