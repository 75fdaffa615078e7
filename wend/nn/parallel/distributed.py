"""Training in several processes, which wend does not do."""

from __future__ import annotations

from typing import Any, NoReturn

from wend.nn.modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Raises: there is no group of processes to train in."""

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        from wend.distributed import get_world_size

        get_world_size()

    def forward(self, *inputs: Any, **kwargs: Any) -> NoReturn:
        """Never run: none can be made."""
        raise NotImplementedError
