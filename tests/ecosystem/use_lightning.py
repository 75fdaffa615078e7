"""lightning: a LightningModule learns with the Trainer, validation and a checkpoint included."""

import logging
import tempfile
import warnings
from typing import Any

import lightning as L
import torch
from common import fill, numbers
from torch.utils.data import DataLoader, TensorDataset


class Model(L.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)
        )
        self.losses: list[float] = []

    def training_step(self, batch: Any, index: int) -> Any:
        x, y = batch
        loss = torch.nn.functional.mse_loss(self.layers(x), y)
        self.log("loss", loss)
        self.losses.append(loss.item())
        return loss

    def validation_step(self, batch: Any, index: int) -> None:
        x, y = batch
        self.log("val", torch.nn.functional.mse_loss(self.layers(x), y))

    def configure_optimizers(self) -> Any:
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.01)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


def use() -> Any:
    warnings.simplefilter("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    x = numbers(24, 4)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    model = fill(Model())
    with tempfile.TemporaryDirectory() as folder:
        trainer = L.Trainer(
            max_epochs=2, accelerator="cpu", logger=False, enable_progress_bar=False,
            enable_model_summary=True, default_root_dir=folder, gradient_clip_val=1.0,
        )  # fmt: skip
        trainer.fit(model, DataLoader(data, 8), DataLoader(data, 12))
        path = trainer.checkpoint_callback.best_model_path
        again = Model.load_from_checkpoint(path)
    measured = {name: float(value) for name, value in trainer.callback_metrics.items()}
    state = model.state_dict()
    return {
        "losses": model.losses,
        "metrics": measured,
        "state": state,
        "again": again.state_dict(),
    }
