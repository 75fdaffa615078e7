"""The calculator of examples/calculator.py learns arithmetic, and learns as with PyTorch."""

import random
from pathlib import Path

import pytest
from programs import load, same_start


def test_it_calculates_expressions_longer_than_any_it_learned_from(tmp_path: Path) -> None:
    picture = str(tmp_path / "calculator.png")
    arguments = ["--longest", "2", "--steps", "600", "--lr", "0.01", "--picture", picture]
    assert load("calculator").main(arguments) > 0.6  # a guess is right one time in ten


def test_it_reads_expressions(tmp_path: Path) -> None:
    program = load("calculator")
    expression = program.parse("3*(4+5)-1")
    assert program.text(expression) == "((3*(4+5))-1)"
    assert program.last_digit(expression) == 6
    for wrong in ("12+1", "1/2", "True+1", "a"):
        with pytest.raises(ValueError, match="not made of digits"):
            program.parse(wrong)


def test_losses_are_those_of_pytorch() -> None:
    pytest.importorskip("torch")
    theirs, ours = load("calculator", "torch"), load("calculator")
    models = [program.Calculator(8) for program in (theirs, ours)]
    same_start(models[1], models[0])
    losses = []
    for program, model in zip((theirs, ours), models, strict=True):
        random.seed(1)
        expressions = [program.generate(random.randint(1, 3)) for _ in range(100)]
        losses.append(program.train(model, expressions, steps=15, lr=0.01, batch=16))
    assert losses[1] == pytest.approx(losses[0], rel=1e-3)
