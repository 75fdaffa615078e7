"""gpytorch: an exact Gaussian process learns its hyperparameters, and predicts."""

from typing import Any

import gpytorch
import torch
from common import numbers, train


class Model(gpytorch.models.ExactGP):
    def __init__(self, x: Any, y: Any, likelihood: Any) -> None:
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x: Any) -> Any:
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def use() -> Any:
    x = torch.linspace(0, 1, 12)
    y = torch.sin(6 * x) + 0.1 * numbers(12)
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Model(x, y, likelihood)
    mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    model.train()
    learnt = train(model.parameters(), lambda: -mll(model(x), y))
    model.eval(), likelihood.eval()
    with torch.no_grad():
        guess = likelihood(model(torch.linspace(0, 1, 5)))
    return {**learnt, "mean": guess.mean, "variance": guess.variance}
