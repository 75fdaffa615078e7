"""DLPack by functions: the protocol by which array libraries share memory."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from wend._C import Tensor
from wend._interop import from_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(IntEnum):
    """Kinds of devices, by DLPack's numbers."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10


def to_dlpack(tensor: Tensor) -> Any:
    """Return a DLPack capsule over the tensor's memory; it can be taken once.

    >>> from wend.utils.dlpack import from_dlpack, to_dlpack
    >>> from_dlpack(to_dlpack(wend.ones(2)))
    tensor([1., 1.])
    """
    return tensor.__dlpack__()
