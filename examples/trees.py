"""Sentiment of sentences with a Tree-LSTM: plain recursion, one tree at a time.

Reads the Stanford Sentiment Treebank's format, `(4 (2 very) (3 good))`, one tree a line, where a
label is 0 (awful) to 4 (great). Without a file, trees come from a small grammar in which
`not` turns what follows round, `very` makes it stronger, and after `but` counts what follows.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import show
from tqdm import tqdm

import wend
from wend import nn
from wend.nn import functional as F


class Tree(NamedTuple):
    """A word, or two subtrees, with the sentiment of the whole."""

    label: int
    word: str | None = None
    children: tuple[Tree, ...] = ()

    def words(self) -> list[str]:
        """Return the sentence."""
        below = [word for child in self.children for word in child.words()]
        return below if self.word is None else [self.word]


def parse(line: str) -> Tree:
    """Read one tree of the treebank."""
    tokens = re.findall(r"[()]|[^\s()]+", line)[::-1]

    def tree() -> Tree:
        if tokens.pop() != "(":
            raise ValueError(f"a tree opens with a bracket: {line!r}")
        label, word = int(tokens.pop()), None
        children = []
        while tokens[-1] != ")":
            if tokens[-1] == "(":
                children.append(tree())
            else:
                word = tokens.pop()
        tokens.pop()
        if (word is None) != (len(children) == 2):
            raise ValueError(f"a tree is a word or two trees: {line!r}")
        return Tree(label, word, tuple(children))

    return tree()


ADJECTIVES = ["awful dreadful", "bad dull", "long odd", "good fine", "great superb"]


def generate(depth: int) -> Tree:
    """Make up a sentence about a film."""
    if depth == 0 or random.random() < 0.1:
        label = random.randrange(5)
        return Tree(label, random.choice(ADJECTIVES[label].split()))
    kind = random.choice(["not", "very", "and", "but"])
    right = generate(depth - 1)
    if kind == "not":
        return Tree(4 - right.label, children=(Tree(2, "not"), right))
    if kind == "very":
        stronger = {1: 0, 3: 4}.get(right.label, right.label)
        return Tree(stronger, children=(Tree(2, "very"), right))
    left = generate(depth - 1)
    both = right.label if kind == "but" else (left.label + right.label + 1) // 2
    return Tree(both, children=(left, Tree(right.label, children=(Tree(2, kind), right))))


class TreeLSTM(nn.Module):
    """A binary Tree-LSTM (Tai et al., 2015) that judges every node."""

    def __init__(self, words: Sequence[str], size: int) -> None:
        super().__init__()
        self.index = {word: number for number, word in enumerate(words, 1)}
        self.embed = nn.Embedding(len(words) + 1, size)
        self.leaf = nn.Linear(size, 3 * size)
        self.inner = nn.Linear(2 * size, 5 * size)
        self.judge = nn.Linear(size, 5)

    def forward(self, tree: Tree, judged: list[tuple[wend.Tensor, int]]) -> Any:
        """Return state and memory of a tree, and add scores and label of each node to `judged`."""
        if tree.word is not None:
            word = wend.tensor(self.index.get(tree.word, 0))
            i, o, u = self.leaf(self.embed(word)).chunk(3, -1)
            c = i.sigmoid() * u.tanh()
        else:
            (left, c1), (right, c2) = (self(child, judged) for child in tree.children)
            i, o, u, f1, f2 = self.inner(wend.cat([left, right], -1)).chunk(5, -1)
            c = i.sigmoid() * u.tanh() + f1.sigmoid() * c1 + f2.sigmoid() * c2
        h = o.sigmoid() * c.tanh()
        judged.append((self.judge(h), tree.label))
        return h, c

    def loss(self, trees: Sequence[Tree]) -> wend.Tensor:
        """Return the mean cross entropy of all nodes."""
        judged: list[tuple[wend.Tensor, int]] = []
        for tree in trees:
            self(tree, judged)
        scores = wend.stack([score for score, _ in judged])
        return F.cross_entropy(scores, wend.tensor([label for _, label in judged]))

    def predict(self, tree: Tree) -> list[int]:
        """Return the sentiment of every node, that of the whole sentence last."""
        judged: list[tuple[wend.Tensor, int]] = []
        with wend.no_grad():
            self(tree, judged)
        return [int(score.argmax()) for score, _ in judged]


def train(
    model: TreeLSTM, trees: Sequence[Tree], epochs: int, lr: float, batch: int = 16
) -> list[float]:
    """Train on all trees in random order, and return the losses."""
    optimizer = wend.optim.Adam(model.parameters(), lr=lr)
    losses = []
    with tqdm(total=epochs * len(trees), unit="tree") as bar:
        for _ in range(epochs):
            order = random.sample(list(trees), len(trees))
            for start in range(0, len(order), batch):
                some = order[start : start + batch]
                optimizer.zero_grad()
                loss = model.loss(some)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
                bar.update(len(some))
                bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
    return losses


def draw_tree(axes: Any, tree: Tree, predicted: Sequence[int]) -> None:
    """Draw a tree with each node in the colour of its predicted sentiment."""
    labels, leaves = iter(predicted), iter(range(len(tree.words())))

    def place(node: Tree) -> tuple[float, float]:
        below = [place(child) for child in node.children]
        if below:
            x, y = sum(x for x, _ in below) / 2, max(y for _, y in below) + 1
        else:
            x, y = float(next(leaves)), 0.0
            axes.text(x, -0.4, node.word, ha="right", va="top", rotation=40)
        for end in below:
            axes.plot([x, end[0]], [y, end[1]], color="gray", zorder=1)
        axes.scatter(x, y, c=next(labels), cmap="RdYlGn", vmin=0, vmax=4, s=120, zorder=2)
        return x, y

    _, height = place(tree)
    axes.set_ylim(-3, height + 1)
    axes.set_title("predicted sentiment, red to green")
    axes.axis("off")


def main(argv: Sequence[str] | None = None) -> float:
    """Train, show the result, and return the accuracy on held-out sentences."""
    parser = show.parser(__doc__, "trees.png")
    parser.add_argument("--data", type=Path, help="trees to learn from (default: generated)")
    parser.add_argument("--trees", type=int, default=800, help="how many to use (default: 800)")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--size", type=int, default=32, help="of a node's state (default: 32)")
    parser.add_argument("--lr", type=float, default=0.01)
    args = parser.parse_args(argv)
    random.seed(args.seed)
    wend.manual_seed(args.seed)

    if args.data:
        trees = [parse(line) for line in args.data.read_text().splitlines() if line.strip()]
        trees = trees[: args.trees]
    else:
        trees = [generate(depth=random.randint(1, 4)) for _ in range(args.trees)]
    seen, unseen = show.split(trees, held_out=0.2, seed=args.seed)
    words = sorted({word for tree in seen for word in tree.words()})
    model = TreeLSTM(words, args.size)
    print(f"{len(seen)} trees to learn from, {len(words)} words, {len(unseen)} trees to test with")

    losses = train(model, seen, args.epochs, args.lr)

    predicted = [model.predict(tree) for tree in unseen]
    right = [tree.label == each[-1] for tree, each in zip(unseen, predicted, strict=True)]
    accuracy = sum(right) / len(right)
    faces = ["--", "-", "0", "+", "++"]
    for tree, each in list(zip(unseen, predicted, strict=True))[:6]:
        print(f"  {faces[each[-1]]:>2}  (is {faces[tree.label]:>2})  {' '.join(tree.words())}")
    print(f"Sentiment right in {accuracy:.1%} of sentences not seen before")
    longest = max(range(len(unseen)), key=lambda i: min(len(unseen[i].words()), 12))
    shown = unseen[longest], predicted[longest]
    show.save(args.picture, show.curve(losses, "loss"), lambda axes: draw_tree(axes, *shown))
    return accuracy


if __name__ == "__main__":
    main()
