"""opt_einsum: contractions of many tensors in a good order, with gradients."""

from typing import Any

import opt_einsum
from common import numbers, train


def use() -> Any:
    a, b, c, d = (numbers(4, 5, seed=i, scale=0.3).requires_grad_() for i in range(4))

    def loss() -> Any:
        return opt_einsum.contract("ij,kj,kl,il->", a, b, c, d, backend="torch").square()

    kept = opt_einsum.contract_expression("ij,kj->ik", (4, 5), (4, 5))
    return {**train([a, b, c, d], loss), "kept": kept(a, b)}
