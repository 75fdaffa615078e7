"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from wend import Tensor
from wend.optim.optimizer import (
    ByParameter,
    Group,
    ParamsT,
    Scalar,
    State,
    decayed,
    move,
    require_lr,
    require_not_negative,
    require_variant,
    scalar,
)

__all__ = ["SGD"]


class SGD(ByParameter):
    """Moves each parameter against its gradient, or against a decaying sum of its gradients.

    >>> x = wend.ones(2, requires_grad=True); (x * x).sum().backward()
    >>> wend.optim.SGD([x], lr=0.1).step(); x
    tensor([0.8000, 0.8000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Scalar = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        require_lr(lr)
        require_not_negative(momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        require_variant(fused, foreach, differentiable)

    def _initial(self, p: Tensor, group: Group) -> State:
        return {"momentum_buffer": None} if group["momentum"] else {}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        grad = decayed(grad, p, group["weight_decay"])
        momentum = group["momentum"]
        if momentum:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        move(p, grad, scalar(group["lr"]))
