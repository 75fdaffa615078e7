"""Worker processes: fetch batches elsewhere, hand them over through shared memory, never hang.

Which batches, and in which order they are given out, is wend/utils/data/dataloader.py's.

A worker gets its tasks through a socket and answers through the same one. What is large lies in an
anonymous file in memory whose descriptor goes along, so that nothing is left behind by a process
that dies, whenever it does.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from multiprocessing import parent_process, reduction
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

import wend
from wend import _C, Tensor

# Less than this goes through the socket itself.
_SMALL = 16_384


class WorkerInfo(NamedTuple):
    """What a worker knows about itself."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return this worker's id, number of workers, seed and dataset; None in the main process.

    >>> wend.utils.data.get_worker_info() is None
    True
    """
    return _info


class Failure(NamedTuple):
    """An error in a worker, to be raised where its batch is wanted."""

    kind: type[BaseException]
    text: str

    @classmethod
    def here(cls, where: str) -> Failure:
        """The error that is being handled."""
        kind, error, trace = sys.exc_info()
        assert kind is not None
        lines = "".join(traceback.format_exception(kind, error, trace))
        return cls(kind, f"Caught {kind.__name__} {where}.\nOriginal {lines}")

    def reraise(self) -> None:
        """Raise an error of the same type that shows where it came from."""
        try:
            error = _Lines(self.text) if self.kind is KeyError else self.text
            raised = self.kind(error)
        except TypeError:
            raised = RuntimeError(self.text)
        raise raised


class _Lines(str):
    """Text that KeyError shows with its line ends."""

    def __repr__(self) -> str:
        return str(self)


class Done(NamedTuple):
    """An iterable dataset has no more examples in this worker."""


class Job(NamedTuple):
    """All that a worker is started with."""

    dataset: Any
    fetcher: Callable[[], Any]
    init: Callable[[int], None] | None
    id: int
    workers: int


def serve(connection: Connection, others: list[Connection], job: Job) -> None:
    """Fetch batches until the main process wants no more, or is gone."""
    global _info
    # Ctrl-C reaches all processes; the main one tells its workers what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in others:
        other.close()
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    wend.set_num_threads(1)
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # A thread of its own sends, so that reading tasks never waits for the other side to read.
    sender = threading.Thread(target=_send_all, args=(connection, answers), daemon=True)
    sender.start()
    where = f"in DataLoader worker process {job.id}"
    fetcher: Any = None
    failure: Failure | None = None
    try:
        while (task := connection.recv()) is not None:
            epoch, number, indices, seed = task
            if seed is not None:
                fetcher, failure = _prepared(job, seed, where, first=_info is None)
            if failure is not None:
                answers.put((epoch, number, failure))
                continue
            try:
                answer = fetcher.fetch(indices)
            except StopIteration:
                answer = Done()
            except Exception:
                answer = Failure.here(where)
            answers.put((epoch, number, answer))
    except (EOFError, OSError):
        return
    answers.put(None)
    sender.join()


def _leave_with_parent() -> None:
    """End this process, whatever it is doing, when the main one has died."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _prepared(job: Job, seed: int, where: str, first: bool) -> tuple[Any, Failure | None]:
    """Begin an epoch: seed the generators, call the user's function, look at the data anew."""
    global _info
    import random

    seed += job.id
    random.seed(seed)
    wend.manual_seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    _info = WorkerInfo(job.id, job.workers, seed, job.dataset)
    try:
        if first and job.init is not None:
            job.init(job.id)
        return job.fetcher(), None
    except Exception:
        return None, Failure.here(where)


def _send_all(connection: Connection, answers: queue.SimpleQueue[Any]) -> None:
    while (answer := answers.get()) is not None:
        epoch, number, content = answer
        try:
            message = _packed((epoch, number, content))
        except Exception:
            failure = Failure.here("when a DataLoader worker packed a batch")
            message = _packed((epoch, number, failure))
        try:
            _send(connection, message)
        except OSError:
            return


class _Pickler(pickle.Pickler):
    """Pickles a batch with the bytes of its tensors set apart."""

    def reducer_override(self, obj: Any) -> Any:
        """Take of a tensor what it shows, which may be little of its storage."""
        if type(obj) is not Tensor:
            return NotImplemented
        plain = obj.detach().clone(memory_format=wend.contiguous_format)
        content = pickle.PickleBuffer(plain._storage_content())
        return _tensor, (content, obj.dtype, tuple(obj.shape), obj.requires_grad)


def _tensor(content: Any, dtype: Any, shape: tuple[int, ...], requires_grad: bool) -> Tensor:
    count = len(memoryview(content)) // dtype.itemsize
    # Memory that others could write to is slower to work with, so that it is copied once.
    row: Tensor = _C._copy_of_bytes(content, dtype, count)
    made = row.reshape(shape)
    return made.requires_grad_() if requires_grad else made


def _packed(answer: Any) -> list[Any]:
    """The pickle and the buffers that belong to it."""
    parts: list[Any] = []
    file = io.BytesIO()
    _Pickler(file, protocol=5, buffer_callback=parts.append).dump(answer)
    return [file.getbuffer(), *(part.raw() for part in parts)]


def _aligned(size: int) -> int:
    return -(-size // 64) * 64


def _send(connection: Connection, parts: list[Any]) -> None:
    """Send an answer, through shared memory if it is large."""
    sizes = [part.nbytes for part in parts]
    total = sum(map(_aligned, sizes))
    if total <= _SMALL:
        content = bytearray(total)
        _fill(content, parts, sizes)
        connection.send_bytes(pickle.dumps((sizes, content)))
        return
    descriptor = os.memfd_create("wend-batch", os.MFD_CLOEXEC)
    try:
        os.ftruncate(descriptor, total)
        with mmap.mmap(descriptor, total) as memory:
            _fill(memory, parts, sizes)
        connection.send_bytes(pickle.dumps((sizes, None)))
        reduction.send_handle(connection, descriptor, 0)
    finally:
        os.close(descriptor)


def receive(connection: Connection) -> Any:
    """Return the next answer of a worker."""
    sizes, content = pickle.loads(connection.recv_bytes())
    if content is None:
        descriptor = reduction.recv_handle(connection)
        try:
            content = mmap.mmap(descriptor, 0)
        finally:
            os.close(descriptor)
    memory = memoryview(content)
    parts = [memory[begin : begin + size] for begin, size in _places(sizes)]
    return pickle.loads(parts[0], buffers=parts[1:])


def _places(sizes: list[int]) -> Iterator[tuple[int, int]]:
    """Where each part begins, and its size."""
    at = 0
    for size in sizes:
        yield at, size
        at += _aligned(size)


def _fill(memory: Any, parts: list[Any], sizes: list[int]) -> None:
    for part, (begin, size) in zip(parts, _places(sizes), strict=True):
        memory[begin : begin + size] = part
