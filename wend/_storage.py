"""The memory behind tensors as an object: what pickle and copy go by, so that aliases stay aliases.

Reading and writing tensors never comes here.
"""

from __future__ import annotations

import copy
import mmap
import os
from collections.abc import Sequence
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

    def __init__(self, content: Tensor | int | Sequence[int] = 0) -> None:
        """Take a vector over all of the memory, or make memory of a size or with bytes."""
        if isinstance(content, int):
            content = _C.empty(content, dtype=uint8)
        elif not isinstance(content, Tensor):
            content = _C.tensor(content, dtype=uint8)
        self._row = content

    @classmethod
    def from_file(
        cls, filename: str | os.PathLike[str], shared: bool = False, nbytes: int = 0
    ) -> UntypedStorage:
        """Return the first bytes of a file as memory.

        shared: writes go to the file, which gets the size that is asked for.
        """
        content = _mapped(os.fspath(filename), shared, nbytes)
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

    is_cuda = is_sparse = False

    def _row_of(self, dtype: Any) -> Tensor:
        """A tensor of the dtype over all of the memory."""
        if self._row.dtype is dtype:
            return self._row
        whole = self.nbytes() // dtype.itemsize * dtype.itemsize
        content = self._row.view(uint8)
        return (content if whole == self.nbytes() else content[:whole]).view(dtype)

    def _row_for(self, tensor: Tensor) -> Tensor:
        return self._row_of(tensor.dtype)

    def fill_(self, value: int) -> UntypedStorage:
        """Set every byte to a value."""
        self._row_of(uint8).fill_(value)
        return self

    def copy_(self, source: UntypedStorage, non_blocking: bool | None = None) -> UntypedStorage:
        """Write the bytes of another storage of this size."""
        if source.nbytes() != self.nbytes():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes "
                f"but src was {source.nbytes()} bytes"
            )
        self._row_of(uint8).copy_(source._row_of(uint8))
        return self

    def resizable(self) -> bool:
        """Return True: the memory can grow."""
        return True

    def resize_(self, size: int) -> UntypedStorage:
        """Make room for more bytes; the memory does not shrink."""
        if size < self.nbytes():
            raise NotImplementedError(
                "wend's storages do not shrink: memory goes when no tensor needs it"
            )
        self._row.resize_(-(-size // self._row.itemsize))
        return self

    def cpu(self) -> UntypedStorage:
        """Return the storage itself: it is on the CPU."""
        return self

    def is_pinned(self, device: Any = None) -> bool:
        """Return False: pinned memory is for accelerators."""
        return False

    def is_shared(self) -> bool:
        """Return whether other processes see the memory."""
        return self._row.is_shared()

    def share_memory_(self) -> UntypedStorage:
        """Move the bytes to memory that processes started from now on see and write."""
        self._row.share_memory_()
        return self

    def type(self) -> str:
        """Return the name of the type."""
        return "torch.storage.UntypedStorage"

    def tolist(self) -> list[int]:
        """Return the bytes as integers."""
        return list(self._row._storage_content())

    def __getitem__(self, index: Any) -> Any:
        """Return a byte, or for a slice a storage over those bytes."""
        content = self._row_of(uint8)
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise RuntimeError(
                    f"Trying to slice with a step of {index.step}, "
                    "but only a step of 1 is supported"
                )
            return UntypedStorage(content[index])
        return int(content[index])

    def __setitem__(self, index: Any, value: int) -> None:
        """Write a byte, or all of a slice."""
        self._row_of(uint8)[index] = value

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


def _mapped(filename: str, shared: bool, nbytes: int) -> mmap.mmap:
    """The first bytes of a file in memory; a file that is shared is made or grows."""
    try:
        file = os.open(filename, os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY, 0o600)
    except OSError as error:
        mode = "read-write" if shared else "read-only"
        raise RuntimeError(
            f"unable to open file <{filename}> in {mode} mode: {error.strerror} ({error.errno})"
        ) from error
    try:
        held = os.fstat(file).st_size
        if held < nbytes and not shared:
            raise RuntimeError(
                f"file <{filename}> size <{held}> is smaller than the required mapping size "
                f"<{nbytes}>"
            )
        if held < nbytes:
            os.ftruncate(file, nbytes)
        return mmap.mmap(file, nbytes, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_READ)
    except (OSError, OverflowError, ValueError) as error:
        raise RuntimeError(
            f"unable to mmap {nbytes} bytes from file <{filename}>: {error}"
        ) from error
    finally:
        os.close(file)


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
    if storage is None:
        return _known(_all_of(tensor))
    if storage._row.nbytes != tensor._storage_bytes():  # it has grown since
        storage._row = _all_of(tensor)
    return storage


def _all_of(tensor: Tensor) -> Tensor:
    """A vector over all of the memory that a tensor shows some of."""
    plain = tensor.detach()
    count = plain._storage_bytes() // plain.itemsize
    return plain.as_strided((count,), (1,), 0).detach()


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
