"""An epoch of training the Tree-LSTM on a treebank, with a loss at every node, against DyNet.

Usage: python -m benchmarks.sst [--trees FILE] [options of the harness]. FILE has a tree a line, as
the Stanford Sentiment Treebank: (3 (2 It) (4 works)). Without one, trees are generated.
"""

import os
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness import Options, measure, options_of, parser, show
from benchmarks.tree_lstm import CLASSES, TreeLSTM
from benchmarks.tree_lstm_dynet import DynetTreeLSTM
from benchmarks.workload import Figure, Step, Workload

HIDDEN, MINIBATCH, GENERATED = 128, 64, 640
# The path of the trees, for the peers' processes.
VARIABLE = "WEND_BENCHMARK_TREES"


@dataclass(frozen=True)
class Phrase:
    """A node with its class: a word's number, or two children."""

    label: Any
    word: Any = None
    children: tuple["Phrase", ...] = ()


@dataclass(frozen=True)
class Treebank:
    """Sentences, and how many words there are."""

    sentences: Sequence[Phrase]
    vocabulary: int

    def minibatches(self) -> Iterator[Sequence[Phrase]]:
        for start in range(0, len(self.sentences), MINIBATCH):
            yield self.sentences[start : start + MINIBATCH]


def read_phrase(parts: Iterator[str], words: dict[str, int]) -> Phrase:
    """The phrase whose opening bracket was just read."""
    label, children, word = int(next(parts)), [], None
    while (part := next(parts)) != ")":
        if part == "(":
            children.append(read_phrase(parts, words))
        else:
            word = words.setdefault(part, len(words))
    return Phrase(label, word, tuple(children))


def read(path: Path) -> Treebank:
    words: dict[str, int] = {}
    sentences = []
    for line in path.read_text().splitlines():
        parts = iter(re.findall(r"[()]|[^()\s]+", line))
        if next(parts, None) == "(":
            sentences.append(read_phrase(parts, words))
    return Treebank(sentences, len(words))


def generate(leaves: int, source: random.Random) -> Phrase:
    """A phrase of random words, splits and classes."""
    label = source.randrange(CLASSES)
    if leaves == 1:
        return Phrase(label, source.randrange(1000))
    left = source.randint(1, leaves - 1)
    return Phrase(label, None, (generate(left, source), generate(leaves - left, source)))


def treebank() -> Treebank:
    if path := os.environ.get(VARIABLE):
        return read(Path(path))
    source = random.Random(3)
    return Treebank([generate(source.randint(5, 35), source) for _ in range(GENERATED)], 1000)


def collect(model: Any, phrase: Phrase, losses: list[Any]) -> Any:
    """The state of a phrase; its loss, and those of the phrases in it, join the others."""
    if phrase.children:
        left, right = (collect(model, child, losses) for child in phrase.children)
        state = model.node_state(left, right)
    else:
        state = model.leaf_state(phrase.word)
    losses.append(model.loss(state[0], phrase.label))
    return state


def with_tensors(T: Any, phrase: Phrase) -> Phrase:
    """The phrase with tensors for its numbers."""
    word = None if phrase.word is None else T.tensor([phrase.word])
    children = tuple(with_tensors(T, child) for child in phrase.children)
    return Phrase(T.tensor([phrase.label]), word, children)


def epoch(T: Any) -> Step:
    bank = treebank()
    model = TreeLSTM(T, HIDDEN, bank.vocabulary)
    bank = Treebank([with_tensors(T, sentence) for sentence in bank.sentences], bank.vocabulary)

    def step() -> tuple[Any, Any]:
        total = 0.0
        for minibatch in bank.minibatches():
            losses: list[Any] = []
            for sentence in minibatch:
                collect(model, sentence, losses)
            value, gradients = model.train(T.stack(losses).sum())
            total += value
        return total, gradients

    return step


def dynet_epoch(dy: Any) -> Step:
    bank = treebank()
    model = DynetTreeLSTM(dy, HIDDEN, bank.vocabulary)

    def step() -> tuple[Any, Any]:
        total = 0.0
        for minibatch in bank.minibatches():
            model.begin()
            losses: list[Any] = []
            for sentence in minibatch:
                collect(model, sentence, losses)
            value, gradients = model.finish(losses)
            total += value
        return total, gradients

    return step


def workload() -> Workload:
    return Workload(
        name="SST",
        title="Tree-LSTM, hidden 128, loss at every node, minibatches of 64, an epoch",
        unit="µs/sentence",
        scale=1e6 / len(treebank().sentences),
        programs={"dynet": dynet_epoch, "wend": epoch},
        aims={"dynet": 2.5},
        norm="dynet",
    )


WORKLOADS = [workload()]


def figures(options: Options) -> Iterator[Figure]:
    return measure([workload()], options)


def main() -> None:
    made = parser()
    made.add_argument("--trees", type=Path, help="default: generated")
    parsed = made.parse_args()
    if parsed.trees:
        os.environ[VARIABLE] = str(parsed.trees.resolve())
    show(figures(options_of(parsed)))


if __name__ == "__main__":
    main()
