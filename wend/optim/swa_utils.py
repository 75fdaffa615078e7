"""Averages of a model's weights over training: equal ones (SWA) and decaying ones (EMA)."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import wend
from wend import Tensor
from wend.nn import Module
from wend.optim._schedule import LRScheduler, for_each_group, values
from wend.optim.optimizer import Optimizer, Scalar

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Tensor, Tensor, Any], Tensor]
AverageAll = Callable[[list[Tensor], list[Tensor], Any], None]


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Return a function that keeps `decay` of the average and takes the rest from the weights."""
    _require_decay(decay)

    def average(averaged: Tensor, current: Tensor, count: Any) -> Tensor:
        return decay * averaged + (1 - decay) * current

    return average


def get_swa_avg_fn() -> Average:
    """Return a function that takes the mean of all weights so far."""

    def average(averaged: Tensor, current: Tensor, count: Any) -> Tensor:
        return averaged.add((current - averaged) / (count + 1))

    return average


def get_ema_multi_avg_fn(decay: float = 0.999) -> AverageAll:
    """Return a function that updates decaying averages in place."""
    _require_decay(decay)

    def average(averaged: list[Tensor], current: list[Tensor], count: Any) -> None:
        for mean, new in zip(averaged, current, strict=True):
            if mean.is_floating_point():
                mean.lerp_(new, 1 - decay)
            else:
                mean.copy_(mean * decay + new * (1 - decay))

    return average


def get_swa_multi_avg_fn() -> AverageAll:
    """Return a function that updates means in place."""

    def average(averaged: list[Tensor], current: list[Tensor], count: Any) -> None:
        for mean, new in zip(averaged, current, strict=True):
            mean.copy_(mean + (new - mean) / (count + 1))

    return average


def _require_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


class AveragedModel(Module):
    """A copy of a model whose weights are the average of the model's over all updates.

    avg_fn: makes a new average of the old one, the weights, and the number of updates before.
    multi_avg_fn: the same for lists, in place.
    use_buffers: average buffers too, instead of copying them.

    >>> model = wend.nn.Linear(1, 1)
    >>> averaged = wend.optim.swa_utils.AveragedModel(model)
    >>> averaged.update_parameters(model); averaged.n_averaged
    tensor(1)
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: AverageAll | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", wend.tensor(0, dtype=wend.long))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the averaged model."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take a model's weights into the average."""
        mine, theirs = (self._averaged(of) for of in (self.module, model))
        with wend.no_grad():
            if int(self.n_averaged) == 0:
                for mean, new in zip(mine, theirs, strict=True):
                    mean.copy_(new)
            elif self.avg_fn is not None:
                for mean, new in zip(mine, theirs, strict=True):
                    mean.copy_(self.avg_fn(mean, new, self.n_averaged))
            else:
                average = self.multi_avg_fn or get_swa_multi_avg_fn()
                average(mine, theirs, self.n_averaged)
            if not self.use_buffers:
                pairs = zip(self.module.buffers(), model.buffers(), strict=True)
                for mean, new in pairs:
                    mean.copy_(new)
            self.n_averaged.add_(1)

    def _averaged(self, model: Module) -> list[Tensor]:
        parts: Iterable[Tensor] = model.parameters()
        if self.use_buffers:
            parts = itertools.chain(parts, model.buffers())
        return [part.detach() for part in parts]


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of a model's batch norms anew from the data."""
    from wend.nn.modules.batchnorm import _BatchNorm

    norms = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    momenta = [module.momentum for module in norms]
    if not norms:
        return
    training = model.training
    model.train()
    for module in norms:
        module.reset_running_stats()
        module.momentum = None
    try:
        with wend.no_grad():
            for batch in loader:
                inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
                model(inputs if device is None else inputs.to(device))
    finally:
        for module, momentum in zip(norms, momenta, strict=True):
            module.momentum = momentum
        model.train(training)


class SWALR(LRScheduler):
    """Takes the rate to a constant `swa_lr` in `anneal_epochs` epochs.

    anneal_strategy: "cos" or "linear".
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        targets = for_each_group("swa_lr", optimizer, swa_lr)
        for lr, group in zip(targets, optimizer.param_groups, strict=True):
            group["swa_lr"] = lr
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _part(self, step: float) -> float:
        """How much of the way is done at a step."""
        t = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self) -> list[Scalar]:
        """Return the rates at `last_epoch`, from those before it."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._part(step - 1), self._part(step)
        rates = []
        for lr, target in zip(
            values(self.optimizer, "lr"), values(self.optimizer, "swa_lr"), strict=True
        ):
            start = target if before == 1 else (lr - before * target) / (1 - before)
            rates.append(target * now + start * (1 - now))
        return rates
