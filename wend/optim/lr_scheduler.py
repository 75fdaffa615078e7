"""Learning rates that change while training goes on.

The base is wend/optim/_schedule.py. Cyclic ones are in _cycles.py, those made of others in
_combined.py, and the one that watches a value in _plateau.py; all are offered here.
"""

from __future__ import annotations

import math
import types
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from wend.optim._combined import ChainedScheduler, SequentialLR
from wend.optim._cycles import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from wend.optim._plateau import ReduceLROnPlateau
from wend.optim._schedule import (
    LRScheduler,
    values,
)
from wend.optim.optimizer import Optimizer, Scalar

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


class _LRScheduler(LRScheduler):
    """The older name of LRScheduler, which programs derive theirs from."""


class _ByFactor(LRScheduler):
    """A scheduler that multiplies the rates of all groups by one factor at each step."""

    def _factor(self) -> float:
        """The rate at `last_epoch` over the one before it."""
        raise NotImplementedError

    def _whole_factor(self) -> float:
        """The rate at `last_epoch` over the first one."""
        raise NotImplementedError

    def get_lr(self) -> list[Scalar]:
        """Return the rates at `last_epoch`, from those before it."""
        self._warn_outside_step()
        factor = self._factor()
        return [lr * factor for lr in values(self.optimizer, "lr")]

    def _closed_form(self) -> list[Scalar]:
        factor = self._whole_factor()
        return [lr * factor for lr in self.base_lrs]


class _ByFunction(LRScheduler):
    """A scheduler that asks a function, or one for each group."""

    lr_lambdas: list[Callable[[int], float]]

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * count
        if len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Return the state; of the functions, what objects that are called know."""
        known = [
            None if isinstance(f, types.FunctionType) else f.__dict__.copy()
            for f in self.lr_lambdas
        ]
        return {**super().state_dict(), "lr_lambdas": known}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the state of a like scheduler; functions stay as they are."""
        rest = {key: value for key, value in state_dict.items() if key != "lr_lambdas"}
        super().load_state_dict(rest)
        for function, known in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if known is not None:
                function.__dict__.update(known)


class LambdaLR(_ByFunction):
    """Sets the rate to the first one times `lr_lambda(epoch)`.

    >>> optimizer = wend.optim.SGD([wend.ones(1)], lr=1.0)
    >>> scheduler = wend.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5 ** epoch)
    >>> optimizer.step(); scheduler.step(); scheduler.get_last_lr()
    [0.5]
    """

    def get_lr(self) -> list[Scalar]:
        """Return the rates at `last_epoch`."""
        self._warn_outside_step()
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [lr * function(self.last_epoch) for function, lr in pairs]


class MultiplicativeLR(_ByFunction):
    """Multiplies the rate by `lr_lambda(epoch)` at each step."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        for function in lr_lambda if isinstance(lr_lambda, (list, tuple)) else [lr_lambda]:
            if not callable(function):
                name = type(function).__name__
                raise TypeError(f"lr_lambda should be a function, but got {name}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list[Scalar]:
        """Return the rates at `last_epoch`, from those before it."""
        self._warn_outside_step()
        rates = values(self.optimizer, "lr")
        if self._is_initial:
            return rates
        pairs = zip(self.lr_lambdas, rates, strict=True)
        return [lr * function(self.last_epoch) for function, lr in pairs]


class StepLR(_ByFactor):
    """Multiplies the rate by `gamma` every `step_size` epochs."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self.gamma if due else 1

    def _whole_factor(self) -> float:
        return float(self.gamma ** (self.last_epoch // self.step_size))


class MultiStepLR(_ByFactor):
    """Multiplies the rate by `gamma` at each of the milestones."""

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        times = self.milestones.get(self.last_epoch, 0)
        return float(self.gamma**times) if times else 1

    def _whole_factor(self) -> float:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return float(self.gamma**passed)


class ConstantLR(_ByFactor):
    """Multiplies the rate by `factor` until `total_iters` epochs are over."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        if self.last_epoch == 0:
            return self.factor
        return 1.0 / self.factor if self.last_epoch == self.total_iters else 1

    def _whole_factor(self) -> float:
        return 1 if self.last_epoch >= self.total_iters else self.factor


class LinearLR(_ByFactor):
    """Takes the rate from `start_factor` to `end_factor` in `total_iters` equal steps."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal "
                "to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return 1
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return 1.0 + rise / before

    def _whole_factor(self) -> float:
        rise = self.end_factor - self.start_factor
        return self.start_factor + rise * min(self.total_iters, self.last_epoch) / self.total_iters


class ExponentialLR(_ByFactor):
    """Multiplies the rate by `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        return 1 if self._is_initial else self.gamma

    def _whole_factor(self) -> float:
        return float(self.gamma**self.last_epoch)


class PolynomialLR(_ByFactor):
    """Takes the rate to 0 in `total_iters` epochs along a power of what is left."""

    def __init__(
        self,
        optimizer: Optimizer,
        total_iters: int = 5,
        power: float = 1.0,
        last_epoch: int = -1,
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        if self._is_initial or self.last_epoch > self.total_iters:
            return 1
        left = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return float((left / before) ** self.power)

    def _whole_factor(self) -> float:
        passed = min(self.total_iters, self.last_epoch) / self.total_iters
        return float((1.0 - passed) ** self.power)


class CosineAnnealingLR(LRScheduler):
    """Takes the rate down to `eta_min` in `T_max` epochs along half a wave of the cosine.

    >>> optimizer = wend.optim.SGD([wend.ones(1)], lr=1.0)
    >>> scheduler = wend.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> for _ in range(2):
    ...     optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.0]
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Scalar]:
        """Return the rates at `last_epoch`, from those before it."""
        self._warn_outside_step()
        rates = values(self.optimizer, "lr")
        epoch, half = self.last_epoch, self.T_max
        if self._is_initial:
            return rates
        if self._step_count == 1 and epoch > 0:
            return self._closed_form()
        if (epoch - 1 - half) % (2 * half) == 0:
            rise = (1 - math.cos(math.pi / half)) / 2
            pairs = zip(rates, self.base_lrs, strict=True)
            return [lr + (base - self.eta_min) * rise for lr, base in pairs]
        ratio = (1 + math.cos(math.pi * epoch / half)) / (
            1 + math.cos(math.pi * (epoch - 1) / half)
        )
        return [ratio * (lr - self.eta_min) + self.eta_min for lr in rates]

    def _closed_form(self) -> list[Scalar]:
        height = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]
