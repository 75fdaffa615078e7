"""W9: the Tree-LSTM of W4 that decides at every node whether to read the right half of it at all.

Each decision looks at a value, so that nothing after it can be recorded before it is computed.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Options, main, measure
from benchmarks.tree_lstm import Examples, Tree, TreeLSTM, tensors_of
from benchmarks.workload import Figure, Program, Step, Workload

TREES, HIDDEN = 64, 128
# About every sixth node is left early.
ENOUGH = 0.56


class EarlyExit(TreeLSTM):
    """A node whose left half says enough has its state; what is read on is weighed by the rest."""

    def __init__(self, T: Any, hidden: int, vocabulary: int) -> None:
        super().__init__(T, hidden, vocabulary)
        gate = np.random.RandomState(9).randn(hidden, 1).astype(np.float32)
        self.gate = T.tensor(gate, requires_grad=True)
        self.parameters.append(self.gate)

    def state(self, tree: Tree) -> tuple[Any, Any]:
        if not isinstance(tree, tuple):
            return self.leaf_state(tree)
        h, c = self.state(tree[0])
        said = (h @ self.gate).sigmoid()
        if said > ENOUGH:
            return h, c
        return self.node_state((h * (1 - said), c), self.state(tree[1]))


# Calls a function for each example.
Each = Callable[[Callable[..., Any], Iterable[Any], Iterable[Any]], Iterable[Any]]


def early_exit(T: Any, each: Each) -> Step:
    examples = Examples.generated(TREES)
    model = EarlyExit(T, HIDDEN, examples.vocabulary)
    trees = [tensors_of(T, tree) for tree in examples.trees]
    labels = [T.tensor([label]) for label in examples.labels]

    def example(tree: Tree, label: Any) -> Any:
        return model.loss(model.state(tree)[0], label)

    def step() -> tuple[Any, Any]:
        return model.train(T.stack(list(each(example, trees, labels))).sum())

    return step


def one_by_one(T: Any) -> Step:
    return early_exit(T, map)


def mapped(wend: Any) -> Step:
    """With fibers an example that looks at a value waits for it while the others go on."""
    return early_exit(wend, wend.map)


PROGRAMS: dict[str, Program] = {"torch": one_by_one, "wend": mapped}

WORKLOADS = [
    Workload(
        name="W9",
        title="Tree-LSTM with an early exit at every node, hidden 128, 64 trees, train step",
        unit="µs/tree",
        scale=1e6 / TREES,
        programs=PROGRAMS,
        aims={"torch": 10.0},
    )
]


def figures(options: Options) -> Iterator[Figure]:
    return measure(WORKLOADS, options)


if __name__ == "__main__":
    main("W9")
