"""How programs may be run: what runs as one, in one pass, beside the scheduler, and how soon.

Whatever the setting, programs give the same. To try other programs, and more of them:
WEND_PROGRAMS=20000 pytest tests/test_batching.py
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import wend

ASKED = os.environ.get("WEND_PROGRAMS")
ALWAYS_WAIT = (-1, -1)  # what it costs an example to wait, and to put a batch together
MANY = 1 << 16  # nodes, and as many KiB: bounds that small programs do not reach


@dataclass(frozen=True)
class Way:
    batching: bool = True
    launching: bool = False  # even the smallest kernels run beside the scheduler
    starting: tuple[int, int] = (MANY, MANY)  # early: from so many nodes on, so many of a kind
    late_from: int = 512  # nodes of which those are told that can wait for all of their kind
    fuses_from: int = 1024  # elements
    waiting: bool = False  # examples wait for each other however little they need
    nodes: int = MANY  # that may be pending ...
    bytes: int = MANY << 10  # ... and bytes of their values


WAYS = st.builds(
    Way,
    batching=st.sampled_from([True, True, False]),
    launching=st.booleans(),
    starting=st.sampled_from([(MANY, MANY), (8, 2), (20, 2), (40, 4)]),
    late_from=st.sampled_from([512, 1]),
    fuses_from=st.sampled_from([1, 1, 4, 1024]),
    waiting=st.booleans(),
    nodes=st.sampled_from([MANY, MANY, 7, 50, 400]),
    bytes=st.sampled_from([MANY << 10, MANY << 10, 100, 2000]),
)


@contextmanager
def running(way: Way) -> Iterator[None]:
    threads = wend.get_num_threads()
    launches_from = wend._C._set_launches_from(0 if way.launching else 20_000)
    starting = wend._C._set_early_start(*way.starting)
    late_from = wend._C._set_late_kinds_from(way.late_from)
    costs = wend._C._set_waiting_costs(*(ALWAYS_WAIT if way.waiting else (450, 400)))
    if way.launching or way.starting[0] < MANY:
        wend.set_num_threads(max(2, threads))
    with ExitStack() as stack:
        stack.callback(wend._C._set_launches_from, launches_from)
        stack.callback(wend._C._set_early_start, *starting)
        stack.callback(wend._C._set_late_kinds_from, late_from)
        stack.callback(wend._C._set_waiting_costs, *costs)
        stack.callback(wend.set_num_threads, threads)
        stack.enter_context(wend.batching(way.batching))
        stack.enter_context(wend.fusion(elements=way.fuses_from))
        stack.enter_context(wend.laziness(nodes=way.nodes, bytes=way.bytes))
        yield


def many(examples: int) -> Any:
    """Settings of a test of so many programs, always the same unless others are asked for."""
    return settings(
        max_examples=int(ASKED or examples),
        derandomize=not ASKED,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
