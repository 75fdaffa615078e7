"""Rprop: steps that follow the gradient's sign only."""

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
    require_lr,
    scalar,
)

__all__ = ["Rprop"]


class Rprop(ByParameter):
    """Gives each element a step that grows while the gradient keeps its sign, and shrinks else.

    etas: the factors of shrinking and growing.
    step_sizes: the smallest and largest step.

    >>> x = wend.ones(2, requires_grad=True); (x * x).sum().backward()
    >>> wend.optim.Rprop([x], lr=0.1).step(); x
    tensor([0.9000, 0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        require_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _initial(self, p: Tensor, group: Group) -> State:
        zeros = wend.zeros_like(p.detach())
        return {"step": count(), "prev": zeros, "step_size": zeros + scalar(group["lr"])}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        shrink, growth = group["etas"]
        smallest, largest = group["step_sizes"]
        state["step"].add_(1)
        agreement = grad * state["prev"]
        turned = agreement < 0
        factor = wend.where(turned, shrink, wend.where(agreement > 0, growth, wend.ones_like(grad)))
        size = state["step_size"].mul_(factor).clamp_(smallest, largest)
        grad = grad.masked_fill(turned, 0)
        p.addcmul_(grad.sign(), size, value=-1)
        state["prev"].copy_(grad)
