"""Every in-place op on every kind of alias: afterwards all aliases have PyTorch's values.

Also where an op changes nothing, gives its input back or a view of it.
"""

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from both import compare, torch, wend
from ops.recipes import Call, Recipe, make
from ops.samples import diverse, entries, samples

CALLS = 2  # of each entry

# From a tensor of any sizes, one of the same sizes that shares its memory.
ALIASES: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: x,
    "detached": lambda x: x.detach(),
    "data": lambda x: x.data,
    "view": lambda x: x.view(x.shape),
    "view_as": lambda x: x.view_as(x),
    "slice": lambda x: x[...],
    "reshaped": lambda x: x.reshape(-1).view(x.shape),
    "expanded": lambda x: x.expand(x.shape),
    "unsqueezed": lambda x: x.unsqueeze(0)[0],
    "permuted": lambda x: x.movedim(0, 0) if x.dim() else x[...],
    "view of detached": lambda x: x.detach()[...],
    "detached view": lambda x: x.view(x.shape).detach(),
    "as_strided": lambda x: x.as_strided(x.shape, x.stride()),
}
READS = ["nothing", "base", "alias"]


def base_of(T: Any, recipe: Recipe, kind: str) -> tuple[Any, Any]:
    """A tensor for the recipe, and the storage that it is a part of."""
    x = make(T, Call((recipe._replace(layout="contiguous"),))).args[0]
    if kind == "given":
        return x, x
    if kind == "computed":
        y = x.clone()
        return y, y
    both = T.stack([x, x])
    return both[1], both


def program(T: Any, change: Callable[[Any], Any], recipe: Recipe, way: Any) -> list[Any]:
    """What all aliases are after the change, or that it was refused."""
    alias, read, kind = way
    x, storage = base_of(T, recipe, kind)
    other, flat = x.detach(), x.view(-1)
    a = ALIASES[alias](x)
    if read != "nothing":
        (x if read == "base" else a).tolist()
    with warnings.catch_warnings(action="ignore"):
        try:
            result = change(a)
        except Exception as error:
            return [type(error).__name__]
    versions = [a._version, x._version]
    found = [t.tolist() for t in (result, a, x, other, flat, storage)]
    del x, other, flat, storage
    return [*versions, *found, a.tolist(), result.tolist()]


def ways() -> list[Any]:
    return list(itertools.product(ALIASES, READS, ["given", "computed", "part"]))


def agree(name: str, recipe: Recipe, change: Callable[[Any], Callable[[Any], Any]]) -> None:
    for way in ways():
        expected = program(torch, change(torch), recipe, way)
        compare(expected, program(wend, change(wend), recipe, way), f"{name} {way}")


def has_in_place(T: Any, name: str) -> bool:
    return hasattr(T.Tensor, f"{name}_")


INDICES = [
    i
    for i, entry in enumerate(entries())
    if not entry.is_random and has_in_place(torch, entry.name) and has_in_place(wend, entry.name)
]


@pytest.mark.parametrize("index", INDICES, ids=[str(entries()[i]) for i in INDICES])
def test_an_in_place_op_reaches_every_alias(index: int) -> None:
    entry = entries()[index]
    found = [o.call for o in samples(index).accepted if o.call.args]
    found = [call for call in found if isinstance(call.args[0], Recipe)]
    for call in diverse(found, CALLS):

        def change(T: Any, call: Call = call) -> Callable[[Any], Any]:
            rest = make(T, Call(call.args[1:], call.kwargs))
            method = getattr(T.Tensor, f"{entry.name}_")
            return lambda a: method(a, *rest.args, **rest.kwargs)

        agree(f"{call}", call.args[0], change)


UNCHANGED: dict[str, Callable[[Any, Any], Any]] = {
    "dropout": lambda T, a: T.nn.functional.dropout(a, 0.5, False, True),
    "dropout of none": lambda T, a: T.nn.functional.dropout(a, 0.0, True, True),
    "Dropout": lambda T, a: T.nn.Dropout(inplace=True).eval()(a),
    "alpha_dropout": lambda T, a: T.nn.functional.alpha_dropout(a, 0.5, False, True),
    "alpha_dropout of none": lambda T, a: T.nn.functional.alpha_dropout(a, 0.0, True, True),
    "feature_alpha_dropout": lambda T, a: T.nn.functional.feature_alpha_dropout(
        a, 0.5, False, True
    ),
    "feature_dropout": lambda T, a: T.feature_dropout_(a, 0.5, False),
    "dropout of nothing": lambda T, a: T.dropout(a, 0.5, False),
    "relu": lambda T, a: T.nn.functional.relu(a, inplace=True),
    "ReLU6": lambda T, a: T.nn.ReLU6(inplace=True)(a),
    "Hardtanh": lambda T, a: T.nn.Hardtanh(-100.0, 100.0, inplace=True)(a),
    "Threshold": lambda T, a: T.nn.Threshold(-100.0, 0.0, inplace=True)(a),
    "RReLU": lambda T, a: T.nn.RReLU(0.5, 0.5, inplace=True).eval()(a),
    "Identity": lambda T, a: T.nn.Identity()(a),
    "copy of itself": lambda T, a: a.copy_(a),
    "copy of an alias": lambda T, a: a.copy_(a.detach()),
    "copy of a view": lambda T, a: a.copy_(a[...]),
    "assigned": lambda T, a: a.__setitem__(..., a) or a,
    "assigned an alias": lambda T, a: a.__setitem__(..., a.detach()) or a,
    "plus 0": lambda T, a: a.__iadd__(0),
    "times 1": lambda T, a: a.__imul__(1),
    "clamped": lambda T, a: a.clamp_(-100.0, 100.0),
    "out": lambda T, a: T.mul(a, 1, out=a),
    "out of an alias": lambda T, a: T.mul(a.detach(), 1, out=a),
    "nothing masked": lambda T, a: a.masked_fill_(T.zeros(a.shape, dtype=T.bool), 1.0),
    "set": lambda T, a: a.set_(a),
    "data": lambda T, a: setattr(a, "data", a) or a,
    "data of an alias": lambda T, a: setattr(a, "data", a.detach()) or a,
    "resized": lambda T, a: a.resize_(a.shape),
    "squeezed": lambda T, a: a.squeeze_(),
    "unsqueezed": lambda T, a: a.unsqueeze_(0).squeeze_(0),
    "transposed": lambda T, a: a.transpose_(0, 0),
    "contiguous": lambda T, a: a.contiguous(),
    "converted": lambda T, a: a.to(a.dtype),
    "cpu": lambda T, a: a.cpu(),
    "positive": lambda T, a: +a,
    "without grad": lambda T, a: a.requires_grad_(False),
    "detached": lambda T, a: a.detach_(),
    "twice": lambda T, a: T.nn.functional.dropout(
        T.nn.functional.dropout(a, 0.5, False, True), 0.0, True, True
    ),
    "and written": lambda T, a: T.nn.functional.dropout(a, 0.5, False, True).add_(1),
    "after a write": lambda T, a: T.nn.functional.dropout(a.add_(1), 0.5, False, True),
}


@pytest.mark.parametrize("name", UNCHANGED)
def test_what_changes_nothing_keeps_every_alias(name: str) -> None:
    for shape in ((2, 3), (3,)):
        agree(name, Recipe(shape), lambda T: lambda a: UNCHANGED[name](T, a))


def leaves(T: Any) -> list[Any]:
    x = T.ones(2, 3, requires_grad=True)
    return [x, x[:], x.unbind()[0], T.ones(3).expand(2, 3)]


@pytest.mark.parametrize("name", [name for name in UNCHANGED if "ropout" in name])
def test_who_changes_nothing_may_be_given_what_may_not_be_written(name: str) -> None:
    for place in range(4):
        results = []
        for T in (torch, wend):
            a = leaves(T)[place]
            try:
                out = UNCHANGED[name](T, a)
                results.append([out is a, a._version, out.requires_grad, out.tolist()])
            except RuntimeError as error:
                results.append([str(error).splitlines()[0]])
        compare(results[0], results[1], f"{name} {place}")


def test_changing_nothing_leaves_no_trace() -> None:
    """However often: a cell that was given its own value again would hold all former ones."""
    x = wend.ones(3) * 2
    before = wend._C._live_nodes()
    for _ in range(100):
        wend.nn.functional.dropout(x.detach(), 0.5, False, True)
        wend.nn.functional.dropout(x[:], 0.5, False, True)
    assert wend._C._live_nodes() < before + 20
