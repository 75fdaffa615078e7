"""torchdiffeq: a network is the slope of a curve, solved both ways and learnt by the adjoint."""

from typing import Any

import torch
from common import fill, numbers, train
from torchdiffeq import odeint, odeint_adjoint


class Slope(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)
        )

    def forward(self, t: Any, y: Any) -> Any:
        return self.layers(y)


def use() -> Any:
    slope, start, times = fill(Slope()), numbers(5, 2), torch.linspace(0.0, 1.0, 4)
    return {
        "direct": odeint(slope, start, times, method="dopri5"),
        "steps": odeint(slope, start, times, method="rk4"),
        **train(slope.parameters(), lambda: odeint_adjoint(slope, start, times).square().mean(), 2),
    }
