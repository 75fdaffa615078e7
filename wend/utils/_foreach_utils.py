"""How PyTorch's optimizers sort tensors before they call functions of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wend import Tensor, device, dtype

Group = tuple[list[list[Any]], list[int]]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Return devices that have functions of lists, as PyTorch lists them."""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """Return devices that have fused optimizers, as PyTorch lists them."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Tensor | None]], with_indices: bool = False
) -> dict[tuple[device | None, dtype | None], Group]:
    """Return lists of equal length, by device and dtype of the first, and indices."""
    found: dict[tuple[device | None, dtype | None], Group] = {}
    for index, row in enumerate(zip(*tensorlistlist, strict=True)):
        first = row[0]
        key = (None, None) if first is None else (first.device, first.dtype)
        lists, indices = found.setdefault(key, ([[] for _ in tensorlistlist], []))
        for target, tensor in zip(lists, row, strict=True):
            target.append(tensor)
        if with_indices:
            indices.append(index)
    return found


def _device_has_foreach_support(device: device) -> bool:
    """Return whether a device has functions of lists."""
    return device.type in [*_get_foreach_kernels_supported_devices(), "cpu"]


def _has_foreach_support(tensors: Sequence[Tensor | None], device: device) -> bool:
    """Return whether functions of lists take these tensors."""
    plain = all(each is None or type(each) is Tensor for each in tensors)
    return plain and _device_has_foreach_support(device)
