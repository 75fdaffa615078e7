"""Adamax: Adam with the largest gradient in place of the mean square."""

from __future__ import annotations

import wend
from wend import Tensor
from wend.optim.optimizer import (
    ByParameter,
    Group,
    ParamsT,
    Scalar,
    State,
    count,
    counted,
    decayed,
    require_betas,
    require_lr,
    require_not_negative,
    scalar,
)

__all__ = ["Adamax"]


class Adamax(ByParameter):
    """Divides a running mean of the gradient by a decaying maximum of its size.

    >>> x = wend.ones(2, requires_grad=True); (x * x).sum().backward()
    >>> wend.optim.Adamax([x], lr=0.1).step(); x
    tensor([0.9000, 0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        require_lr(lr)
        require_not_negative(eps=eps)
        require_betas(betas)
        require_not_negative(weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _initial(self, p: Tensor, group: Group) -> State:
        zeros = wend.zeros_like(p.detach())
        return {"step": count(), "exp_avg": zeros, "exp_inf": zeros.clone()}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        beta1, beta2 = group["betas"]
        grad = decayed(grad, p, group["weight_decay"])
        mean, largest = state["exp_avg"], state["exp_inf"]
        mean.lerp_(grad, 1 - beta1)
        largest.copy_(wend.maximum(largest * beta2, grad.abs() + group["eps"]))
        step = counted(state)
        p.addcdiv_(mean * (-scalar(group["lr"]) / (1 - beta1**step)), largest)
