"""What programs ask before they train on several machines: wend runs in one process.

Importing these names works, so that a program that also can train alone does.
"""

from __future__ import annotations

import enum
from typing import Any, NoReturn

from wend._absent import absent, absent_names

__all__ = [
    "ReduceOp",
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


_INSTEAD = "wend trains in one process"
ProcessGroup = absent("torch.distributed.ProcessGroup", _INSTEAD)
globals().update(
    absent_names(
        "torch.distributed",
        "Backend DeviceMesh FileStore HashStore P2POp PrefixStore Store TCPStore Work"
        " init_device_mesh",
        _INSTEAD,
    )
)


class ReduceOp(enum.Enum):
    """What a reduction between processes does."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7


def is_nccl_available() -> bool:
    """Return False: there is no group of processes to be in."""
    return False


is_gloo_available = is_mpi_available = is_ucc_available = is_xccl_available = is_nccl_available
is_torchelastic_launched = is_nccl_available


class _Groups:
    """Where PyTorch keeps groups of processes: there is none."""

    WORLD = None
    NON_GROUP_MEMBER = object()


group = GroupMember = _Groups

get_rank = get_world_size = destroy_process_group = _no_group
all_reduce = all_gather = all_gather_into_tensor = barrier = broadcast = reduce = _no_group
all_gather_object = all_to_all = all_to_all_single = broadcast_object_list = gather = _no_group
gather_object = get_backend = get_process_group_ranks = irecv = isend = new_group = recv = _no_group
reduce_scatter = reduce_scatter_tensor = scatter = scatter_object_list = send = _no_group
