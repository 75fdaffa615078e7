"""higher: gradients through the steps of an inner optimizer."""

from typing import Any

import higher
import torch
from common import fill, numbers, train


def use() -> Any:
    net = fill(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)))
    x, y = numbers(6, 3), numbers(6, 1, seed=1)

    def loss() -> Any:
        inner = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        with higher.innerloop_ctx(net, inner, copy_initial_weights=False) as (fast, steps):
            for _ in range(3):
                steps.step(torch.nn.functional.mse_loss(fast(x), y))
            return torch.nn.functional.mse_loss(fast(x), y)

    return train(net.parameters(), loss)
