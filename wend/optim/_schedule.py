"""The base of all schedules: what they remember of an optimizer, and what a step is."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wend import Tensor
from wend.optim.optimizer import Group, Optimizer, Scalar, scalar

__all__ = [
    "EPOCH_DEPRECATION_WARNING",
    "LRScheduler",
    "for_each_group",
    "put",
    "require_optimizer",
    "values",
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
