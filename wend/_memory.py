"""Memory that tensors take, from the caching allocator: `wend.memory_stats` and its companions.

Allocating and counting are the extension module's. What was held on behalf of which line is
`wend.report`'s.
"""

from __future__ import annotations

from wend import _C

__all__ = ["empty_cache", "memory_stats", "reset_peak_memory_stats"]


def memory_stats() -> dict[str, int]:
    """Say how much memory values take, and what the allocator keeps for values to come.

    `allocated_bytes`
        Taken by values that are alive, and `peak_bytes` the most at a time.
    `cached_bytes`
        Kept for reuse, since values that had them are gone.
    `reserved_bytes`
        Had from the system, in use or cached, and `peak_reserved_bytes` the most at a time.
        Blocks are a little larger than what is asked for, and those of values up to a kilobyte
        are carved out of chunks, together with the graph's nodes.
    `buffers`
        Pieces of memory that are alive; views share one. `allocations` were made since the start.

    Memory that NumPy or others own is not counted.

    >>> before = wend.memory_stats()
    >>> x = wend.ones(1000, 1000) + 1
    >>> x[0, 0].item()
    2.0
    >>> wend.memory_stats()["allocated_bytes"] - before["allocated_bytes"] >= x.nbytes
    True
    """
    return _C._memory_stats()


def reset_peak_memory_stats() -> None:
    """Let the peaks of `memory_stats` begin anew, at what is taken now.

    >>> wend.reset_peak_memory_stats()
    >>> stats = wend.memory_stats()
    >>> stats["peak_bytes"] == stats["allocated_bytes"]
    True
    """
    _C._reset_peak_memory_stats()


def empty_cache() -> None:
    """Give cached memory back to the system.

    >>> wend.empty_cache()
    >>> wend.memory_stats()["cached_bytes"]
    0
    """
    _C._empty_cache()
