"""accelerate: a training loop whose model, optimizer, data and schedule it prepares."""

from typing import Any

import torch
from accelerate import Accelerator
from common import fill, numbers
from torch.utils.data import DataLoader, TensorDataset


def use() -> Any:
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = fill(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.SiLU(), torch.nn.Linear(8, 1)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=4)
    x = numbers(32, 4)
    loader = DataLoader(TensorDataset(x, x.mean(1, keepdim=True)), 8)
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    losses = []
    for a, b in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(a), b)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        losses.append(accelerator.gather_for_metrics(loss).item())
    return {"losses": losses, "state": accelerator.get_state_dict(model)}
