"""W2: three elements, a branch on their sum, and the gradient; one input for each branch.

The smallest program whose graph depends on the data.
"""

from collections.abc import Iterator
from typing import Any

from benchmarks.dynet_parameter import dynet_parameter
from benchmarks.harness import Options, main, measure
from benchmarks.workload import Figure, Step, Workload

INPUTS = ([1.0, -1.0, 2.0], [-3.0, -2.0, -1.0])


def branch(T: Any) -> Step:
    inputs = [T.tensor(values, requires_grad=True) for values in INPUTS]

    def forward(x: Any) -> Any:
        if x.sum() > 0:
            y = x * 2
        else:
            y = x - 2
        return y

    def step() -> tuple[Any, Any]:
        outputs, gradients = [], []
        for x in inputs:
            x.grad = None
            y = forward(x)
            y.sum().backward()
            outputs.append(y)
            gradients.append(x.grad.tolist())
        return outputs, gradients

    return step


def dynet_branch(dy: Any) -> Step:
    inputs = [dynet_parameter(dy, values) for values in INPUTS]

    def forward(x: Any) -> Any:
        if dy.sum_elems(x).value() > 0:
            y = x * 2
        else:
            y = x - 2
        return y

    def step() -> tuple[Any, Any]:
        dy.renew_cg()
        outputs, gradients = [], []
        for x in inputs:
            x.scale_gradient(0)
            y = forward(x)
            dy.sum_elems(y).backward()
            outputs.append(y)
            gradients.append(x.grad_as_array)
        return outputs, gradients

    return step


WORKLOADS = [
    Workload(
        name="W2",
        title="branch on the sum of 3 elements, forward + backward",
        unit="µs",
        scale=1e6 / len(INPUTS),
        programs={"torch": branch, "dynet": dynet_branch, "wend": branch},
        aims={"torch": 30.0, "dynet": 1.0},
    )
]


def figures(options: Options) -> Iterator[Figure]:
    return measure(WORKLOADS, options)


if __name__ == "__main__":
    main("W2")
