"""The Tree-LSTM of examples/trees.py learns sentiment, and learns as it does with PyTorch."""

import random
from pathlib import Path

import pytest
from programs import load, same_start


def test_it_learns_the_sentiment_of_generated_sentences(tmp_path: Path) -> None:
    picture = tmp_path / "trees.png"
    arguments = ["--trees", "400", "--epochs", "8", "--size", "32", "--picture", str(picture)]
    assert load("trees").main(arguments) > 0.85


def test_it_reads_the_treebank(tmp_path: Path) -> None:
    program = load("trees")
    tree = program.parse("(4 (2 It) (4 (2 's) (4 (2 very) (3 good))))")
    assert tree.words() == ["It", "'s", "very", "good"]
    assert tree.children[1].children[1].children[1].label == 3
    treebank = tmp_path / "trees.txt"
    treebank.write_text("(4 (2 very) (3 good))\n(0 (2 very) (1 bad))\n\n" * 4)
    picture = str(tmp_path / "trees.png")
    assert program.main(["--data", str(treebank), "--epochs", "20", "--picture", picture]) == 1
    with pytest.raises(ValueError, match="a tree is a word or two trees"):
        program.parse("(1 (2 alone))")


def test_losses_are_those_of_pytorch() -> None:
    pytest.importorskip("torch")
    losses = {}
    theirs, ours = load("trees", "torch"), load("trees")
    words = " ".join(ours.ADJECTIVES).split() + ["not", "very", "and", "but"]
    models = {"theirs": theirs.TreeLSTM(words, 8), "ours": ours.TreeLSTM(words, 8)}
    same_start(models["ours"], models["theirs"])
    for name, program in (("theirs", theirs), ("ours", ours)):
        random.seed(1)
        trees = [program.generate(3) for _ in range(40)]
        losses[name] = program.train(models[name], trees, epochs=2, lr=0.01, batch=8)
    assert losses["ours"] == pytest.approx(losses["theirs"], rel=1e-3)
