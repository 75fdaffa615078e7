"""skorch: a network as a scikit-learn classifier, fitted, scored and searched over."""

from typing import Any

import torch
from common import fill, integers, numbers
from skorch import NeuralNetClassifier


class Net(torch.nn.Module):
    def __init__(self, width: int = 6) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(4, width), torch.nn.ReLU(), torch.nn.Linear(width, 3),
            torch.nn.Softmax(-1),
        )  # fmt: skip
        fill(self)

    def forward(self, x: Any) -> Any:
        return self.layers(x)


def use() -> Any:
    x, y = numbers(30, 4).numpy(), integers(30, below=3).numpy()
    net = NeuralNetClassifier(
        Net, max_epochs=3, lr=0.1, batch_size=10, iterator_train__shuffle=False, verbose=0
    )
    net.fit(x, y)
    history = [[row["train_loss"], row["valid_loss"], row["valid_acc"]] for row in net.history]
    return {"history": history, "chances": net.predict_proba(x), "score": net.score(x, y)}
