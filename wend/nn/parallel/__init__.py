"""Modules that spread their batch over GPUs: there are none, so they call the module itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wend._C import Tensor
from wend.nn.modules.module import Module
from wend.nn.parallel.distributed import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]


class DataParallel(Module):
    """Calls the module: without GPUs there is nothing to spread a batch over.

    >>> wend.nn.DataParallel(wend.nn.Linear(2, 3))(wend.ones(4, 2)).shape
    torch.Size([4, 3])
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return what the module returns."""
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Tensor:
    """Return what the module returns: there are no GPUs to spread the inputs over."""
    given = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    result: Tensor = module(*given, **(module_kwargs or {}))
    return result
