"""L-BFGS: steps by an estimate of the inverse Hessian from past steps, with a line search."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import wend
from wend import Tensor
from wend.optim.optimizer import Optimizer, ParamsT, Scalar, State, require_lr, scalar

__all__ = ["LBFGS"]


class _Point(NamedTuple):
    """A point on the line of search: how far, loss, gradient, slope along the line."""

    t: float
    loss: float
    grad: Tensor
    slope: float


def _cubic_minimum(a: _Point, b: _Point, low: float, high: float) -> float:
    """Where in [low, high] the cubic through two points, with their slopes, is smallest."""
    if a.t > b.t:
        a, b = b, a
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2
    d2 = math.sqrt(square)
    bottom = b.slope - a.slope + 2 * d2
    if bottom == 0:
        return (low + high) / 2
    return min(max(b.t - (b.t - a.t) * ((b.slope + d2 - d1) / bottom), low), high)


class _StrongWolfe:
    """Looks for a point where the loss has fallen enough and its slope is small enough."""

    sufficient, curvature, tolerance = 1e-4, 0.9, 1e-9

    def __init__(
        self,
        evaluate: Callable[[float], _Point],
        start: _Point,
        width: float,
        evaluations: int,
    ) -> None:
        self.evaluate, self.start, self.width = evaluate, start, width
        self.limit = evaluations
        self.evaluations = 0

    def search(self, t: float) -> _Point:
        """Return the best point found from a first guess."""
        bracket, left = self._bracket(t)
        return bracket[0] if len(bracket) == 1 else self._zoom(bracket, left)

    def _at(self, t: float) -> _Point:
        self.evaluations += 1
        return self.evaluate(t)

    def _too_high(self, point: _Point) -> bool:
        start = self.start
        return point.loss > start.loss + self.sufficient * point.t * start.slope

    def _flat(self, point: _Point) -> bool:
        return abs(point.slope) <= -self.curvature * self.start.slope

    def _bracket(self, t: float) -> tuple[list[_Point], int]:
        """Return points around an acceptable one, or one such point, and the tries left."""
        before, point = self.start, self._at(t)
        for tried in range(self.limit):
            if self._too_high(point) or (tried > 1 and point.loss >= before.loss):
                return [before, point], self.limit - tried
            if self._flat(point):
                return [point], 0
            if point.slope >= 0:
                return [before, point], self.limit - tried
            low, high = point.t + 0.01 * (point.t - before.t), point.t * 10
            before, point = point, self._at(_cubic_minimum(before, point, low, high))
        return [self.start, point], 0

    def _zoom(self, bracket: list[_Point], left: int) -> _Point:
        """Shrink the bracket until a point is acceptable, or nothing moves any more."""
        stuck = False
        low, high = sorted(bracket, key=lambda point: point.loss)
        for _ in range(left):
            if abs(high.t - low.t) * self.width < self.tolerance:
                break
            t, stuck = self._within(low, high, stuck)
            point = self._at(t)
            if self._too_high(point) or point.loss >= low.loss:
                high = point
                if high.loss < low.loss:
                    low, high = high, low
                continue
            if self._flat(point):
                return point
            if point.slope * (high.t - low.t) >= 0:
                high = low
            low = point
        return low

    @staticmethod
    def _within(low: _Point, high: _Point, stuck: bool) -> tuple[float, bool]:
        """The next place to look at, kept off the ends of a bracket that does not shrink."""
        left, right = min(low.t, high.t), max(low.t, high.t)
        t = _cubic_minimum(low, high, left, right)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) >= margin:
            return t, False
        if not (stuck or t >= right or t <= left):
            return t, True
        return (right - margin if right - t < t - left else left + margin), False


class LBFGS(Optimizer):
    """Minimizes a loss that `step`'s closure evaluates as often as it is needed.

    line_search_fn: None for steps of length `lr`, or "strong_wolfe".

    >>> x = wend.tensor([3.0, -2.0], requires_grad=True)
    >>> optimizer = wend.optim.LBFGS([x], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((x - 1) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> _ = optimizer.step(closure); wend.allclose(x, wend.ones(2))
    True
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Scalar = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        require_lr(lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params: list[Tensor] = self.param_groups[0]["params"]

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._params = self.param_groups[0]["params"]

    def _flat_grad(self) -> Tensor:
        return wend.cat(
            [
                wend.zeros(p.numel(), dtype=p.dtype) if p.grad is None else p.grad.reshape(-1)
                for p in self._params
            ]
        )

    def _move(self, t: Scalar, direction: Tensor) -> None:
        start = 0
        for p in self._params:
            end = start + p.numel()
            p.add_(direction[start:end].view(p.shape) * t)
            start = end

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Improve the parameters for up to `max_iter` iterations; return the first loss."""
        with wend.no_grad():
            return self._minimize(wend.enable_grad()(closure))

    def _minimize(self, closure: Callable[[], Any]) -> Any:
        group, state = self.param_groups[0], self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss, evaluations = float(first_loss), 1
        state["func_evals"] += 1
        grad = self._flat_grad()
        if float(grad.abs().max()) <= group["tolerance_grad"]:
            return first_loss
        for iteration in range(1, group["max_iter"] + 1):
            last = iteration == group["max_iter"]
            state["n_iter"] += 1
            direction = state["d"] = self._direction(grad, state, group["history_size"])
            state["prev_flat_grad"] = grad.clone()
            state["prev_loss"] = before = loss
            t = float(scalar(group["lr"]))
            if state["n_iter"] == 1:
                t *= min(1.0, 1.0 / float(grad.abs().sum()))
            state["t"] = t
            slope = float(grad.dot(direction))
            if slope > -group["tolerance_change"]:
                break
            if group["line_search_fn"] is not None:
                here = _Point(0.0, loss, grad, slope)
                point, used = self._search(closure, here, t, direction, evaluations)
                t, loss, grad, _ = point
                state["t"] = t
                self._move(t, direction)
            else:
                used = 0 if last else 1
                self._move(t, direction)
                if not last:
                    loss, grad = float(closure()), self._flat_grad()
            evaluations += used
            state["func_evals"] += used
            if (
                last
                or evaluations >= group["max_eval"]
                or float(grad.abs().max()) <= group["tolerance_grad"]
                or float((direction * t).abs().max()) <= group["tolerance_change"]
                or abs(loss - before) < group["tolerance_change"]
            ):
                break
        return first_loss

    def _direction(self, grad: Tensor, state: State, history: int) -> Tensor:
        """Return the way to go: the estimated inverse Hessian times the falling gradient."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return grad.neg()
        changes, steps, weights = state["old_dirs"], state["old_stps"], state["ro"]
        change, step = grad - state["prev_flat_grad"], state["d"] * state["t"]
        product = change.dot(step)
        if float(product) > 1e-10:
            if len(changes) == history:
                for past in (changes, steps, weights):
                    past.pop(0)
            changes.append(change)
            steps.append(step)
            weights.append(1.0 / product)
            state["H_diag"] = product / change.dot(change)
        q: Tensor = grad.neg()
        amounts: list[Tensor] = []
        for change, step, weight in zip(changes[::-1], steps[::-1], weights[::-1], strict=True):
            amounts.append(step.dot(q) * weight)
            q = q - change * amounts[-1]
        q = q * state["H_diag"]
        for change, step, weight in zip(changes, steps, weights, strict=True):
            q = q + step * (amounts.pop() - change.dot(q) * weight)
        return q

    def _search(
        self,
        closure: Callable[[], Any],
        start: _Point,
        t: float,
        direction: Tensor,
        evaluations: int,
    ) -> tuple[_Point, int]:
        """Return the point that the line search finds, and how often it evaluated the loss."""
        group = self.param_groups[0]
        if group["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        origin = [p.clone() for p in self._params]

        def evaluate(t: float) -> _Point:
            self._move(t, direction)
            loss = float(closure())
            grad = self._flat_grad()
            for p, value in zip(self._params, origin, strict=True):
                p.copy_(value)
            return _Point(t, loss, grad, float(grad.dot(direction)))

        width = float(direction.abs().max())
        search = _StrongWolfe(evaluate, start, width, group["max_eval"] - evaluations)
        return search.search(t), search.evaluations
