"""Averaged stochastic gradient descent."""

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
    require_lr,
    require_not_negative,
    scalar,
)

__all__ = ["ASGD"]


class ASGD(ByParameter):
    """Gradient descent with a falling rate that averages the parameters from step `t0` on.

    The average is the state `ax`.

    >>> x = wend.ones(2, requires_grad=True); (x * x).sum().backward()
    >>> wend.optim.ASGD([x], lr=0.1).step(); x
    tensor([0.8000, 0.8000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        require_lr(lr)
        require_not_negative(weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _initial(self, p: Tensor, group: Group) -> State:
        start = count()
        return {
            "step": start,
            "eta": (start + scalar(group["lr"])).detach(),
            "mu": start + 1,
            "ax": wend.zeros_like(p.detach()),
        }

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        lr, lambd = scalar(group["lr"]), group["lambd"]
        eta, mu, average = state["eta"], state["mu"], state["ax"]
        grad = decayed(grad, p, group["weight_decay"])
        p.mul_(1 - lambd * eta.to(wend.float64)).addcmul_(grad, eta.to(grad.dtype), value=-1)
        average.lerp_(p, mu.to(p.dtype))
        step = counted(state)
        eta.copy_(lr / (1 + lambd * lr * step) ** group["alpha"])
        mu.copy_(1 / (step - group["t0"]).clamp(min=1))
