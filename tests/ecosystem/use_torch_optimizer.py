"""torch_optimizer: a network learns with several of its optimizers."""

import warnings
from typing import Any

import torch
import torch_optimizer
from common import fill, numbers, train

NAMES = [
    "RAdam",
    "DiffGrad",
    "AdaBound",
    "Lamb",
    "Yogi",
    "NovoGrad",
    "QHAdam",
    "AdaMod",
    "PID",
    "SGDW",
]


def use() -> Any:
    warnings.simplefilter("ignore")
    x = numbers(10, 4)
    result = {}
    for name in NAMES:
        net = fill(
            torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1))
        )
        optimizer = getattr(torch_optimizer, name)(net.parameters(), lr=0.01)
        result[name] = train(net.parameters(), lambda net=net: net(x).square().mean(), 4, optimizer)
    return result
