"""Adam whose weight decay is apart from the gradient."""

from __future__ import annotations

from wend.optim.adam import Adam
from wend.optim.optimizer import ParamsT, Scalar

__all__ = ["AdamW"]


class AdamW(Adam):
    """Adam that shrinks the parameters themselves by `lr * weight_decay` at each step.

    >>> x = wend.ones(2, requires_grad=True); (x * x).sum().backward()
    >>> wend.optim.AdamW([x], lr=0.1).step(); x
    tensor([0.8990, 0.8990], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1e-3,
        betas: tuple[Scalar, Scalar] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )
