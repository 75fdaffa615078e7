"""kornia: filters, colours and a warp whose matrix learns."""

from typing import Any

import kornia
import torch
from common import numbers, train


def use() -> Any:
    image = numbers(2, 3, 16, 16).sigmoid()
    grey = kornia.color.rgb_to_grayscale(image)
    edges = kornia.filters.sobel(grey)
    blurred = kornia.filters.gaussian_blur2d(image, (5, 5), (1.5, 1.5))
    angle = torch.tensor([3.0, -5.0], requires_grad=True)

    def loss() -> Any:
        turned = kornia.geometry.transform.rotate(image, angle)
        return torch.nn.functional.mse_loss(turned, blurred)

    learnt = train([angle], loss)
    return {
        **learnt, "grey": grey, "edges": edges, "blurred": blurred,
        "hsv": kornia.color.rgb_to_hsv(image),
        "ssim": kornia.metrics.ssim(image, blurred, 5),
        "larger": kornia.geometry.transform.resize(image, (20, 12), antialias=False),
    }  # fmt: skip
