"""Tags words in sentences of any length: LSTM cells in a plain loop, one sentence at a time.

Reads two columns, `word tag`, a word a line and an empty line between sentences. Without a file,
sentences come from a small grammar whose words `light`, `can`, `fish`, `watch` and `run` are
nouns, verbs or adjectives, as the words around them have it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import show
from tqdm import tqdm

import wend
from wend import nn
from wend.nn import functional as F
from wend.utils.data import DataLoader

Sentence = list[tuple[str, str]]

LEXICON = {
    "DET": "the a every this",
    "ADJ": "old light quick small",
    "NOUN": "fish can light watch run dog child",
    "VERB": "can fish light watch run see hold",
    "AUX": "will may must",
    "PREP": "near with behind",
}


def read(path: Path) -> list[Sentence]:
    """Read the sentences of a file with two columns."""
    blocks = path.read_text().strip().split("\n\n")
    pairs = [[line.split() for line in block.splitlines() if line.strip()] for block in blocks]
    return [[(words[0], words[-1]) for words in block] for block in pairs if block]


def generate() -> Sentence:
    """Make up a sentence."""

    def noun_phrase() -> list[str]:
        adjectives = ["ADJ"] * random.choice([0, 0, 1, 2])
        behind = ["PREP", *noun_phrase()] if random.random() < 0.25 else []
        return ["DET", *adjectives, "NOUN", *behind]

    tags = noun_phrase() + ["AUX"] * random.choice([0, 1]) + ["VERB"]
    if random.random() < 0.7:
        tags += noun_phrase()
    return [(random.choice(LEXICON[tag].split()), tag) for tag in tags]


class Tagger(nn.Module):
    """Reads a sentence from both ends, and scores the tags of every word."""

    def __init__(self, words: Sequence[str], tags: Sequence[str], size: int) -> None:
        super().__init__()
        self.words = {word: number for number, word in enumerate(words, 1)}
        self.tags = list(tags)
        self.size = size
        self.embed = nn.Embedding(len(words) + 1, size)
        self.forth = nn.LSTMCell(size, size)
        self.back = nn.LSTMCell(size, size)
        self.score = nn.Linear(2 * size, len(tags))

    def read(self, cell: nn.LSTMCell, vectors: Sequence[wend.Tensor]) -> list[wend.Tensor]:
        """Return the states of a cell that reads one word after the other."""
        state = (wend.zeros(self.size), wend.zeros(self.size))
        states = []
        for vector in vectors:
            state = cell(vector, state)
            states.append(state[0])
        return states

    def forward(self, words: Sequence[str]) -> wend.Tensor:
        """Return scores of shape (words, tags)."""
        numbers = wend.tensor([self.words.get(word, 0) for word in words])
        vectors = self.embed(numbers).unbind()
        forth = self.read(self.forth, vectors)
        back = self.read(self.back, vectors[::-1])[::-1]
        return self.score(wend.cat([wend.stack(forth), wend.stack(back)], -1))

    def loss(self, sentences: Sequence[Sentence]) -> wend.Tensor:
        """Return the mean cross entropy of all words."""
        scores = wend.cat([self([word for word, _ in each]) for each in sentences])
        tags = [self.tags.index(tag) for each in sentences for _, tag in each]
        return F.cross_entropy(scores, wend.tensor(tags))

    def predict(self, words: Sequence[str]) -> list[str]:
        """Return the likeliest tag of each word."""
        with wend.no_grad():
            return [self.tags[best] for best in self(words).argmax(-1).tolist()]


def train(model: Tagger, batches: DataLoader[Any], epochs: int, lr: float) -> list[float]:
    """Train on batches of sentences, and return the losses."""
    optimizer = wend.optim.Adam(model.parameters(), lr=lr)
    losses = []
    bar = tqdm(total=epochs * len(batches), unit="batch")
    for _ in range(epochs):
        for sentences in batches:
            optimizer.zero_grad()
            loss = model.loss(sentences)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            bar.update()
            bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
    bar.close()
    return losses


def draw_confusion(axes: Any, tags: Sequence[str], pairs: Sequence[tuple[str, str]]) -> None:
    """Draw how often a tag was taken for which."""
    counts = [[sum(pair == (is_, said) for pair in pairs) for said in tags] for is_ in tags]
    axes.imshow([[n / max(1, sum(row)) for n in row] for row in counts], cmap="Blues")
    for i, row in enumerate(counts):
        for j, n in enumerate(row):
            axes.text(j, i, n, ha="center", va="center", color="tab:orange")
    axes.set_xticks(range(len(tags)), tags, rotation=45)
    axes.set_yticks(range(len(tags)), tags)
    axes.set(xlabel="predicted", ylabel="is", title="held-out words")


def main(argv: Sequence[str] | None = None) -> float:
    """Train, show the result, and return the share of held-out words that are tagged right."""
    parser = show.parser(__doc__, "tagging.png")
    parser.add_argument("--data", type=Path, help="tagged words to learn (default: generated)")
    parser.add_argument("--sentences", type=int, default=800, help="how many (default: 800)")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--size", type=int, default=24, help="of the states (default: 24)")
    parser.add_argument("--lr", type=float, default=0.01)
    args = parser.parse_args(argv)
    random.seed(args.seed)
    wend.manual_seed(args.seed)

    made = read(args.data) if args.data else [generate() for _ in range(args.sentences)]
    seen, unseen = show.split(made[: args.sentences], held_out=0.2, seed=args.seed)
    words = sorted({word for sentence in seen for word, _ in sentence})
    tags = sorted({tag for sentence in seen for _, tag in sentence})
    model = Tagger(words, tags, args.size)
    lengths = [len(sentence) for sentence in seen]
    print(f"{len(seen)} sentences of {min(lengths)} to {max(lengths)} words, {len(tags)} tags")

    batches: DataLoader[Any] = DataLoader(seen, batch_size=16, shuffle=True, collate_fn=list)
    losses = train(model, batches, args.epochs, args.lr)

    pairs = []
    for number, sentence in enumerate(unseen):
        predicted = model.predict([word for word, _ in sentence])
        pairs += [(tag, said) for (_, tag), said in zip(sentence, predicted, strict=True)]
        if number < 4:
            tagged = zip(sentence, predicted, strict=True)
            print("  " + " ".join(f"{word}/{said}" for (word, _), said in tagged))
    accuracy = sum(tag == said for tag, said in pairs) / len(pairs)
    print(f"{accuracy:.1%} of the words in sentences not seen before have the right tag")
    show.save(
        args.picture,
        show.curve(losses, "loss"),
        lambda axes: draw_confusion(axes, tags, pairs),
    )
    return accuracy


if __name__ == "__main__":
    main()
