"""RAdam: Adam that waits with adapting until the mean square can be trusted."""

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

__all__ = ["RAdam"]


class RAdam(ByParameter):
    """Adam whose step is rectified by the variance of its own scaling.

    >>> x = wend.ones(2, requires_grad=True); (x * x).sum().backward()
    >>> wend.optim.RAdam([x], lr=0.1).step(); x
    tensor([0.8000, 0.8000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
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
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _initial(self, p: Tensor, group: Group) -> State:
        zeros = wend.zeros_like(p.detach())
        return {"step": count(), "exp_avg": zeros, "exp_avg_sq": zeros.clone()}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        beta1, beta2 = group["betas"]
        lr = scalar(group["lr"])
        if group["weight_decay"] and group["decoupled_weight_decay"]:
            p.mul_(1 - lr * group["weight_decay"])
        else:
            grad = decayed(grad, p, group["weight_decay"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)

        step = counted(state)
        correction = 1 - beta2**step
        limit = 2 / (1 - beta2) - 1
        length = limit - 2 * step * beta2**step / correction
        # Where the length is at most 5, nothing is adapted; what the formula gives there, perhaps
        # the root of a negative number, must not reach the parameters.
        trusted = length > 5.0
        safe = wend.where(trusted, length, 6.0)
        variance = (safe - 4) * (safe - 2) * limit / ((limit - 4) * (limit - 2) * safe)
        adapted = (variance * correction).sqrt() / (square.sqrt() + group["eps"])
        rate = wend.where(trusted, adapted, 1.0)
        p.addcmul_(mean * (-lr / (1 - beta1**step)), rate)
