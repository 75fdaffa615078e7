"""Tensors from the data of others: arrays, buffers, DLPack; shared where PyTorch shares it.

Copies of data are `wend.tensor`; the way back is `Tensor.numpy`, `__array__` and `__dlpack__`.
"""

from __future__ import annotations

from typing import Any

from wend import _C
from wend._C import Tensor, get_default_dtype, tensor


class SharedMemoryWarning(UserWarning):
    """Operations run at once, by themselves, since others may write the memory that they read."""


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return the data as a tensor, sharing memory with tensors and NumPy arrays.

    >>> wend.as_tensor([1, 2])
    tensor([1, 2])
    """
    if _C._is_foreign_array(data):
        data = _C._tensor_over_buffer(data)
    elif hasattr(data, "__dlpack__") and not isinstance(data, Tensor):
        data = from_dlpack(data)
    if isinstance(data, Tensor):
        return data.to(device, dtype) if device is not None or dtype is not None else data
    return tensor(data, dtype=dtype, device=device)


def from_numpy(ndarray: Any) -> Tensor:
    """Return a tensor over the memory of a NumPy array.

    Writes to either are seen by the other. An op takes the values that it finds when it is called.

    >>> import numpy
    >>> a = numpy.zeros(2)
    >>> x = wend.from_numpy(a)
    >>> a[0] = 5
    >>> x
    tensor([5., 0.], dtype=torch.float64)
    """
    if not _C._is_foreign_array(ndarray):
        raise TypeError(f"expected np.ndarray (got {_type_name(ndarray)})")
    if not ndarray.flags.writeable:
        _warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable "
            "tensors. wend gives a tensor that is written to memory of its own."
        )
    return _C._tensor_over_buffer(ndarray)


def from_file(
    filename: str,
    shared: bool | None = None,
    size: int | None = 0,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    layout: Any = None,
    device: Any = None,
) -> Tensor:
    """Return the first `size` elements of a file as a vector.

    shared: writes go to the file, which gets the size that is asked for.
    """
    from wend._storage import UntypedStorage

    dtype = dtype or get_default_dtype()
    if not size:
        return _C.empty(0, dtype=dtype)
    memory = UntypedStorage.from_file(filename, bool(shared), size * dtype.itemsize)
    made = memory._row_of(dtype)
    return made.requires_grad_() if requires_grad else made


def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """Return a vector over the bytes of an object, such as a `bytearray`.

    count: elements to take, -1 for all.
    offset: bytes to skip at the start.

    >>> wend.frombuffer(bytearray(b"abcd"), dtype=wend.uint8, offset=1)
    tensor([ 98,  99, 100], dtype=torch.uint8)
    """
    try:
        memory = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    size = memory.nbytes
    count = _checked_count(size, count, offset, dtype.itemsize)
    if memory.readonly:
        _warn(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors. "
            "wend gives a tensor that is written to memory of its own."
        )
    made = _C._tensor_over_bytes(buffer, dtype, count, offset)
    return made.requires_grad_() if requires_grad else made


def _checked_count(size: int, count: int, offset: int, itemsize: int) -> int:
    """The number of elements that `frombuffer` is to take."""
    if size == 0 or count == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
            f"({size} bytes) minus 1"
        )
    if count > 0 and offset + count * itemsize > size:
        raise ValueError(
            f"requested buffer length ({count} * {itemsize} bytes) after offset ({offset} bytes) "
            f"must not be greater than actual buffer length ({size} bytes)"
        )
    if count < 0 and (size - offset) % itemsize:
        raise ValueError(
            f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a "
            f"multiple of element size ({itemsize})"
        )
    return count if count > 0 else (size - offset) // itemsize


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Return a tensor over the memory of an object with `__dlpack__`, or of a DLPack capsule.

    >>> import numpy
    >>> wend.from_dlpack(numpy.arange(3.0))
    tensor([0., 1., 2.], dtype=torch.float64)
    """
    made = _C._from_dlpack(_capsule(ext_tensor))
    if device is not None:
        made = made.to(device)
    return made.clone() if copy else made


def _capsule(source: Any) -> Any:
    if not hasattr(source, "__dlpack__"):
        return source
    try:
        return source.__dlpack__(max_version=(1, 0))
    except TypeError:  # written for DLPack before version 1
        return source.__dlpack__()


def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """Return any data as a tensor, sharing memory where that is possible.

    copy: True never shares, False raises where sharing is not possible.
    requires_grad: None keeps it as it is, for a tensor.

    >>> wend.asarray([1, 2], dtype=wend.float64)
    tensor([1., 2.], dtype=torch.float64)
    """
    shared = _sharing(obj, dtype)
    if shared is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return tensor(obj, dtype=dtype, device=device, requires_grad=bool(requires_grad))
    if copy is False and dtype is not None and dtype != shared.dtype:
        raise ValueError(
            f"can't alias tensor with dtype '{_short(shared.dtype)}' into dtype '{_short(dtype)}'."
        )
    made = shared.to(device, dtype, copy=bool(copy))
    if requires_grad is None or requires_grad == made.requires_grad:
        return made
    return made.requires_grad_() if requires_grad else made.detach()


def _sharing(obj: Any, dtype: Any) -> Tensor | None:
    """A tensor over the memory of the object, if it has any to share."""
    if isinstance(obj, Tensor):
        return obj
    if _C._is_foreign_array(obj):
        return _C._tensor_over_buffer(obj)
    if hasattr(obj, "__dlpack__") or obj.__class__.__name__ == "PyCapsule":
        return from_dlpack(obj)
    if _has_bytes(obj):
        return frombuffer(obj, dtype=dtype or get_default_dtype())
    if obj.__class__.__name__ == "UntypedStorage":
        row: Tensor = obj._row_of(dtype or get_default_dtype())
        return row
    return None


def _has_bytes(obj: Any) -> bool:
    """Whether an object lends its memory; a scalar of NumPy does, but is taken as a number."""
    try:
        memoryview(obj)
    except TypeError:
        return False
    return not hasattr(obj, "dtype")


# Of places that were warned of, as the module `warnings` keeps it.
_warned: dict[Any, Any] = {}


def _warn_of_reads(tensor: str, place: tuple[str, int, str] | None) -> None:
    """Called by the engine: readers of this tensor cannot wait for others of their kind."""
    import warnings

    file, line, _ = place or ("<wend>", 0, "")
    text = (
        f"others may write the memory of a {tensor}, and it is too large to be copied for its "
        "readers: each of them runs at once, by itself. Where nobody outside writes, give the "
        "tensor memory of its own, by `.clone()` or `wend.tensor(array)`, or let go of the arrays "
        "that share it."
    )
    warnings.warn_explicit(text, SharedMemoryWarning, file, line, registry=_warned)


def _short(dtype: Any) -> str:
    from wend._legacy import type_name

    return type_name(dtype).removeprefix("torch.").removesuffix("Tensor")


def _type_name(obj: Any) -> str:
    """As C names it: types that are made by programs go by their name alone."""
    cls = type(obj)
    made_by_program = cls.__flags__ & 1 << 9
    short = made_by_program or cls.__module__ == "builtins"
    return cls.__name__ if short else f"{cls.__module__}.{cls.__name__}"


def _warn(text: str) -> None:
    import warnings

    warnings.warn(text, UserWarning, stacklevel=3)
