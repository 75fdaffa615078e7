"""The binomial distribution."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions._odds import Odds
from wend.distributions.beta import Beta
from wend.distributions.utils import broadcast_all, given, log_sigmoid

__all__ = ["Binomial"]

# Fewer trials than this are made one by one.
_FEW = 32


class Binomial(Odds):
    """How many of `total_count` trials succeed."""

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True
    _fields = ("total_count", "probs", "logits", "_param")

    def __init__(
        self,
        total_count: Any = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self.total_count, param = broadcast_all(total_count, given(probs, logits))
        self.total_count = self.total_count.type_as(param)
        self._keep(param, is_probs=probs is not None)
        super().__init__(param.size(), (), validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with wend.no_grad():
            return _binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        n, logits = self.total_count, self.logits
        ways = wend.lgamma(n + 1) - wend.lgamma(value + 1) - wend.lgamma(n - value + 1)
        norm = -n * log_sigmoid(-logits)
        return value * logits + ways - norm

    def entropy(self) -> Tensor:
        total = int(self.total_count.max().item())
        if not bool((self.total_count == total).all()):
            raise NotImplementedError("Inhomogeneous total count not supported by `entropy`.")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        total = int(self.total_count.max().item())
        if not bool((self.total_count == total).all()):
            raise NotImplementedError(
                "Inhomogeneous total count not supported by `enumerate_support`."
            )
        return self._enumerated(wend.arange(1 + total, dtype=self._param.dtype), expand)


def _binomial(count: Tensor, probs: Tensor) -> Tensor:
    """Halve the trials by drawing the middle one in order of size, then make those left."""
    found = wend.zeros_like(count)
    while bool((count > _FEW).any()):
        many = count > _FEW
        middle = (count / 2).floor() + 1
        rest = wend.where(many, count + 1 - middle, wend.ones_like(count))
        place = Beta(middle, rest, validate_args=False).sample()
        below = many & (place <= probs)
        found = found + wend.where(below, middle, 0.0)
        above = many & ~below
        inside = wend.where(below, (probs - place) / (1 - place), probs)
        probs = wend.where(above, probs / place, inside).clamp(0, 1)
        left = wend.where(below, count - middle, count)
        count = wend.where(above, middle - 1, left)
    trials = wend.rand((_FEW, *count.shape), dtype=count.dtype)
    numbers = wend.arange(_FEW, dtype=count.dtype).view((-1,) + (1,) * count.dim())
    hits = (trials < probs) & (numbers < count)
    return found + hits.to(count.dtype).sum(0)


def binomial(count: Tensor, prob: Tensor, generator: wend.Generator | None = None) -> Tensor:
    """How many of `count` trials succeed, each with this probability.

    >>> wend.binomial(wend.tensor([10.0, 10.0]), wend.tensor([0.0, 1.0]))
    tensor([ 0., 10.])
    """
    for name, tensor in (("count", count), ("prob", prob)):
        if not tensor.is_floating_point():
            kind = tensor.type().removeprefix("torch.").removesuffix("Tensor")
            raise ValueError(
                f"binomial only supports floating-point dtypes for {name}, got: {kind}"
            )
    if count.dtype != prob.dtype:
        kinds = [
            each.type().removeprefix("torch.").removesuffix("Tensor") for each in (prob, count)
        ]
        raise RuntimeError(f"Found dtype {kinds[0]} but expected {kinds[1]}")
    count, prob = wend.broadcast_tensors(count.detach(), prob.detach())
    if generator is None:
        return _binomial(count, prob)
    before = wend.get_rng_state()
    wend.set_rng_state(generator.get_state())
    try:
        return _binomial(count, prob)
    finally:
        generator.set_state(wend.get_rng_state())
        wend.set_rng_state(before)
