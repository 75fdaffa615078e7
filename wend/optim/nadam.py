"""NAdam: Adam with Nesterov's momentum."""

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

__all__ = ["NAdam"]


class NAdam(ByParameter):
    """Adam that looks ahead along the mean gradient, with a momentum that grows to `betas[0]`.

    >>> x = wend.ones(2, requires_grad=True); (x * x).sum().backward()
    >>> wend.optim.NAdam([x], lr=0.1).step(); x
    tensor([0.8944, 0.8944], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
        require_not_negative(weight_decay=weight_decay, momentum_decay=momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _initial(self, p: Tensor, group: Group) -> State:
        zeros = wend.zeros_like(p.detach())
        start = count()
        return {
            "step": start,
            "mu_product": start + 1,
            "exp_avg": zeros,
            "exp_avg_sq": zeros.clone(),
        }

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        beta1, beta2 = group["betas"]
        lr, decay = scalar(group["lr"]), group["momentum_decay"]
        if group["weight_decay"] and group["decoupled_weight_decay"]:
            p.mul_(1 - lr * group["weight_decay"])
        else:
            grad = decayed(grad, p, group["weight_decay"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)

        step = counted(state)
        now = beta1 * (1 - 0.5 * 0.96 ** (step * decay))
        ahead = beta1 * (1 - 0.5 * 0.96 ** ((step + 1) * decay))
        product = state["mu_product"].mul_(now).to(wend.float64)
        spread = (square / (1 - beta2**step)).sqrt() + group["eps"]
        by_grad = grad * ((1 - now) / (1 - product))
        by_mean = mean * (ahead / (1 - product * ahead))
        p.addcdiv_((by_grad + by_mean) * -lr, spread)
