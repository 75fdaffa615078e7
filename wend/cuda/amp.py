"""The older names of mixed precision for GPUs; without one they do nothing, and say so."""

from __future__ import annotations

from typing import Any

from wend import amp
from wend.amp import custom_bwd, custom_fwd

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(amp.autocast):  # noqa: N801
    """`amp.autocast("cuda")`.

    >>> with wend.cuda.amp.autocast(enabled=False):
    ...     print((wend.ones(2) * 2).dtype)
    torch.float32
    """

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`amp.GradScaler("cuda")`."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__(
            "cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )
