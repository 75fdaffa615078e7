"""captum: which inputs a network's answer comes from, by several methods."""

from typing import Any

import torch
from captum.attr import (
    DeepLift,
    FeatureAblation,
    GuidedBackprop,
    InputXGradient,
    IntegratedGradients,
    LayerGradCam,
    Saliency,
)
from common import fill, numbers


def use() -> Any:
    net = fill(
        torch.nn.Sequential(
            torch.nn.Conv2d(1, 3, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(48, 3)
        )
    )
    x = numbers(2, 1, 6, 6).requires_grad_()
    base = torch.zeros(2, 1, 6, 6)
    return {
        "integrated": IntegratedGradients(net).attribute(x, base, target=1, n_steps=8),
        "saliency": Saliency(net).attribute(x, target=0),
        "product": InputXGradient(net).attribute(x, target=2),
        "guided": GuidedBackprop(net).attribute(x, target=2),
        "deeplift": DeepLift(net).attribute(x, base, target=1),
        "ablation": FeatureAblation(net).attribute(x, target=0),
        "gradcam": LayerGradCam(net, net[0]).attribute(x, target=1),
    }
