"""geoopt: points that learn on a ball, a sphere and among orthogonal matrices."""

from typing import Any

import geoopt
import torch
from common import numbers, train


def use() -> Any:
    ball = geoopt.PoincareBall()
    point = geoopt.ManifoldParameter(numbers(4, 3, scale=0.1), manifold=ball)
    on_sphere = numbers(4, 3, seed=1)
    arrow = geoopt.ManifoldParameter(
        on_sphere / on_sphere.norm(dim=-1, keepdim=True), manifold=geoopt.Sphere()
    )
    frame = geoopt.ManifoldParameter(torch.linalg.qr(numbers(4, 2, seed=2))[0], geoopt.Stiefel())
    target, direction = numbers(4, 3, seed=3, scale=0.1), numbers(4, 3, seed=4)
    learning = [point, arrow, frame]

    def loss() -> Any:
        spread = (frame.T @ numbers(4, 4, seed=5) @ frame).trace()
        return ball.dist(point, target).pow(2).sum() - (arrow * direction).sum() + spread

    return train(learning, loss, optimizer=geoopt.optim.RiemannianAdam(learning, lr=0.01))
