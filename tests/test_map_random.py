"""Random programs with branches on values give what PyTorch's loop gives, however they are run.

Plain, batched, mapped, in one run and in several; writes in place, gradients of both orders.
"""

from collections.abc import Callable
from typing import Any

from both import compare, torch
from hypothesis import given
from hypothesis import strategies as st
from ways import WAYS, Way, many, running

import wend

SIZES = (2, 3)

# What a step makes of two values, and of the weight and the reader of its example.
Step = Callable[[Any, Any, Any, Any], Any]


def write_one(u: Any, v: Any, w: Any, read: Any) -> Any:
    c = u.clone()
    c[0] = v.sum()
    return c


def write_all(u: Any, v: Any, w: Any, read: Any) -> Any:
    c = u.clone()
    c.mul_(v).add_(0.25)
    return c


def branch(u: Any, v: Any, w: Any, read: Any) -> Any:
    return v * 0.5 if read(u.sum()) > 0.0123 else v - u


def repeat(u: Any, v: Any, w: Any, read: Any) -> Any:
    # Off whole numbers where v sums to 1, so that rounding does not decide.
    for _ in range(int(abs(read(v.sum())) * 7.13 + 0.05) % 4):
        u = u.sin() + v * 0.1
    return u


STEPS: list[Step] = [
    lambda u, v, w, read: u.tanh(),
    lambda u, v, w, read: u * v,
    lambda u, v, w, read: u + v,
    lambda u, v, w, read: (u @ w).sigmoid(),
    lambda u, v, w, read: u.softmax(0),
    lambda u, v, w, read: u[1:].sum() * v,
    write_one,
    write_all,
    branch,
    repeat,
]

steps = st.tuples(st.integers(0, len(STEPS) - 1), st.integers(0, 9), st.integers(0, 9))
programs = st.lists(steps, min_size=1, max_size=10)


def run(program: Any, x: Any, w: Any, read: Callable[[Any], float]) -> Any:
    values = [x, x @ w * 0.5 + 0.1]
    for step, a, b in program:
        u, v = values[a % len(values)], values[b % len(values)]
        values.append(STEPS[step](u, v, w, read))
    return sum((v * v).sum() for v in [values[1], *values[-3:]])


def results(T: Any, program: Any, data: list[list[float]], kind: str, loop: Any) -> Any:
    """The losses of all examples and the gradients of the weights, taken inside or outside."""
    weights = {
        n: T.linspace(-0.7, 0.9, n * n, dtype=T.float64).reshape(n, n).requires_grad_()
        for n in SIZES
    }
    xs = [T.tensor(row, dtype=T.float64) for row in data]

    def example(x: Any) -> Any:
        w = weights[len(x)]
        loss = run(program, x, w, lambda t: t.item())
        if kind == "second order":
            (g,) = T.autograd.grad(loss, w, create_graph=True)
            loss = loss if g.sum() > 0.0321 else loss + (g * g).sum()
        if kind == "outside":
            return loss
        loss.backward()
        return loss.detach()

    losses = loop(example, xs)
    if kind == "outside":
        sum(losses).backward()
    return [loss.detach() for loss in losses], [w.grad for w in weights.values()]


def plain(fn: Any, xs: Any) -> list[Any]:
    return [fn(x) for x in xs]


numbers = st.floats(-2, 2, allow_nan=False).map(lambda v: v + 0.0371)
examples = st.lists(
    st.sampled_from(SIZES).flatmap(lambda n: st.lists(numbers, min_size=n, max_size=n)),
    min_size=1,
    max_size=14,
)
kinds = st.sampled_from(["outside", "inside", "second order"])


@many(60)
@given(programs, examples, kinds, st.sampled_from([1, 3, 100]), WAYS)
def test_random_programs(program: Any, data: Any, kind: str, in_flight: int, way: Way) -> None:
    expected = results(torch, program, data, kind, plain)
    compare(expected, results(wend, program, data, kind, plain))

    def mapped(fn: Any, xs: Any) -> list[Any]:
        return wend.map(fn, xs, in_flight=in_flight)

    compare(expected, results(wend, program, data, kind, mapped))
    with wend.batching(False):
        compare(expected, results(wend, program, data, kind, mapped))
    for loop in (plain, mapped):
        with running(way):
            compare(expected, results(wend, program, data, kind, loop))
