"""zuko: flows of several kinds learn densities that depend on something."""

from typing import Any

import zuko
from common import fill, numbers, train


def use() -> Any:
    found = []
    for flow, width, given in (
        (zuko.flows.NSF(2, 2, transforms=1, hidden_features=(8,)), 2, 2),
        (zuko.flows.MAF(3, 1, transforms=2, hidden_features=(8,)), 3, 1),
        (zuko.flows.GMM(2, 1, components=3), 2, 1),
        (zuko.flows.NICE(2, transforms=2, hidden_features=[8]), 2, 0),
    ):
        x, context = numbers(5, width), numbers(5, given, seed=2) if given else None
        fill(flow)

        def loss(flow: Any = flow, x: Any = x, context: Any = context) -> Any:
            return -flow(context).log_prob(x).mean()

        found.append(train(flow.parameters(), loss, 2))
    return found
