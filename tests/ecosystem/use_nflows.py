"""nflows: a masked autoregressive flow and a coupling flow learn a density."""

from typing import Any

from common import fill, numbers, train
from nflows.distributions.normal import StandardNormal
from nflows.flows.base import Flow
from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform
from nflows.transforms.base import CompositeTransform
from nflows.transforms.permutations import ReversePermutation


def use() -> Any:
    layers = [
        part
        for _ in range(2)
        for part in (
            ReversePermutation(features=3),
            MaskedAffineAutoregressiveTransform(features=3, hidden_features=8),
        )
    ]
    flow = fill(Flow(CompositeTransform(layers), StandardNormal([3])))
    x = numbers(16, 3)
    learnt = train(flow.parameters(), lambda: -flow.log_prob(x).mean())
    return {**learnt, "density": flow.log_prob(x), "noise": flow.transform_to_noise(x)}
