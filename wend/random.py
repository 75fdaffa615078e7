"""The default generator: seeding it, and taking and restoring its state.

Drawing numbers is the ops' (`wend.rand`, `wend.randn`, ...); generators of one's own are
`wend.Generator`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from wend._C import Generator, Tensor, default_generator

__all__ = [
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def manual_seed(seed: Any) -> Generator:
    """Start the sequence of random numbers that belongs to a seed.

    >>> _ = wend.manual_seed(0); a = wend.rand(2)
    >>> _ = wend.manual_seed(0); wend.equal(a, wend.rand(2))
    True
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Take a new seed from the system and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed that was set last."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the state of the default generator, a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Restore a state that `get_rng_state` returned."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None, enabled: bool = True, device_type: str = "cpu"
) -> Iterator[None]:
    """Restore the default generator when the `with` block ends.

    devices: accelerators whose generators are restored too; wend has none.
    """
    if devices:
        raise RuntimeError("wend runs on the CPU: there are no other devices to fork")
    before = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(before)
