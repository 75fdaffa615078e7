"""PyTorch's counter of floating-point operations, which can be made but not entered."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["FlopCounterMode"]


class FlopCounterMode:
    """A block whose operations PyTorch counts; entering it raises, and nothing is counted before.

    >>> wend.utils.flop_counter.FlopCounterMode(display=False).get_total_flops()
    0
    """

    def __init__(
        self,
        mods: Any = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: dict[Any, Any] | None = None,
    ) -> None:
        self.depth, self.display = depth, display

    def __enter__(self) -> NoReturn:
        raise NotImplementedError(
            "wend does not count floating-point operations: wend.report() measures time instead"
        )

    def __exit__(self, *error: object) -> None:
        pass

    def get_total_flops(self) -> int:
        """Return 0: no block was counted."""
        return 0

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Return no counts: no block was counted."""
        return {}

    def get_table(self, depth: int | None = None) -> str:
        """Return no rows: no block was counted."""
        return ""
