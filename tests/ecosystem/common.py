"""What the small uses of packages share: numbers that are the same on both sides, and training."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch


def numbers(*shape: int, seed: int = 0, scale: float = 1.0) -> Any:
    """A float32 tensor of normal numbers, drawn by NumPy."""
    drawn = np.random.default_rng(seed).standard_normal(shape) * scale
    return torch.tensor(drawn.astype(np.float32))


def integers(*shape: int, below: int, seed: int = 0) -> Any:
    """An int64 tensor of numbers from 0, drawn by NumPy."""
    return torch.tensor(np.random.default_rng(seed).integers(0, below, shape))


def fill(module: Any, scale: float = 0.2) -> Any:
    """Give a module's parameters the same values on both sides, by their order."""
    with torch.no_grad():
        for i, parameter in enumerate(module.parameters()):
            parameter.copy_(numbers(*parameter.shape, seed=i, scale=scale))
    return module


def train(
    parameters: Iterable[Any], loss: Callable[[], Any], steps: int = 3, optimizer: Any = None
) -> Any:
    """Take a few steps; return the losses, the last gradients and what the parameters became."""
    learnt = list(parameters)
    optimizer = optimizer or torch.optim.SGD(learnt, lr=0.1, momentum=0.9)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        losses.append(value.item())
    gradients = [p.grad for p in learnt if p.grad is not None]
    return {"losses": losses, "gradients": gradients, "parameters": learnt}
