"""The network of examples/digits.py learns to read, and learns as it does with PyTorch."""

from pathlib import Path

import pytest
from programs import load, same_start

import wend


@pytest.mark.parametrize(("model", "epochs"), [("dense", 20), ("conv", 4)])
def test_it_learns_to_read_drawn_digits(tmp_path: Path, model: str, epochs: int) -> None:
    arguments = ["--generated", "--model", model, "--epochs", str(epochs)]
    arguments += ["--picture", str(tmp_path / "digits.png")]
    assert load("digits").main(arguments) > 0.8


def test_it_reads_a_file(tmp_path: Path) -> None:
    path = tmp_path / "digits.csv"
    path.write_text("0," * 63 + "16,7\n" + "8," * 64 + "3\n")
    pixels, digits, _ = load("digits").pictures(path, generated=False)
    assert pixels == [[0] * 63 + [1], [0.5] * 64]
    assert digits == [7, 3]


@pytest.mark.parametrize("kind", ["dense", "conv"])
def test_losses_are_those_of_pytorch(kind: str) -> None:
    torch = pytest.importorskip("torch")
    theirs, ours = load("digits", "torch"), load("digits")
    models = [program.make_model(kind) for program in (theirs, ours)]
    same_start(models[1], models[0])
    for model in models:
        for drop in (each for each in model.modules() if hasattr(each, "p")):
            drop.p = 0.0
    pictures = [[ours.draw(digit) for digit in range(10)] for _ in range(6)]
    losses = []
    for program, model, library in zip((theirs, ours), models, (torch, wend), strict=True):
        batches = [(library.tensor(pixels), library.arange(10)) for pixels in pictures]
        losses.append(program.train(model, batches, epochs=4, lr=0.003))
    assert losses[1] == pytest.approx(losses[0], rel=1e-3)
