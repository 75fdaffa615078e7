"""What programs ask before they train on several machines: wend runs in one process.

Importing these names works, so that a program that also can train alone does.
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = [
    "destroy_process_group",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_available",
    "is_initialized",
]


def is_available() -> bool:
    """Return False: there is no group of processes to be in.

    >>> wend.distributed.is_available()
    False
    """
    return False


def is_initialized() -> bool:
    """Return False: there is no group of processes to be in."""
    return False


def init_process_group(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise: wend runs in one process."""
    raise RuntimeError("wend has no process groups: it trains in one process")


def _no_group(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise: there is no group of processes."""
    raise ValueError(
        "Default process group has not been initialized, please make sure to call "
        "init_process_group."
    )


get_rank = get_world_size = destroy_process_group = _no_group
all_reduce = all_gather = all_gather_into_tensor = barrier = broadcast = reduce = _no_group
