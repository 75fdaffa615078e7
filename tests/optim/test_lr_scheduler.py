"""Learning rates follow PyTorch's sequences, for every scheduler."""

import copy
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from both import alike, both, error_of

Make = Callable[[Any, Any], Any]

SCHEDULERS: dict[str, Make] = {
    "lambda": lambda s, o: s.LambdaLR(o, lambda epoch: 0.9**epoch),
    "lambdas": lambda s, o: s.LambdaLR(o, [lambda e: 0.9**e, lambda e: 1 / (e + 1)]),
    "multiplicative": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 0.8 + epoch / 100),
    "step": lambda s, o: s.StepLR(o, 3, 0.5),
    "multi step": lambda s, o: s.MultiStepLR(o, [2, 5, 5, 9]),
    "constant": lambda s, o: s.ConstantLR(o, 0.25, 4),
    "linear": lambda s, o: s.LinearLR(o, 0.25, 0.75, 6),
    "exponential": lambda s, o: s.ExponentialLR(o, 0.7),
    "polynomial": lambda s, o: s.PolynomialLR(o, 7, 2.0),
    "cosine": lambda s, o: s.CosineAnnealingLR(o, 4, 0.01),
    "warm restarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
    "equal restarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3),
    "chained": lambda s, o: s.ChainedScheduler(
        [s.ConstantLR(o, 0.1, 4), s.ExponentialLR(o, 0.9), s.LinearLR(o)]
    ),
    "sequential": lambda s, o: s.SequentialLR(
        o, [s.LinearLR(o, 0.1, 1.0, 3), s.CosineAnnealingLR(o, 5), s.ExponentialLR(o, 0.5)], [3, 8]
    ),
    "triangular": lambda s, o: s.CyclicLR(o, 0.1, 1.0, 3, 4),
    "triangular2": lambda s, o: s.CyclicLR(o, 0.1, [1.0, 2.0], 2, mode="triangular2"),
    "exp range": lambda s, o: s.CyclicLR(o, 0.1, 1.0, 3, mode="exp_range", gamma=0.9),
    "scaled cycles": lambda s, o: s.CyclicLR(
        o, 0.1, 1.0, 3, scale_fn=lambda x: 1 / (x + 1), scale_mode="iterations"
    ),
    "one cycle": lambda s, o: s.OneCycleLR(o, 1.0, 20),
    "one cycle, three phases": lambda s, o: s.OneCycleLR(
        o, [1.0, 0.5], epochs=4, steps_per_epoch=5, three_phase=True, anneal_strategy="linear"
    ),
}
OPTIMIZERS = {
    "SGD": {"lr": 0.5, "momentum": 0.9},
    "Adam": {"lr": 0.5},
}


def optimizer_of(torch: Any, name: str = "SGD") -> Any:
    a, b = torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)
    groups = [{"params": [a]}, {"params": [b], "lr": 0.2}]
    return getattr(torch.optim, name)(groups, **OPTIMIZERS[name])


def rates(optimizer: Any) -> list[list[float]]:
    keys = ("lr", "momentum")
    found = [[group[key] for key in keys if key in group] for group in optimizer.param_groups]
    betas = [group["betas"][0] for group in optimizer.param_groups if "betas" in group]
    return [*found, betas]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", SCHEDULERS)
def test_rates_are_pytorchs(name: str, optimizer: str) -> None:
    def program(torch: Any) -> Any:
        used = optimizer_of(torch, optimizer)
        scheduler = SCHEDULERS[name](torch.optim.lr_scheduler, used)
        seen = [rates(used)]
        for _ in range(19):
            used.step()
            scheduler.step()
            seen.append(rates(used))
        return seen, scheduler.get_last_lr()

    both(program)


@pytest.mark.parametrize("name", SCHEDULERS)
def test_a_schedule_goes_on_from_a_saved_state(name: str) -> None:
    def program(torch: Any) -> Any:
        used = optimizer_of(torch)
        make = SCHEDULERS[name]
        scheduler = make(torch.optim.lr_scheduler, used)
        for _ in range(4):
            used.step()
            scheduler.step()
        state = copy.deepcopy(scheduler.state_dict())
        other = optimizer_of(torch)
        resumed = make(torch.optim.lr_scheduler, other)
        other.load_state_dict(used.state_dict())
        resumed.load_state_dict(state)
        seen = []
        for _ in range(6):
            other.step()
            resumed.step()
            seen.append(rates(other))
        return seen

    both(program)


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold_mode", ["rel", "abs"])
def test_a_plateau_reduces_the_rate_as_in_pytorch(mode: str, threshold_mode: str) -> None:
    def program(torch: Any) -> Any:
        used = optimizer_of(torch)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
            used, mode, 0.5, 1, 0.01, threshold_mode, cooldown=2, min_lr=[0.05, 0.01]
        )
        seen = []
        for i in range(24):
            scheduler.step(torch.tensor(1.0 - 0.001 * i if i < 8 else 0.9 + 0.02 * i))
            seen.append([rates(used), scheduler.num_bad_epochs, scheduler.best])
        return seen, scheduler.in_cooldown

    both(program)


@alike
def test_a_tensor_rate_is_written_in_place(torch: Any) -> Any:
    rate = torch.tensor(0.5)
    used = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=rate)
    scheduler = torch.optim.lr_scheduler.StepLR(used, 1, 0.5)
    used.step()
    scheduler.step()
    return rate, used.param_groups[0]["lr"] is rate


def test_epochs_may_be_given() -> None:
    def program(torch: Any) -> Any:
        seen = []
        names = ["step", "multi step", "constant", "linear", "exponential", "polynomial", "cosine"]
        for name in [*names, "warm restarts", "equal restarts"]:
            used = optimizer_of(torch)
            scheduler = SCHEDULERS[name](torch.optim.lr_scheduler, used)
            used.step()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for epoch in (3, 5, 1, 8):
                    scheduler.step(epoch)
                    seen.append(rates(used))
        return seen

    both(program)


def test_a_step_before_the_optimizers_is_warned_of() -> None:
    def program(torch: Any) -> Any:
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer_of(torch), 1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scheduler.step()
        return [str(warning.message) for warning in caught]

    both(program)


@alike
def test_bad_arguments_are_refused(torch: Any) -> Any:
    s, used = torch.optim.lr_scheduler, optimizer_of(torch)
    return [
        error_of(lambda: s.StepLR(1, 2)),
        error_of(lambda: s.StepLR(used, 2, last_epoch=3))[:60],
        error_of(lambda: s.LambdaLR(used, [lambda e: 1.0])),
        error_of(lambda: s.MultiplicativeLR(used, 3)),
        error_of(lambda: s.ConstantLR(used, 2.0)),
        error_of(lambda: s.LinearLR(used, 0.0)),
        error_of(lambda: s.LinearLR(used, 0.5, 2.0)),
        error_of(lambda: s.CosineAnnealingWarmRestarts(used, 0)),
        error_of(lambda: s.CosineAnnealingWarmRestarts(used, 3, 0)),
        error_of(lambda: s.CyclicLR(used, 0.1, 1.0, mode="square")),
        error_of(lambda: s.CyclicLR(used, [0.1], 1.0)),
        error_of(lambda: s.OneCycleLR(used, 1.0)),
        error_of(lambda: s.OneCycleLR(used, 1.0, 10, pct_start=2.0)),
        error_of(lambda: s.OneCycleLR(used, 1.0, 10, anneal_strategy="square")),
        error_of(lambda: s.ReduceLROnPlateau(used, factor=1.0)),
        error_of(lambda: s.ReduceLROnPlateau(used, "best")),
        error_of(lambda: s.ReduceLROnPlateau(used, min_lr=[0.1])),
        error_of(lambda: s.SequentialLR(used, [], [])),
        error_of(lambda: s.SequentialLR(used, [s.StepLR(used, 1)], [2])),
        error_of(lambda: s.ChainedScheduler([])),
        error_of(lambda: s.ChainedScheduler([s.ReduceLROnPlateau(used)])),
    ]


@alike
def test_schedules_can_be_derived_from_the_older_name(torch: Any) -> Any:
    class Warmup(torch.optim.lr_scheduler._LRScheduler):  # type: ignore[misc,name-defined]
        def get_lr(self) -> list[float]:
            return [base * min(1.0, (self.last_epoch + 1) / 4) for base in self.base_lrs]

    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.5)
    schedule, rates = Warmup(optimizer), []
    for _ in range(6):
        optimizer.step()
        schedule.step()
        rates += schedule.get_last_lr()
    return rates, isinstance(schedule, torch.optim.lr_scheduler.LRScheduler)
