"""Averages of weights are PyTorch's."""

from typing import Any

import pytest
from both import alike, both, error_of

AVERAGES = {
    "mean": lambda swa: {},
    "mean by function": lambda swa: {"avg_fn": swa.get_swa_avg_fn()},
    "decaying": lambda swa: {"avg_fn": swa.get_ema_avg_fn(0.7)},
    "decaying in place": lambda swa: {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.7)},
    "with buffers": lambda swa: {"use_buffers": True},
}


def model_of(torch: Any) -> Any:
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(torch.arange(float(p.numel())).reshape(p.shape) / 7 + i)
    return model


@pytest.mark.parametrize("name", AVERAGES)
def test_averages_follow_the_model(name: str) -> None:
    def program(torch: Any) -> Any:
        swa = torch.optim.swa_utils
        model = model_of(torch)
        averaged = swa.AveragedModel(model, **AVERAGES[name](swa))
        for i in range(4):
            model(torch.tensor([[1.0, 2.0], [float(i), -1.0]]))
            with torch.no_grad():
                for p in model.parameters():
                    p.mul_(0.9).add_(0.1 * i)
            averaged.update_parameters(model)
        inputs = torch.tensor([[1.0, 2.0], [0.5, -1.0]])
        return list(averaged.state_dict().items()), averaged.eval()(inputs)

    both(program)


@alike
def test_batch_statistics_are_computed_anew(torch: Any) -> Any:
    model = model_of(torch).eval()
    data = [(torch.arange(8.0).reshape(4, 2) + i, 0) for i in range(3)]
    torch.optim.swa_utils.update_bn(data, model)
    norm = model[1]
    return norm.running_mean, norm.running_var, norm.momentum, model.training


@pytest.mark.parametrize("strategy", ["cos", "linear"])
@pytest.mark.parametrize("epochs", [0, 1, 5])
def test_rates_are_annealed_as_in_pytorch(strategy: str, epochs: int) -> None:
    def program(torch: Any) -> Any:
        x = torch.ones(1, requires_grad=True)
        optimizer = torch.optim.SGD([{"params": [x]}], lr=1.0)
        scheduler = torch.optim.swa_utils.SWALR(optimizer, 0.05, epochs, strategy)
        rates = [scheduler.get_last_lr()]
        for _ in range(8):
            optimizer.step()
            scheduler.step()
            rates.append(scheduler.get_last_lr())
        return rates

    both(program)


@alike
def test_bad_arguments_are_refused(torch: Any) -> Any:
    swa = torch.optim.swa_utils
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    model = torch.nn.Linear(1, 1)
    both_given = {"avg_fn": swa.get_swa_avg_fn(), "multi_avg_fn": swa.get_swa_multi_avg_fn()}
    return [
        error_of(lambda: swa.get_ema_avg_fn(2.0)),
        error_of(lambda: swa.AveragedModel(model, **both_given)),
        error_of(lambda: swa.SWALR(optimizer, 0.1, anneal_strategy="x")),
        error_of(lambda: swa.SWALR(optimizer, 0.1, anneal_epochs=-1)),
    ]
