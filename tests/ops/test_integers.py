"""Whatever integer a call is given, wend answers or raises: no crash, no hang, no wrapping around.

Every call runs in another process, with a bound on its time and its memory. `./dev sanitize
tests/ops/test_integers.py` runs the same calls under sanitizers.
"""

import inspect
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from ops import integers
from ops.integers import CALLS, agree, calls, template_of
from ops.recipes import Call
from ops.samples import attempt, candidates, entries, find, grid, numbers_for_operands, torch

import wend

HERE = Path(__file__).parent
TEMPLATES = [line for line in CALLS.splitlines() if line]

# What neither package says on purpose.
SENSIBLE = {
    "RuntimeError", "ValueError", "TypeError", "IndexError", "MemoryError", "OverflowError",
    "NotImplementedError", "AssertionError", "ZeroDivisionError",
}  # fmt: skip
OUT_OF_MEMORY = ("allocate memory", "out of memory", "bad_alloc")

# Where PyTorch crashes or takes for ever.
NOT_FOR_PYTORCH = (
    "F.ctc_loss(T.zeros(4, 1, 3), T.tensor([[1,", "F.pad(img, ({1}, {1}, {1}, {0}), 'replicate')",
    "T.matrix_power", "T.linalg.matrix_power", "T.special.laguerre_polynomial_l",
    "F.max_pool1d", "F.fold", "T.nn.Fold", "T.nn.ReplicationPad2d",
)  # fmt: skip

# Where PyTorch's arithmetic wraps around or takes -2**63 for something else, by the beginning of
# the call: numbers that large give what wend says they give.
WRAPS = (
    "T.Size(", "T.polygamma(", "T.special.", "T.ldexp(", "T.tril_indices(", "T.triu_indices(",
    "T.chunk(", "T.arange(", "T.range(", "x[::", "x.unfold(", "T.slice_scatter(", "T.tensor_split(",
    "T.vsplit(", "T.dsplit(", "T.roll(", "T.zeros(0, ", "v.clone().as_strided_(", "T.frombuffer(",
    "T.kron(", "T.cov(", "F.conv", "F.unfold(", "T.nn.Unfold(",
    "F.pad(img, ({1}, {1}), 'circular')",
    "T.nn.CircularPad1d(", "F.max_unpool", "T.nn.MaxUnpool", "F.fractional_max_pool",
    "T.distributions.Binomial(", "F.multilabel_margin_loss(", "T.convolution(", "T.from_file(",
    "T.slice_copy(", "T.UntypedStorage(",
)  # fmt: skip

# Where wend and PyTorch differ on purpose, and why.
DIFFERENT = {
    "T.linspace(": "infinite ends have no numbers between them",
    "T.kaiser_window(": "the ends of a window that is infinitely narrow",
    "T.empty_strided(": "negative strides are refused even where there is nothing to stride over",
    "T.ones(1).expand(": "wend counts up to 2**59 elements",
    "T.einsum(": "PyTorch leaves out what has no elements",
    "F.max_unpool1d(": "of several values at one place, any may win",
    "F.max_unpool2d(img, T.arange": "a place outside raises even where nothing is left",
    "F.max_unpool3d(": "a place outside raises even where nothing is left",
    "T.nn.MaxUnpool": "a place outside raises even where nothing is left",
    "F.fractional_max_pool2d(img, {2}": "PyTorch takes kernels that are no sizes",
    "T.nn.init.dirac_(": "PyTorch takes negative groups",
    "T.nn.CrossMapLRN2d(": "PyTorch takes negative sizes",
    "F.local_response_norm(": "neighbours that are not there need no memory",
    "T.nn.LocalResponseNorm(": "neighbours that are not there need no memory",
    "T.nn.ConvTranspose2d(": "no channels are none",
    "T.nn.LazyConvTranspose": "no channels are none",
    "T.Tensor({2}": "wend has not asked for the memory yet",
    "T.utils.checkpoint.": "more segments than functions are as many as functions",
    "T.autograd.functional.jacobian(": "no outputs have an empty Jacobian",
    "F.hardshrink(": "a bound that no float32 reaches is one",
    "F.pad(img, ({1}, {1}), value=": "a value that no float32 reaches is infinite",
    "F.pdist(": "powers of 1e300",
    "T.pairwise_distance(": "powers of 1e300",
    "T.cdist(": "powers of 1e300",
    "F.lp_pool": "powers of 1e300",
    "F.grid_sample(": "places that are no numbers",
    "T.affine_grid_generator(": "numbers of images that are none",
    "F.conv_tbc(": "PyTorch takes negative padding for fewer steps",
    "T.conv_tbc(": "PyTorch takes negative padding for fewer steps",
    "T.grid_sampler": "PyTorch makes up values where a mode is none",
    "T.native_group_norm(": "PyTorch takes sizes that are not the input's",
}


def is_large(call: str) -> bool:
    """Whether a call has a number of the sweep other than -1 and 0."""
    return "float('" in call or any(str(n) in call for n in integers.NUMBERS if abs(n) > 1)


def outcomes(package: str, todo: list[str], path: Path) -> dict[str, Any]:
    """What becomes of each call; {"died": status} of one that ended its process."""
    found: dict[str, Any] = {}
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE.parent), *sys.path])}
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        environment["ASAN_OPTIONS"] += f":max_allocation_size_mb={integers.MEMORY >> 20}"
    while len(found) < len(todo):
        path.write_text(json.dumps(todo[len(found) :]))
        done = subprocess.run(
            [sys.executable, integers.__file__, package, path],
            capture_output=True,
            text=True,
            env=environment,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        for line in lines:
            found[todo[len(found)]] = line
        if len(found) < len(todo):
            report = done.stderr.partition("runtime error")
            assert lines or done.returncode < 0 or report[1] or "Sanitizer" in report[0], report[0]
            found[todo[len(found)]] = {"died": done.returncode, "text": done.stderr[:3000]}
    return found


def is_out_of_memory(outcome: Any) -> bool:
    text = outcome.get("text", "")
    return outcome.get("error") == "MemoryError" or any(word in text for word in OUT_OF_MEMORY)


def unsound(found: dict[str, Any]) -> list[str]:
    """The calls that ended their process, or raised what nobody meant to raise."""
    return [
        f"{call}: {outcome}"
        for call, outcome in found.items()
        if "died" in outcome
        or outcome.get("error", "RuntimeError") not in SENSIBLE
        or outcome.get("text", "").startswith("internal")
        or "incompatible function arguments" in outcome.get("text", "")
    ]


def all_calls(templates: list[str]) -> list[str]:
    return list(dict.fromkeys(call for template in templates for call in calls(template)))


def test_calls_of_any_integers_answer_or_raise_as_in_pytorch(tmp_path: Path) -> None:
    ours = outcomes("wend", all_calls(TEMPLATES), tmp_path / "ours")
    assert not unsound(ours)
    compared = [line for line in TEMPLATES if not line.startswith((*NOT_FOR_PYTORCH, *DIFFERENT))]
    wrapping = {call for line in compared if line.startswith(WRAPS) for call in calls(line)}
    theirs = outcomes("torch", all_calls(compared), tmp_path / "theirs")
    wrong = []
    for call, right in theirs.items():
        mine = ours[call]
        unknown = "died" in right or is_out_of_memory(right) or is_out_of_memory(mine)
        if unknown or (call in wrapping and is_large(call)):
            continue
        same = ("error" in mine) == ("error" in right)
        if not same or ("result" in mine and not agree(mine["result"], right["result"])):
            wrong.append(f"{call}: {mine} instead of {right}")
    assert not wrong


def accepted(entry: Any, tried: Iterable[Call]) -> Call | None:
    """The first of some calls that PyTorch accepts."""
    return next((call for call in tried if attempt(entry.theirs, torch, call).error is None), None)


def table_templates() -> list[str]:
    """Calls of each entry that takes integers: with those it needs, and with each other one."""
    found = []
    for entry in entries():
        first = accepted(entry, itertools.islice(grid(entry), 200)) if entry.theirs else None
        if first is None or not find(wend, entry.path):
            continue
        more = [first, *list(numbers_for_operands(entry, first))[:1]]
        for parameter in entry.signature.parameters:
            if parameter.default is not None and parameter.type.startswith("int"):
                values = candidates(parameter, entry.override)
                tried = [Call(first.args, (*first.kwargs, (parameter.name, v))) for v in values]
                more += filter(None, [accepted(entry, tried)])
        found += [template_of(entry.path, call) for call in more]
    return [template for template in found if "{" in template]


def test_every_entry_of_the_table_survives_any_integer(tmp_path: Path) -> None:
    assert not unsound(outcomes("wend", all_calls(table_templates()), tmp_path / "calls"))


def takes_integers(function: Any) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any("int" in str(p.annotation).replace("Mapping", "") for p in parameters)


@pytest.mark.parametrize("place", ["", "nn.functional.", "nn.", "linalg."])
def test_every_function_that_takes_integers_is_among_the_calls(place: str) -> None:
    package = find(wend, place.rstrip(".")) if place else wend
    named = [name for name in dir(package) if not name.startswith("_")]
    functions = {name: getattr(package, name) for name in named}
    absent = [
        name
        for name, function in functions.items()
        if takes_integers(function.__init__ if isinstance(function, type) else function)
        and not any(f".{name}(" in line for line in TEMPLATES)
    ]
    assert not set(absent) - COUNTS_ONLY


# Their integers say how much is done at once, or are kept for the user.
COUNTS_ONLY = {
    "dtype", "fusion", "laziness", "map", "save", "sparse_coo_tensor", "RNNBase", "RNNCellBase",
    "TransformerEncoder", "TransformerDecoder", "DataParallel", "LinearCrossEntropyLoss",
    "multi_head_attention_forward", "native_channel_shuffle", "trapz",
    "set_deterministic_debug_mode", "GradScaler", "LinearCrossEntropyOptions",
}  # fmt: skip
