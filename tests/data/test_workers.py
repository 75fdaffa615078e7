"""Worker processes give the same batches, show their errors, never hang and leave nothing."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from both import wend

data = wend.utils.data
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")


class Squares(data.Dataset):  # type: ignore[misc,name-defined]
    def __init__(self, size: int = 10, width: int = 3) -> None:
        self.size, self.width = size, width

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, i: int) -> Any:
        return wend.full((self.width,), float(i * i)), i, f"number {i}"


def nested(batches: Any) -> list[Any]:
    return [[values.tolist(), numbers.tolist(), names] for values, numbers, names in batches]


@pytest.mark.parametrize("width", [3, 20_000])
@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_workers_give_the_same_batches_in_order(width: int, context: str) -> None:
    alone = data.DataLoader(Squares(width=width), 3)
    helped = data.DataLoader(
        Squares(width=width), 3, num_workers=2, multiprocessing_context=context
    )
    assert nested(helped) == nested(alone)


def test_batches_are_tensors_of_their_own() -> None:
    batches = list(data.DataLoader(Squares(width=20_000), 2, num_workers=1))
    batches[0][0].add_(1)
    assert batches[0][0][0, 0].item() == 1.0
    assert batches[1][0][0, 0].item() == 4.0


def test_persistent_workers_go_on_and_epochs_may_be_left_early() -> None:
    loader = data.DataLoader(Squares(), 2, num_workers=2, persistent_workers=True)
    expected = nested(data.DataLoader(Squares(), 2))
    first = iter(loader)
    next(first)
    pids = [process.pid for process in loader._iterator._processes]
    assert nested(loader) == expected
    assert nested(loader) == expected
    assert [process.pid for process in loader._iterator._processes] == pids
    loader._iterator.stop()


class Stream(data.IterableDataset):  # type: ignore[misc,name-defined]
    def __iter__(self) -> Iterator[int]:
        info = data.get_worker_info()
        assert info is not None
        return iter(range(info.id * 100, info.id * 100 + 3 + info.id))


def test_each_worker_has_its_part_of_a_stream() -> None:
    loader = data.DataLoader(Stream(), 2, num_workers=2)
    batches = [batch.tolist() for batch in loader]
    assert sorted(i for batch in batches for i in batch) == [0, 1, 2, 100, 101, 102, 103]
    assert batches == [[0, 1], [100, 101], [2], [102, 103]]


class Seeds(data.Dataset):  # type: ignore[misc,name-defined]
    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> Any:
        info = data.get_worker_info()
        assert info is not None
        return wend.tensor([info.id, info.num_workers, info.seed]), wend.rand(1)


def test_workers_are_seeded_from_the_generator() -> None:
    def run(seed: int) -> list[Any]:
        generator = wend.Generator().manual_seed(seed)
        loader = data.DataLoader(Seeds(), 1, num_workers=2, generator=generator)
        return [[facts.tolist(), value.item()] for facts, value in loader]

    assert run(1) == run(1)
    assert run(1) != run(2)
    (first, _), (second, _) = run(1)[:2]
    assert first[0][:2] == [0, 2]
    assert second[0][:2] == [1, 2]
    assert second[0][2] == first[0][2] + 1
    assert len({value for _, value in run(1)}) == 4


class Broken(Squares):
    def __init__(self, error: type[Exception]) -> None:
        super().__init__()
        self.error = error

    def __getitem__(self, i: int) -> Any:
        if i == 5:
            raise self.error("example five is broken")
        return super().__getitem__(i)


@pytest.mark.parametrize("error", [ValueError, KeyError])
def test_an_error_in_a_worker_is_raised_with_its_traceback(error: type[Exception]) -> None:
    loader = data.DataLoader(Broken(error), 1, num_workers=2)
    epoch = iter(loader)
    assert [next(epoch)[1].item() for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(error, match="in DataLoader worker process 1") as caught:
        next(epoch)
    assert "example five is broken" in str(caught.value)
    assert "__getitem__" in str(caught.value)


def fail(worker: int) -> None:
    raise RuntimeError(f"no start for {worker}")


def test_an_error_in_worker_init_fn_is_raised() -> None:
    with pytest.raises(RuntimeError, match="no start for 0"):
        next(iter(data.DataLoader(Squares(), 1, num_workers=1, worker_init_fn=fail)))


def unpicklable(examples: Any) -> Any:
    return lambda: examples


def test_a_batch_that_cannot_be_sent_is_an_error() -> None:
    loader = data.DataLoader(Squares(), 1, num_workers=1, collate_fn=unpicklable)
    with pytest.raises(Exception, match="pickle"):
        next(iter(loader))


class Deadly(Squares):
    def __getitem__(self, i: int) -> Any:
        if i == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(i)


def test_a_killed_worker_is_an_error_and_no_hang() -> None:
    with pytest.raises(
        RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly"
    ):
        list(data.DataLoader(Deadly(), 1, num_workers=2))


class Slow(Squares):
    def __getitem__(self, i: int) -> Any:
        time.sleep(60)


def test_time_runs_out() -> None:
    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0\.2 seconds"):
        next(iter(data.DataLoader(Slow(), 1, num_workers=1, timeout=0.2)))


def test_batches_may_come_as_they_are_ready() -> None:
    loader = data.DataLoader(Squares(), 1, num_workers=2, in_order=False)
    assert sorted(numbers.item() for _, numbers, _ in loader) == list(range(10))


def test_large_tasks_and_answers_do_not_block_each_other() -> None:
    indices = [list(range(10)) * 30_000 for _ in range(6)]
    loader = data.DataLoader(
        range(10), batch_sampler=indices, num_workers=1, prefetch_factor=5, collate_fn=list
    )
    assert [len(batch) for batch in loader] == [300_000] * 6


def test_no_worker_outlives_its_loader() -> None:
    loader = data.DataLoader(Squares(), 1, num_workers=2)
    epoch = iter(loader)
    next(epoch)
    processes = epoch._workers._processes
    assert all(process.is_alive() for process in processes)
    del epoch
    assert not any(process.is_alive() for process in processes)


PROGRAM = """
import os, signal, sys, time
import wend
# A shell starts what it puts into the background deaf to Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
class Slow(wend.utils.data.Dataset):
    def __len__(self): return 10
    def __getitem__(self, i):
        if i: time.sleep(60)
        return i
if __name__ == "__main__":
    epoch = iter(wend.utils.data.DataLoader(Slow(), 1, num_workers=2))
    next(epoch)
    print(*[process.pid for process in epoch._workers._processes], flush=True)
    next(epoch)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_program(how: signal.Signals, tmp_path: Any) -> None:
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(PROGRAM))
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        assert program.stdout is not None
        pids = [int(pid) for pid in program.stdout.readline().split()]
        assert len(pids) == 2
        if how is signal.SIGINT:
            os.killpg(program.pid, how)  # as the terminal does
        else:
            program.kill()
        _, errors = program.communicate(timeout=30)
    if how is signal.SIGINT:
        assert "KeyboardInterrupt" in errors
        assert program.returncode != 0
    # The workers' copies of the pipes are closed, so that they are ending; the system may take a
    # moment more, and may not have buried them yet.
    for _ in range(300):
        if all(gone(pid) for pid in pids):
            break
        time.sleep(0.1)
    assert all(gone(pid) for pid in pids)


def gone(pid: int) -> bool:
    """Whether a process has ended."""
    try:
        return ") Z " in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
