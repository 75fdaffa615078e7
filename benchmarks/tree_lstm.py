"""A binary Tree-LSTM: its trees, its weights, and how each peer computes and trains it.

What is measured with it stands in W4, W9, W10 and in the treebank's file.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.sketch import sketch
from benchmarks.workload import Step

CLASSES = 5
LEARNING_RATE = 1e-3

# A leaf is the number of its word, any other node the pair of its children.
Tree = Any


def random_tree(leaves: int, vocabulary: int, source: random.Random) -> Tree:
    """A tree whose splits are drawn anew at every node."""
    if leaves == 1:
        return source.randrange(vocabulary)
    left = source.randint(1, leaves - 1)
    return (
        random_tree(left, vocabulary, source),
        random_tree(leaves - left, vocabulary, source),
    )


@dataclass(frozen=True)
class Examples:
    """Trees with the class of each."""

    trees: Sequence[Tree]
    labels: Sequence[int]
    vocabulary: int

    @staticmethod
    def generated(count: int, vocabulary: int = 1000) -> "Examples":
        source = random.Random(4)
        trees = [random_tree(source.randint(10, 30), vocabulary, source) for _ in range(count)]
        return Examples(trees, [source.randrange(CLASSES) for _ in trees], vocabulary)


def weights(hidden: int, vocabulary: int) -> dict[str, Any]:
    """The parameters; gates lie as input, left and right forget, output, update."""
    source = np.random.RandomState(4)

    def normal(*sizes: int) -> Any:
        return (source.randn(*sizes) * sizes[0] ** -0.5).astype(np.float32)

    return {
        "words": normal(vocabulary, hidden),
        "leaf": normal(hidden, 3 * hidden),
        "leaf_bias": normal(3 * hidden),
        "node": normal(2 * hidden, 5 * hidden),
        "node_bias": normal(5 * hidden),
        "classes": normal(hidden, CLASSES),
        "classes_bias": normal(CLASSES),
    }


class TreeLSTM:
    """The model as a user writes it for one tree, over a module that speaks PyTorch.

    `make` makes a parameter of an array.
    """

    def __init__(
        self, T: Any, hidden: int, vocabulary: int, make: Callable[[Any], Any] | None = None
    ) -> None:
        self.T = T
        made = weights(hidden, vocabulary)
        make = make or (lambda values: T.tensor(values, requires_grad=True))
        self.parameters = [make(values) for values in made.values()]
        (
            self.words,
            self.leaf,
            self.leaf_bias,
            self.node,
            self.node_bias,
            self.classes,
            self.classes_bias,
        ) = self.parameters

    def leaf_state(self, words: Any) -> tuple[Any, Any]:
        """State of leaves, a row for each word."""
        x = self.T.nn.functional.embedding(words, self.words)
        i, o, u = (x @ self.leaf + self.leaf_bias).chunk(3, 1)
        c = i.sigmoid() * u.tanh()
        return o.sigmoid() * c.tanh(), c

    def node_state(self, left: tuple[Any, Any], right: tuple[Any, Any]) -> tuple[Any, Any]:
        """State of a node from those of its children."""
        (left_h, left_c), (right_h, right_c) = left, right
        gates = self.T.cat([left_h, right_h], 1) @ self.node + self.node_bias
        i, f_left, f_right, o, u = gates.chunk(5, 1)
        c = i.sigmoid() * u.tanh() + f_left.sigmoid() * left_c + f_right.sigmoid() * right_c
        return o.sigmoid() * c.tanh(), c

    def state(self, tree: Tree) -> tuple[Any, Any]:
        """State at the root; words are tensors of one number."""
        if not isinstance(tree, tuple):
            return self.leaf_state(tree)
        left, right = tree
        return self.node_state(self.state(left), self.state(right))

    def loss(self, h: Any, label: Any) -> Any:
        scores = h @ self.classes + self.classes_bias
        return self.T.nn.functional.cross_entropy(scores, label, reduction="sum")

    def train(self, loss: Any) -> tuple[float, Callable[[], Any]]:
        """Go one step down; the loss, and what reads the gradients."""
        for p in self.parameters:
            p.grad = None
        loss.backward()
        with self.T.no_grad():
            for p in self.parameters:
                p -= LEARNING_RATE * p.grad
        return loss.item(), lambda: [sketch(p.grad.numpy()) for p in self.parameters]


def tensors_of(T: Any, tree: Tree) -> Tree:
    """The tree with tensors for words."""
    if isinstance(tree, tuple):
        return tuple(tensors_of(T, child) for child in tree)
    return T.tensor([tree])


def recursion(
    T: Any, examples: Examples, hidden: int, make: Callable[[Any], Any] | None = None
) -> Step:
    """Plain recursion over one tree after the other."""
    model = TreeLSTM(T, hidden, examples.vocabulary, make)
    trees = [tensors_of(T, tree) for tree in examples.trees]
    labels = [T.tensor([label]) for label in examples.labels]

    def step() -> tuple[Any, Any]:
        losses = []
        for tree, label in zip(trees, labels, strict=True):
            h, _ = model.state(tree)
            losses.append(model.loss(h, label))
        return model.train(T.stack(losses).sum())

    return step


@dataclass
class Level:
    """The nodes of all trees that are equally far from their roots.

    Inner nodes come first and leaves after them as they are computed; `order` puts siblings side by
    side, in the order of their parents.
    """

    inner: int
    words: list[int]
    order: list[int]


def levels_of(trees: Sequence[Tree]) -> list[Level]:
    """Levels from the roots down."""
    found, nodes = [], list(trees)
    while nodes:
        inner = [i for i, node in enumerate(nodes) if isinstance(node, tuple)]
        leaves = [i for i, node in enumerate(nodes) if not isinstance(node, tuple)]
        place = {i: row for row, i in enumerate(inner + leaves)}
        order = [place[i] for i in range(len(nodes))]
        found.append(Level(len(inner), [nodes[i] for i in leaves], order))
        nodes = [child for i in inner for child in nodes[i]]
    return found


class ByLevel(TreeLSTM):
    """The same model batched by hand: all nodes of a level of all trees at once.

    Children of one level are siblings side by side, so that pairs of rows are what their parents
    read; all leaves are computed in front. The levels are laid out once, outside the step.
    """

    def __init__(self, T: Any, hidden: int, examples: Examples) -> None:
        super().__init__(T, hidden, examples.vocabulary)
        self.hidden = hidden
        levels = levels_of(examples.trees)[::-1]
        self.all_words = T.tensor([word for level in levels for word in level.words])
        self.leaf_counts = [len(level.words) for level in levels]
        # A level of leaves only, or of inner nodes only, is in order as it is.
        self.orders = [
            T.tensor(level.order) if level.inner and level.words else None for level in levels
        ]

    def parents(self, h: Any, c: Any) -> tuple[Any, Any]:
        """States of the parents of rows that are siblings side by side."""
        T, hidden = self.T, self.hidden
        gates = T.addmm(self.node_bias, h.view(-1, 2 * hidden), self.node)
        i, f_left, f_right, o = gates[:, : 4 * hidden].sigmoid().chunk(4, 1)
        left_c, right_c = c.view(-1, 2 * hidden).chunk(2, 1)
        c = T.addcmul(i * gates[:, 4 * hidden :].tanh(), f_left, left_c)
        c = T.addcmul(c, f_right, right_c)
        return o * c.tanh(), c

    def roots(self) -> Any:
        leaf_h, leaf_c = self.leaf_state(self.all_words)
        leaves = zip(leaf_h.split(self.leaf_counts), leaf_c.split(self.leaf_counts), strict=True)
        states: list[Any] = []
        for own, order in zip(leaves, self.orders, strict=True):
            inner = self.parents(*states) if states else own
            if order is None:
                states = list(inner)
            else:
                pairs = zip(inner, own, strict=True)
                states = [self.T.cat(pair).index_select(0, order) for pair in pairs]
        return states[0]


def by_level(T: Any, examples: Examples, hidden: int) -> Step:
    model = ByLevel(T, hidden, examples)
    labels = T.tensor(examples.labels)

    def step() -> tuple[Any, Any]:
        return model.train(model.loss(model.roots(), labels))

    return step
