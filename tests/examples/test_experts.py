"""The mixture of examples/experts.py learns, and asks only the experts that are chosen."""

import random
from pathlib import Path

import pytest
from programs import load

import wend


def test_it_learns_a_surface_with_different_rules(tmp_path: Path) -> None:
    arguments = ["--points", "1000", "--epochs", "30", "--picture", str(tmp_path / "experts.png")]
    assert load("experts").main(arguments) > 0.75


@pytest.mark.parametrize("top_k", [1, 2])
def test_only_the_chosen_experts_compute(top_k: int) -> None:
    program = load("experts")
    wend.manual_seed(0)
    model = program.make_model(experts=5, width=4, top_k=top_k)
    points = wend.randn(40, 2)
    model(points)
    chosen = model.gate(points).topk(top_k, -1)[1].flatten()
    assert [expert.asked for expert in model.experts] == wend.bincount(chosen, minlength=5).tolist()


def test_it_reads_points(tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_text("0.5,-1,2\n\n1,2,3\n")
    assert load("experts").read(points) == [(0.5, -1.0, 2.0), (1.0, 2.0, 3.0)]


def test_balance_keeps_all_experts_in_use(tmp_path: Path) -> None:
    program = load("experts")
    random.seed(0)
    wend.manual_seed(0)
    model = program.make_model(experts=4, width=4, top_k=1)
    points = wend.tensor([program.generate() for _ in range(400)])
    data = [(points[:, :2], points[:, 2:])]
    program.train(model, data, epochs=60, lr=0.02, balance=1.0)
    for expert in model.experts:
        expert.asked = 0
    model(points[:, :2])
    assert min(expert.asked for expert in model.experts) > 40
