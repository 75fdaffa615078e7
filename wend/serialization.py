"""Files: `save` and `load` in PyTorch's format, which either of the two reads.

The archive is wend/_archive.py's, the pickle within it wend/_unpickle.py's.
"""

from __future__ import annotations

import io
import math
import os
import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import IO, Any, ClassVar, TypeAlias

from wend import _C, _types
from wend._archive import VERSION, VERSIONS, CorruptError, Reader, Writer
from wend._C import Tensor
from wend._foreign_files import of_head, of_name
from wend._replacing import replacing
from wend._storage import UntypedStorage, rebuild
from wend._types import Size, device, dtype
from wend._unpickle import AbsentError, Allowed, give_attributes, loads, refuse
from wend.nn.parameter import Parameter

__all__ = [
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "load",
    "safe_globals",
    "save",
]

DEFAULT_PROTOCOL = 2
# The types of `map_location` and of files, as annotations have them.
MAP_LOCATION: TypeAlias = "Callable[[Any, str], Any] | _types.device | str | dict[str, str] | None"
FileLike: TypeAlias = "str | os.PathLike[str] | IO[bytes]"

_STORAGES = {
    "BoolStorage": _types.bool,
    "ByteStorage": _types.uint8,
    "CharStorage": _types.int8,
    "ShortStorage": _types.int16,
    "IntStorage": _types.int32,
    "LongStorage": _types.int64,
    "HalfStorage": _types.float16,
    "BFloat16Storage": _types.bfloat16,
    "FloatStorage": _types.float32,
    "DoubleStorage": _types.float64,
}
_STORAGE_NAMES = {kind: name for name, kind in _STORAGES.items()}
# The first bytes of what PyTorch wrote before 1.6.
_LEGACY = pickle.dumps(0x1950A86A20F9469CFC6C, protocol=2)


class _Global:
    """A name of PyTorch that a file refers to; it need not exist here."""

    def __init__(self, module: str, name: str) -> None:
        self.line = f"c{module}\n{name}\n".encode()

    def __call__(self) -> None:
        raise TypeError("a name in a file is not called when it is written")


@cache
def _named(module: str, name: str) -> _Global:
    return _Global(module, name)


# The pickler that is written in Python, since the one in C insists on importing what it names.
_PurePickler: Any = pickle._Pickler


class _Pickler(_PurePickler):  # type: ignore[misc]
    """Writes tensors as PyTorch does, and everything else as pickle does."""

    dispatch: ClassVar[dict[Any, Any]] = dict(_PurePickler.dispatch)

    def __init__(self, file: IO[bytes], protocol: int) -> None:
        super().__init__(file, protocol=protocol)
        self.storages: dict[int, tuple[str, UntypedStorage]] = {}

    def persistent_id(self, obj: Any) -> Any:
        """Refer to a storage by the number of its record."""
        if not isinstance(obj, UntypedStorage):
            return None
        kind = obj._row.dtype
        key, _ = self.storages.setdefault(id(obj), (str(len(self.storages)), obj))
        name = _named("torch", _STORAGE_NAMES[kind])
        return ("storage", name, key, "cpu", obj.nbytes() // kind.itemsize)

    def reducer_override(self, obj: Any) -> Any:
        """Say how tensors, and what describes them, are made again."""
        if isinstance(obj, Tensor):
            return _reduced(obj)
        if isinstance(obj, Size):
            return _named("torch", "Size"), (tuple(obj),)
        if isinstance(obj, device):
            return _named("torch", "device"), (str(obj),)
        return NotImplemented

    def _save_global(self, obj: _Global) -> None:
        self.write(obj.line)
        self.memoize(obj)

    def _save_dtype(self, obj: dtype) -> None:
        self.save(_named("torch", obj._name))

    dispatch[_Global] = _save_global
    dispatch[dtype] = _save_dtype


def _reduced(tensor: Tensor) -> tuple[Any, ...]:
    geometry = (tensor.storage_offset(), tuple(tensor.shape), tensor.stride())
    base = _named("torch._utils", "_rebuild_tensor_v2")
    hooks: OrderedDict[Any, Any] = OrderedDict()
    state = tensor.__dict__
    if type(tensor) is Parameter:
        name = "_rebuild_parameter_with_state" if state else "_rebuild_parameter"
        arguments = (tensor.detach(), tensor.requires_grad, hooks)
        return _named("torch._utils", name), (*arguments, state) if state else arguments
    plain = (tensor.untyped_storage(), *geometry, tensor.requires_grad, hooks)
    if type(tensor) is Tensor and not state:
        return base, plain
    kind: Any = _named("torch", "Tensor") if type(tensor) is Tensor else type(tensor)
    return _named("torch._tensor", "_rebuild_from_type_v2"), (base, kind, plain, state)


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Write an object with all its tensors into a file, which PyTorch reads too.

    f: a path, whose file changes only when everything is written, or an object with `write`.

    >>> import io
    >>> file = io.BytesIO()
    >>> wend.save({"weight": wend.ones(2)}, file)
    >>> wend.load(file)
    {'weight': tensor([1., 1.])}
    """
    if not _use_new_zipfile_serialization:
        raise RuntimeError("wend writes PyTorch's zip format only")
    if pickle_module is not pickle:
        raise RuntimeError("wend.save works with Python's own pickle module only")
    if isinstance(f, (str, os.PathLike)):
        path = os.fsdecode(f)
        name = os.path.splitext(os.path.basename(path))[0]
        with replacing(path) as file:
            _write(obj, file, name if name.isascii() else "archive", pickle_protocol)
    elif hasattr(f, "write"):
        _write(obj, f, "archive", pickle_protocol)
    else:
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
        )


def _write(obj: Any, file: Any, name: str, protocol: int) -> None:
    content = io.BytesIO()
    pickler = _Pickler(content, protocol)
    pickler.dump(obj)
    with Writer(file, name or "archive") as writer:
        writer.write("data.pkl", content.getvalue())
        writer.write(".format_version", b"1")
        writer.write(".storage_alignment", b"64")
        writer.write("byteorder", b"little")
        for key, storage in pickler.storages.values():
            writer.write(f"data/{key}", storage._row._storage_content())
        writer.write("version", f"{VERSION}\n".encode())


_trusted: Allowed = {}


def add_safe_globals(safe_globals: Iterable[Any]) -> None:
    """Allow `load` to build these classes and call these functions; pairs give another name."""
    for each in safe_globals:
        if isinstance(each, tuple):
            what, path = each
            module, _, name = path.rpartition(".")
        else:
            what, module, name = each, each.__module__, each.__qualname__
        _trusted[module, name] = what


def get_safe_globals() -> list[Any]:
    """Return what was allowed."""
    return list(_trusted.values())


def clear_safe_globals() -> None:
    """Allow nothing more."""
    _trusted.clear()


@contextmanager
def safe_globals(safe_globals: Iterable[Any]) -> Iterator[None]:
    """Allow `load` to build these classes and call these functions in a `with` block."""
    before = dict(_trusted)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _trusted.clear()
        _trusted.update(before)


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Return what `save`, PyTorch's or wend's, wrote into a file.

    Only tensors and plain containers are built, so that a file from anywhere can do no harm.

    map_location: where tensors go that were saved from another device.
    weights_only: False builds any object, and runs what the file says: only for files one trusts.
    mmap: accepted for paths; every storage is read into memory of its own in any case.
    """
    weights_only = pickle_module is None if weights_only is None else weights_only
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if pickle_load_args and (weights_only or set(pickle_load_args) - {"encoding", "errors"}):
        raise TypeError(f"load() has no arguments {sorted(pickle_load_args)} for such a file")
    with _opened(f, bool(mmap)) as file:
        loader = _Loader(Reader(file, _begin(file)), map_location)
        if weights_only:
            return loader.weights()
        return loader.everything(pickle_module or pickle, pickle_load_args)


@contextmanager
def _opened(f: Any, mapped: bool) -> Iterator[IO[bytes]]:
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            yield file
        return
    if mapped:
        raise ValueError("f must be a file path in order to use the mmap argument")
    for needed in ("seek", "tell", "read"):
        if not hasattr(f, needed):
            raise AttributeError(
                f"'{type(f).__name__}' object has no attribute '{needed}'. You can only torch.load "
                "from a file that is seekable. Please pre-load the data into a buffer like "
                "io.BytesIO and try to load from it instead."
            )
    yield f


def _begin(file: IO[bytes]) -> int:
    """Return where a zip archive begins: where the file stands, or at its start."""
    for begin in (file.tell(), 0):
        file.seek(begin)
        head = file.read(512)
        if not isinstance(head, bytes):
            raise TypeError("load() needs a file that was opened in binary mode")
        if head[:4] == b"PK\x03\x04":
            return begin
    raise _no_archive(head)


def _no_archive(head: bytes) -> Exception:
    """Return the error for a file that begins like this and is no archive."""
    if not head:
        return EOFError("Ran out of input")
    if head[: len(_LEGACY)] == _LEGACY or head[257:262] == b"ustar":
        return RuntimeError(
            "The file is in the format that PyTorch wrote before 1.6, which wend does not read. "
            "Load it with PyTorch, and torch.save it again."
        )
    if (reason := of_head(head)) is not None:
        return RuntimeError(reason)
    return CorruptError("it is no zip archive")


class _Loader:
    """Builds what one archive holds."""

    def __init__(self, archive: Reader, map_location: Any) -> None:
        self._archive, self._map = archive, map_location
        names = archive.names()
        _require_version(archive.read("version"))
        order = archive.read("byteorder") if "byteorder" in names else b"little"
        if order not in (b"little", b"big"):
            raise CorruptError(f"the byte order is {order[:20]!r}")
        self._swapped = order == b"big"
        self._storages: dict[Any, UntypedStorage] = {}
        self._retyped: dict[tuple[int, dtype], UntypedStorage] = {}
        self._allowed = self._names()

    def weights(self) -> Any:
        """Return the object, built of tensors and plain containers only."""
        try:
            content = self._archive.read("data.pkl")
            return loads(content, self._allowed, _trusted, self.storage, of_name)
        except AbsentError:
            raise
        except pickle.UnpicklingError as error:
            raise pickle.UnpicklingError(
                "Weights only load failed. wend.load builds tensors and plain containers only, "
                "unless `weights_only` is set to `False`, which lets the file run any code: do it "
                f"only if you got the file from a trusted source.\n\t{error}"
            ) from None

    def everything(self, module: Any, arguments: dict[str, Any]) -> Any:
        """Return the object, whatever it is made of."""
        loader = self

        class Unpickler(module.Unpickler):  # type: ignore[misc]
            def find_class(self, module: str, name: str) -> Any:
                if (module, name) in loader._allowed:
                    return loader._allowed[module, name]
                if (reason := of_name(module, name)) is not None:
                    raise AbsentError(reason)
                return super().find_class(module, name)

            def persistent_load(self, pid: Any) -> UntypedStorage:
                return loader.storage(pid)

        return Unpickler(io.BytesIO(self._archive.read("data.pkl")), **arguments).load()

    def _names(self) -> Allowed:
        """What PyTorch's names in a file stand for."""
        known: Allowed = {("torch", kind._name): kind for kind in _types.DTYPES}
        known |= {("torch", name): _StorageType(kind) for name, kind in _STORAGES.items()}
        untyped = _StorageType(None)
        known["torch", "UntypedStorage"] = known["torch.storage", "UntypedStorage"] = untyped
        known["torch", "Size"] = _size
        known["torch", "device"] = _device
        known["torch", "Tensor"] = Tensor
        known["torch.nn.parameter", "Parameter"] = Parameter
        # A method is another object each time, and what may be called is known by identity.
        tensor, typed = self._tensor, self._tensor_of_type
        known["torch._utils", "_rebuild_tensor_v2"] = tensor
        known["torch._utils", "_rebuild_tensor_v3"] = tensor
        known["torch._utils", "_rebuild_parameter"] = _parameter
        known["torch._utils", "_rebuild_parameter_with_state"] = _parameter
        known["torch._tensor", "_rebuild_from_type_v2"] = typed
        return known

    def storage(self, pid: Any) -> UntypedStorage:
        """Return the storage that a file refers to, the same one each time."""
        if not (isinstance(pid, tuple) and len(pid) == 5 and pid[0] == "storage"):
            raise refuse("persistent_load expects a tuple that names a storage")
        _, kind, key, location, count = pid
        if not isinstance(kind, _StorageType) or not isinstance(key, str):
            raise refuse("persistent_load expects a type and a name of a storage")
        if not isinstance(location, str):
            raise refuse("the device of a storage has no name")
        if type(count) is not int or count < 0:
            raise refuse("the size of a storage is no number")
        if key not in self._storages:
            made = self._read(key, kind.dtype or _types.uint8, count)
            self._storages[key] = self._placed(made, location)
        storage = self._storages[key]
        if storage._row.dtype is not (kind.dtype or _types.uint8):
            raise refuse("a storage is used with two dtypes")
        return storage

    def _read(self, key: str, kind: dtype, count: int) -> UntypedStorage:
        record = f"data/{key}"
        if self._archive.size(record) != count * kind.itemsize:
            raise CorruptError(f"record {record!r} has not the size of its storage")
        return _storage_over(_native(self._archive.read(record), kind, self._swapped), kind)

    def _placed(self, storage: UntypedStorage, location: str) -> UntypedStorage:
        """Return the storage if it may be on this machine, where there is the CPU only."""
        target: Any = self._map
        if callable(target):
            moved = target(storage, location)
            if moved is not None:
                return moved if isinstance(moved, UntypedStorage) else storage
            target = None
        if isinstance(target, dict):
            target = target.get(location, location)
        kind = device(location if target is None else target).type
        if kind == "cuda":
            raise RuntimeError(
                "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() "
                "is False. If you are running on a CPU-only machine, please use torch.load with "
                "map_location=torch.device('cpu') to map your storages to the CPU."
            )
        if kind != "cpu":
            raise RuntimeError(
                f"don't know how to restore data location of torch.storage.UntypedStorage "
                f"(tagged with {kind}): wend runs on the CPU, load with map_location='cpu'"
            )
        return storage

    def _tensor(
        self,
        storage: Any,
        offset: Any,
        size: Any,
        stride: Any,
        requires_grad: Any,
        hooks: Any = None,
        kind: Any = None,
        metadata: Any = None,
    ) -> Tensor:
        """Return a tensor over a storage, if it lies within it."""
        if not isinstance(storage, UntypedStorage):
            raise refuse("a tensor has no storage")
        if isinstance(kind, dtype) and kind is not storage._row.dtype:
            storage = self._with_dtype(storage, kind)
        _require_geometry(storage._row.numel(), offset, size, stride)
        grad = bool(requires_grad) and storage._row.dtype.is_floating_point
        return rebuild(None, storage, offset, tuple(size), tuple(stride), grad)

    def _with_dtype(self, storage: UntypedStorage, kind: dtype) -> UntypedStorage:
        """Return the storage of bytes as one of a dtype, the same one each time."""
        if storage._row.dtype is not _types.uint8 or storage.nbytes() % kind.itemsize:
            raise refuse("a storage is used with two dtypes")
        known = self._retyped.get((id(storage), kind))
        if known is None:
            content = _native(storage._row._storage_content(), kind, self._swapped)
            known = self._retyped[id(storage), kind] = _storage_over(content, kind)
        return known

    def _tensor_of_type(self, build: Any, kind: Any, args: Any, state: Any) -> Tensor:
        """Return a tensor with attributes of its own."""
        if build not in (self._tensor, _parameter) or not isinstance(args, tuple):
            raise refuse("a tensor is built in an unknown way")
        made: Tensor = build(*args)
        if isinstance(kind, type) and issubclass(kind, Tensor):
            made = made if isinstance(made, kind) else Tensor._make_subclass(kind, made)
        else:
            raise refuse("a tensor's type is no tensor's")
        if state:
            give_attributes(made, state)
        return made


class _StorageType:
    """What a file calls `torch.FloatStorage` and the like."""

    def __init__(self, kind: dtype | None) -> None:
        self.dtype = kind


def _require_version(content: bytes) -> None:
    text = content.strip()
    if not text.isdigit() or len(text) > 9:
        raise CorruptError(f"the version is {content[:20]!r}")
    version = int(text)
    if version not in VERSIONS:
        word = "maximum" if version > VERSIONS[-1] else "minimum"
        bound = VERSIONS[-1] if version > VERSIONS[-1] else VERSIONS[0]
        raise RuntimeError(
            f"Attempted to read a PyTorch file with version {version}, but the {word} supported "
            f"version for reading is {bound}."
        )


def _require_geometry(count: int, offset: Any, size: Any, stride: Any) -> None:
    """Raise unless all elements of a tensor lie within the storage."""
    if not all(isinstance(each, (tuple, list)) for each in (size, stride)):
        raise refuse("the sizes or strides of a tensor are no numbers")
    if max(len(size), len(stride)) > _types.MOST_SIZES:
        raise refuse("a tensor has too many dimensions")
    numbers = (offset, *size, *stride)
    if len(size) != len(stride) or any(type(n) is not int or n < 0 for n in numbers):
        raise refuse("the sizes or strides of a tensor are no numbers")
    last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    too_large = math.prod(size) > 2**59 or max(numbers) >= 2**63
    if too_large or (0 not in size and last >= count) or offset > count:
        raise refuse("a tensor lies outside its storage")


def _native(content: bytes, kind: dtype, swapped: bool) -> bytes:
    """Return elements in this machine's byte order, bools as 0 and 1."""
    if kind is _types.bool:
        return content.translate(bytes([0] + [1] * 255))
    width = kind.itemsize
    if not swapped or width == 1:
        return content
    turned = bytearray(len(content))
    for i in range(width):
        turned[i::width] = content[width - 1 - i :: width]
    return bytes(turned)


def _storage_over(content: bytes, kind: dtype) -> UntypedStorage:
    row = _C._copy_of_bytes(content, kind, len(content) // kind.itemsize)
    storage: UntypedStorage = row.untyped_storage()
    return storage


def _size(sizes: Any = ()) -> Size:
    if not isinstance(sizes, (tuple, list)) or any(type(n) is not int for n in sizes):
        raise refuse("a size is no number")
    return Size(sizes)


def _device(kind: Any, index: Any = None) -> device:
    if not isinstance(kind, str) or type(index) not in (int, type(None)):
        raise refuse("a device has no name")
    return device(kind, index)


def _parameter(data: Any, requires_grad: Any, hooks: Any = None, state: Any = None) -> Parameter:
    if not isinstance(data, Tensor):
        raise refuse("a parameter is no tensor")
    made: Parameter = Parameter(data, bool(requires_grad))
    if state:
        give_attributes(made, state)
    return made
