"""botorch: a Gaussian process is fitted, and where to look next is optimized."""

from typing import Any

import torch
from botorch.acquisition import LogExpectedImprovement, UpperConfidenceBound
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from common import numbers
from gpytorch.mlls import ExactMarginalLogLikelihood


def use() -> Any:
    x = (numbers(8, 2).double() * 0.2 + 0.5).clamp(0, 1)
    y = x.sin().sum(-1, keepdim=True) - 1
    model = SingleTaskGP(x, y)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    points = numbers(5, 1, 2, seed=4).double() * 0.2 + 0.5
    bound = UpperConfidenceBound(model, beta=0.1)
    _, best = optimize_acqf(
        bound, torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double(), q=1, num_restarts=2,
        raw_samples=8, batch_initial_conditions=points[:2],
    )  # fmt: skip
    improvement = LogExpectedImprovement(model, best_f=y.max())(points)
    mean = model.posterior(points).mean
    return {"improvement": improvement, "bound": bound(points), "mean": mean, "best": best.item()}
