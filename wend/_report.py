"""When and how recorded work runs, and what ran: `wend.eager`, `batching`, `fusion`, `report`.

Running and counting are the extension module's; here they are switched, compared and shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ContextDecorator
from typing import Any, NamedTuple

from wend import _C
from wend._called import called
from wend._explain import (
    Gap,
    Line,
    Reads,
    Shared,
    Spent,
    explanation,
    expression_at,
    sentences,
    shared_memory,
)


class eager(ContextDecorator):  # noqa: N801
    """Run every operation when it is recorded, as context or decorator, to debug with values.

    >>> with wend.eager():
    ...     y = wend.tensor([1.0, 2.0]) * 3
    >>> wend.graph(y)[y].state
    'valued'
    """

    def __init__(self) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> eager:
        self._before.append(_C._eager())
        _C._set_eager(True)
        return self

    def __exit__(self, *error: object) -> None:
        _C._set_eager(self._before.pop())


class batching(ContextDecorator):  # noqa: N801
    """Let like operations run as one or, with False, each by itself, to compare and to debug.

    >>> xs = [wend.tensor([1.0 * i]) for i in range(20)]
    >>> with wend.report() as r, wend.batching(False):
    ...     print(sum((x * 2).exp() - 1 for x in xs).item() > 0, r.batches)
    True 0
    """

    def __init__(self, mode: bool = True) -> None:
        self._mode = bool(mode)
        self._before: list[bool] = []

    def __enter__(self) -> batching:
        self._before.append(_C._batching())
        _C._set_batching(self._mode)
        return self

    def __exit__(self, *error: object) -> None:
        _C._set_batching(self._before.pop())


# No tensor has so many elements.
_NEVER = 2**63 - 1


class fusion(ContextDecorator):  # noqa: N801
    """Let neighbours that work element by element run in one pass or, with False, one by one.

    Tensors of fewer than `elements` run one by one in any case: they stay in cache from one
    operation to the next.

    >>> x = wend.ones(100, 100)
    >>> with wend.report() as r, wend.fusion(False):
    ...     print((x * 2 + 1).sum().item(), r.fusions)
    30000.0 0
    """

    def __init__(self, mode: bool = True, elements: int = 1024) -> None:
        if elements < 0:
            raise ValueError(f"fusion(): elements must not be negative, got {elements}")
        self._elements = min(elements, _NEVER) if mode else _NEVER
        self._before: list[int] = []

    def __enter__(self) -> fusion:
        self._before.append(_C._fuses_from())
        _C._set_fuses_from(self._elements)
        return self

    def __exit__(self, *error: object) -> None:
        _C._set_fuses_from(self._before.pop())


class laziness(ContextDecorator):  # noqa: N801
    """Bound what may be pending before it is run unasked, as context or decorator.

    `nodes` counts recorded operations, `bytes` what their values will take or keep; a bound that
    is not given stays as it is.

    >>> with wend.laziness(nodes=10):
    ...     y = wend.tensor([1.0, 2.0])
    ...     for _ in range(100):
    ...         y = y + 1
    >>> len([node for node in wend.graph(y) if node.state == "pending"]) <= 10
    True
    """

    def __init__(self, nodes: int | None = None, bytes: int | None = None) -> None:
        for name, bound in (("nodes", nodes), ("bytes", bytes)):
            if bound is not None and bound < 0:
                raise ValueError(f"laziness(): {name} must not be negative, got {bound}")
        self._bounds = nodes, bytes
        self._before: list[tuple[int, int]] = []

    def __enter__(self) -> laziness:
        before = _C._laziness()
        self._before.append(before)
        nodes, bytes = self._bounds
        _C._set_laziness(
            before[0] if nodes is None else nodes, before[1] if bytes is None else bytes
        )
        return self

    def __exit__(self, *error: object) -> None:
        _C._set_laziness(*self._before.pop())


class Work(NamedTuple):
    """What the kernels of one op, or of one line of the program, did."""

    name: str
    calls: int
    seconds: float
    bytes: int


class Held(NamedTuple):
    """Values of one op on behalf of one line of the program that were in memory at once."""

    op: str
    place: str
    values: int
    bytes: int


class report:  # noqa: N801
    """Say what ran inside a `with` block: how often, on behalf of which line, how long.

    What is pending runs before the block begins, so that the block pays for its own work only.
    Times cost a few clock readings for each operation, and nothing while no report is open.

    >>> with wend.report() as r:
    ...     total = (wend.ones(2, 3) * 2).sum().item()
    >>> "mul" in [work.name for work in r.by_op]
    True

    `explain()` says in words which lines lost time by not running in batches, and why.
    """

    def __init__(self) -> None:
        self._open = False
        self._kernels: dict[Line, _Total] = {}
        self._sizes: _Figures = {}
        self._reads: _Figures = {}
        self._gaps: _Figures = {}
        self._fused: _Figures = {}
        self._shared: _Figures = {}
        self._texts: dict[Any, tuple[str, ...]] = {}
        self._counts: dict[str, int] = {}
        self._held: list[Held] = []
        self._spent: dict[str, float] = dict.fromkeys(_ACTIVITIES, 0.0)
        self._seconds = 0.0

    def __enter__(self) -> report:
        if self._open:
            raise RuntimeError("this report is open already; every block needs its own")
        _C._run()
        _C._open_report()
        self._open = True
        self._kernels_before = _kernels()
        self._before = _sizes(), _reads(), _gaps(), _fused(), _shared()
        self._counts_before = _C._counters()
        self._spent_before = _C._time_spent()
        return self

    def __exit__(self, *error: object) -> None:
        self._look()
        _C._close_report()
        self._open = False

    def _look(self) -> None:
        """Take the figures so far; a closed report keeps those of its end."""
        if not self._open:
            return
        spent = _C._time_spent()
        self._spent = {name: (spent[name] - self._spent_before[name]) / 1e9 for name in _ACTIVITIES}
        self._seconds = sum(self._spent.values())
        before, now = self._counts_before, _C._counters()
        self._counts = {name: now[name] - before[name] for name in now}
        self._kernels = _difference(_kernels(), self._kernels_before)
        figures = zip((_sizes(), _reads(), _gaps(), _fused(), _shared()), self._before, strict=True)
        since = (_since(*pair) for pair in figures)
        self._sizes, self._reads, self._gaps, self._fused, self._shared = since
        self._texts = {_gap_key(row): tuple(row[8]) for row in _C._batch_gaps()}
        self._held = _held()

    def _count(self, name: str) -> int:
        self._look()
        return self._counts.get(name, 0)

    @property
    def runs(self) -> int:
        """How often pending work was run."""
        return self._count("runs")

    @property
    def recorded(self) -> int:
        """Nodes that were recorded."""
        return self._count("recorded")

    @property
    def nodes(self) -> int:
        """Nodes that got their value."""
        return self._count("nodes")

    @property
    def kernels(self) -> int:
        """Kernels that gave it to them; views need none, batches and fused nodes share one."""
        return self._count("kernels")

    @property
    def batches(self) -> int:
        """How often several nodes ran as one."""
        return self._count("batches")

    @property
    def batched(self) -> int:
        """Nodes that ran so."""
        return self._count("batched")

    @property
    def batch_sizes(self) -> dict[int, int]:
        """How many batches there were of each number of nodes."""
        self._look()
        sizes: dict[int, int] = {}
        for (_, size), (times,) in sorted(self._sizes.items(), key=lambda item: item[0][1]):
            sizes[size] = sizes.get(size, 0) + times
        return sizes

    @property
    def fusions(self) -> int:
        """How often several nodes that work element by element ran in one pass."""
        return self._count("fusions")

    @property
    def fused(self) -> int:
        """Nodes that ran so."""
        return self._count("fused")

    @property
    def fused_ops(self) -> dict[tuple[str, ...], int]:
        """How often the same ops ran in one pass, by their names in order.

        >>> x = wend.ones(100, 100)
        >>> with wend.report() as r:
        ...     total = (x.exp() * 2 + 1).sum().item()
        >>> r.fused_ops
        {('exp', 'mul', 'add', 'sum'): 1}
        """
        self._look()
        return {key: times for key, (times,) in self._fused.items()}

    @property
    def gathers(self) -> int:
        """How often rows were copied together, to be the input of a batch."""
        self._look()
        return sum(total.calls for key, total in self._kernels.items() if key.op in _GATHERS)

    @property
    def donated(self) -> int:
        """Results that took over the memory of an input that nobody needed any more."""
        return self._count("donated")

    @property
    def bytes(self) -> int:
        """Bytes that were allocated for results."""
        return self._count("bytes")

    @property
    def seconds(self) -> float:
        """Time since the block began, or that it took."""
        self._look()
        return self._seconds

    @property
    def spent(self) -> dict[str, float]:
        """What the seconds went to: kernels, planning them, recording operations, and Python.

        What the report itself took is apart. Recording is all that calls of wend take beside runs,
        Python the rest of the program.

        >>> with wend.report() as r:
        ...     total = (wend.ones(2, 3) * 2).sum().item()
        >>> list(r.spent)
        ['kernels', 'planning', 'recording', 'Python', 'report']
        """
        self._look()
        return dict(self._spent)

    @property
    def by_op(self) -> list[Work]:
        """The work of each function, the longest first."""
        self._look()
        return _summed(self._kernels, lambda key: called(key.op))

    @property
    def by_line(self) -> list[Work]:
        """The work that each line of the program recorded, the longest first."""
        self._look()
        return _summed(self._kernels, lambda key: key.place)

    @property
    def at_peak(self) -> list[Held]:
        """What was in memory when it was most, the largest first.

        Counts results of kernels that ran since the report, or the one around it, was opened.

        >>> with wend.report() as r:
        ...     loss = (wend.ones(1000, 10) * 2).cumsum(0).sum().item()
        >>> [(held.op, held.bytes) for held in r.at_peak]
        [('cumsum', 40000), ('mul', 40000)]
        """
        self._look()
        return self._held

    def explain(self, least: float = 0.02) -> str:
        """Say in words which lines lost time by not running in batches, and why, the most first.

        least: of the block's time, that a line must lose to be mentioned.

        >>> with wend.report() as r:
        ...     rows = [wend.ones(2 + i % 2) * i for i in range(10)]
        ...     total = sum(row.exp().sum() for row in rows).item()
        >>> for line in r.explain(least=0).splitlines():
        ...     if " exp " in line:
        ...         print(line.split(" since ")[1].split(" (about")[0])
        they differ in shape of input 0 (input): (2,), (3,)
        """
        self._look()
        gaps = [
            Gap(line, signature, why, slot, self._texts[line, signature, why, slot], *figures)
            for (line, signature, why, slot), figures in self._gaps.items()
            if line.op not in _GATHERS
        ]
        reads = [Reads(*where, *figures) for where, figures in self._reads.items()]
        shared = [Shared(tensor, *figures) for tensor, figures in self._shared.items()]
        nanoseconds = {name: seconds * 1e9 for name, seconds in self._spent.items()}
        kernels = {line: (total.calls, total.nanoseconds) for line, total in self._kernels.items()}
        found = explanation(gaps, reads, Spent(nanoseconds, kernels), least)
        return "\n".join(
            [
                f"{self._summary()}. {self._times()}.",
                *sentences(found),
                *shared_memory(shared, self._seconds),
            ]
        )

    def _times(self) -> str:
        spent = ", ".join(f"{name} {_time(seconds)}" for name, seconds in self._spent.items())
        return f"{_time(self._seconds)}: {spent}"

    def _summary(self) -> str:
        text = f"{_many(self.nodes, 'node')} ran in {_many(self.runs, 'run')}"
        if self.batches:
            sizes = list(self.batch_sizes)
            held = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
            text += f", {self.batched} of them in {_many(self.batches, 'batch', 'es')} of {held}"
        if self.fusions:
            text += f", {self.fused} fused in {_many(self.fusions, 'pass', 'es')}"
        if self._count("pending") > 0:
            text += f"; {self._count('pending')} are yet to run"
        return text

    def __str__(self) -> str:
        head = (
            f"{_many(self.recorded, 'node')} recorded; {self._summary()}: "
            f"{_many(self.kernels, 'kernel')}, {_many(self.gathers, 'gather')}; "
            f"{_size(self.bytes)} allocated, "
            f"{_many(self.donated, 'result')} in donated memory; {self._times()}"
        )
        return "\n\n".join([head, _table("op", self.by_op), _table("line", self.by_line)])


# What the time of a block goes to.
_ACTIVITIES = ("kernels", "planning", "recording", "Python", "report")
# Kernels that copy rows together.
_GATHERS = {"gathered", "assembled"}


class _Total(NamedTuple):
    calls: int = 0
    nanoseconds: int = 0
    bytes: int = 0


# Counts by what they are of.
_Figures = dict[Any, tuple[int, ...]]


def _place(place: tuple[str, int, str] | None) -> str:
    return f"{place[0]}:{place[1]} in {place[2]}" if place else "an unknown line"


def _sizes() -> _Figures:
    figures: _Figures = {}
    for op, place, size, times in _C._batch_sizes():
        key = Line(op, _place(place)), size
        figures[key] = _sum((times,), figures.get(key))
    return figures


def _reads() -> _Figures:
    figures: _Figures = {}
    for code, instruction, place, *counts in _C._value_reads():
        key = expression_at(code, instruction), _place(place)
        figures[key] = _sum(counts, figures.get(key))
    return figures


def _fused() -> _Figures:
    figures: _Figures = {}
    for names, times in _C._fused_ops():
        key = tuple(called(name) for name in names.split())
        figures[key] = _sum((times,), figures.get(key))
    return figures


def _shared() -> _Figures:
    return {tensor: tuple(figures) for tensor, *figures in _C._shared_reads()}


def _gap_key(row: tuple[Any, ...]) -> tuple[Line, str | None, str, int]:
    op, signature, place, why, slot = row[:5]
    return Line(op, _place(place)), signature, why, slot


def _gaps() -> _Figures:
    figures: _Figures = {}
    for row in _C._batch_gaps():
        figures[_gap_key(row)] = _sum(row[5:8], figures.get(_gap_key(row)))
    return figures


def _sum(a: Sequence[int], b: Sequence[int] | None) -> tuple[int, ...]:
    return tuple(a) if b is None else tuple(x + y for x, y in zip(a, b, strict=True))


def _since(now: _Figures, before: _Figures) -> _Figures:
    taken = {key: [-n for n in figures] for key, figures in before.items()}
    left = {key: _sum(figures, taken.get(key)) for key, figures in now.items()}
    return {key: figures for key, figures in left.items() if figures[0]}


def _held() -> list[Held]:
    totals: _Figures = {}
    for op, place, *figures in _C._held_at_peak():
        key = called(op), _place(place)
        totals[key] = _sum(figures, totals.get(key))
    held = [Held(*key, *figures) for key, figures in totals.items() if figures[1]]
    return sorted(held, key=lambda held: (-held.bytes, held))


def _kernels() -> dict[Line, _Total]:
    totals: dict[Line, _Total] = {}
    for op, place, *figures in _C._kernel_times():
        key = Line(op, _place(place))
        totals[key] = _plus(totals.get(key, _Total()), figures)
    return totals


def _plus(total: _Total, figures: Any, sign: int = 1) -> _Total:
    return _Total(*(a + sign * b for a, b in zip(total, figures, strict=True)))


def _difference(now: dict[Line, _Total], before: dict[Line, _Total]) -> dict[Line, _Total]:
    left = {key: _plus(total, before.get(key, _Total()), -1) for key, total in now.items()}
    return {key: total for key, total in left.items() if total.calls}


def _summed(kernels: dict[Line, _Total], name: Any) -> list[Work]:
    totals: dict[str, _Total] = {}
    for key, total in kernels.items():
        totals[name(key)] = _plus(totals.get(name(key), _Total()), total)
    works = [Work(n, t.calls, t.nanoseconds / 1e9, t.bytes) for n, t in totals.items()]
    return sorted(works, key=lambda work: (-work.seconds, work.name))


_MOST_ROWS = 30


def _table(title: str, works: list[Work]) -> str:
    width = max((len(work.name) for work in works), default=0)
    width = max(width, len(title), 12)
    lines = [f"{title:{width}}  {'calls':>8}  {'time':>9}  {'written':>9}"]
    for work in works[:_MOST_ROWS]:
        figures = f"{work.calls:8}  {_time(work.seconds):>9}  {_size(work.bytes):>9}"
        lines.append(f"{work.name:{width}}  {figures}")
    if len(works) > _MOST_ROWS:
        lines.append(f"... and {len(works) - _MOST_ROWS} more")
    return "\n".join(lines)


def _many(count: int, word: str, ending: str = "s") -> str:
    return f"{count} {word}{ending * (count != 1)}"


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def _size(bytes: int) -> str:
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if bytes >= scale:
            return f"{bytes / scale:.3g} {unit}"
    return f"{bytes} B"
