"""What tests of several files need around them."""

from collections.abc import Iterator

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
