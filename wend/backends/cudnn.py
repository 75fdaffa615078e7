"""NVIDIA's kernels for networks: not there. Programs set these switches whether it is or not."""

from __future__ import annotations

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Return False.

    >>> wend.backends.cudnn.is_available()
    False
    """
    return False


def version() -> int | None:
    """Return None: there is no version of it."""
    return None
