"""The CPU that wend runs on."""

from __future__ import annotations

from wend import _C

_NAMES = {"avx2": "AVX2", "avx512": "AVX512"}


def get_cpu_capability() -> str:
    """Return the instruction set in use, as PyTorch names it."""
    return _NAMES.get(_C._cpu_level(), "DEFAULT")
