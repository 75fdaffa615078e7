"""torch.storage: the memory behind tensors as vectors of numbers, which programs of old use.

The memory itself, as bytes, is _storage.UntypedStorage.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Self

import wend
from wend import _C, _types
from wend._C import Tensor
from wend._storage import UntypedStorage, storage_of

__all__ = ["TypedStorage", "UntypedStorage"]

_KINDS = {
    "FloatStorage": _types.float32,
    "DoubleStorage": _types.float64,
    "HalfStorage": _types.float16,
    "BFloat16Storage": _types.bfloat16,
    "ByteStorage": _types.uint8,
    "CharStorage": _types.int8,
    "ShortStorage": _types.int16,
    "IntStorage": _types.int32,
    "LongStorage": _types.int64,
    "BoolStorage": _types.bool,
}


class TypedStorage:
    """The elements that a tensor shares with its views and detached aliases, in a row.

    >>> x = wend.ones(2)
    >>> storage = wend.TypedStorage(wrap_storage=x.untyped_storage(), dtype=x.dtype)
    >>> storage[1] = 3
    >>> x
    tensor([1., 3.])
    """

    __slots__ = ("__weakref__", "_memory", "dtype")

    def __init__(
        self, *args: Any, wrap_storage: Any = None, dtype: Any = None, device: Any = None
    ) -> None:
        _types.require_cpu(device)
        if len(args) > 1 or (args and wrap_storage is not None):
            raise RuntimeError(
                f"{self.__class__}.__init__ received an invalid combination of arguments."
            )
        self.dtype: _types.dtype = wend.get_default_dtype() if dtype is None else dtype
        if wrap_storage is None:
            _warn_of_removal(3)
            wrap_storage = _made(args[0] if args else 0, self.dtype)
        self._memory: UntypedStorage = wrap_storage

    def _row(self) -> Tensor:
        """A tensor over all of the elements."""
        return self._memory._row_of(self.dtype)

    def untyped(self) -> UntypedStorage:
        """Return the memory as bytes."""
        return self._memory

    _untyped_storage = property(untyped)

    @property
    def device(self) -> Any:
        """Where the memory is: on the CPU."""
        return self._memory.device

    is_cuda = is_sparse = False

    def size(self) -> int:
        """Return the number of elements."""
        return self._memory.nbytes() // self.dtype.itemsize

    __len__ = _size = size

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self._memory.nbytes()

    def element_size(self) -> int:
        """Return the number of bytes of an element."""
        return self.dtype.itemsize

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return self._memory.data_ptr()

    def _row_for(self, tensor: Tensor) -> Tensor:
        if tensor.dtype is not self.dtype:
            raise RuntimeError(
                f"Expected a Storage of type {tensor.dtype} or an UntypedStorage, but got type "
                f"{self.dtype} for argument 1 'storage'"
            )
        return self._row()

    def tolist(self) -> list[Any]:
        """Return the elements as numbers."""
        return list(self._row().tolist())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def _place(self, index: Any) -> int:
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {self.__class__} with {type(index)}")
        if not -self.size() <= index < self.size():
            raise IndexError(f"index {index} out of range for storage of size {self.size()}")
        return index % self.size()

    def __getitem__(self, index: Any) -> Any:
        """Return an element as a number."""
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return self._row()[self._place(index)].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write an element, or all of a slice."""
        self._row()[index if isinstance(index, slice) else self._place(index)] = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TypedStorage)
            and other.dtype is self.dtype
            and other.data_ptr() == self.data_ptr()
        )

    def __hash__(self) -> int:
        return hash((self.data_ptr(), self.dtype))

    def fill_(self, value: Any) -> Self:
        """Set every element to a value."""
        self._row().fill_(value)
        return self

    def copy_(self, source: TypedStorage, non_blocking: bool | None = None) -> Self:
        """Write the elements of another storage of this size."""
        if source.size() != self.size():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes "
                f"but src was {source.nbytes()} bytes"
            )
        self._row().copy_(source._row())
        return self

    def resize_(self, size: int) -> None:
        """Make room for more elements."""
        self._memory.resize_(size * self.dtype.itemsize)

    def resizable(self) -> bool:
        """Return whether there can be more elements."""
        return self._memory.resizable()

    def clone(self) -> TypedStorage:
        """Return a copy of the memory."""
        return _typed(self._row().clone())

    def cpu(self) -> Self:
        """Return the storage itself: it is on the CPU."""
        return self

    def cuda(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: wend runs on the CPU."""
        raise AssertionError("Torch not compiled with CUDA enabled")

    def is_pinned(self, device: Any = None) -> bool:
        """Return False: pinned memory is for accelerators."""
        return False

    def is_shared(self) -> bool:
        """Return whether other processes see the memory."""
        return self._row().is_shared()

    def share_memory_(self) -> Self:
        """Move the elements to memory that processes started from now on see and write."""
        self._row().share_memory_()
        return self

    def to(self, *, device: Any = None, non_blocking: bool = False) -> Self:
        """Return the storage itself: it is on the CPU."""
        _types.require_cpu(device)
        return self

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the name of the storage's type, or a storage of another type."""
        if dtype is None:
            return f"torch.{self.pickle_storage_type()}"
        if isinstance(dtype, str):
            dtype = kinds[dtype.removeprefix("torch.")]
        return _typed(self._row().to(getattr(dtype, "dtype", dtype)))

    def pickle_storage_type(self) -> str:
        """Return the name of the type that holds this dtype, such as FloatStorage."""
        return _name_of(self.dtype)

    _pickle_storage_type = pickle_storage_type

    def float(self) -> TypedStorage:
        """Return the elements as float32."""
        return self._as(_types.float32)

    def double(self) -> TypedStorage:
        """Return the elements as float64."""
        return self._as(_types.float64)

    def half(self) -> TypedStorage:
        """Return the elements as float16."""
        return self._as(_types.float16)

    def bfloat16(self) -> TypedStorage:
        """Return the elements as bfloat16."""
        return self._as(_types.bfloat16)

    def byte(self) -> TypedStorage:
        """Return the elements as uint8."""
        return self._as(_types.uint8)

    def char(self) -> TypedStorage:
        """Return the elements as int8."""
        return self._as(_types.int8)

    def short(self) -> TypedStorage:
        """Return the elements as int16."""
        return self._as(_types.int16)

    def int(self) -> TypedStorage:
        """Return the elements as int32."""
        return self._as(_types.int32)

    def long(self) -> TypedStorage:
        """Return the elements as int64."""
        return self._as(_types.int64)

    def bool(self) -> TypedStorage:
        """Return the elements as truths."""
        return self._as(_types.bool)

    def _as(self, dtype: _types.dtype) -> TypedStorage:
        return self if dtype is self.dtype else _typed(self._row().to(dtype))

    def __repr__(self) -> str:
        lines = "\n ".join(str(each) for each in self.tolist())
        kind = f"dtype={self.dtype}, device=cpu"
        return f" {lines}\n[torch.storage.TypedStorage({kind}) of size {self.size()}]"

    def __reduce__(self) -> Any:
        return _rebuilt, (self._memory, self.dtype)

    def __deepcopy__(self, memo: dict[Any, Any]) -> TypedStorage:
        from copy import deepcopy

        return _rebuilt(deepcopy(self._memory, memo), self.dtype)


def _rebuilt(memory: UntypedStorage, dtype: _types.dtype) -> TypedStorage:
    return TypedStorage(wrap_storage=memory, dtype=dtype)


def _typed(row: Tensor) -> TypedStorage:
    return _rebuilt(storage_of(row), row.dtype)


def _made(content: Any, dtype: _types.dtype) -> UntypedStorage:
    """Memory of a size, or with a copy of numbers."""
    if isinstance(content, int):
        return storage_of(_C.empty(content, dtype=dtype))
    if not isinstance(content, Sequence) or isinstance(content, str):
        raise TypeError(f"new(): invalid data type '{type(content).__name__}'")
    return storage_of(wend.tensor(list(content), dtype=dtype))


def _warn_of_removal(level: int) -> None:
    warnings.warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be "
        "the only storage class. This should only matter to you if you are using storages "
        "directly.  To access UntypedStorage directly, use tensor.untyped_storage() instead of "
        "tensor.storage()",
        stacklevel=level,
    )


def typed_storage_of(tensor: Tensor) -> TypedStorage:
    """Return what `tensor.storage()` gives."""
    _warn_of_removal(4)
    return _rebuilt(storage_of(tensor), tensor.dtype)


class _StorageType(type):
    """The type of `FloatStorage` and its like: calling it makes a storage of that dtype."""

    dtype: _types.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> TypedStorage:
        if len(args) > 1:
            raise RuntimeError(
                f"{cls}.__new__ received an invalid combination of arguments. Expected one of:"
            )
        memory = kwargs.pop("wrap_storage", None)
        if memory is None:
            _warn_of_removal(3)
            memory = _made(args[0] if args else 0, cls.dtype)
        return TypedStorage(wrap_storage=memory, dtype=cls.dtype, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype

    def __subclasscheck__(cls, subclass: type) -> bool:
        return cls in subclass.__mro__


def _kind(name: str, dtype: _types.dtype) -> _StorageType:
    doc = f"TypedStorage(...) of dtype {dtype}."
    return _StorageType(name, (), {"dtype": dtype, "__module__": "torch", "__doc__": doc})


kinds = {name: _kind(name, dtype) for name, dtype in _KINDS.items()}
globals().update(kinds, Storage=kinds["FloatStorage"])


def _name_of(dtype: _types.dtype) -> str:
    return next(name for name, each in _KINDS.items() if each is dtype)


def kind_of(dtype: _types.dtype) -> Any:
    """Return the class of storages of a dtype, such as FloatStorage."""
    return kinds[_name_of(dtype)]


def is_storage(obj: Any) -> bool:
    """Return whether the object is a storage.

    >>> wend.is_storage(wend.ones(1).untyped_storage())
    True
    """
    return isinstance(obj, (TypedStorage, UntypedStorage))
