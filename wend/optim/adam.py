"""Adam: steps by running means of the gradient and of its square."""

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
    require_variant,
    scalar,
)

__all__ = ["Adam"]


def _require_tensor_options(
    lr: Scalar, betas: tuple[Scalar, Scalar], foreach: bool | None, capturable: bool
) -> None:
    """Raise where PyTorch takes no tensor for an option."""
    refused = bool(foreach) and not capturable
    names = {"lr": lr, "betas[0]": betas[0], "betas[1]": betas[1]}
    for name, value in names.items():
        if isinstance(value, Tensor) and refused:
            raise ValueError(
                f"{name} as a Tensor is not supported for capturable=False and foreach=True"
            )
        if isinstance(value, Tensor) and value.numel() != 1:
            raise ValueError(f"Tensor {name} must be 1-element")
        if name == "lr" and isinstance(betas[0], Tensor) != isinstance(betas[1], Tensor):
            raise ValueError("betas must be either both floats or both Tensors")


class Adam(ByParameter):
    """Divides a running mean of the gradient by the root of a running mean of its square.

    betas: how much of the two means is kept from step to step.
    amsgrad: divide by the largest mean of squares so far.

    >>> x = wend.ones(2, requires_grad=True); (x * x).sum().backward()
    >>> wend.optim.Adam([x], lr=0.1).step(); x
    tensor([0.9000, 0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1e-3,
        betas: tuple[Scalar, Scalar] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        _require_tensor_options(lr, betas, foreach, capturable)
        require_lr(lr)
        require_not_negative(eps=eps)
        require_betas(betas)
        require_not_negative(weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "betas": tuple(map(scalar, betas)),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)
        require_variant(fused, foreach, differentiable)

    def _initial(self, p: Tensor, group: Group) -> State:
        state = {
            "step": count(),
            "exp_avg": wend.zeros_like(p),
            "exp_avg_sq": wend.zeros_like(p),
        }
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = wend.zeros_like(p)
        return {key: value.detach() for key, value in state.items()}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        beta1, beta2 = group["betas"]
        lr = scalar(group["lr"])
        if group["weight_decay"]:
            if group["decoupled_weight_decay"]:
                p.mul_(1 - lr * group["weight_decay"])
            else:
                grad = decayed(grad, p, group["weight_decay"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).add_(grad * (1 - beta2) * grad)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            square = largest.copy_(wend.maximum(largest, square))
        step = counted(state)
        spread = square.sqrt() / (1 - beta2**step).sqrt() + group["eps"]
        p.addcdiv_(mean * (-lr / (1 - beta1**step)), spread)
