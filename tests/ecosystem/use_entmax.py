"""entmax: sparse softmaxes and their losses."""

from typing import Any

import entmax
from common import integers, numbers, train


def use() -> Any:
    x = numbers(4, 6).requires_grad_()
    wanted = integers(4, below=6)
    shown = [f(x, dim=-1) for f in (entmax.sparsemax, entmax.entmax15)]
    shown += [entmax.entmax_bisect(x, alpha=1.3), entmax.sparsemax_bisect(x)]

    def loss() -> Any:
        losses = entmax.sparsemax_loss(x, wanted) + entmax.entmax15_loss(x, wanted)
        return losses.sum() + entmax.entmax_bisect(x, alpha=1.7).square().sum()

    return {"shown": [each.detach().clone() for each in shown], **train([x], loss)}
