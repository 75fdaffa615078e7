"""A transformer block, written over a module that speaks PyTorch, and its training step.

What is measured with it stands in the workload files.
"""

from typing import Any

import numpy as np

from benchmarks.sketch import sketch
from benchmarks.workload import Step

LEARNING_RATE = 1e-3


def weights(width: int) -> dict[str, Any]:
    source = np.random.RandomState(7)

    def normal(*sizes: int) -> Any:
        return (source.randn(*sizes) * sizes[-1] ** -0.5).astype(np.float32)

    return {
        "norm1": np.ones(width, np.float32),
        "norm1_bias": np.zeros(width, np.float32),
        "attention": normal(3 * width, width),
        "attention_bias": normal(3 * width),
        "out": normal(width, width),
        "out_bias": normal(width),
        "norm2": np.ones(width, np.float32),
        "norm2_bias": np.zeros(width, np.float32),
        "up": normal(4 * width, width),
        "up_bias": normal(4 * width),
        "down": normal(width, 4 * width),
        "down_bias": normal(width),
    }


class Block:
    """Attention and a two-layer network, each behind a norm and beside the identity."""

    def __init__(self, T: Any, width: int, heads: int) -> None:
        self.F, self.heads = T.nn.functional, heads
        made = weights(width)
        self.w = {name: T.tensor(values, requires_grad=True) for name, values in made.items()}

    def linear(self, x: Any, name: str) -> Any:
        return self.F.linear(x, self.w[name], self.w[name + "_bias"])

    def norm(self, x: Any, name: str) -> Any:
        return self.F.layer_norm(x, x.shape[-1:], self.w[name], self.w[name + "_bias"])

    def attention(self, x: Any) -> Any:
        batch, length, width = x.shape
        parts = self.linear(x, "attention").view(batch, length, 3 * self.heads, -1)
        q, k, v = parts.transpose(1, 2).chunk(3, 1)
        scores = q @ k.transpose(2, 3) * (width // self.heads) ** -0.5
        mixed = scores.softmax(-1) @ v
        return self.linear(mixed.transpose(1, 2).reshape(batch, length, width), "out")

    def __call__(self, x: Any) -> Any:
        x = x + self.attention(self.norm(x, "norm1"))
        return x + self.linear(self.F.gelu(self.linear(self.norm(x, "norm2"), "up")), "down")


def block_step(T: Any, width: int = 256, length: int = 128, batch: int = 8) -> Step:
    """One step of training the block to give zeros."""
    block = Block(T, width, heads=8)
    inputs = np.random.RandomState(77).randn(batch, length, width).astype(np.float32)
    x = T.tensor(inputs)
    parameters = list(block.w.values())

    def step() -> tuple[Any, Any]:
        loss = block(x).square().mean()
        for p in parameters:
            p.grad = None
        loss.backward()
        with T.no_grad():
            for p in parameters:
                p -= LEARNING_RATE * p.grad
        return loss.item(), lambda: [sketch(p.grad.numpy()) for p in parameters]

    return step
