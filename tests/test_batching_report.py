"""wend.report says what ran as one, and explain() in words what did not and why.

wend.batching(False) switches it off, for comparison.
"""

import doctest
import re
from typing import Any

import pytest
from both import compare, torch

import wend
from wend import _called, _map, _report
from wend._called import called
from wend._explain import Gap, Line, Reads, Spent, explanation, sentences


def here(function: Any, offset: int = 1) -> str:
    """How a report names a line of a function of this file, counted from its def."""
    code = function.__code__
    return f"{__file__}:{code.co_firstlineno + offset} in {code.co_qualname}"


def said(report: Any) -> list[str]:
    """All that an explanation says, however little was lost, without times."""
    sentences = report.explain(least=0).splitlines()[1:]
    return [re.sub(r" \(about [\d.e+]+ \w+\)$", "", s) for s in sentences]


def explained(report: Any, op: str) -> list[str]:
    """What an explanation says of an op, without its counts and places."""
    chosen = [s for s in said(report) if re.match(rf"\d+ × {op} ", s)]
    return [re.sub(r"^\d+ × \w+ at .*? in \S+ ", "", s) for s in chosen]


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
    head = r"\d+ nodes recorded; \d+ nodes ran in 1 run, 20 of them in 1 batch of 20: 1 kernel, 0"
    assert re.match(head, str(report))
    (only,) = report.explain().splitlines()
    assert re.match(r"\d+ nodes ran in 1 run, 20 of them in 1 batch of 20\. ", only)


def test_shapes_that_differ() -> None:
    def double(x: Any) -> Any:
        return x.exp()

    xs = [wend.ones(2 + i % 3, 4) for i in range(17)]
    run(xs)
    with wend.report() as report:
        run([double(x) for x in xs])
    assert said(report) == [
        f"17 × exp at {here(double)} ran in 3 parts, since they differ in shape of input 0 "
        "(input): (2, 4), (3, 4), (4, 4)"
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
        return (x @ w).sum().item()

    w, xs = wend.rand(256, 256), [wend.ones(256) * i for i in range(10)]
    run(xs, w)
    with wend.report() as report:
        for x in xs:
            look(x)
    assert (
        f"(x @ w).sum().item() at {here(look)} split the run: 10 runs of 2 nodes on average; "
        "if these are different examples, wend.map runs them together"
    ) in said(report)
    with wend.report() as report:
        wend.map(look, xs)
    assert report.runs == 1
    assert "split" not in report.explain(least=0)


def test_a_map_is_not_advised_where_it_gains_nothing() -> None:
    with wend.report() as report:
        for i in range(50):
            (wend.ones(3) * i).sum().item()
    assert report.runs == 50
    assert "wend.map" not in report.explain(least=0)


def test_a_branch_on_a_value_is_named() -> None:
    w = wend.rand(256, 256)

    def branch(x: Any) -> Any:
        if (x @ w).sum() > 1:
            return x
        return -x

    with wend.report() as report:
        for i in range(5):
            branch(wend.ones(256) * i)
    assert f"(x @ w).sum() > 1 at {here(branch)} split the run: 5 runs" in report.explain(least=0)


def gap(op: str, why: str, nodes: int, parts: int) -> Gap:
    return Gap(Line(op, "train.py:3 in step"), None, why, 0, (), nodes, parts, 1)


def spent(planning: float, python: float, **kernels: tuple[int, float]) -> Spent:
    lines = {Line(op, "train.py:3 in step"): figures for op, figures in kernels.items()}
    total = sum(nanoseconds for _, nanoseconds in lines.values())
    return Spent({"kernels": total, "planning": planning, "Python": python, "report": 1e9}, lines)


def test_what_lost_most_comes_first() -> None:
    gaps = [gap("exp", "refused", 10, 10), gap("rows_nn", "refused", 10, 10)]
    times = spent(0, 0, exp=(10, 1000.0), rows_nn=(10, 2000.0))
    assert [
        (lost, text.split(" at ")[0]) for lost, text in explanation(gaps, [], times, least=0)
    ] == [(1800.0, "10 × matmul"), (900.0, "10 × exp")]


def test_what_lost_little_of_the_time_is_not_mentioned() -> None:
    gaps = [gap("exp", "refused", 10, 10)]
    assert len(explanation(gaps, [], spent(0, 9000, exp=(10, 1000.0)), least=0.05)) == 1
    assert explanation(gaps, [], spent(0, 90_000, exp=(10, 1000.0)), least=0.05) == []


def test_large_kernels_lose_no_more_than_small_ones() -> None:
    """A batch takes as long as its members do, but for what each takes in any case."""
    times = spent(1000, 0, exp=(10, 1e6))
    ((lost, _),) = explanation([gap("exp", "shape", 10, 6)], [], times, least=0)
    assert lost == 5 * (300 + 100)


def test_a_reading_gains_no_more_than_all_that_wend_took() -> None:
    reads = [Reads("x.item()", "train.py:3 in step", 10, 10, 20, 10**9)]
    times = spent(500, 10**6, exp=(10, 1000.0))
    ((lost, _),) = explanation([], reads, times, least=0)
    assert lost == 1500
    assert explanation([], reads, times, least=0.02) == []


def test_many_sentences_are_cut() -> None:
    told = sentences([(1500.0 * i, f"line {i}") for i in range(25, 0, -1)])
    assert told[0] == "line 25 (about 37.5 µs)"
    assert told[-1] == "... and 5 more"


def test_a_report_speaks_in_public_names() -> None:
    places = (wend, wend.Tensor, wend.nn.functional, wend.linalg, wend.special)
    others = {"getitem", "autograd.Function", "copies into batches", "views of batches"}
    for entry in wend._C._op_table():
        name = called(entry["name"]).removeprefix("gradient of ")
        is_public = not name.startswith("_") and any(hasattr(place, name) for place in places)
        assert is_public or name in others, entry["name"]


def test_the_time_of_a_block_is_split() -> None:
    with wend.report() as report:
        for _ in range(20):
            (wend.ones(50) * 2).sum().item()
    assert list(report.spent) == ["kernels", "planning", "recording", "Python", "report"]
    assert min(report.spent.values()) > 0
    assert report.spent["kernels"] <= sum(work.seconds for work in report.by_op)
    split = r": kernels \S+ \w+, planning \S+ \w+, recording \S+ \w+, Python \S+ \w+"
    assert re.search(split, str(report).splitlines()[0])
    assert re.search(split, report.explain().splitlines()[0])


def test_what_was_pending_before_is_not_billed_to_the_block() -> None:
    before = [wend.ones(3).exp() for _ in range(10)]
    with wend.report() as report:
        before[0].tolist()
        (before[1] + 1).tolist()
    assert {work.name for work in report.by_op} == {"add"}
    assert (report.runs, report.nodes) == (1, 1)


def test_what_is_yet_to_run_is_said() -> None:
    with wend.report() as report:
        y = wend.ones(3).exp()
    assert "0 nodes ran in 0 runs; 2 are yet to run" in report.explain()
    y.tolist()


def test_reports_nest() -> None:
    def both_shapes() -> None:
        run([wend.ones(2 + i % 2).exp() for i in range(10)])

    with wend.report() as outer:
        both_shapes()
        with wend.report() as inner:
            both_shapes()
    assert outer.batches == 2 * inner.batches
    assert sum(outer.batch_sizes.values()) == 2 * sum(inner.batch_sizes.values())
    assert re.findall(r"^\d+ × exp", outer.explain(least=0), re.M) == ["20 × exp"]
    assert re.findall(r"^\d+ × exp", inner.explain(least=0), re.M) == ["10 × exp"]


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


@pytest.mark.parametrize("module", [_called, _report, _map])
def test_docstring_examples(module: Any) -> None:
    failed, tried = doctest.testmod(module, extraglobs={"wend": wend})
    assert failed == 0
    assert tried > 0


def test_parts_are_told_beside_those_that_there_would_be() -> None:
    xs = [wend.ones(2 + i % 3) for i in range(12)]
    with wend.report() as report:
        for _ in range(4):
            run([x.exp() for x in xs])
    (told,) = explained(report, "exp")
    assert told.startswith("ran in 12 parts instead of 4, since they differ in shape")


def test_the_times_of_a_report_add_up() -> None:
    for count in (1, 100):
        with wend.report() as report:
            for _ in range(count):
                wend.ones(3).sum().item()
        assert report.seconds == pytest.approx(sum(report.spent.values()), rel=1e-9)
