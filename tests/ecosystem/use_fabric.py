"""fabric: a plain training loop with lightning.fabric around it."""

from typing import Any

import torch
from common import fill, numbers
from lightning.fabric import Fabric
from torch.utils.data import DataLoader, TensorDataset


def use() -> Any:
    fabric = Fabric(accelerator="cpu", devices=1)
    fabric.launch()
    model = fill(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 1)))
    model, optimizer = fabric.setup(model, torch.optim.SGD(model.parameters(), lr=0.1))
    x = numbers(24, 4)
    loader = fabric.setup_dataloaders(DataLoader(TensorDataset(x, x.prod(1, keepdim=True)), 8))
    losses = []
    for a, b in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(a), b)
        fabric.backward(loss)
        fabric.clip_gradients(model, optimizer, max_norm=1.0)
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses, "parameters": list(model.parameters())}
