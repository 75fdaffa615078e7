"""RMSprop: steps by the gradient over its running size."""

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
    decayed,
    move,
    require_lr,
    require_not_negative,
    scalar,
)

__all__ = ["RMSprop"]


class RMSprop(ByParameter):
    """Divides the gradient by the root of a running mean of its square.

    centered: by the standard deviation of the gradient instead.

    >>> x = wend.ones(2, requires_grad=True); (x * x).sum().backward()
    >>> wend.optim.RMSprop([x], lr=0.01).step(); x
    tensor([0.9000, 0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        require_lr(lr)
        require_not_negative(eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _initial(self, p: Tensor, group: Group) -> State:
        zeros = wend.zeros_like(p.detach())
        state = {"step": count(), "square_avg": zeros}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros.clone()
        if group["centered"]:
            state["grad_avg"] = zeros.clone()
        return state

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        alpha, lr = group["alpha"], scalar(group["lr"])
        state["step"].add_(1)
        grad = decayed(grad, p, group["weight_decay"])
        square = state["square_avg"].mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(grad, 1 - alpha)
            square = square.addcmul(mean, mean, value=-1)
        step = grad / (square.sqrt() + group["eps"])
        if group["momentum"] > 0:
            step = state["momentum_buffer"].mul_(group["momentum"]).add_(step)
        move(p, step, lr)
