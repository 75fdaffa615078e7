"""normflows: a flow of couplings and splines learns a density."""

from typing import Any

import normflows as nf
from common import fill, numbers, train


def use() -> Any:
    flows: list[Any] = []
    for _ in range(2):
        net = nf.nets.MLP([1, 8, 2], init_zeros=False)
        flows += [nf.flows.AffineCouplingBlock(net), nf.flows.Permute(2, mode="swap")]
    flows.append(nf.flows.CoupledRationalQuadraticSpline(2, 1, 8))
    model = fill(nf.NormalizingFlow(nf.distributions.DiagGaussian(2), flows))
    x = numbers(6, 2)
    learnt = train(model.parameters(), lambda: model.forward_kld(x))
    return {**learnt, "density": model.log_prob(x)}
