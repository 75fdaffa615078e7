"""wend.report says what ran as one, and explain() in words what did not and why.

wend.batching(False) switches it off, for comparison.
"""

import doctest
import re
from typing import Any

import pytest
from both import compare, torch

import wend
from wend import _map, _report


def here(function: Any, offset: int = 1) -> str:
    """How a report names a line of a function of this file, counted from its def."""
    code = function.__code__
    return f"{__file__}:{code.co_firstlineno + offset} in {code.co_qualname}"


def explained(report: Any, op: str) -> list[str]:
    """What an explanation says of an op, without its counts and places."""
    sentences = report.explain().splitlines()[1:]
    chosen = [s for s in sentences if re.match(rf"\d+ {op}(e?s)? ", s)]
    return [re.sub(r"^\d+ \w+ at .*? in \S+ ", "", s) for s in chosen]


def run(*tensors: Any) -> None:
    """Run everything that is pending."""
    wend._C._run()
    del tensors


def test_a_report_counts_batches() -> None:
    xs = [wend.ones(3) * i for i in range(20)]
    run(xs)
    with wend.report() as report:
        run([x.exp() for x in xs], [x.abs() for x in xs[:10]])
    assert (report.runs, report.batches, report.batched) == (1, 2, 30)
    assert report.batch_sizes == {10: 1, 20: 1}
    calls = {work.name: work.calls for work in report.by_op}
    assert calls["exp"] == calls["abs"] == 1


def test_gathers_are_counted() -> None:
    xs = [wend.tensor([1.0, float(i)]) for i in range(20)]
    with wend.report() as report:
        run([x @ x for x in xs])
    assert report.gathers > 0
    with wend.report() as report:
        run([wend.ones(2).exp()])
    assert report.gathers == 0


def test_the_head_of_a_report_tells_of_batches() -> None:
    xs = [wend.ones(3) * i for i in range(20)]
    run(xs)
    with wend.report() as report:
        run([x.exp() for x in xs])
    head = r"\d+ nodes recorded; \d+ nodes ran in 1 run, 20 of them in 1 batch of 20: 1 kernels"
    assert re.match(head, str(report))
    assert re.fullmatch(r"\d+ nodes ran in 1 run, 20 of them in 1 batch of 20\.", report.explain())


def test_shapes_that_differ() -> None:
    def double(x: Any) -> Any:
        return x.exp()

    xs = [wend.ones(2 + i % 3, 4) for i in range(17)]
    run(xs)
    with wend.report() as report:
        run([double(x) for x in xs])
    assert report.explain().splitlines()[1:] == [
        f"17 exps at {here(double)} ran in 3 parts, since they differ in shape of input 0 (input): "
        "(2, 4), (3, 4), (4, 4)"
    ]


def test_many_shapes_are_not_all_listed() -> None:
    xs = [wend.ones(1 + i) for i in range(12)]
    run(xs)
    with wend.report() as report:
        run([x.exp() for x in xs])
    assert explained(report, "exp") == [
        "ran in 12 parts, since they differ in shape of input 0 (input): "
        "(1,), (2,), (3,), (4,), (5,), …"
    ]


def test_two_alike_among_many_that_differ_run_in_record_order() -> None:
    xs = [wend.ones(1 + i) for i in range(40)]
    run(xs)
    with wend.report() as report:
        run([x.exp() for x in xs], xs[0].abs(), xs[0].abs())
    assert report.batches == 0
    assert explained(report, "abs") == [
        "ran one by one, since too few of what ran with them could be batched"
    ]


def test_dtypes_that_differ() -> None:
    xs = [wend.ones(3, dtype=wend.float64 if i % 2 else wend.float32) for i in range(10)]
    run(xs)
    with wend.report() as report:
        run([x.exp() for x in xs])
    assert explained(report, "exp") == [
        "ran in 2 parts, since they differ in dtype of input 0 (input): float32, float64"
    ]


def test_attributes_that_differ() -> None:
    xs = [wend.ones(3, 3) * i for i in range(10)]
    run(xs)
    with wend.report() as report:
        run([x.softmax(dim=i % 2) for i, x in enumerate(xs)])
    assert explained(report, "softmax") == ["ran in 2 parts, since they differ in 'dim': 0, 1"]


def test_gradients_that_only_some_need() -> None:
    xs = [wend.ones(3, requires_grad=i % 2 == 0) for i in range(10)]
    run(xs)
    with wend.report() as report:
        run([x.exp() for x in xs])
    assert explained(report, "exp") == [
        "ran in 2 parts, since they differ in whether they need a gradient"
    ]


def test_weights_that_differ() -> None:
    weights = [wend.ones(4, 4), wend.zeros(4, 4)]
    xs = [wend.ones(2, 4) * i for i in range(12)]
    run(xs, weights)
    with wend.report() as report:
        run([x @ weights[i % 2] for i, x in enumerate(xs)])
    (said,) = explained(report, "mm") + explained(report, "matmul")
    assert said.startswith("ran in 2 parts, since they use different values of input 1")


def test_ops_without_a_batch_rule() -> None:
    xs = [wend.arange(5.0) * i for i in range(10)]
    run(xs)
    with wend.report() as report:
        run([x.median() for x in xs])
    assert explained(report, "median") == ["ran one by one, since the op has no batch rule"]


def test_tensors_with_hooks() -> None:
    xs = [wend.ones(3, requires_grad=True) for _ in range(10)]
    with wend.report() as report:
        ys = [x.exp() for x in xs]
        for y in ys:
            y.register_hook(lambda g: g)
        run(ys)
    assert explained(report, "exp") == ["ran one by one, since hooks see them or what they save"]


def test_a_chain_has_nothing_to_run_with() -> None:
    def chain(x: Any) -> Any:
        for _ in range(10):
            x = x.tanh()
        return x

    xs = [wend.ones(3) * i for i in range(20)]
    run(xs)
    with wend.report() as report:
        run(chain(wend.ones(2)), [x.exp().abs() for x in xs])
    assert explained(report, "tanh") == [
        "ran alone, since nothing like them was ready at the same time"
    ]


def test_a_value_that_is_read_in_a_loop_splits_the_run() -> None:
    def look(x: Any) -> float:
        return (x * 2).sum().item()

    xs = [wend.ones(3) * i for i in range(10)]
    run(xs)
    with wend.report() as report:
        for x in xs:
            look(x)
    assert report.explain().splitlines() == [
        "20 nodes ran in 10 runs.",
        f"(x * 2).sum().item() at {here(look)} split the run: 10 runs of 2 nodes on average; "
        "in wend.map it would suspend that example only",
    ]
    with wend.report() as report:
        wend.map(look, xs)
    assert report.runs == 1
    assert "split" not in report.explain()


def test_a_branch_on_a_value_is_named() -> None:
    def branch(x: Any) -> Any:
        if x.sum() > 1:
            return x
        return -x

    with wend.report() as report:
        for i in range(5):
            branch(wend.ones(2) * i)
    assert f"x.sum() > 1 at {here(branch)} split the run: 5 runs" in report.explain()


def test_reports_nest() -> None:
    def both_shapes() -> None:
        run([wend.ones(2 + i % 2).exp() for i in range(10)])

    with wend.report() as outer:
        both_shapes()
        with wend.report() as inner:
            both_shapes()
    assert outer.batches == 2 * inner.batches
    assert sum(outer.batch_sizes.values()) == 2 * sum(inner.batch_sizes.values())
    assert re.findall(r"^\d+ exps", outer.explain(), re.M) == ["20 exps"]
    assert re.findall(r"^\d+ exps", inner.explain(), re.M) == ["10 exps"]


def test_a_closed_report_keeps_what_it_said() -> None:
    with wend.report() as report:
        run([wend.ones(2 + i % 2).exp() for i in range(10)])
    before = report.explain(), str(report), report.batch_sizes
    run([wend.ones(2 + i % 5).exp() for i in range(10)])
    assert (report.explain(), str(report), report.batch_sizes) == before


def program(T: Any) -> Any:
    w = T.tensor([[0.5, -0.25], [0.125, 1.0]], requires_grad=True)
    losses = [((T.tensor([[1.0, float(i)]]) @ w).tanh() ** 2).sum() for i in range(12)]
    total = sum(losses)
    total.backward()
    return total, w.grad


def test_batching_can_be_switched_off() -> None:
    expected = program(torch)
    with wend.report() as on:
        compare(expected, program(wend))
    with wend.report() as off, wend.batching(False):
        compare(expected, program(wend))
        with wend.batching():
            assert wend._C._batching()
        assert not wend._C._batching()
    assert wend._C._batching()
    assert on.batches > 0
    assert (off.batches, off.batch_sizes) == (0, {})
    assert off.kernels > on.kernels


def test_batching_as_a_decorator_ends_with_an_error() -> None:
    @wend.batching(False)
    def fail() -> None:
        assert not wend._C._batching()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert wend._C._batching()


@pytest.mark.parametrize("module", [_report, _map])
def test_docstring_examples(module: Any) -> None:
    failed, tried = doctest.testmod(module, extraglobs={"wend": wend})
    assert failed == 0
    assert tried > 0
