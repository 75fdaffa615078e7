"""pytorch_optimizer: steps of all its optimizers."""

from typing import Any

import pytorch_optimizer
import torch
from common import fill, numbers, train

# One needs groups of processes, three draw numbers, one picks eigenvectors of equal eigenvalues.
LEFT_OUT = {"demo", "gravity", "kron", "magma", "soap"}


def use() -> Any:
    found, x = {}, numbers(5, 4)
    for name in sorted({*pytorch_optimizer.get_supported_optimizers()} - LEFT_OUT):
        layers = torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 2)
        model = fill(torch.nn.Sequential(*layers))
        try:
            optimizer = pytorch_optimizer.load_optimizer(name)(model.parameters(), lr=1e-2)
            found[name] = losses(model, x, optimizer)
        except Exception as error:  # of those that need closures, matrices or other arguments
            found[name] = type(error).__name__
    return found


def losses(model: Any, x: Any, optimizer: Any) -> Any:
    return train(model.parameters(), lambda: model(x).square().mean(), 4, optimizer)["losses"]
