"""The Tree-LSTM of tree_lstm.py in DyNet, one tree after the other, batched by DyNet's autobatch.

With columns for rows, as DyNet stores them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.dynet_parameter import dynet_collection
from benchmarks.sketch import sketch
from benchmarks.tree_lstm import LEARNING_RATE, Examples, Tree, weights
from benchmarks.workload import Step


class DynetTreeLSTM:
    """The model as a DyNet user writes it: an affine transform reads both children's states."""

    def __init__(self, dy: Any, hidden: int, vocabulary: int) -> None:
        self.dy, self.hidden = dy, hidden
        self.collection = dynet_collection(dy)
        made = weights(hidden, vocabulary)
        self.words = self.collection.lookup_parameters_from_numpy(made["words"])
        self.leaf = self.parameter(made["leaf"])
        self.leaf_bias = self.parameter(made["leaf_bias"])
        self.left = self.parameter(made["node"][:hidden])
        self.right = self.parameter(made["node"][hidden:])
        self.node_bias = self.parameter(made["node_bias"])
        self.classes = self.parameter(made["classes"])
        self.classes_bias = self.parameter(made["classes_bias"])
        self.trainer = dy.SimpleSGDTrainer(self.collection, LEARNING_RATE)
        self.trainer.set_clip_threshold(0)

    def parameter(self, values: Any) -> Any:
        return self.collection.parameters_from_numpy(np.ascontiguousarray(values.T))

    def begin(self) -> None:
        """Start a step; the gradients of the last are used up here so that they can be read."""
        self.trainer.update()
        self.dy.renew_cg(autobatching=True)

    def gates(self, x: Any, count: int) -> list[Any]:
        return [self.dy.pick_range(x, i * self.hidden, (i + 1) * self.hidden) for i in range(count)]

    def leaf_state(self, word: int) -> tuple[Any, Any]:
        dy = self.dy
        x = dy.affine_transform([self.leaf_bias, self.leaf, dy.lookup(self.words, word)])
        i, o, u = self.gates(x, 3)
        c = dy.cmult(dy.logistic(i), dy.tanh(u))
        return dy.cmult(dy.logistic(o), dy.tanh(c)), c

    def node_state(self, left: tuple[Any, Any], right: tuple[Any, Any]) -> tuple[Any, Any]:
        dy, (left_h, left_c), (right_h, right_c) = self.dy, left, right
        x = dy.affine_transform([self.node_bias, self.left, left_h, self.right, right_h])
        i, f_left, f_right, o, u = self.gates(x, 5)
        c = (
            dy.cmult(dy.logistic(i), dy.tanh(u))
            + dy.cmult(dy.logistic(f_left), left_c)
            + dy.cmult(dy.logistic(f_right), right_c)
        )
        return dy.cmult(dy.logistic(o), dy.tanh(c)), c

    def state(self, tree: Tree) -> tuple[Any, Any]:
        if not isinstance(tree, tuple):
            return self.leaf_state(tree)
        left, right = map(self.state, tree)
        return self.node_state(left, right)

    def loss(self, h: Any, label: int) -> Any:
        scores = self.dy.affine_transform([self.classes_bias, self.classes, h])
        return self.dy.pickneglogsoftmax(scores, label)

    def gradients(self) -> list[Any]:
        """In the order and the shapes of weights()."""
        node = np.concatenate([self.left.grad_as_array().T, self.right.grad_as_array().T])
        found = [
            self.words.grad_as_array(),
            self.leaf.grad_as_array().T,
            self.leaf_bias.grad_as_array(),
            node,
            self.node_bias.grad_as_array(),
            self.classes.grad_as_array().T,
            self.classes_bias.grad_as_array(),
        ]
        return [sketch(gradient) for gradient in found]

    def finish(self, losses: list[Any]) -> tuple[float, Callable[[], Any]]:
        loss = self.dy.esum(losses)
        value = loss.value()
        loss.backward()
        return value, self.gradients


def autobatched(dy: Any, examples: Examples, hidden: int) -> Step:
    model = DynetTreeLSTM(dy, hidden, examples.vocabulary)

    def step() -> tuple[Any, Any]:
        model.begin()
        losses = []
        for tree, label in zip(examples.trees, examples.labels, strict=True):
            h, _ = model.state(tree)
            losses.append(model.loss(h, label))
        return model.finish(losses)

    return step
