"""What a report has found, in words: which lines lost time by not running in batches, and why.

What was found is the extension module's; counting it for one block is `wend._report`'s.
"""

from __future__ import annotations

import linecache
from collections.abc import Mapping
from itertools import islice
from types import CodeType
from typing import NamedTuple

from wend._called import called
from wend._signature import parse


class Line(NamedTuple):
    """Where nodes come from: an op, and the line that recorded them."""

    op: str
    place: str


class Gap(NamedTuple):
    """Nodes of one line that did not run as one."""

    line: Line
    signature: str | None
    why: str
    slot: int
    texts: tuple[str, ...]
    nodes: int
    parts: int
    times: int


class Reads(NamedTuple):
    """A place where values were looked at, how often, and how much ran for it.

    `gain` is how many nanoseconds less it would take, by the structure of what ran, were each the
    reading of another example of a map.
    """

    expression: str
    place: str
    times: int
    runs: int
    nodes: int
    gain: int


class Spent(NamedTuple):
    """What a block spent, in nanoseconds: by activity, and for the kernels of each line."""

    activities: dict[str, float]
    kernels: Mapping[Line, tuple[int, float]]

    @property
    def total(self) -> float:
        """All but the time of the report itself."""
        return sum(self.activities.values()) - self.activities.get("report", 0.0)

    @property
    def planning_a_kernel(self) -> float:
        calls = sum(calls for calls, _ in self.kernels.values())
        return self.activities["planning"] / max(calls, 1)


# Runs that a line may cause without a word.
FEW_RUNS = 2
# Below this, nodes that had no partner are not worth a word.
FEW_NODES = 8
# Nanoseconds that a kernel takes however little it has to do; what is above that, a batch takes
# as well.
LEAST_KERNEL = 300
MOST_SENTENCES = 20


def explanation(
    gaps: list[Gap], reads: list[Reads], spent: Spent, least: float
) -> list[tuple[float, str]]:
    """Nanoseconds that were lost, and a sentence on why, the most first.

    What lost less than `least` of the block's time is left out.
    """
    found = [(min(_gain(r), _ours(spent)), _split(r)) for r in reads]
    found += [(_loss(gap, spent), _sentence(gap)) for gap in gaps]
    found = [(lost, text) for lost, text in found if lost > 0 and lost >= least * spent.total]
    return sorted(found, key=lambda pair: (-pair[0], pair[1]))


def sentences(found: list[tuple[float, str]]) -> list[str]:
    """Each with the time that it is about."""
    said = [f"{text} (about {_time(lost)})" for lost, text in found]
    if len(said) > MOST_SENTENCES:
        said[MOST_SENTENCES:] = [f"... and {len(said) - MOST_SENTENCES} more"]
    return said


def _ours(spent: Spent) -> float:
    """All that wend took: no advice gains more."""
    return spent.total - spent.activities["Python"]


def _loss(gap: Gap, spent: Spent) -> float:
    """What the kernels took that there would not be if the nodes ran as one."""
    calls, nanoseconds = spent.kernels.get(gap.line, (0, 0.0))
    kernel = min(nanoseconds / calls, LEAST_KERNEL) if calls else 0.0
    return _kernels_fewer(gap) * (kernel + spent.planning_a_kernel)


def _kernels_fewer(gap: Gap) -> int:
    if gap.why == "nothing_alike" and gap.nodes < FEW_NODES:
        return 0
    return gap.nodes - 1 if gap.why in WHOLE else gap.parts - gap.times


def _gain(reads: Reads) -> int:
    """What wend.map would gain, where most readings let something run."""
    return reads.gain if reads.runs > FEW_RUNS and 2 * reads.runs > reads.times else 0


def _split(reads: Reads) -> str:
    return (
        f"{reads.expression} at {reads.place} split the run: {reads.runs} runs of "
        f"{reads.nodes / max(reads.runs, 1):.0f} nodes on average; if these are different "
        "examples, wend.map runs them together"
    )


def _time(nanoseconds: float) -> str:
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= scale:
            return f"{nanoseconds / scale:.3g} {unit}"
    return f"{nanoseconds:.0f} ns"


def _sentence(gap: Gap) -> str:
    many = f"{gap.nodes} × {called(gap.line.op)} at {gap.line.place}"
    if gap.why in WHOLE:
        return f"{many} {WHOLE[gap.why]}"
    shown = ", ".join(gap.texts)
    more = ", …" if len(gap.texts) < gap.parts // gap.times else ""
    what = DIFFERENCES[gap.why].format(input=_input(gap), attribute=_attribute(gap))
    values = f": {shown}{more}" if shown else ""
    rather = f" instead of {gap.times}" if gap.times > 1 else ""
    return f"{many} ran in {gap.parts} parts{rather}, since they {what}{values}"


# Reasons why nodes ran alone, and why like ones ran in several parts.
WHOLE = {
    "refused": "ran one by one, since the op's batch rule does not cover them",
    "no_rule": "ran one by one, since the op has no batch rule",
    "watched": "ran one by one, since hooks see them or what they save",
    "nothing_alike": "ran alone, since nothing like them was ready at the same time",
    "too_few": "ran one by one, since too few of what ran with them could be batched",
}
DIFFERENCES = {
    "inputs": "differ in the number of inputs",
    "shape": "differ in shape of {input}",
    "dtype": "differ in dtype of {input}",
    "strides": "differ in strides of {input}",
    "attribute": "differ in {attribute}",
    "result": "differ in the shape or layout of the result",
    "gradient": "differ in whether they need a gradient",
    "weight": "use different values of {input}, which a batch shares",
}


def _parameters(gap: Gap, tensors: bool) -> list[str]:
    if not gap.signature:
        return []
    parameters = parse(gap.signature).parameters
    return [p.name for p in parameters if p.type.startswith(("Tensor", "Operand")) is tensors]


def _input(gap: Gap) -> str:
    names = _parameters(gap, True)
    named = f" ({names[gap.slot]})" if gap.slot < len(names) else ""
    return f"input {gap.slot}{named}"


def _attribute(gap: Gap) -> str:
    names = _parameters(gap, False)
    return f"'{names[gap.slot]}'" if gap.slot < len(names) else f"attribute {gap.slot}"


def expression_at(code: CodeType | None, instruction: int) -> str:
    """Return the text of the program that an instruction belongs to."""
    if code is None:
        return "a value"
    positions = next(islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    line, last, start, end = positions
    if line is None or start is None or end is None:
        return "a value"
    text = linecache.getline(code.co_filename, line).encode()
    shown = text[start:end] if line == last else text[start:].rstrip() + b" ..."
    return shown.decode(errors="replace").strip() or "a value"


class Shared(NamedTuple):
    """Reads of a tensor whose memory others may write."""

    tensor: str
    reads: int
    at_once: int
    nanoseconds: int


# Of the time of a block, that it must take to look after such memory to be worth a word.
MUCH = 0.1


def shared_memory(shared: list[Shared], seconds: float) -> list[str]:
    """Sentences on memory shared with others, the most costly first."""
    found = [each for each in shared if each.at_once or each.nanoseconds > MUCH * seconds * 1e9]
    found.sort(key=lambda each: (-each.at_once, -each.nanoseconds))
    return [_shared_sentence(each) for each in found]


def _shared_sentence(shared: Shared) -> str:
    what = f"others may write the memory of a {shared.tensor}"
    if shared.at_once:
        done = f"{_plural_of(shared.at_once, 'operation')} that read it ran at once, one by one"
    else:
        spent = f"took {shared.nanoseconds / 1e6:.1f} ms"
        done = f"to see that nobody had, {_plural_of(shared.reads, 'time')}, {spent}"
    return (
        f"{what}: {done}; `.clone()` or `wend.tensor(array)` gives it memory of its own, as does "
        "letting go of the arrays that share it"
    )


def _plural_of(count: int, word: str) -> str:
    return f"{count} {word}{'s' if count != 1 else ''}"
