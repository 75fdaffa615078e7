"""lion-pytorch: steps of the optimizer."""

from typing import Any

import torch
from common import fill, numbers, train
from lion_pytorch import Lion


def use() -> Any:
    model, x = fill(torch.nn.Linear(4, 3)), numbers(5, 4)
    optimizer = Lion(model.parameters(), lr=1e-2, weight_decay=0.1)
    return train(model.parameters(), lambda: model(x).square().mean(), 4, optimizer)
