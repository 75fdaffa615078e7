"""Which version this is, and of what else: nothing, since wend runs on the CPU."""

from __future__ import annotations

import wend

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "xpu"]

__version__: str = wend.__version__
cuda: str | None = None
hip: str | None = None
xpu: str | None = None
debug = False
git_version = "Unknown"
