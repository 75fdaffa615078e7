"""Learning rates that change while training goes on.

Cyclic ones are in wend/optim/_cycles.py, and offered here too.
"""

from __future__ import annotations

import math
import types
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, SupportsFloat

from wend import Tensor
from wend.optim.optimizer import Group, Optimizer, Scalar, scalar

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

_GUIDE = "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being "
    "deprecated where possible. Please use `scheduler.step()` to step the "
    "scheduler. During the deprecation, if epoch is different from None, the "
    "closed form is used instead of the new chainable form, where available. "
    "Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)
# What a scheduler does not save, since it is not its own or cannot be.
_UNSAVED = ("optimizer", "lr_lambdas", "_schedulers")


def require_optimizer(optimizer: object) -> None:
    """Raise unless it is an optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def values(optimizer: Optimizer, key: str) -> list[Any]:
    """Return an option of every group, copied where it is a tensor."""
    found = [group[key] for group in optimizer.param_groups]
    return [value.clone() if isinstance(value, Tensor) else value for value in found]


def put(group: Group, key: str, value: Scalar) -> None:
    """Set an option, within its tensor if it is one."""
    if isinstance(group[key], Tensor):
        group[key].fill_(scalar(value))
    else:
        group[key] = value


def for_each_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """Return one value for each group, from a list of them or from one for all."""
    count = len(optimizer.param_groups)
    if isinstance(value, (list, tuple)):
        if len(value) != count:
            raise ValueError(
                f"{name} must have the same length as optimizer.param_groups. "
                f"{name} has {len(value)} values, param_groups has {count}."
            )
    else:
        value = [value] * count
    return [each.clone() if isinstance(each, Tensor) else each for each in value]


class LRScheduler:
    """Base of schedulers: subclasses say in `get_lr` what the rates are at `last_epoch`."""

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False
    last_epoch: int
    _last_lr: list[Scalar]

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        require_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                lr = group["lr"]
                group.setdefault("initial_lr", lr.clone() if isinstance(lr, Tensor) else lr)
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming "
                    "scheduler with last_epoch >= 0.\n"
                    "Load the optimizer's state before making the scheduler, or leave last_epoch "
                    "at -1 for a new run."
                )
        self.base_lrs: list[Scalar] = values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Return all that the scheduler knows but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key not in _UNSAVED}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` of a like scheduler returned."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Scalar]:
        """Return the rates that were set last."""
        return self._last_lr

    def get_lr(self) -> list[Scalar]:
        """Return the rates at `last_epoch`; subclasses do."""
        raise NotImplementedError

    def _closed_form(self) -> list[Scalar]:
        """The rates at `last_epoch`, whatever they were before."""
        return self.get_lr()

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch, or to a given one, and set the rates."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. "
                "In PyTorch 1.1.0 and later, you should call them in the opposite order: "
                "`optimizer.step()` before `lr_scheduler.step()`.  Failure to do this "
                "will result in PyTorch skipping the first value of the learning rate schedule. "
                f"See more details at {_GUIDE}",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        with self._within_step():
            if epoch is None:
                self.last_epoch += 1
                rates = self.get_lr()
            else:
                self.last_epoch = epoch
                rates = self._closed_form()
        self._set(rates)

    @contextmanager
    def _within_step(self) -> Iterator[None]:
        self._get_lr_called_within_step = True
        try:
            yield
        finally:
            self._get_lr_called_within_step = False

    def _set(self, rates: list[Scalar]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            put(group, "lr", rate)
        self._last_lr = values(self.optimizer, "lr")

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, "
                "please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )


_LRScheduler = LRScheduler


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


class _Several(LRScheduler):
    """Schedulers of one optimizer that work together."""

    _schedulers: Sequence[LRScheduler]

    def _take(self, schedulers: Sequence[Any], optimizer: Optimizer) -> None:
        """Keep the schedulers, if they can work together."""
        name = self.__class__.__name__
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it "
                    "requires additional kwargs to be specified when calling `step`, "
                    f"but got one at index {i} in the given schedulers sequence."
                )
            if optimizer is not scheduler.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but "
                    f"got scheduler {scheduler.__class__.__name__} at index {i} has "
                    f"{scheduler.optimizer}, which is different from "
                    f"{optimizer.__class__.__name__}."
                )
        self._schedulers = schedulers
        self.optimizer = optimizer

    def state_dict(self) -> dict[str, Any]:
        """Return the state with that of all schedulers."""
        states = [scheduler.state_dict() for scheduler in self._schedulers]
        return {**super().state_dict(), "_schedulers": states}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` of like schedulers returned."""
        rest = {key: value for key, value in state_dict.items() if key != "_schedulers"}
        super().load_state_dict(rest)
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class SequentialLR(_Several):
    """Follows one scheduler after the other, changing at the milestones.

    >>> optimizer = wend.optim.SGD([wend.ones(1)], lr=1.0)
    >>> warm = wend.optim.lr_scheduler.ConstantLR(optimizer, 0.1, total_iters=10)
    >>> then = wend.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    >>> scheduler = wend.optim.lr_scheduler.SequentialLR(optimizer, [warm, then], [1])
    >>> optimizer.step(); scheduler.step(); scheduler.get_last_lr()
    [1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{self.__class__.__name__} expects at least one scheduler, but got no scheduler."
            )
        self._take(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more "
                f"than the number of milestone points, but got number of schedulers "
                f"{len(schedulers)} and the number of milestones to be equal to {len(milestones)}"
            )
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        # Making the schedulers took the first step of each; only the first of them begins.
        for group in optimizer.param_groups:
            put(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take back the first step of a scheduler and of those within it."""
        of = self if sched is None else sched
        if hasattr(of, "_schedulers"):
            for scheduler in of._schedulers:
                self.recursive_undo(scheduler)
        elif hasattr(of, "last_epoch"):
            of.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Let the scheduler whose time it is take a step."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Several):
    """Lets every scheduler change the rate, one after the other, at each step."""

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{self.__class__.__name__} expects at least one scheduler to be chained, "
                "but got no scheduler."
            )
        self._take(schedulers, optimizer or schedulers[0].optimizer)
        self._last_lr = values(self.optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Let all schedulers take a step."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = values(self.optimizer, "lr")


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the rate by `factor` when a metric has not improved for `patience` epochs.

    mode: whether less ("min") or more ("max") is better.
    threshold_mode: whether `threshold`, how much counts as better, is "rel" or "abs".
    cooldown: how many epochs are not judged after a reduction.

    >>> optimizer = wend.optim.SGD([wend.ones(1)], lr=1.0)
    >>> scheduler = wend.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    >>> for loss in [1.0, 1.0, 1.0]:
    ...     scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        require_optimizer(optimizer)
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        groups = len(optimizer.param_groups)
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * groups
        if len(self.min_lrs) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(self.min_lrs)}")
        self.optimizer = optimizer
        self.factor = factor
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.last_epoch = 0
        self._last_lr = values(optimizer, "lr")
        self._reset()

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]
        """Judge a metric, and reduce the rate if it has been no better for too long."""
        current = float(metrics)
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = values(self.optimizer, "lr")

    def _reduce_lr(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from "
                    f"when `ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due "
                    "to a new param group being added to the optimizer. Please modify the "
                    "`min_lrs` field to match the length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, smallest in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, smallest)
            if old - new > self.eps:
                put(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs are not judged, since the rate was just reduced."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        """Whether a metric is better than the best one by more than the threshold."""
        sign = 1 if self.mode == "max" else -1
        margin = sign * self.threshold
        bound = best * (1 + margin) if self.threshold_mode == "rel" else best + margin
        return a * sign > bound * sign


from wend.optim._cycles import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR  # noqa: E402
