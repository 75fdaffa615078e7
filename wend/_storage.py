"""The memory behind tensors as an object: what pickle and copy go by, so that aliases stay aliases.

Reading and writing tensors never comes here.
"""

from __future__ import annotations

import copy
import mmap
import os
from typing import Any
from weakref import WeakValueDictionary

from wend import _C
from wend._C import Tensor
from wend._types import device, uint8


class UntypedStorage:
    """The bytes that a tensor shares with its views and detached aliases.

    As long as it is held, every such tensor answers `untyped_storage()` with this same object.
    """

    __slots__ = ("__weakref__", "_row")

    def __init__(self, row: Tensor) -> None:
        self._row = row  # a vector over all of the memory

    @classmethod
    def from_file(
        cls, filename: str | os.PathLike[str], shared: bool = False, nbytes: int = 0
    ) -> UntypedStorage:
        """Return the first bytes of a file as memory.

        shared: writes go to the file, which gets the size that is asked for.
        """
        with open(filename, "r+b" if shared else "rb") as file:
            if shared and os.fstat(file.fileno()).st_size < nbytes:
                file.truncate(nbytes)
            access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_READ
            content = mmap.mmap(file.fileno(), nbytes, access=access)
        row = _C._tensor_over_bytes(content, uint8, len(content), 0)
        # Without sharing the memory is ours, and no longer the file's.
        return _known(row if shared else row.clone())

    @property
    def device(self) -> device:
        """Where the memory is: on the CPU."""
        return self._row.device

    def data_ptr(self) -> int:
        """Return the address of the first byte."""
        return self._row.data_ptr()

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self._row.nbytes

    size = __len__ = nbytes

    def untyped(self) -> UntypedStorage:
        """Return the storage itself: it holds bytes."""
        return self

    _untyped = untyped

    def element_size(self) -> int:
        """Return 1, the size of a byte."""
        return 1

    def tolist(self) -> list[int]:
        """Return the bytes as integers."""
        return list(self._row._storage_content())

    def __getitem__(self, index: Any) -> Any:
        """Return a byte, or for a slice a storage over those bytes."""
        content = self._row if self._row.dtype is uint8 else self._row.view(uint8)
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise RuntimeError(
                    f"Trying to slice with a step of {index.step}, "
                    "but only a step of 1 is supported"
                )
            return UntypedStorage(content[index])
        return int(content[index])

    def clone(self) -> UntypedStorage:
        """Return a copy of the memory."""
        return _known(self._row.clone())

    def __repr__(self) -> str:
        lines = [f" {byte}\n" for byte in self.tolist()]
        return f"{''.join(lines)}[torch.storage.UntypedStorage(device=cpu) of size {self.size()}]"

    def __reduce__(self) -> Any:
        return _load, (self._row._storage_content(), self._row.dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> UntypedStorage:
        return self.clone()


_storages: WeakValueDictionary[int, UntypedStorage] = WeakValueDictionary()


def _known(row: Tensor) -> UntypedStorage:
    storage = UntypedStorage(row)
    _storages[row._storage_key()] = storage
    return storage


def _load(content: bytes, dtype: Any) -> UntypedStorage:
    return _known(_C._tensor_over_bytes(content, dtype, len(content) // dtype.itemsize, 0))


def storage_of(tensor: Tensor) -> UntypedStorage:
    """Return the storage of a tensor, the same object for all that share it."""
    storage = _storages.get(tensor._storage_key())
    if storage is not None:
        return storage
    plain = tensor.detach()
    count = plain._storage_bytes() // plain.itemsize
    return _known(plain.as_strided((count,), (1,), 0).detach())


def rebuild(
    cls: type[Tensor] | None,
    storage: UntypedStorage,
    offset: int,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    requires_grad: bool,
) -> Tensor:
    """Return a tensor of the given class, None for Tensor itself, over a storage."""
    tensor = storage._row.as_strided(size, stride, offset).detach()
    if cls is not None:
        tensor = Tensor._make_subclass(cls, tensor)
    return tensor.requires_grad_() if requires_grad else tensor


def _arguments(tensor: Tensor, storage: UntypedStorage) -> tuple[Any, ...]:
    geometry = (tensor.storage_offset(), tuple(tensor.shape), tensor.stride())
    # Tensor itself is called torch.Tensor under `wend run`, which a reader need not have.
    kind = None if tensor.__class__ is Tensor else tensor.__class__
    return (kind, storage, *geometry, tensor.requires_grad)


def pickled(tensor: Tensor) -> Any:
    """Return what pickle keeps of a tensor: class, storage, geometry, attributes."""
    arguments = _arguments(tensor, storage_of(tensor))
    return (rebuild, arguments, tensor.__dict__) if tensor.__dict__ else (rebuild, arguments)


def deep_copy(tensor: Tensor, memo: dict[int, Any]) -> Tensor:
    """Return a copy of a leaf with its .grad and attributes; aliases in one call stay aliases."""
    if not tensor.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
            "because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(tensor) in memo:
        return memo[id(tensor)]
    storage = copy.deepcopy(storage_of(tensor), memo)
    made = memo[id(tensor)] = rebuild(*_arguments(tensor, storage))
    if tensor.grad is not None:
        made.grad = copy.deepcopy(tensor.grad, memo)
    if tensor.__dict__:
        made.__dict__ = copy.deepcopy(tensor.__dict__, memo)
    return made
