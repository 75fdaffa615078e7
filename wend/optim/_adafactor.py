"""Adafactor: adaptive steps with little memory."""

from __future__ import annotations

import math
from typing import Any

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
    require_lr,
    scalar,
)

__all__ = ["Adafactor"]


class Adafactor(ByParameter):
    """Keeps the mean square of a matrix's gradient as a product of a row and a column.

    eps: bounds from below for the mean square and for the size of the parameters.
    d: how large an update may be on average before it is scaled down.

    >>> x = wend.ones(2, requires_grad=True); (x * x).sum().backward()
    >>> wend.optim.Adafactor([x], lr=0.1).step(); x
    tensor([0.9000, 0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        require_lr(lr, "Learning rate should be >= 0 but is:")
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not eps[0] >= 0.0:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not eps[1] >= 0.0:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _initial(self, p: Tensor, group: Group) -> State:
        state: State = {"step": count()}
        if p.dim() > 1:
            *rest, rows, columns = p.shape
            state["row_var"] = wend.zeros((*rest, rows, 1), dtype=p.dtype)
            state["col_var"] = wend.zeros((*rest, 1, columns), dtype=p.dtype)
        else:
            state["variance"] = wend.zeros_like(p)
        return state

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        lr = scalar(group["lr"])
        floor, smallest = group["eps"]
        floor = wend.finfo(p.dtype).eps if floor is None else floor
        step = counted(state)
        rate = step.rsqrt().clamp(max=lr) * _at_least(smallest, _size(p))
        if group["weight_decay"]:
            p.mul_(1 - lr * group["weight_decay"])
        variance = _variance(grad, state, step ** group["beta2_decay"], floor)
        update = variance.clamp(min=floor * floor).rsqrt() * grad
        p.sub_(update * (rate / _at_least(1.0, _size(update) / group["d"])))


def _at_least(bound: float, size: Tensor) -> Tensor:
    """The size, or the bound where that is larger or the size is NaN."""
    return wend.fmax(size, wend.tensor(bound, dtype=size.dtype))


def _size(x: Tensor) -> Tensor:
    """The root of the mean square, in double precision."""
    size: Any = x.norm().to(wend.float64) / math.sqrt(x.numel())
    return size if isinstance(size, Tensor) else wend.tensor(size)


def _variance(grad: Tensor, state: State, weight: Tensor, floor: float) -> Tensor:
    """Take a gradient into the mean square, and return it in full size."""
    square, weight = grad * grad, weight.to(grad.dtype)
    if grad.dim() < 2:
        variance: Tensor = state["variance"].lerp_(square, weight)
        return variance
    rows = state["row_var"].lerp_(square.mean(-1, keepdim=True), weight)
    columns = state["col_var"].lerp_(square.mean(-2, keepdim=True), weight)
    product: Tensor = (rows @ columns) / rows.mean(-2, keepdim=True).clamp(min=floor)
    return product
