"""Tensors in memory that several processes see: what one writes, the others read.

Such memory belongs to the system as well, so that the engine writes to it at once.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import Any

import wend
from wend._C import Tensor

__all__ = ["is_shared", "share"]


class SharedMemory:
    """Memory with a file descriptor, by which another process can be given it."""

    def __init__(self, descriptor: int, size: int) -> None:
        self.descriptor, self.size = descriptor, size
        self.map = mmap.mmap(descriptor, max(1, size))

    def __del__(self) -> None:
        os.close(self.descriptor)

    def tensor(self, dtype: Any, shape: Any) -> Tensor:
        """The memory as a tensor."""
        if self.size == 0:
            return wend.empty(shape, dtype=dtype)
        return wend.frombuffer(self.map, dtype=dtype).reshape(shape)


def _new(size: int) -> SharedMemory:
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("wend")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.truncate(descriptor, max(1, size))
    return SharedMemory(descriptor, size)


def is_shared(tensor: Tensor) -> bool:
    """Return whether the tensor was put into shared memory."""
    return "_shared_memory" in tensor.__dict__


def share(tensor: Tensor) -> Tensor:
    """Move the tensor's elements into shared memory; the tensor stays the same object."""
    if is_shared(tensor):
        return tensor
    memory = _new(tensor.numel() * tensor.element_size())
    shared = memory.tensor(tensor.dtype, tensor.shape)
    shared.copy_(tensor.detach())
    tensor.data = shared
    _keep(tensor, memory)
    return tensor


def _keep(tensor: Tensor, memory: SharedMemory) -> None:
    from multiprocessing.reduction import ForkingPickler

    tensor._shared_memory = memory  # type: ignore[attr-defined]
    ForkingPickler.register(type(tensor), _reduced)


def _reduced(tensor: Tensor) -> Any:
    """How a tensor goes to another process: by its memory if that is shared, else as a copy."""
    if not is_shared(tensor):
        return tensor.__reduce_ex__(2)
    from multiprocessing.reduction import DupFd

    memory: SharedMemory = tensor._shared_memory  # type: ignore[attr-defined]
    how = (tensor.dtype, tuple(tensor.shape), tensor.requires_grad, type(tensor))
    return _rebuilt, (DupFd(memory.descriptor), memory.size, *how)


def _rebuilt(
    descriptor: Any, size: int, dtype: Any, shape: Any, requires_grad: bool, kind: Any
) -> Tensor:
    memory = SharedMemory(descriptor.detach(), size)
    made = memory.tensor(dtype, shape)
    made = kind(made) if kind is not Tensor else made
    _keep(made, memory)
    return made.requires_grad_(requires_grad)
