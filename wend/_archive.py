"""The zip archive that PyTorch's files are: named records, not compressed, each aligned.

What is in the records is wend/serialization.py's. Nothing that a file says about itself is
believed: sizes and places are held against the file before anything is read.
"""

from __future__ import annotations

import contextlib
import os
import zipfile
from collections.abc import Iterator
from typing import IO, Any

from wend._foreign_files import of_records

ALIGNMENT = 64
# PyTorch writes 3 and reads 1 to 10.
VERSION = 3
VERSIONS = range(1, 11)

_LOCAL_HEADER = 30
_CORRUPT = (
    "PytorchStreamReader failed reading zip archive: {}. The file is corrupt, was cut off, or is "
    "not one that torch.save or wend.save wrote."
)


class CorruptError(RuntimeError):
    """A file is not what it should be."""

    def __init__(self, reason: str) -> None:
        super().__init__(_CORRUPT.format(reason))


class _Forward:
    """A file that is only ever written to at its end, counted from here."""

    def __init__(self, file: Any) -> None:
        self._write = file.write
        self._flush = getattr(file, "flush", None)

    def write(self, content: Any) -> int:
        """Write all of it, to files too that take a part at a time, or do not say how much."""
        rest: Any = content
        while True:
            taken = self._write(rest)
            if not isinstance(taken, int) or not 0 <= taken < len(rest):
                return len(content)
            if not taken:
                raise OSError("the file takes no more")
            rest = memoryview(rest)[taken:]

    def flush(self) -> None:
        """Flush, where the file can."""
        if self._flush is not None:
            self._flush()


class Writer:
    """Writes records into a file."""

    def __init__(self, file: Any, name: str) -> None:
        end: Any = _Forward(file)
        self._zip = zipfile.ZipFile(end, "w", zipfile.ZIP_STORED)
        self._name = name

    def write(self, record: str, content: bytes) -> None:
        """Add a record whose content begins on the boundary."""
        info = zipfile.ZipInfo(f"{self._name}/{record}")
        # Past 2 GB the header has 20 bytes more.
        more = 20 if len(content) * 1.05 > zipfile.ZIP64_LIMIT else 0
        assert self._zip.fp is not None
        begin = self._zip.fp.tell() + _LOCAL_HEADER + len(info.filename.encode()) + more + 4
        padding = -begin % ALIGNMENT
        info.extra = b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
        self._zip.writestr(info, content)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        """Write the directory, without which the file is not whole, unless something failed."""
        if error[0] is not None:
            self._zip.fp = None  # or it would be tried again when nobody listens
        try:
            self._zip.close()
        finally:
            self._zip.fp = None


class Reader:
    """Reads records from a file that may be anything, from where its first one begins."""

    def __init__(self, file: IO[bytes], begin: int = 0) -> None:
        with _corrupt("failed finding central directory"):
            self._zip = zipfile.ZipFile(file)
            file.seek(0, os.SEEK_END)
            size = file.tell()
            infos = self._zip.infolist()
        if (reason := of_records([info.filename for info in infos])) is not None:
            raise RuntimeError(reason)
        self._records: dict[str, zipfile.ZipInfo] = {}
        end = begin
        for info in sorted(infos, key=lambda info: info.header_offset):
            if not self._records and info.header_offset != begin:
                raise CorruptError("something else lies before its records")
            end = self._accept(info, end, size)
        tops = {name.partition("/")[0] for name in self._records if "/" in name}
        if len(tops) != 1:
            raise CorruptError("the records are not in one folder")
        (self._name,) = tops

    def _accept(self, info: zipfile.ZipInfo, end: int, size: int) -> int:
        """Take a record into the list if it may be read, and return where it ends."""
        name = info.filename
        if name in self._records:
            raise CorruptError(f"record {name!r} is there twice")
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
            raise CorruptError(f"record {name!r} is compressed or encrypted")
        if info.compress_size != info.file_size:
            raise CorruptError(f"record {name!r} says two different sizes")
        stop = info.header_offset + _LOCAL_HEADER + info.compress_size
        if info.header_offset < end or info.compress_size < 0 or stop > size:
            raise CorruptError(f"record {name!r} lies outside the file or within another one")
        self._records[name] = info
        return stop

    def names(self) -> list[str]:
        """Return the names of all records."""
        start = f"{self._name}/"
        return [name.removeprefix(start) for name in self._records if name.startswith(start)]

    def size(self, record: str) -> int:
        """Return how many bytes a record has."""
        return self._info(record).file_size

    def read(self, record: str) -> bytes:
        """Return the content of a record."""
        info = self._info(record)
        with _corrupt(f"record {record!r} cannot be read"):
            content = self._zip.read(info)
        if len(content) != info.file_size:
            raise CorruptError(f"record {record!r} is cut off")
        return content

    def _info(self, record: str) -> zipfile.ZipInfo:
        found = self._records.get(f"{self._name}/{record}")
        if found is None:
            raise CorruptError(f"file not found: {self._name}/{record}")
        return found


@contextlib.contextmanager
def _corrupt(reason: str) -> Iterator[None]:
    """Say of any error in here that the file is corrupt; running out of memory stays what it is."""
    try:
        yield
    except (MemoryError, CorruptError):
        raise
    except Exception as error:
        raise CorruptError(f"{reason} ({error})") from error
