"""Values and gradients of first and second order are PyTorch's where formulas have corners: at 0,
in ties, at infinity and at NaN. Elementwise ops are tried at every pair of points.
"""

import math
import warnings
from typing import Any, NamedTuple

import pytest
from both import compare
from ops.gradients import gradients, second_gradients
from ops.recipes import Call, Recipe, make
from ops.samples import Entry, diverse, entries, samples, tensors_in
from ops.test_table import ours

import wend

torch = pytest.importorskip("torch")

INF, NAN = math.inf, math.nan
FINITE = (0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, -0.0, 3.0, -3.0, 20.0)
# By kind: what the floats of an elementwise op are, and of others.
POINTS = {
    "finite": (FINITE,),
    "infinite": ((*FINITE, INF, -INF),),
    "nan": ((*FINITE, NAN),),
}
PATTERNS = {
    "finite": (
        (0.0,), (1.0,), (0.0, 1.5, 0.0, -2.5, 0.7), (0.0, 1.0, 1.0), (0.0, 1.5, -0.6, -2.5, 0.7),
    ),
    "infinite": ((1.5, INF, -2.5, 0.7, -INF), (INF,), (-INF,)),
    "nan": ((1.5, NAN, -2.5, 0.7),),
}  # fmt: skip


class Exempt(NamedTuple):
    """Where an entry may differ from PyTorch, and why."""

    kinds: str  # of points, separated by blanks
    orders: str  # 0: values; 1, 2: gradients
    why: str
    without: str = ""  # ... only at these points


BETTER = "PyTorch's formula subtracts or divides infinities where the limit is finite"
CHOICE = "which of several equal elements is named is PyTorch's accident"
VECTORS = "PyTorch's vectorised and scalar loops differ there"
POLES = "PyTorch's values at poles are large numbers, by rounding of pi"
CAST = "PyTorch takes the degree as an integer, whatever it is"
NAN_IS_A_NUMBER = "PyTorch compares before it looks for NaN, and returns the value of the bound"
POLYNOMIALS = [
    *(f"{shift}chebyshev_polynomial_{kind}" for shift in ("", "shifted_") for kind in "tuvw"),
    "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l",
    "legendre_polynomial_p",
]  # fmt: skip
BESSEL = ["bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "airy_ai"]
EXEMPT: dict[str, Exempt] = {
    **dict.fromkeys(POLYNOMIALS, Exempt("infinite nan", "0", CAST)),
    **dict.fromkeys(BESSEL, Exempt("infinite", "0", BETTER)),
    **dict.fromkeys(
        ("i0", "i1", "i1e", "modified_bessel_i0", "modified_bessel_i1"),
        Exempt("infinite nan", "012", "PyTorch has NaN at infinity, and a number at NaN"),
    ),
    "lgamma": Exempt("", "", POLES, "-1.0 -2.0 -3.0"),
    "digamma": Exempt("infinite", "2", f"{POLES}; {BETTER}", "-1.0 -2.0 -3.0"),
    "polygamma": Exempt("infinite", "2", BETTER),
    **dict.fromkeys(("logaddexp", "logaddexp2", "gelu"), Exempt("infinite", "012", BETTER)),
    **dict.fromkeys(("prod", "cumprod"), Exempt("infinite nan", "12", BETTER)),
    "copysign": Exempt("infinite nan", "12", BETTER, "0.0 -0.0"),
    **dict.fromkeys(("igamma", "igammac"), Exempt("nan", "0", NAN_IS_A_NUMBER)),
    "zeta": Exempt("infinite nan", "012", f"{NAN_IS_A_NUMBER}; {BETTER}"),
    **dict.fromkeys(
        ("elu", "celu", "selu", "softshrink", "hardshrink", "hardtanh", "hardswish"),
        Exempt("nan", "12", VECTORS),
    ),
    **dict.fromkeys(
        ("var_mean", "std_mean"),
        Exempt("infinite", "0", "PyTorch's mean is that of its one pass, which is NaN"),
    ),
    **dict.fromkeys(("topk", "kthvalue"), Exempt("finite infinite nan", "012", CHOICE)),
    **dict.fromkeys(
        ("scatter_reduce", "index_reduce"),
        Exempt("nan", "12", "PyTorch divides by how many elements equal NaN, which is none"),
    ),
    "logit": Exempt("", "", "the sign of 0 decides of that of infinity", "-0.0"),
    "logit-1": Exempt("finite infinite nan", "12", "outside the bounds PyTorch divides 0 by 0"),
    "prelu": Exempt("finite infinite nan", "2", "PyTorch counts 0 as negative, then as positive"),
    "log_ndtr": Exempt("infinite", "12", BETTER),
    "ldexp": Exempt("infinite", "12", BETTER),
    "addcdiv": Exempt(
        "finite infinite", "12", "PyTorch divides before it sums over what is shared"
    ),
    "cdist": Exempt(
        "infinite nan", "012", "PyTorch's depend on p: some are NaN, some pass over it"
    ),
    "logcumsumexp": Exempt("infinite", "12", BETTER),
    "mvlgamma": Exempt("", "", POLES, "-1.0 -2.0 -3.0 0.0"),
}
CASES = [(index, str(entry)) for index, entry in enumerate(entries()) if not entry.is_random]
every_entry = pytest.mark.parametrize("index", [i for i, _ in CASES], ids=[n for _, n in CASES])


def with_points(call: Call, points: tuple[float, ...], elementwise: bool, dtype: str) -> Call:
    """The call with these elements; of an elementwise op, with every pair of them."""
    number = -1
    many = len(call.recipes()) > 1
    size = (len(points) ** 2,) if many else (len(points),)

    def change(recipe: Recipe) -> Recipe:
        nonlocal number
        if recipe.kind != "float":
            return recipe
        number += 1
        if not elementwise:  # each tensor begins at another point
            turned = points[number % len(points) :] + points[: number % len(points)]
            return recipe._replace(points=turned, dtype=dtype)
        times = len(points) if number % 2 else 1
        return recipe._replace(shape=size, points=points, times=times, dtype=dtype)

    return call.map(change)


def calls(index: int, elementwise: bool) -> list[Call]:
    """Calls that differ in what is no tensor, or in sizes."""
    accepted = [outcome.call for outcome in samples(index).accepted]
    floats = [call for call in accepted if {r.kind for r in call.recipes()} == {"float"}]
    if not elementwise:
        mixed = [call for call in accepted if "float" in {r.kind for r in call.recipes()}]
        return diverse(mixed, 3)
    forms = {str(call.map(lambda r: r._replace(shape=(), seed=0))): call for call in floats}
    return [*forms.values()][:4]


def outcome(T: Any, function: Any, call: Call, order: int) -> Any:
    """What comes out, or none where the call is refused or not differentiable."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if order:
                return (gradients if order == 1 else second_gradients)(T, function, call)
            made = make(T, call)
            return tensors_in(function(*made.args, **made.kwargs))
        except Exception:
            return None


def require_alike(entry: Entry, call: Call, order: int, tolerance: float) -> None:
    expected = outcome(torch, entry.theirs, call, order)
    if expected is None or (order and entry.override.rough_gradient):
        return
    got = outcome(wend, ours(entry), call, order)
    compare(expected, got, f"{entry} {call}, order {order}", tolerance)


def exemption(entry: Entry) -> Exempt:
    return EXEMPT.get(str(entry)) or EXEMPT.get(entry.name) or Exempt("", "", "")


def points_of(entry: Entry, kind: str) -> list[tuple[float, ...]]:
    without = exemption(entry).without.split()
    lists = (POINTS if entry.facts["family"] == "elementwise" else PATTERNS)[kind]
    left = [tuple(x for x in points if str(x) not in without) for points in lists]
    return [points for points in left if points]


@every_entry
@pytest.mark.parametrize("kind", POINTS)
def test_values_and_gradients_at_special_points(index: int, kind: str) -> None:
    entry = entries()[index]
    exempt = exemption(entry)
    elementwise = entry.facts["family"] == "elementwise"
    spared = exempt.orders if kind in exempt.kinds.split() else ""
    for call in calls(index, elementwise):
        for points in points_of(entry, kind):
            pointed = with_points(call, points, elementwise, "float64")
            for order in (0, 1, 2):
                if str(order) not in spared:
                    require_alike(entry, pointed, order, 1e-7)


@every_entry
def test_gradients_in_single_precision(index: int) -> None:
    entry = entries()[index]
    exempt = exemption(entry)
    elementwise = entry.facts["family"] == "elementwise"
    spared = exempt.orders if "finite" in exempt.kinds.split() else ""
    for call in calls(index, elementwise)[:2]:
        for points in points_of(entry, "finite"):
            if "1" not in spared:
                pointed = with_points(call, points, elementwise, "float32")
                require_alike(entry, pointed, 1, 1e-4)
