"""torchinfo: a summary of a network, with sizes and counts."""

from typing import Any

import torch
import torchinfo


def use() -> Any:
    net = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(),
        torch.nn.Linear(8 * 36, 10),
    )  # fmt: skip
    summary = torchinfo.summary(net, (2, 3, 8, 8), verbose=0, device="cpu")
    text = [ord(letter) for letter in str(summary)]
    return [summary.total_params, summary.total_mult_adds, summary.total_output_bytes, text]
