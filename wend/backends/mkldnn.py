"""Intel's kernels for networks: not used, wend brings its own."""

from __future__ import annotations


def is_available() -> bool:
    """Return False."""
    return False
