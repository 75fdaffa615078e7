"""Adadelta: steps in the units of the parameter."""

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

__all__ = ["Adadelta"]


class Adadelta(ByParameter):
    """Scales the gradient by the ratio of the running sizes of past steps and gradients.

    >>> x = wend.ones(2, requires_grad=True); (x * x).sum().backward()
    >>> wend.optim.Adadelta([x]).step(); x
    tensor([0.9968, 0.9968], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        require_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        require_not_negative(eps=eps, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _initial(self, p: Tensor, group: Group) -> State:
        zeros = wend.zeros_like(p.detach())
        return {"step": count(), "square_avg": zeros, "acc_delta": zeros.clone()}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        rho, eps = group["rho"], group["eps"]
        state["step"].add_(1)
        grad = decayed(grad, p, group["weight_decay"])
        square, steps = state["square_avg"], state["acc_delta"]
        square.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = (steps + eps).sqrt() / (square + eps).sqrt() * grad
        steps.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        move(p, delta, scalar(group["lr"]))
