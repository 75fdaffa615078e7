"""Apple's GPUs: not there."""

from __future__ import annotations


def is_available() -> bool:
    """Return False."""
    return False


def is_built() -> bool:
    """Return False."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """Return False."""
    return False
