"""A mixture of experts with real routing: only the experts that are chosen compute.

Learns a surface that has different rules in different places; which expert serves which place is
found while training. A file has lines `x,y,value`; without one, the surface is made of four rules.
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
from wend.nn.conditional import MixtureOfExperts
from wend.utils.data import DataLoader, TensorDataset

Point = tuple[float, float, float]


def generate() -> Point:
    """Make up a point of a surface with another rule in each quarter."""
    x, y = random.uniform(-1, 1), random.uniform(-1, 1)
    if x > 0:
        value = math.sin(6 * x) if y > 0 else 1 - 2 * y * y
    else:
        value = x * y * 3 if y > 0 else -1.0
    return x, y, value


def read(path: Path) -> list[Point]:
    """Read points from lines `x,y,value`."""
    lines = [line.split(",") for line in path.read_text().splitlines() if line.strip()]
    return [(float(x), float(y), float(value)) for x, y, value in lines]


class Expert(nn.Sequential):
    """A small network that counts the inputs it was asked about."""

    def __init__(self, width: int) -> None:
        super().__init__(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 1))
        self.asked = 0

    def forward(self, x: wend.Tensor) -> wend.Tensor:
        """Return an estimate for each input."""
        self.asked += x.size(0)
        return super().forward(x)


def make_model(experts: int, width: int, top_k: int) -> MixtureOfExperts:
    """Return experts, and a gate that chooses among them."""
    gate = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, experts))
    return MixtureOfExperts([Expert(width) for _ in range(experts)], gate, top_k=top_k)


def train(
    model: MixtureOfExperts, batches: DataLoader[Any], epochs: int, lr: float, balance: float
) -> list[float]:
    """Train to the points while keeping the experts in use, and return the losses."""
    optimizer = wend.optim.Adam(model.parameters(), lr=lr)
    schedule = wend.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * len(batches))
    losses = []
    bar = tqdm(total=epochs * len(batches), unit="batch")
    for _ in range(epochs):
        for points, values in batches:
            optimizer.zero_grad()
            loss = F.mse_loss(model(points), values)
            assert model.balance is not None
            (loss + balance * model.balance).backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
            bar.update()
            bar.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
    bar.close()
    return losses


def draw_map(axes: Any, model: MixtureOfExperts) -> None:
    """Draw which expert serves which place."""
    steps = [i / 60 * 2 - 1 for i in range(61)]
    grid = wend.tensor([[x, y] for y in steps for x in steps])
    with wend.no_grad():
        chosen = model.gate(grid).argmax(-1).reshape(61, 61).tolist()
    axes.imshow(chosen, origin="lower", extent=(-1, 1, -1, 1), cmap="tab10", vmin=0, vmax=9)
    axes.set(xlabel="x", ylabel="y", title="the expert that is asked first")


def main(argv: Sequence[str] | None = None) -> float:
    """Train, show the result, and return the share of the variance that is explained."""
    parser = show.parser(__doc__, "experts.png")
    parser.add_argument("--data", type=Path, help="points to learn (default: generated)")
    parser.add_argument("--points", type=int, default=2000, help="how many (default: 2000)")
    parser.add_argument("--epochs", type=int, default=80)
    parser.add_argument("--experts", type=int, default=6)
    parser.add_argument("--top-k", type=int, default=1, help="experts for a point (default: 1)")
    parser.add_argument("--width", type=int, default=16, help="of an expert (default: 16)")
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--balance", type=float, default=0.1, help="weight of even use")
    args = parser.parse_args(argv)
    random.seed(args.seed)
    wend.manual_seed(args.seed)

    points = read(args.data) if args.data else [generate() for _ in range(args.points)]
    seen, unseen = (wend.tensor(part) for part in show.split(points, 0.2, args.seed))
    model = make_model(args.experts, args.width, args.top_k)
    data = TensorDataset(seen[:, :2], seen[:, 2:])
    losses = train(
        model, DataLoader(data, batch_size=64, shuffle=True), args.epochs, args.lr, args.balance
    )

    for expert in model.experts:
        expert.asked = 0
    with wend.no_grad():
        error = F.mse_loss(model(unseen[:, :2]), unseen[:, 2:]).item()
    asked = [expert.asked for expert in model.experts]
    explained = 1 - error / unseen[:, 2].var().item()
    for number, count in enumerate(asked):
        print(f"  expert {number} was asked about {count} of {len(unseen)} points")
    dense = len(unseen) * args.experts
    print(f"{sum(asked)} answers computed, where all experts would have given {dense}")
    print(f"{explained:.1%} of the variance explained at points not seen before")
    show.save(args.picture, show.curve(losses, "loss"), lambda axes: draw_map(axes, model))
    return explained


if __name__ == "__main__":
    main()
