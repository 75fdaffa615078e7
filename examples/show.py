"""What the examples share: common options, and the picture at the end.

Drawing is left to matplotlib; without it a program says so and shows the rest.
"""

import argparse
import random
from collections.abc import Callable, Sequence
from typing import Any

Drawing = Callable[[Any], object]


def parser(description: str | None, picture: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every example has."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--seed", type=int, default=0, help="of all random numbers (default: 0)")
    made.add_argument("--picture", default=picture, help=f"PNG to write (default: {picture})")
    return made


def split(data: Sequence[Any], held_out: float, seed: int) -> tuple[list[Any], list[Any]]:
    """Return what to train on, and what to hold out for the test, in random order."""
    mixed = random.Random(seed).sample(list(data), len(data))
    count = max(1, round(len(mixed) * held_out))
    return mixed[count:], mixed[:count]


def curve(values: Sequence[float], label: str, of: str = "step") -> Drawing:
    """Draw values and their running mean, one after the other."""

    def draw(axes: Any) -> None:
        span = max(1, len(values) // 25)
        smooth = [
            sum(values[max(0, i - span) : i + 1]) / min(i + 1, span + 1) for i in range(len(values))
        ]
        axes.plot(values, color="lightgray")
        axes.plot(smooth, color="tab:blue")
        axes.set(xlabel=of, ylabel=label)

    return draw


def save(path: str, *drawings: Drawing) -> None:
    """Draw one panel for each drawing, and print where the picture is."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("No picture, since matplotlib is not installed: pip install matplotlib")
        return
    figure = Figure(figsize=(5 * len(drawings), 4), layout="constrained")
    panels = figure.subplots(1, len(drawings), squeeze=False)[0]
    for axes, draw in zip(panels, drawings, strict=True):
        draw(axes)
    figure.savefig(path, dpi=120)
    print(f"Picture: {path}")
