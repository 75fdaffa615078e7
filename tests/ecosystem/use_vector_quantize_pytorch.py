"""vector-quantize-pytorch: codes for vectors, by codebook and by finite scalars."""

from typing import Any

import torch
from common import numbers, train
from vector_quantize_pytorch import FSQ, VectorQuantize


def use() -> Any:
    quantizer = VectorQuantize(dim=8, codebook_size=16, learnable_codebook=True, ema_update=False)
    with torch.no_grad():
        quantizer.codebook = numbers(16, 8, seed=1)
    encoder = torch.nn.Linear(8, 8)
    with torch.no_grad():
        encoder.weight.copy_(numbers(8, 8, seed=2, scale=0.3))
        encoder.bias.copy_(numbers(8, seed=3, scale=0.3))
    x = numbers(2, 10, 8)

    def loss() -> Any:
        quantized, _, commitment = quantizer(encoder(x))
        return (quantized - x).square().mean() + commitment.sum()

    learnt = train(encoder.parameters(), loss)
    finite = FSQ([8, 5, 5])
    values, codes = finite(numbers(2, 6, 3))
    return {**learnt, "codes": quantizer(encoder(x))[1], "finite": [values, codes]}
