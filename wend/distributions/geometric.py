"""The geometric distribution."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions._odds import Odds
from wend.distributions.utils import binary_cross_entropy, both_numbers, broadcast_all, given

__all__ = ["Geometric"]


class Geometric(Odds):
    """How many failures there are before the first success."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer
    _fields = ("probs", "logits", "_param")

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        odds = given(probs, logits)
        (param,) = broadcast_all(odds)
        self._keep(param, is_probs=probs is not None)
        super().__init__(() if both_numbers(odds) else param.size(), (), validate_args)
        if self._validate_args and probs is not None and not bool((param > 0).all()):
            raise ValueError(
                "Expected parameter probs "
                f"({type(param).__name__} of shape {tuple(param.shape)}) "
                f"of distribution {self!r} to be positive but found invalid values:\n{param}"
            )

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return wend.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with wend.no_grad():
            u = 1 - wend.rand(shape, dtype=self.probs.dtype)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        sure = (probs == 1) & (value == 0)
        miss = wend.where(sure, wend.zeros_like(probs), probs)
        return value * (-miss).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        loss = binary_cross_entropy(self.logits, self.probs)
        return loss / self.probs
