"""DistributedSampler: which part of a dataset one of several processes is to see."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized
from typing import Any

import wend
from wend.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`th index, beginning with `rank`; all replicas see as many.

    >>> from wend.utils.data import DistributedSampler
    >>> list(DistributedSampler(range(6), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 5]
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None:
            num_replicas = _asked("world_size")
        if rank is None:
            rank = _asked("rank")
        if rank >= num_replicas or rank < 0:
            raise ValueError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
            )
        self.dataset: Any = dataset
        self.num_replicas, self.rank = num_replicas, rank
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        self.epoch = 0
        whole = len(dataset)
        if drop_last and whole % num_replicas:
            self.num_samples = math.ceil((whole - num_replicas) / num_replicas)
        else:
            self.num_samples = math.ceil(whole / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        whole = len(self.dataset)
        indices = list(range(whole))
        if self.shuffle:
            generator = wend.Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = wend.randperm(whole, generator=generator).tolist()
        if self.drop_last:
            indices = indices[: self.total_size]
        else:
            indices = (indices * math.ceil(self.total_size / max(1, whole)))[: self.total_size]
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch it is, so that the order is another one, the same in all processes."""
        self.epoch = epoch


def _asked(what: str) -> int:
    from wend import distributed

    if not distributed.is_available():
        raise RuntimeError("Requires distributed package to be available")
    found: int = getattr(distributed, f"get_{what}")()
    return found
