"""The tagger of examples/tagging.py learns from context, and learns as it does with PyTorch."""

import random
from pathlib import Path

import pytest
from programs import load, same_start


def test_it_learns_words_whose_tag_depends_on_their_place(tmp_path: Path) -> None:
    picture = str(tmp_path / "tagging.png")
    arguments = ["--sentences", "300", "--epochs", "8", "--picture", picture]
    # Even the best tag for each word by itself is wrong in more than a tenth of the words.
    assert load("tagging").main(arguments) > 0.95


def test_it_reads_two_columns(tmp_path: Path) -> None:
    tagged = tmp_path / "words.txt"
    tagged.write_text("the DET\nfish NOUN\n\nthey PRON\nfish VERB\nhere ADV\n")
    assert load("tagging").read(tagged) == [
        [("the", "DET"), ("fish", "NOUN")],
        [("they", "PRON"), ("fish", "VERB"), ("here", "ADV")],
    ]


def test_losses_are_those_of_pytorch() -> None:
    pytest.importorskip("torch")
    theirs, ours = load("tagging", "torch"), load("tagging")
    words = sorted({word for words in ours.LEXICON.values() for word in words.split()})
    models = [program.Tagger(words, list(ours.LEXICON), 8) for program in (theirs, ours)]
    same_start(models[1], models[0])
    random.seed(1)
    batches = [[ours.generate() for _ in range(6)] for _ in range(10)]
    losses = [
        program.train(model, batches, epochs=1, lr=0.01)
        for program, model in zip((theirs, ours), models, strict=True)
    ]
    assert losses[1] == pytest.approx(losses[0], rel=1e-3)
