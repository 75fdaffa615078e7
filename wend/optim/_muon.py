"""Muon: steps by orthogonalized momentum, for matrices."""

from __future__ import annotations

import math

import wend
from wend import Tensor
from wend.optim.optimizer import (
    ByParameter,
    Group,
    ParamsT,
    Scalar,
    State,
    move,
    require_lr,
    scalar,
)

__all__ = ["Muon"]


class Muon(ByParameter):
    """Moves a matrix by its mean gradient with the singular values brought near 1.

    adjust_lr_fn: how the rate follows the matrix's shape, "original" or "match_rms_adamw".

    >>> x = wend.eye(2).requires_grad_(); (x * x).sum().backward()
    >>> wend.optim.Muon([x], lr=0.1, weight_decay=0).step(); x.diag().lt(1).all()
    tensor(True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        require_lr(lr, "Learning rate should be >= 0 but is:")
        if not momentum >= 0.0:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                if p.dim() != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with "
                        f"size: {p.size()}"
                    )

    def _initial(self, p: Tensor, group: Group) -> State:
        return {"momentum_buffer": wend.zeros_like(p)}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        momentum, lr = group["momentum"], scalar(group["lr"])
        update = state["momentum_buffer"].lerp_(grad, 1 - momentum)
        if group["nesterov"]:
            update = grad.lerp(update, momentum)
        update = _orthogonal(update, group)
        p.mul_(1 - lr * group["weight_decay"])
        move(p, update.to(p.dtype), lr * _shape_factor(p, group["adjust_lr_fn"]))


def _orthogonal(matrix: Tensor, group: Group) -> Tensor:
    """A matrix with the same singular vectors and values near 1, by Newton and Schulz's iteration.

    Sixteen bits are enough for it.
    """
    if group["ns_steps"] >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(group["ns_coefficients"]) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = group["ns_coefficients"]
    tall = matrix.size(0) > matrix.size(1)
    x = matrix.bfloat16()
    x = x.t() if tall else x
    x = x / x.norm().clamp(min=group["eps"])
    for _ in range(group["ns_steps"]):
        gram = x @ x.t()
        gram = wend.addmm(gram, gram, gram, beta=b, alpha=c)
        x = wend.addmm(x, gram, x, beta=a)
    return x.t() if tall else x


def _shape_factor(p: Tensor, rule: str | None) -> float:
    rows, columns = p.shape
    if rule == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))
