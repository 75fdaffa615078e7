"""pyro: a traced model's density and its gradients, and a step of inference without draws."""

from typing import Any

import pyro
import pyro.distributions as dist
import torch
from common import numbers
from pyro import poutine
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoDelta


def model(x: Any, y: Any) -> None:
    slope = pyro.sample("slope", dist.Normal(0.0, 2.0))
    scale = pyro.sample("scale", dist.HalfNormal(1.0))
    with pyro.plate("data", len(x)):
        pyro.sample("y", dist.Normal(slope * x, scale), obs=y)


def use() -> Any:
    pyro.clear_param_store()
    x, noise = numbers(20), numbers(20, seed=1)
    y = 1.5 * x + 0.3 * noise
    slope, scale = torch.tensor(1.0, requires_grad=True), torch.tensor(0.5, requires_grad=True)
    given = poutine.condition(model, data={"slope": slope, "scale": scale})
    density = poutine.trace(given).get_trace(x, y).log_prob_sum()
    density.backward()
    start = {"slope": torch.tensor(0.5), "scale": torch.tensor(1.0)}
    guide = AutoDelta(model, init_loc_fn=lambda site: start[site["name"]])
    svi = SVI(model, guide, pyro.optim.Adam({"lr": 0.05}), Trace_ELBO())
    losses = [svi.step(x, y) for _ in range(5)]
    return {
        "density": density,
        "gradients": [slope.grad, scale.grad],
        "losses": losses,
        **guide.median(),
    }
