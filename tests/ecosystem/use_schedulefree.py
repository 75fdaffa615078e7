"""schedulefree: optimizers that need no schedule."""

from typing import Any

import torch
from common import fill, numbers, train
from schedulefree import AdamWScheduleFree, RAdamScheduleFree, SGDScheduleFree


def use() -> Any:
    found, x = [], numbers(4, 3)
    for kind in (AdamWScheduleFree, RAdamScheduleFree, SGDScheduleFree):
        model = fill(torch.nn.Linear(3, 2))
        optimizer = kind(model.parameters(), lr=0.1)
        optimizer.train()
        learnt = train(model.parameters(), lambda: model(x).square().mean(), 6, optimizer)  # noqa: B023
        optimizer.eval()
        found += [learnt["losses"], [p.detach().clone() for p in model.parameters()]]
    return found
