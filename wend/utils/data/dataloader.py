"""DataLoader: a dataset's examples in batches, fetched here or by worker processes.

What a worker does, and how a batch comes over, is wend/utils/data/_workers.py's.
"""

from __future__ import annotations

import functools
import itertools
import multiprocessing
import warnings
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from wend import Generator
from wend.utils.data._collate import default_collate, default_convert
from wend.utils.data._workers import Done, Failure, Job, get_worker_info, receive, serve
from wend.utils.data.dataset import IterableDataset
from wend.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    new_seed,
)

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

T_co = TypeVar("T_co", covariant=True)


class _InfiniteConstantSampler(Sampler[None]):
    """Asks an iterable dataset for more, as often as it has any."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


class _DatasetKind:
    """How a dataset gives its examples: by index, or one after the other."""

    Map = 0
    Iterable = 1


class _ByIndex:
    """Fetches examples by number, many for a batch or one."""

    def __init__(self, dataset: Any, batched: bool, collate: Callable[[Any], Any]) -> None:
        self.dataset, self.batched, self.collate = dataset, batched, collate

    def fetch(self, index: Any) -> Any:
        """Return a batch."""
        if not self.batched:
            return self.collate(self.dataset[index])
        many = getattr(self.dataset, "__getitems__", None)
        examples = many(index) if many else [self.dataset[i] for i in index]
        return self.collate(examples)


class _ByIteration:
    """Fetches the next examples, as many as there are indices or one."""

    def __init__(
        self, dataset: Any, batched: bool, collate: Callable[[Any], Any], drop_last: bool
    ) -> None:
        self.examples = iter(dataset)
        self.batched, self.collate, self.drop_last = batched, collate, drop_last

    def fetch(self, index: Any) -> Any:
        """Return a batch; raise StopIteration when there is none."""
        if not self.batched:
            return self.collate(next(self.examples))
        examples = list(itertools.islice(self.examples, len(index)))
        if not examples or (self.drop_last and len(examples) < len(index)):
            raise StopIteration
        return self.collate(examples)


class DataLoader(Generic[T_co]):
    """Gives a dataset's examples in batches.

    batch_size: None for examples one by one, as they are.
    num_workers: how many processes fetch; 0 for this one.
    worker_init_fn: called with its number in each worker.
    prefetch_factor: how many batches each worker is ahead.
    persistent_workers: keep the workers from epoch to epoch.
    pin_memory: accepted; memory is pinned for accelerators, which wend does not use.

    >>> list(wend.utils.data.DataLoader(range(5), batch_size=2))
    [tensor([0, 1]), tensor([2, 3]), tensor([4])]
    """

    _iterator: _Workers | None = None
    _initialized = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _require_worker_options(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = _context(multiprocessing_context, num_workers)
        self.in_order = in_order
        self.persistent_workers = persistent_workers
        self.generator = generator
        iterable = isinstance(dataset, IterableDataset)
        if iterable:
            _require_no_sampler(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, "
                    "sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching "
                "and is mutually exclusive with drop_last"
            )
        if sampler is None:
            if iterable:
                sampler = _InfiniteConstantSampler()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        if collate_fn is None:
            collate_fn = default_convert if batch_sampler is None else default_collate
        self.collate_fn = collate_fn
        self._initialized = True

    def __setattr__(self, name: str, value: Any) -> None:
        fixed = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset")
        if self._initialized and name in (*fixed, "persistent_workers"):
            raise ValueError(
                f"{name} attribute should not be set after {self.__class__.__name__} is initialized"
            )
        super().__setattr__(name, value)

    @property
    def _dataset_kind(self) -> int:
        iterable = isinstance(self.dataset, IterableDataset)
        return _DatasetKind.Iterable if iterable else _DatasetKind.Map

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    def _fetcher(self) -> Callable[[], Any]:
        """What makes the fetcher of an epoch, here or in a worker."""
        batched = self.batch_sampler is not None
        if isinstance(self.dataset, IterableDataset):
            kind: Any = functools.partial(_ByIteration, drop_last=self.drop_last)
        else:
            kind = _ByIndex
        return functools.partial(kind, self.dataset, batched, self.collate_fn)

    def __iter__(self) -> Iterator[T_co]:
        if self.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, "
                "then device pinned memory won't be used.",
                stacklevel=2,
            )
        return self._get_iterator()

    def _get_iterator(self) -> Iterator[T_co]:
        """An epoch's batches, fetched here or by workers."""
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        if self.persistent_workers:
            if self._iterator is None or self._iterator.stopped:
                self._iterator = _Workers(self)
            return self._iterator.epoch()
        return _MultiProcessingDataLoaderIter(self)

    def _indices(self) -> Iterable[Any]:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    @property
    def _index_sampler(self) -> Iterable[Any]:
        return self._indices()

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self._indices())  # type: ignore[arg-type]
        length = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)


def _require_worker_options(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent: bool
) -> None:
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; "
            "use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _require_no_sampler(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    """Raise for what an iterable dataset cannot follow."""
    given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, "
                f"but got {name}={value}"
            )


def _context(given: Any, num_workers: int) -> Any:
    if given is None:
        return None
    if num_workers == 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading "
            f"(num_workers > 0), but got num_workers={num_workers}"
        )
    if isinstance(given, str):
        methods = multiprocessing.get_all_start_methods()
        if given not in methods:
            raise ValueError(
                "multiprocessing_context option should specify a valid start method in "
                f"{methods!r}, but got multiprocessing_context={given!r}"
            )
        return multiprocessing.get_context(given)
    if not isinstance(given, multiprocessing.context.BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string "
            f"specifying the start method, but got multiprocessing_context={given}"
        )
    return given


class _Workers:
    """The worker processes of a loader."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._loader = loader
        self.stopped = False
        self._epoch = 0
        self._connections: list[Connection] = []
        self._processes: list[Any] = []
        context: Any = loader.multiprocessing_context or multiprocessing.get_context()
        forked = context.get_start_method() == "fork"
        for i in range(loader.num_workers):
            ours, theirs = context.Pipe()
            job = Job(
                loader.dataset, loader._fetcher(), loader.worker_init_fn, i, loader.num_workers
            )
            # A fork inherits the ends of the others' sockets, and would keep them open.
            inherited = [*self._connections, ours] if forked else []
            process = context.Process(target=serve, args=(theirs, inherited, job), daemon=True)
            process.start()
            theirs.close()
            self._connections.append(ours)
            self._processes.append(process)

    def epoch(self) -> Iterator[Any]:
        """Begin an epoch, and return its batches; the workers stay."""
        return _MultiProcessingDataLoaderIter(self._loader, self)

    def next_epoch(self) -> int:
        """Return the number of the epoch that begins."""
        self._epoch += 1
        return self._epoch

    def send(self, worker: int, task: Any) -> None:
        """Give a worker a task."""
        try:
            self._connections[worker].send(task)
        except OSError:
            self._raise_dead([worker])

    def receive(self, workers: list[int], timeout: float) -> tuple[int, Any]:
        """Return the next answer of any of the workers; raise if one is dead or time is up."""
        by_handle: dict[Any, int] = {self._connections[i]: i for i in workers}
        sentinels = {self._processes[i].sentinel: i for i in workers}
        ready: list[Any] = list(wait([*by_handle, *sentinels], timeout or None))
        if not ready:
            self.stop()
            raise RuntimeError(f"DataLoader timed out after {timeout:g} seconds")
        for handle in ready:
            if handle in by_handle:
                try:
                    return by_handle[handle], receive(handle)
                except (EOFError, OSError):
                    self._raise_dead([by_handle[handle]])
        self._raise_dead([sentinels[handle] for handle in ready])
        raise AssertionError

    def _raise_dead(self, workers: list[int]) -> None:
        for i in workers:
            self._processes[i].join(1)
        pids = ", ".join(str(self._processes[i].pid) for i in workers)
        codes = ", ".join(str(self._processes[i].exitcode) for i in workers)
        self.stop()
        raise RuntimeError(
            f"DataLoader worker (pid(s) {pids}) exited unexpectedly\n"
            f"  with exit code {codes}; a negative code is the signal that ended it"
        )

    def stop(self) -> None:
        """End all workers, whatever they are doing."""
        if self.stopped:
            return
        self.stopped = True
        for connection in self._connections:
            connection.close()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(5)
            if process.is_alive():
                process.kill()
                process.join()

    def __del__(self) -> None:
        if hasattr(self, "_processes"):
            self.stop()


class _BaseDataLoaderIter(Iterator[Any]):
    """The batches of one epoch: subclasses give the next one."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._loader = loader
        self._dataset = loader.dataset
        self._num_workers = loader.num_workers
        self._num_yielded = 0
        self._indices = iter(loader._indices())

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        batch = self._next_data()
        self._num_yielded += 1
        return batch

    def __len__(self) -> int:
        return len(self._loader)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """The batches of one epoch, fetched in this process."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self._fetcher = loader._fetcher()()

    def _next_data(self) -> Any:
        return self._fetcher.fetch(next(self._indices))


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """The batches of one epoch, by worker processes; they end with it if they are its own."""

    def __init__(self, loader: DataLoader[Any], workers: _Workers | None = None) -> None:
        super().__init__(loader)
        self._last = workers is None
        self._workers = _Workers(loader) if workers is None else workers
        self._number = self._workers.next_epoch()
        self._active = list(range(loader.num_workers))
        self._sent = self._given = 0
        self._owner: dict[int, int] = {}
        self._held: dict[int, Any] = {}
        self._turn = 0
        self._unseeded = set(self._active)
        self._seed = new_seed(loader.generator)
        self._finished = False
        for _ in range((loader.prefetch_factor or 1) * loader.num_workers):
            self._ask()

    def _ask(self) -> None:
        """Send the next task to the next worker in turn."""
        if not self._active:
            return
        try:
            index = next(self._indices)
        except StopIteration:
            return
        worker = self._active[self._turn % len(self._active)]
        self._turn += 1
        seed = self._seed if worker in self._unseeded else None
        self._unseeded.discard(worker)
        self._owner[self._sent] = worker
        self._workers.send(worker, (self._number, self._sent, index, seed))
        self._sent += 1

    def _next_data(self) -> Any:
        while not self._finished:
            number = self._ready()
            if number is not None:
                batch = self._held.pop(number)
                if isinstance(batch, Done):
                    continue
                self._ask()
                if isinstance(batch, Failure):
                    self._end()
                    batch.reraise()
                return batch
            if not self._owner:
                self._end()
                break
            self._take()
        raise StopIteration

    def _ready(self) -> int | None:
        """The number of a batch that can be given out now."""
        if not self._loader.in_order:
            return next(iter(self._held), None)
        while self._given < self._sent and self._given not in self._owner:
            self._given += 1
            if self._given - 1 in self._held:
                return self._given - 1
        return None

    def _take(self) -> None:
        """Wait for an answer, and keep it."""
        waiting = sorted(set(self._owner.values()))
        worker, (epoch, number, batch) = self._workers.receive(waiting, self._loader.timeout)
        if epoch != self._number:
            return  # from an epoch that was left early
        del self._owner[number]
        self._held[number] = batch
        if isinstance(batch, Done) and worker in self._active:
            self._active.remove(worker)
            self._ask()

    def _end(self) -> None:
        self._finished = True
        if self._last:
            self._workers.stop()

    def _shutdown_workers(self) -> None:
        """End the workers, whatever they are doing."""
        self._finished = True
        self._workers.stop()
