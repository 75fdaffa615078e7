"""A neural ODE: a network learns the law of motion behind what was observed.

The solver chooses its steps by the error that it makes, so the graph of each solution is as long as
the motion asks for, and gradients go back through the steps that were taken. A file has lines
`t,x,y` in the order of time; without one, a point spirals inwards, fast outside and slow inside.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import show
from tqdm import tqdm

import wend
from wend import nn

Law = Callable[[wend.Tensor], wend.Tensor]


def solve(
    law: Law, start: wend.Tensor, times: Sequence[float], tolerance: float
) -> tuple[wend.Tensor, list[float]]:
    """Return the states at the times, and the steps taken (Bogacki and Shampine, order 3 and 2)."""
    t, state, step = times[0], start, (times[1] - times[0])
    states, taken = [start], []
    first = law(state)
    for goal in times[1:]:
        while t < goal:
            h = min(step, goal - t)
            second = law(state + h / 2 * first)
            third = law(state + 3 * h / 4 * second)
            after = state + h / 9 * (2 * first + 3 * second + 4 * third)
            fourth = law(after)
            error = h / 72 * (-5 * first + 6 * second + 8 * third - 9 * fourth)
            worst = error.detach().abs().max().item() / tolerance
            if worst <= 1 or h < 1e-4:
                t = goal if h == goal - t else t + h
                state, first = after, fourth
                taken.append(h)
            step = h * min(4.0, max(0.2, 0.9 * (worst + 1e-9) ** (-1 / 3)))
        states.append(state)
    return wend.stack(states), taken


def spiral(place: wend.Tensor) -> wend.Tensor:
    """Return the velocity of the point that is to be found out."""
    turn = wend.tensor([[-0.2, 2.0], [-2.0, -0.2]])
    return (place**3 @ turn) * 0.8


def generate(count: int) -> tuple[list[float], wend.Tensor]:
    """Observe the spiral."""
    times = [8 * i / (count - 1) for i in range(count)]
    with wend.no_grad():
        states, _ = solve(spiral, wend.tensor([1.5, 0.0]), times, tolerance=1e-4)
    return times, states


def read(path: Path) -> tuple[list[float], wend.Tensor]:
    """Read lines `t,x,y`."""
    rows = [line.split(",") for line in path.read_text().splitlines() if line.strip()]
    return [float(row[0]) for row in rows], wend.tensor(
        [[float(v) for v in row[1:]] for row in rows]
    )


class LearnedLaw(nn.Module):
    """A velocity for every place."""

    def __init__(self, size: int, width: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2 * size, width), nn.Tanh(), nn.Linear(width, size))

    def forward(self, place: wend.Tensor) -> wend.Tensor:
        """Return the velocity."""
        return self.net(wend.cat([place, place**3], -1))


def train(
    law: LearnedLaw,
    times: Sequence[float],
    observed: wend.Tensor,
    steps: int,
    lr: float,
    tolerance: float,
    window: int = 6,
) -> tuple[list[float], list[int]]:
    """Fit random pieces of what was observed; return the losses, and the solver's steps."""
    optimizer = wend.optim.Adam(law.parameters(), lr=lr)
    schedule = wend.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    losses, taken = [], []
    bar = tqdm(range(steps), unit="step")
    for _ in bar:
        optimizer.zero_grad()
        parts, count = [], 0
        for _ in range(4):
            at = random.randrange(len(times) - window)
            part = slice(at, at + window)
            states, used = solve(law, observed[at], times[part], tolerance)
            parts.append((states - observed[part]).abs().mean())
            count += len(used)
        loss = wend.stack(parts).mean()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        taken.append(count)
        bar.set_postfix(loss=f"{losses[-1]:.4f}", solver_steps=count, refresh=False)
    return losses, taken


def draw_paths(axes: Any, observed: wend.Tensor, found: wend.Tensor) -> None:
    """Draw the observed and the learned motion."""
    axes.scatter(*observed.t().tolist()[:2], s=10, color="gray", label="observed")
    axes.plot(*found.t().tolist()[:2], color="tab:orange", label="learned")
    axes.set_aspect("equal")
    axes.legend()


def main(argv: Sequence[str] | None = None) -> tuple[float, float]:
    """Train, show the result, and return the mean error before and after."""
    parser = show.parser(__doc__, "ode.png")
    parser.add_argument("--data", type=Path, help="what was observed (default: generated)")
    parser.add_argument("--steps", type=int, default=600, help="of training (default: 600)")
    parser.add_argument("--width", type=int, default=32, help="of the network (default: 32)")
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--tolerance", type=float, default=1e-3, help="of a solver's step")
    args = parser.parse_args(argv)
    random.seed(args.seed)
    wend.manual_seed(args.seed)

    times, observed = read(args.data) if args.data else generate(41)
    law = LearnedLaw(observed.size(1), args.width)

    def path() -> tuple[wend.Tensor, float, list[float]]:
        with wend.no_grad():
            states, taken = solve(law, observed[0], times, args.tolerance)
        return states, (states - observed).abs().mean().item(), taken

    before = path()[1]
    losses, _ = train(law, times, observed, args.steps, args.lr, args.tolerance)
    found, after, taken = path()
    print(f"The whole way took {len(taken)} steps of {min(taken):.3f} to {max(taken):.3f}")
    print(f"Mean error along it: {before:.3f} before training, {after:.3f} after")
    show.save(
        args.picture,
        show.curve(losses, "loss"),
        lambda axes: draw_paths(axes, observed, found),
        lambda axes: axes.plot(taken) and axes.set(xlabel="step", ylabel="its length"),
    )
    return before, after


if __name__ == "__main__":
    main()
