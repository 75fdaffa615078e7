"""torchmetrics: metrics over batches, some of them with gradients."""

from typing import Any

import torch
import torchmetrics
from common import integers, numbers


def use() -> Any:
    metrics = torchmetrics.MetricCollection(
        {
            "accuracy": torchmetrics.Accuracy("multiclass", num_classes=4),
            "f1": torchmetrics.F1Score("multiclass", num_classes=4, average="macro"),
            "auroc": torchmetrics.AUROC("multiclass", num_classes=4),
            "confusion": torchmetrics.ConfusionMatrix("multiclass", num_classes=4),
        }
    )
    regression = [
        torchmetrics.MeanSquaredError(),
        torchmetrics.R2Score(),
        torchmetrics.PearsonCorrCoef(),
    ]
    for seed in range(3):
        scores = torch.softmax(numbers(10, 4, seed=seed), 1)
        metrics.update(scores, integers(10, below=4, seed=seed))
        for each in regression:
            each.update(numbers(10, seed=seed), numbers(10, seed=seed + 5))
    x = numbers(2, 3, 16, 16).sigmoid().requires_grad_()
    ssim = torchmetrics.functional.structural_similarity_index_measure(
        x, numbers(2, 3, 16, 16, seed=1).sigmoid(), data_range=1.0
    )
    ssim.backward()
    return [metrics.compute(), [each.compute() for each in regression], ssim, x.grad]
