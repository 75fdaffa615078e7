"""The network of examples/growing.py grows without forgetting, and ends better than it could."""

from pathlib import Path

import pytest
from programs import load

import wend


def test_it_fits_better_than_it_could_before_it_grew(tmp_path: Path) -> None:
    arguments = ["--steps", "1500", "--picture", str(tmp_path / "growing.png")]
    growing = load("growing").main(arguments)
    assert len(growing.grown) >= 2
    before = min(growing.losses[: growing.grown[0][0]])
    assert growing.losses[-1] < before / 5


def test_growing_does_not_change_what_the_network_computes() -> None:
    growing = load("growing").Growing(units=2, lr=0.01)
    x = wend.randn(10, 1)
    growing.model(x).square().sum().backward()
    growing.optimizer.step()
    before = growing.model(x).flatten().tolist()
    while growing.grow(widest=8, deepest=3):
        assert growing.model(x).flatten().tolist() == pytest.approx(before, abs=1e-5)
    assert [what for _, what in growing.grown] == [
        "2 to 4 units",
        "4 to 8 units",
        "another layer",
        "another layer",
    ]


def test_it_reads_points(tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_text("0.5,-1\n1,2\n")
    assert load("growing").read(points) == [(0.5, -1.0), (1.0, 2.0)]
