"""torchsde: a stochastic equation whose noise is given, solved and differentiated."""

from typing import Any

import torch
import torchsde
from common import numbers, train


class Equation(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self) -> None:
        super().__init__()
        self.rate = torch.nn.Parameter(torch.tensor(0.5))
        self.noise = torch.nn.Parameter(torch.tensor(0.2))

    def f(self, t: Any, y: Any) -> Any:
        return -self.rate * y

    def g(self, t: Any, y: Any) -> Any:
        return self.noise * torch.ones_like(y)


class Given(torchsde.BaseBrownian):
    """Noise that NumPy drew, the same on both sides."""

    shape, dtype, device, levy_area_approximation = (4, 3), torch.float32, "cpu", "none"

    def __repr__(self) -> str:
        return "Given()"

    def __call__(
        self, ta: Any, tb: Any = None, return_U: bool = False, return_A: bool = False
    ) -> Any:
        seed = round(float(ta) * 1000)
        return numbers(4, 3, seed=seed) * (float(tb) - float(ta)) ** 0.5


def use() -> Any:
    equation, start, times = Equation(), numbers(4, 3), torch.linspace(0.0, 1.0, 3)

    def loss() -> Any:
        path = torchsde.sdeint(equation, start, times, bm=Given(), dt=0.1, method="euler")
        return path.square().mean()

    return train(equation.parameters(), loss)
