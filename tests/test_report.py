"""wend.report says what ran; wend.eager and wend.laziness say when."""

import sys
from typing import Any

import pytest

import wend


def chain(x: Any, steps: int = 5) -> Any:
    for _ in range(steps):
        x = (x * 2).exp() - 1
    return x


def pending(*tensors: Any) -> int:
    return sum(node.state == "pending" for node in wend.graph(*tensors))


def test_a_report_counts_what_ran() -> None:
    x = wend.tensor([0.1, 0.2])
    with wend.report() as report:
        y = chain(x)
        assert report.kernels == 0
        y.tolist()
    assert (report.runs, report.nodes, report.kernels) == (1, 15, 15)
    assert {work.name: work.calls for work in report.by_op} == {"mul": 5, "exp": 5, "sub": 5}
    assert {work.bytes for work in report.by_op} == {5 * x.nbytes}
    assert report.donated > 0
    assert sum(work.seconds for work in report.by_op) <= report.seconds


def test_a_report_names_lines() -> None:
    with wend.report() as report:
        wend.ones(3).exp().sum().item()
        line = sys._getframe().f_lineno - 1
    (only,) = report.by_line
    assert only.name == f"{__file__}:{line} in test_a_report_names_lines"


def test_views_are_no_kernels() -> None:
    with wend.report() as report:
        (wend.ones(2, 3) + 1).transpose(0, 1).tolist()
    assert report.nodes - report.kernels == 1


def test_reports_nest_and_end() -> None:
    with wend.report() as outer:
        chain(wend.ones(3), 2).tolist()
        with wend.report() as inner:
            chain(wend.ones(3), 1).tolist()
    chain(wend.ones(3), 7).tolist()
    calls = [{w.name: w.calls for w in r.by_op}["exp"] for r in (outer, inner)]
    assert calls == [3, 1]


def test_a_report_is_a_table() -> None:
    with wend.report() as report:
        chain(wend.ones(3)).tolist()
    text = str(report)
    assert "kernels" in text.splitlines()[0]
    assert any(line.split()[:2] == ["exp", "5"] for line in text.splitlines())


def test_a_report_is_opened_once() -> None:
    with wend.report() as report, pytest.raises(RuntimeError, match="open already"), report:
        pass


def test_eager_runs_every_op_at_once() -> None:
    x = wend.tensor([1.0, 2.0])
    with wend.eager():
        y = chain(x)
        assert pending(y) == 0
    assert pending(chain(x)) == 15
    assert wend.eager()(lambda: pending(chain(x)))() == 0


def test_eager_ends_with_an_error() -> None:
    with pytest.raises(ZeroDivisionError), wend.eager():
        raise ZeroDivisionError
    assert pending(chain(wend.ones(2))) > 0


def test_laziness_is_bounded_by_nodes() -> None:
    with wend.laziness(nodes=7):
        assert pending(chain(wend.ones(2), 100)) <= 7
    assert pending(chain(wend.ones(2), 100)) == 301


def test_laziness_is_bounded_by_bytes() -> None:
    with wend.laziness(bytes=1 << 16):
        assert pending(chain(wend.ones(1 << 10), 100)) <= 1 + (1 << 16) // (4 << 10)


def test_what_was_kept_alive_counts_until_it_has_been_read() -> None:
    with wend.laziness(bytes=1 << 16):
        for _ in range(100):
            x = wend.ones(1 << 10)
            x.sum().item()
            y = x.sum() + 1
            del x
            y.item()
        assert pending(chain(wend.ones(2), 5)) == 16


def test_laziness_refuses_nonsense() -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        wend.laziness(nodes=-1)


def test_a_report_says_what_was_in_memory_at_the_peak() -> None:
    x = wend.rand(1000, requires_grad=True)
    with wend.report() as report:
        y = x.exp()
        z = y.sin()
        wend.outer(z, z)[0, 0].item()
        line = sys._getframe().f_lineno - 1
    held = {(h.op, h.values, h.bytes) for h in report.at_peak if h.bytes >= 4000}
    assert {("exp", 1, 4000), ("sin", 1, 4000)} <= held
    largest = report.at_peak[0]
    assert largest.bytes == 4 * 1000 * 1000
    assert largest.place.startswith(f"{__file__}:{line} in ")
