"""What a report has found, in words: which lines did not run in batches, and why.

What was found is the extension module's; counting it for one block is `wend._report`'s.
"""

from __future__ import annotations

import linecache
from itertools import islice
from types import CodeType
from typing import NamedTuple

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
    """A place where values were looked at, how often, and how much ran for it."""

    expression: str
    place: str
    times: int
    runs: int
    nodes: int


# A backward pass is two runs, which is no fault of the line.
FEW_RUNS = 2
# Below this, nodes that had no partner are not worth a word.
FEW_NODES = 8
MOST_SENTENCES = 20


def explanation(gaps: list[Gap], reads: list[Reads]) -> list[str]:
    """Sentences, the most costly first."""
    splits = [r for r in reads if r.runs > FEW_RUNS and 2 * r.runs > r.times]
    found = [(r.runs, _split(r)) for r in splits]
    found += [(cost, _sentence(gap)) for gap in gaps if (cost := _cost(gap)) > 0]
    found.sort(key=lambda pair: (-pair[0], pair[1]))
    sentences = [sentence for _, sentence in found]
    if len(sentences) > MOST_SENTENCES:
        sentences[MOST_SENTENCES:] = [f"... and {len(sentences) - MOST_SENTENCES} more"]
    return sentences


def _cost(gap: Gap) -> int:
    """How many kernels fewer there would be if the nodes ran as one."""
    if gap.why == "nothing_alike" and gap.nodes < FEW_NODES:
        return 0
    return gap.nodes - 1 if gap.why in WHOLE else gap.parts - gap.times


def _split(reads: Reads) -> str:
    return (
        f"{reads.expression} at {reads.place} split the run: {reads.runs} runs of "
        f"{reads.nodes / reads.runs:.0f} nodes on average; in wend.map it would suspend that "
        "example only"
    )


def _sentence(gap: Gap) -> str:
    many = f"{gap.nodes} {_plural(gap.line.op, gap.nodes)} at {gap.line.place}"
    if gap.why in WHOLE:
        return f"{many} {WHOLE[gap.why]}"
    shown = ", ".join(gap.texts)
    more = ", …" if len(gap.texts) < gap.parts // gap.times else ""
    what = DIFFERENCES[gap.why].format(input=_input(gap), attribute=_attribute(gap))
    values = f": {shown}{more}" if shown else ""
    return f"{many} ran in {gap.parts} parts, since they {what}{values}"


def _plural(op: str, count: int) -> str:
    if count == 1 or op.endswith("s"):
        return op
    return op + ("es" if op.endswith("x") else "s")


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
