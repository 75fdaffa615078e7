"""What programs ask before they use a GPU: there is none, wend runs on the CPU."""

from __future__ import annotations


def is_available() -> bool:
    """Return False.

    >>> wend.cuda.is_available()
    False
    """
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
