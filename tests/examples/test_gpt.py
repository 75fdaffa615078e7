"""The GPT of examples/gpt.py learns more than pairs of letters, and learns as with PyTorch."""

import random
from pathlib import Path

import pytest
from programs import load, same_start

import wend

SMALL = ["--size", "32", "--layers", "2", "--heads", "2", "--context", "24", "--write", "20"]


def test_it_learns_more_than_which_character_follows_which(tmp_path: Path) -> None:
    arguments = [*SMALL, "--steps", "150", "--lr", "0.01", "--picture", str(tmp_path / "gpt.png")]
    loss, pairs = load("gpt").main(arguments)
    assert loss < 0.7 * pairs


def test_it_learns_any_text(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("to be or not to be, that is the question. " * 20)
    picture = str(tmp_path / "gpt.png")
    loss, pairs = load("gpt").main(
        [*SMALL, "--data", str(text), "--steps", "80", "--lr", "0.01", "--picture", picture]
    )
    assert loss < 0.5 * pairs


def test_losses_are_those_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    theirs, ours = load("gpt", "torch"), load("gpt")
    models = [p.GPT(27, size=16, layers=2, heads=2, context=12) for p in (theirs, ours)]
    same_start(models[1], models[0])
    losses = []
    for program, model, library in zip((theirs, ours), models, (torch, wend), strict=True):
        random.seed(1)
        text = library.tensor([random.randrange(27) for _ in range(40)])
        losses.append(program.train(model, text, steps=10, lr=0.01, batch=4))
    assert losses[1] == pytest.approx(losses[0], rel=1e-3)
