"""ignite: a trainer with an evaluator, metrics and a schedule."""

from typing import Any

import torch
from common import fill, integers, numbers
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import PiecewiseLinear
from ignite.metrics import Accuracy, ConfusionMatrix, Loss, RunningAverage


def use() -> Any:
    model, criterion = fill(torch.nn.Linear(4, 3)), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data = [(numbers(8, 4, seed=i), integers(8, below=3, seed=i)) for i in range(3)]
    trainer = create_supervised_trainer(model, optimizer, criterion)
    metrics = {"accuracy": Accuracy(), "loss": Loss(criterion), "confusion": ConfusionMatrix(3)}
    evaluator = create_supervised_evaluator(model, metrics)
    RunningAverage(output_transform=lambda loss: loss).attach(trainer, "average")
    schedule = PiecewiseLinear(optimizer, "lr", [(0, 0.1), (6, 0.01)])
    trainer.add_event_handler(Events.ITERATION_STARTED, schedule)
    seen = []

    @trainer.on(Events.EPOCH_COMPLETED)
    def evaluate(engine: Any) -> None:
        evaluator.run(data)
        seen.append({**evaluator.state.metrics, **engine.state.metrics})

    trainer.run(data, max_epochs=2)
    return {"seen": seen, "parameters": list(model.parameters())}
