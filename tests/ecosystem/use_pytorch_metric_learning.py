"""pytorch-metric-learning: losses between embeddings, with miners and distances."""

from typing import Any

from common import integers, numbers
from pytorch_metric_learning import distances, losses, miners


def use() -> Any:
    labels = integers(12, below=3)
    result = {}
    makers = {
        "triplet": losses.TripletMarginLoss(),
        "contrastive": losses.ContrastiveLoss(),
        "ntxent": losses.NTXentLoss(),
        "multi": losses.MultiSimilarityLoss(),
        "circle": losses.CircleLoss(),
        "supcon": losses.SupConLoss(distance=distances.CosineSimilarity()),
    }
    for name, loss in makers.items():
        x = numbers(12, 8).requires_grad_()
        pairs = miners.MultiSimilarityMiner()(x, labels) if name == "multi" else None
        value = loss(x, labels, pairs)
        value.backward()
        result[name] = [value, x.grad]
    return result
