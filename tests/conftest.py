"""What tests of several files need around them."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import wend


@pytest.fixture
def two_threads() -> Iterator[None]:
    """A pool of two, whatever the machine has."""
    before = wend.get_num_threads()
    wend.set_num_threads(2)
    yield
    wend.set_num_threads(before)


@pytest.fixture(scope="session", autouse=True)
def unwatched_workers() -> Iterator[None]:
    """What is counted does not depend on what else the machine does."""
    before = wend._C._watch_workers(False)
    yield
    wend._C._watch_workers(before)


@pytest.fixture
def resident_memory() -> None:
    """The memory that a process takes can be told."""
    if not Path("/proc/self/statm").exists() or "libasan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("memory is read from /proc, where AddressSanitizer's own is counted too")
