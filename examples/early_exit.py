"""Early exit: easy inputs leave a deep network at its first exit, hard ones go on.

Classifies points of two spirals, which are far apart outside and wound tightly inside. A file has
lines `x,y,class`. What is gone on with is decided by values, and nothing else is computed.
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
from wend.nn.conditional import EarlyExit
from wend.utils.data import DataLoader, TensorDataset

Point = tuple[float, float, int]


def generate() -> Point:
    """Make up a point on one of two arms."""
    arm, way = random.randrange(2), random.random()
    angle = 2.5 * math.pi * (1 - way) ** 1.5 + arm * math.pi
    noise = random.gauss(0, 0.02), random.gauss(0, 0.02)
    radius = 0.1 + way
    return radius * math.cos(angle) + noise[0], radius * math.sin(angle) + noise[1], arm


def read(path: Path) -> list[Point]:
    """Read points from lines `x,y,class`."""
    lines = [line.split(",") for line in path.read_text().splitlines() if line.strip()]
    return [(float(x), float(y), int(kind)) for x, y, kind in lines]


def tensors(points: Sequence[Point]) -> tuple[wend.Tensor, wend.Tensor]:
    """Return places and classes."""
    return wend.tensor([p[:2] for p in points]), wend.tensor([p[2] for p in points])


def make_model(stages: int, width: int, classes: int) -> EarlyExit:
    """Return a network with an exit after every stage."""
    pairs = []
    for number in range(stages):
        stage = nn.Sequential(nn.Linear(width if number else 2, width), nn.Tanh())
        pairs.append((stage, nn.Linear(width, classes)))
    return EarlyExit(pairs)


def train(model: EarlyExit, batches: DataLoader[Any], epochs: int, lr: float) -> list[float]:
    """Train all exits together, and return the losses."""
    optimizer = wend.optim.Adam(model.parameters(), lr=lr)
    losses = []
    bar = tqdm(total=epochs * len(batches), unit="batch")
    for _ in range(epochs):
        for points, kinds in batches:
            optimizer.zero_grad()
            exits = model(points)
            loss = wend.stack([F.cross_entropy(scores, kinds) for scores in exits]).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            bar.update()
            bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
    bar.close()
    return losses


def test(
    model: EarlyExit, places: wend.Tensor, kinds: wend.Tensor, threshold: float
) -> tuple[float, list[int]]:
    """Return the share that is right, and after how many stages each input left."""
    model.threshold = threshold
    with wend.no_grad():
        output, depth = model(places)
    right = (output.argmax(-1) == kinds).float().mean().item()
    return right, depth.tolist()


def draw_depths(axes: Any, places: wend.Tensor, depth: Sequence[int], stages: int) -> None:
    """Draw the inputs in the colour of the exit that they took."""
    x, y = places.t().tolist()
    drawn = axes.scatter(x, y, c=depth, cmap="viridis", vmin=1, vmax=stages, s=12)
    axes.figure.colorbar(drawn, ax=axes, label="stages computed", ticks=range(1, stages + 1))
    axes.set_aspect("equal")


def main(argv: Sequence[str] | None = None) -> tuple[float, float]:
    """Train, show the result, and return accuracy and mean depth at threshold 0.9."""
    parser = show.parser(__doc__, "early_exit.png")
    parser.add_argument("--data", type=Path, help="points to learn (default: generated)")
    parser.add_argument("--points", type=int, default=2000, help="how many (default: 2000)")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--stages", type=int, default=5)
    parser.add_argument("--width", type=int, default=24, help="of a stage (default: 24)")
    parser.add_argument("--lr", type=float, default=0.005)
    args = parser.parse_args(argv)
    random.seed(args.seed)
    wend.manual_seed(args.seed)

    points = read(args.data) if args.data else [generate() for _ in range(args.points)]
    seen, unseen = show.split(points, held_out=0.2, seed=args.seed)
    model = make_model(args.stages, args.width, classes=1 + max(point[2] for point in points))
    batches: DataLoader[Any] = DataLoader(
        TensorDataset(*tensors(seen)), batch_size=64, shuffle=True
    )
    losses = train(model.train(), batches, args.epochs, args.lr)

    model.eval()
    places, kinds = tensors(unseen)
    results = {t: test(model, places, kinds, t) for t in (0.6, 0.8, 0.9, 0.99, 1.0)}
    print("  sure at   right   stages computed, of", args.stages)
    for threshold, (right, depth) in results.items():
        print(f"  {threshold:7}  {right:6.1%}   {sum(depth) / len(depth):.2f}")
    right, depth = results[0.9]
    mean = sum(depth) / len(depth)
    print(f"{right:.1%} right with {mean / args.stages:.0%} of the stages computed")
    show.save(
        args.picture,
        show.curve(losses, "loss"),
        lambda axes: draw_depths(axes, places, depth, args.stages),
    )
    return right, mean


if __name__ == "__main__":
    main()
