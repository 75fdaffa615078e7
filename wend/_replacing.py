"""Files that change only when all of their new content is written, and that leave nothing behind.

What is written is the caller's. A process that is killed while it writes leaves either nothing, or
where the system has no files without names, a temporary file that the next writer takes away.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from typing import IO, Any

try:
    import fcntl
except ImportError:  # there are systems without it
    fcntl = None  # type: ignore[assignment]

_ENDING = ".wend-tmp"
# In bytes; names of files have 255 at most.
_LONGEST_START = 200


@contextlib.contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """Give a file to write that takes the place of `path` when all is written, and only then."""
    if not os.path.basename(path):
        open(path, "wb").close()  # raises: it is nothing, or a folder
    path = os.path.realpath(path)
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    before = os.stat(path) if os.path.lexists(path) else None
    if before is not None and not stat.S_ISREG(before.st_mode):
        with open(path, "wb") as file:  # a device or a pipe cannot be replaced
            yield file
        return
    if before is not None:
        open(path, "ab").close()  # raises where the file may not be written, though its folder may
    _remove_abandoned(path)
    with _Temporary(path) as temporary:
        yield temporary.file
        temporary.file.flush()
        os.fsync(temporary.file.fileno())
        if before is not None:
            os.chmod(temporary.file.fileno(), stat.S_IMODE(before.st_mode))
        temporary.take_place()


class _Temporary:
    """A file in the folder of `path`, locked for as long as somebody writes it."""

    def __init__(self, path: str) -> None:
        self._path = path
        name = f"{_start(path)}.{os.urandom(4).hex()}{_ENDING}"
        self._name = os.path.join(os.path.dirname(path), name)
        self._named = False
        self.file: IO[bytes] = self._without_name() or self._with_name()

    def _without_name(self) -> Any:
        flag, folder = getattr(os, "O_TMPFILE", 0), os.path.dirname(self._path)
        if not flag or not os.path.exists("/proc/self/fd"):
            return None
        try:
            descriptor = os.open(folder, flag | os.O_RDWR | os.O_CLOEXEC, 0o666)
        except OSError:  # the file system has no such files, or something that is told below
            return None
        _lock(descriptor)
        return open(descriptor, "wb")

    def _with_name(self) -> IO[bytes]:
        while True:
            file = open(self._name, "xb")  # noqa: SIM115
            self._named = True
            _lock(file.fileno())
            # Until it was locked it looked abandoned.
            if os.path.exists(self._name):
                return file
            file.close()

    def take_place(self) -> None:
        """Become the file at `path`."""
        if not self._named:
            # With a folder, which such a path does not need, the link itself is followed.
            descriptor = self.file.fileno()
            os.link(f"/proc/self/fd/{descriptor}", self._name, src_dir_fd=descriptor)
            self._named = True
        os.replace(self._name, self._path)
        self._named = False

    def __enter__(self) -> _Temporary:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.ExitStack() as last:
            if self._named:
                last.callback(_unlink, self._name)
            if error[0] is None:
                self.file.close()
                return
            with contextlib.suppress(OSError):  # the first error is the one to tell
                self.file.close()


def _start(path: str) -> str:
    """What names of temporary files for `path` begin with; all of it may be too long."""
    return os.fsdecode(os.fsencode(os.path.basename(path))[:_LONGEST_START])


def _lock(descriptor: int) -> None:
    """Show that somebody writes the file; a process that ends lets go of it."""
    if fcntl is not None:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)


def _remove_abandoned(path: str) -> None:
    """Take away temporary files for `path` of processes that were killed."""
    if fcntl is None:
        return
    name = re.compile(re.escape(_start(path)) + r"\.[0-9a-f]{8}" + re.escape(_ENDING))
    folder = os.path.dirname(path)
    with contextlib.suppress(OSError):
        for each in os.listdir(folder):
            if name.fullmatch(each):
                _remove_if_abandoned(os.path.join(folder, each))


def _remove_if_abandoned(path: str) -> None:
    with contextlib.suppress(OSError), open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _unlink(path)


def _unlink(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
