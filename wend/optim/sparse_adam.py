"""SparseAdam: Adam that changes only the elements a sparse gradient names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wend
from wend import Tensor
from wend.optim.optimizer import Optimizer, ParamsT, Scalar

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam for sparse gradients: moments and parameters move only where the gradient has elements.

    Gradients that backward computes are dense; for those, as PyTorch says, use Adam.

    >>> x = wend.ones(3, requires_grad=True)
    >>> x.grad = wend.sparse_coo_tensor([[1]], [2.0], (3,))
    >>> wend.optim.SparseAdam([x], lr=0.5).step(); x
    tensor([1.0000, 0.5000, 1.0000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take a step; the closure, if there is one, computes the loss, which is returned."""
        loss = None
        if closure is not None:
            with wend.enable_grad():
                loss = closure()
        with wend.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self._move(p, p.grad, group)
        return loss

    def _move(self, p: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if not grad.is_sparse:
            raise RuntimeError(
                "SparseAdam does not support dense gradients, please consider Adam instead"
            )
        state = self.state[p]
        if not state:
            state["step"] = 0
            state["exp_avg"], state["exp_avg_sq"] = wend.zeros_like(p), wend.zeros_like(p)
        state["step"] += 1
        step = state["step"]
        given: Any = grad.coalesce()
        where, values = tuple(given.indices()), given.values()
        values = -values if group["maximize"] else values
        beta1, beta2 = group["betas"]
        first = state["exp_avg"][where].lerp(values, 1 - beta1)
        second = state["exp_avg_sq"][where].lerp(values * values, 1 - beta2)
        state["exp_avg"][where], state["exp_avg_sq"][where] = first, second
        rate = float(group["lr"]) * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
        p[where] = p[where] - rate * first / (second.sqrt() + group["eps"])
