"""torchcde: a controlled differential equation, with gradients by the adjoint."""

from typing import Any

import torch
import torchcde
from common import fill, numbers, train


class Field(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 12)

    def forward(self, t: Any, z: Any) -> Any:
        return self.linear(z).tanh().view(2, 4, 3)


def use() -> Any:
    x = numbers(2, 6, 3)
    coefficients = torchcde.hermite_cubic_coefficients_with_backward_differences(x)
    path, field, start = torchcde.CubicSpline(coefficients), fill(Field()), numbers(2, 4, seed=3)

    def loss() -> Any:
        solved = torchcde.cdeint(
            X=path, func=field, z0=start, t=path.interval, method="rk4",
            options={"step_size": 1.0}, adjoint=True,
        )  # fmt: skip
        return solved[:, -1].square().mean()

    natural = torchcde.natural_cubic_coeffs(x)
    return {**train(field.parameters(), loss), "hermite": coefficients, "natural": natural}
