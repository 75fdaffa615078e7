"""Files in the safetensors format: a header in JSON, then the tensors' bytes one after the other.

It is read and written here directly; nothing in such a file can do more than be refused.
"""

from __future__ import annotations

import json
import math
import os
from typing import IO, Any

from wend import _C, _types
from wend._C import Tensor
from wend._replacing import replacing
from wend._types import dtype

__all__ = ["load", "load_file", "save", "save_file"]

_DTYPES = {
    "F64": _types.float64,
    "F32": _types.float32,
    "F16": _types.float16,
    "BF16": _types.bfloat16,
    "I64": _types.int64,
    "I32": _types.int32,
    "I16": _types.int16,
    "I8": _types.int8,
    "U8": _types.uint8,
    "BOOL": _types.bool,
}
_NAMES = {kind: name for name, kind in _DTYPES.items()}
_LONGEST_HEADER = 100_000_000
_METADATA = "__metadata__"


class SafetensorError(Exception):
    """A file is not in the safetensors format."""


def save(tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> bytes:
    """Return the bytes of a file that holds the tensors by name.

    >>> from wend.utils import safetensors
    >>> safetensors.load(safetensors.save({"weight": wend.ones(2)}))
    {'weight': tensor([1., 1.])}
    """
    _require_apart(tensors)
    header: dict[str, Any] = {} if metadata is None else {_METADATA: _checked(metadata)}
    parts, end = [], 0
    # The largest elements first, so that each lies on a multiple of its size.
    for name, tensor in sorted(
        tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])
    ):
        content = tensor.detach().clone(memory_format=_types.contiguous_format)._storage_content()
        begin, end = end, end + len(content)
        parts.append(content)
        header[name] = {
            "dtype": _NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [begin, end],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def save_file(
    tensors: dict[str, Tensor],
    filename: str | os.PathLike[str],
    metadata: dict[str, str] | None = None,
) -> None:
    """Write tensors by name into a file, which changes only when everything is written."""
    content = save(tensors, metadata)
    with replacing(os.fsdecode(filename)) as file:
        file.write(content)


def load(data: bytes) -> dict[str, Tensor]:
    """Return the tensors by name from the bytes of a file."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"load() needs bytes, not {type(data).__name__}")
    data = bytes(data)
    if len(data) < 8:
        raise SafetensorError("Error while deserializing: header too small")
    length = int.from_bytes(data[:8], "little")
    if length > _LONGEST_HEADER:
        raise SafetensorError("Error while deserializing: header too large")
    if 8 + length > len(data):
        raise SafetensorError("Error while deserializing: invalid header length")
    entries = _entries(data[8 : 8 + length])
    _require_covered(entries, len(data) - 8 - length)
    body = memoryview(data)[8 + length :]
    return {name: _tensor(entry, body) for name, entry in entries.items()}


def load_file(filename: str | os.PathLike[str], device: Any = "cpu") -> dict[str, Tensor]:
    """Return the tensors by name from a file."""
    _types.require_cpu(device)
    with open(filename, "rb") as file:
        return load(_whole(file))


def _whole(file: IO[bytes]) -> bytes:
    """The content of a file, unless its header already rules it out."""
    head = file.read(8)
    if int.from_bytes(head, "little") > _LONGEST_HEADER:
        raise SafetensorError("Error while deserializing: header too large")
    return head + file.read()


def _checked(metadata: Any) -> dict[str, str]:
    if not isinstance(metadata, dict) or not all(
        isinstance(text, str) for pair in metadata.items() for text in pair
    ):
        raise SafetensorError("metadata must be a dict of strings by strings")
    return metadata


def _require_apart(tensors: Any) -> None:
    """Raise unless these are tensors by name, none of which shares memory with another."""
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    owners: dict[int, str] = {}
    for name, tensor in tensors.items():
        if not isinstance(name, str) or not isinstance(tensor, Tensor):
            raise ValueError(
                f"Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}"
            )
        if name == _METADATA:
            raise ValueError(f"{_METADATA} cannot be the name of a tensor")
        other = owners.setdefault(tensor._storage_key(), name) if tensor.numel() else name
        if other != name:
            raise RuntimeError(
                f"Some tensors share memory, this will lead to duplicate memory on disk and "
                f"potential differences when loading them again: {[{other, name}]}"
            )


class _Entry:
    """One tensor as the header describes it, checked."""

    def __init__(self, name: str, entry: Any) -> None:
        if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
            raise SafetensorError(f"Error while deserializing: invalid entry {name!r}")
        if not isinstance(entry["dtype"], str) or entry["dtype"] not in _DTYPES:
            raise SafetensorError(f"tensor {name!r} has dtype {entry['dtype']!r}, which wend lacks")
        self.dtype: dtype = _DTYPES[entry["dtype"]]
        self.shape = self._numbers(name, entry["shape"])
        offsets = self._numbers(name, entry["data_offsets"])
        size = math.prod(self.shape) * self.dtype.itemsize
        if len(offsets) != 2 or offsets[1] - offsets[0] != size or size >= 2**62:
            raise SafetensorError(f"Error while deserializing: invalid offsets of {name!r}")
        self.begin, self.end = offsets

    @staticmethod
    def _numbers(name: str, numbers: Any) -> list[int]:
        if (
            not isinstance(numbers, list)
            or len(numbers) > _types.MOST_SIZES
            or any(type(n) is not int or n < 0 or n >= 2**62 for n in numbers)
        ):
            raise SafetensorError(f"Error while deserializing: invalid numbers of {name!r}")
        return numbers


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise SafetensorError("Error while deserializing: a name is there twice")
    return found


def _entries(text: bytes) -> dict[str, _Entry]:
    """What the header says, by name of the tensor."""
    if text[:1] != b"{":
        raise SafetensorError("Error while deserializing: invalid header start")
    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise SafetensorError(f"Error while deserializing: invalid header ({error})") from None
    if _METADATA in header:
        _checked(header.pop(_METADATA))
    return {name: _Entry(name, entry) for name, entry in header.items()}


def _require_covered(entries: dict[str, _Entry], size: int) -> None:
    """Raise unless the tensors lie one after the other and leave no byte over."""
    end = 0
    for entry in sorted(entries.values(), key=lambda entry: (entry.begin, entry.end)):
        if entry.begin != end:
            raise SafetensorError("Error while deserializing: tensors overlap or leave a gap")
        end = entry.end
    if end != size:
        raise SafetensorError("Error while deserializing: the file is not as long as it says")


def _tensor(entry: _Entry, body: memoryview) -> Tensor:
    content = bytes(body[entry.begin : entry.end])
    if entry.dtype is _types.bool:
        content = content.translate(bytes([0] + [1] * 255))
    row: Tensor = _C._copy_of_bytes(content, entry.dtype, math.prod(entry.shape))
    try:
        return row.reshape(entry.shape)
    except RuntimeError as error:  # of too many dimensions, or strides beyond 64 bits
        reason = str(error).partition("\n")[0]
        raise SafetensorError(f"Error while deserializing: invalid shape ({reason})") from None
