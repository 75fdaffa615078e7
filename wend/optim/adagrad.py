"""Adagrad: steps that shrink with the sum of squared gradients."""

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
    require_variant,
    scalar,
)

__all__ = ["Adagrad"]


class Adagrad(ByParameter):
    """Divides the gradient by the root of the sum of its squares so far.

    >>> x = wend.ones(2, requires_grad=True); (x * x).sum().backward()
    >>> wend.optim.Adagrad([x], lr=0.1).step(); x
    tensor([0.9000, 0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        require_lr(lr)
        require_not_negative(
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        require_variant(fused, foreach, differentiable)
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p].update(self._initial(p, group))

    def share_memory(self) -> None:
        """Raise: wend's tensors are not shared between processes."""
        raise NotImplementedError("wend does not share an optimizer's state between processes")

    def _initial(self, p: Tensor, group: Group) -> State:
        return {
            "step": count(),
            "sum": wend.full_like(p.detach(), group["initial_accumulator_value"]),
        }

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        grad = decayed(grad, p, group["weight_decay"])
        total = state["sum"].addcmul_(grad, grad, value=1)
        rate = scalar(group["lr"]) / (1 + (counted(state) - 1) * group["lr_decay"])
        p.addcdiv_(grad * -rate, total.sqrt() + group["eps"])
