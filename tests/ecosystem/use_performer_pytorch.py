"""performer-pytorch: attention by random features, whose projections are given."""

from typing import Any

import torch
from common import fill, integers, numbers, train
from performer_pytorch import PerformerLM


def use() -> Any:
    net = fill(
        PerformerLM(
            num_tokens=20, max_seq_len=16, dim=16, depth=1, heads=2, dim_head=8, causal=False,
            nb_features=8,
        )
    ).eval()  # fmt: skip
    for name, buffer in net.named_buffers():
        if "projection" in name:
            buffer.copy_(numbers(*buffer.shape, seed=77))
    ids = integers(2, 12, below=20)

    def loss() -> Any:
        return torch.nn.functional.cross_entropy(net(ids).flatten(0, 1), ids.flatten())

    return {**train(net.parameters(), loss), "logits": net(ids)}
