"""torch.signal: windows."""

from wend.signal import windows

__all__ = ["windows"]
