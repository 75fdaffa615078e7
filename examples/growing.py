"""A network that grows while it trains: wider when it learns no more, then deeper.

Fits a curve, from lines `x,y` of a file or generated. It starts with three units; whenever the loss
has stopped falling, `wend.nn.grow` adds units or a layer without changing what the network
computes, and the optimizer goes on with what it knows.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import show
from tqdm import tqdm

import wend
from wend import nn
from wend.nn import functional as F
from wend.nn.grow import deepen_, widen_


def generate() -> tuple[float, float]:
    """Make up a point of a curve that is wavier on its right."""
    x = random.uniform(-1, 1)
    return x, math.sin(3 * x + 4 * x * x) + 0.5 * math.sin(9 * x)


def read(path: Path) -> list[tuple[float, float]]:
    """Read points from lines `x,y`."""
    lines = [line.split(",") for line in path.read_text().splitlines() if line.strip()]
    return [(float(x), float(y)) for x, y in lines]


class Growing:
    """A network, its optimizer, and what happens to both."""

    def __init__(self, units: int, lr: float) -> None:
        self.model = nn.Sequential(nn.Linear(1, units), nn.Tanh(), nn.Linear(units, 1))
        self.optimizer = wend.optim.Adam(self.model.parameters(), lr=lr)
        self.losses: list[float] = []
        self.grown: list[tuple[int, str]] = []

    def grow(self, widest: int, deepest: int) -> bool:
        """Add units until it is as wide as it may be, then a layer; false if it is large enough."""
        first: Any = self.model[0]
        width = first.out_features
        if width < widest:
            wider = min(2 * width, widest)
            widen_(first, wider, into=self.model[2], optimizer=self.optimizer)
            what = f"{width} to {first.out_features} units"
        elif len(self.model) < deepest + 2:
            deepen_(self.model, 1, self.layer(width), optimizer=self.optimizer)
            what = "another layer"
        else:
            return False
        self.grown.append((len(self.losses), what))
        return True

    @staticmethod
    def layer(width: int) -> nn.Module:
        """Return a layer that adds nothing at first."""
        inner, outer = nn.Linear(width, width), nn.Linear(width, width)
        for parameter in outer.parameters():
            nn.init.zeros_(parameter)
        return nn.grow.Residual(nn.Sequential(inner, nn.Tanh(), outer))

    def train(self, x: wend.Tensor, y: wend.Tensor, steps: int, widest: int, deepest: int) -> None:
        """Train, and grow whenever the loss has fallen by less than 10 % in a while."""
        patience = max(20, steps // 20)
        since = 0
        schedule = wend.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, steps)
        bar = tqdm(range(steps), unit="step")
        for step in bar:
            self.optimizer.zero_grad()
            loss = F.mse_loss(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            schedule.step()
            self.losses.append(loss.item())
            bar.set_postfix(loss=f"{self.losses[-1]:.4f}", refresh=False)
            half = patience // 2
            if step - since >= patience:
                before = sum(self.losses[-patience:-half]) / (patience - half)
                now = sum(self.losses[-half:]) / half
                if now > 0.9 * before and self.grow(widest, deepest):
                    since = step
                    tqdm.write(f"  step {step + 1}: {self.grown[-1][1]}")


def draw_growth(axes: Any, growing: Growing) -> None:
    """Draw the loss, and when the network grew."""
    axes.semilogy(growing.losses)
    for step, what in growing.grown:
        axes.axvline(step, color="gray", linestyle=":")
        axes.text(step, max(growing.losses), f" {what}", rotation=90, va="top", fontsize=7)
    axes.set(xlabel="step", ylabel="loss")


def draw_fit(axes: Any, model: nn.Module, points: Sequence[tuple[float, float]]) -> None:
    """Draw the points and the curve through them."""
    axes.scatter(*zip(*points, strict=True), s=8, color="gray", label="points")
    low, high = min(points)[0], max(points)[0]
    x = wend.linspace(low, high, 300)
    with wend.no_grad():
        y = model(x.unsqueeze(1)).squeeze(1)
    axes.plot(x.tolist(), y.tolist(), color="tab:orange", label="network")
    axes.legend()


def main(argv: Sequence[str] | None = None) -> Growing:
    """Train, show the result, and return what grew."""
    parser = show.parser(__doc__, "growing.png")
    parser.add_argument("--data", type=Path, help="points of a curve (default: generated)")
    parser.add_argument("--points", type=int, default=256, help="how many (default: 256)")
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--units", type=int, default=3, help="to start with (default: 3)")
    parser.add_argument("--widest", type=int, default=24, help="units at most (default: 24)")
    parser.add_argument("--deepest", type=int, default=3, help="layers at most (default: 3)")
    parser.add_argument("--lr", type=float, default=0.01)
    args = parser.parse_args(argv)
    random.seed(args.seed)
    wend.manual_seed(args.seed)

    points = read(args.data) if args.data else [generate() for _ in range(args.points)]
    x, y = wend.tensor(points).split(1, -1)
    growing = Growing(args.units, args.lr)
    growing.train(x, y, args.steps, args.widest, args.deepest)

    print(growing.model)
    if growing.grown:
        before = min(growing.losses[: growing.grown[0][0]])
        print(f"With {args.units} units the loss came down to {before:.4f}, ", end="")
    print(f"at the end it is {growing.losses[-1]:.4f}")
    show.save(
        args.picture,
        lambda axes: draw_growth(axes, growing),
        lambda axes: draw_fit(axes, growing.model, points),
    )
    return growing


if __name__ == "__main__":
    main()
