"""Learning rates that rise and fall: cycles, warm restarts, one cycle for a whole training.

What schedulers share is wend/optim/lr_scheduler.py's.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

from wend.optim._schedule import LRScheduler, for_each_group, put, require_optimizer
from wend.optim.optimizer import Group, Optimizer, Scalar


class _WithMomentum(LRScheduler):
    """A scheduler that moves the momentum against the rate."""

    cycle_momentum: bool
    use_beta1: bool

    def _prepare_momentum(self, lowest: Any, highest: Any, last_epoch: int) -> None:
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
            )
        self.use_beta1 = "betas" in optimizer.defaults
        self.base_momentums = for_each_group("base_momentum", optimizer, lowest)
        self.max_momentums = for_each_group("max_momentum", optimizer, highest)
        if last_epoch != -1:
            return
        bounds = zip(self.base_momentums, self.max_momentums, strict=True)
        for group, (low, high) in zip(optimizer.param_groups, bounds, strict=True):
            self._set_momentum(group, high)
            group["max_momentum"], group["base_momentum"] = high, low

    def _set_momentum(self, group: Group, value: float) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(_WithMomentum):
    """Takes the rate from `base_lr` to `max_lr` and back, again and again.

    step_size_up, step_size_down: how many steps each way takes.
    mode: "triangular", "triangular2" (each cycle half as high) or "exp_range" (height by `gamma`).
    scale_fn: the height by cycle, or by step if `scale_mode` is "iterations".
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        require_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = for_each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                put(group, "lr", lr)
        self.max_lrs = for_each_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        if scale_fn is None:
            scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode = scale_mode
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._prepare_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """Return the height of cycle or step `x`."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular2":
            return float(1 / (2.0 ** (x - 1)))
        return float(self.gamma**x) if self.mode == "exp_range" else 1.0

    def get_lr(self) -> list[Scalar]:
        """Return the rates at `last_epoch`, and set the momentum."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        rising = x <= self.step_ratio
        part = x / self.step_ratio if rising else (x - 1) / (self.step_ratio - 1)
        height = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, bounds, strict=True):
                self._set_momentum(group, high - (high - low) * part * height)
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * part * height for low, high in pairs]

    def state_dict(self) -> dict[str, Any]:
        """Return the state; of `scale_fn`, what an object that is called knows."""
        state = super().state_dict()
        custom = self._scale_fn_custom
        plain = custom is None or isinstance(custom, types.FunctionType)
        state["_scale_fn_custom"] = None if plain else custom.__dict__.copy()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the state of a like scheduler; a function stays as it is."""
        key = "_scale_fn_custom"
        super().load_state_dict({k: v for k, v in state_dict.items() if k != key})
        if state_dict.get(key) is not None and self._scale_fn_custom is not None:
            self._scale_fn_custom.__dict__.update(state_dict[key])


class CosineAnnealingWarmRestarts(LRScheduler):
    """Takes the rate down along half a cosine, and starts over, each time `T_mult` times longer."""

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Scalar]:
        """Return the rates at this place of the cycle."""
        self._warn_outside_step()
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go to the next epoch, or to a given one, which may lie between two."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        else:
            self._seek(epoch)
        self.last_epoch = math.floor(epoch)
        with self._within_step():
            rates = self.get_lr()
        self._set(rates)

    def _seek(self, epoch: float) -> None:
        """Find the cycle that an epoch lies in, and its place there."""
        growth = self.T_mult
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif growth == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (growth - 1) + 1, growth))
            self.T_cur = epoch - self.T_0 * (growth**n - 1) / (growth - 1)
            self.T_i = self.T_0 * growth**n


class OneCycleLR(_WithMomentum):
    """Takes the rate up to `max_lr` and far down again within one training.

    pct_start: the part of the steps that rises.
    div_factor, final_div_factor: `max_lr` over the first rate, and the first over the last.
    three_phase: come down as slowly as up, then further down.

    >>> optimizer = wend.optim.SGD([wend.ones(1)], lr=1.0, momentum=0.9)
    >>> scheduler = wend.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=2.0, total_steps=10)
    >>> round(scheduler.get_last_lr()[0], 4)
    0.08
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        require_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _total_steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        highest = for_each_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, highest, strict=True):
                group["initial_lr"] = lr / div_factor
                group["max_lr"] = lr
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._prepare_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _between(self, start: Scalar, end: Scalar, part: float) -> Any:
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self) -> list[Scalar]:
        """Return the rates at `last_epoch`, and set the momentum."""
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        begin, phase = 0.0, self._schedule_phases[0]
        for following in self._schedule_phases[1:]:
            if step <= phase["end_step"]:
                break
            begin, phase = phase["end_step"], following
        part = (step - begin) / (phase["end_step"] - begin)
        groups = self.optimizer.param_groups
        if self.cycle_momentum:
            ends = phase["start_momentum"], phase["end_momentum"]
            for group in groups:
                self._set_momentum(group, self._between(group[ends[0]], group[ends[1]], part))
        first, last = phase["start_lr"], phase["end_lr"]
        return [self._between(group[first], group[last], part) for group in groups]


def _total_steps(total: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    if total is not None:
        if total <= 0 or not isinstance(total, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total}")
        return total
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return epochs * steps_per_epoch


def _phases(total: int, rising: float, three: bool) -> list[dict[str, Any]]:
    """Where each phase ends, and the options of a group between which it goes."""
    names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
    low, high = "base_momentum", "max_momentum"
    up = (float(rising * total) - 1, "initial_lr", "max_lr", high, low)
    if three:
        back = (float(2 * rising * total) - 2, "max_lr", "initial_lr", low, high)
        rows = [up, back, (total - 1, "initial_lr", "min_lr", high, high)]
    else:
        rows = [up, (total - 1, "max_lr", "min_lr", low, high)]
    return [dict(zip(names, row, strict=True)) for row in rows]
