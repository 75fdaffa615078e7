"""Calls to try an op with, derived from its signature; PyTorch says which of them are right.

What a signature cannot tell, such as sizes that fit each other, stands in OVERRIDES.
"""

import functools
import itertools
import math
import random
import warnings
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ops.recipes import Call, Dtype, Recipe, make

from wend import _C
from wend._signature import Parameter, Signature, parse

torch = __import__("pytest").importorskip("torch")

MOST_CALLS = 400

# Sizes of the tensors of a call, by their number.
SHAPES: dict[int, list[tuple[tuple[int, ...], ...]]] = {
    0: [()],
    1: [((2, 3),), ((3,),), ((),), ((0, 3),), ((2, 3, 4),), ((3, 3),), ((1, 3),), ((2, 1, 3, 2),)],
    2: [
        ((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((3,), (2, 3)), ((), ()),
        ((2, 3), ()), ((), (3,)), ((0, 3), (0, 3)), ((0, 3), (1, 3)), ((3,), (3,)),
        ((2, 3), (3, 4)), ((2, 3, 4), (2, 4, 3)), ((3, 3), (3, 3)), ((2, 3), (4,)), ((2, 3), (2,)),
    ],
    3: [
        ((2, 3), (2, 3), (2, 3)), ((2, 3), (3,), (2, 1)), ((2, 3), (), ()), ((), (), ()),
        ((0, 3), (0, 3), (0, 3)), ((3,), (2, 3), (1, 3)), ((2, 4), (2, 3), (3, 4)),
        ((4,), (2, 3), (3, 4)), ((2,), (2, 3), (3,)), ((2, 2, 4), (2, 2, 3), (2, 3, 4)),
        ((2, 4), (2, 2, 3), (2, 3, 4)), ((2, 3), (3,), (3,)), ((3, 3), (2,), (2, 3)),
        ((2, 3), (4,), (3,)), ((3, 4), (3,), (4,)),
    ],
}  # fmt: skip
MANY_SHAPES = [(2, 3), (3,), (), (0, 3)]

# The first in which the op's results are finite is the op's domain.
DOMAINS = [(-2.2, 2.2), (0.1, 0.9), (0.3, 2.2), (-0.9, 0.9), (1.2, 3.2)]

LISTS = [
    (2, 3), (3, 2), (6,), (-1,), (1,), (0,), (1, 0), (0, 1), (-1, 3), (2, 2, 3), (0, 2, 1),
    (2, 1), (1, 1), (), (2, 2), (4, 2, 3), (1, 0, 2), (0, 0), (7,),
]  # fmt: skip
TEXTS = {
    "reduction": ["none", "mean", "sum"],
    "rounding_mode": ["floor", "trunc"],
    "approximate": ["tanh", "none"],
    "reduce": ["sum", "prod", "mean", "amax", "amin"],
    "indexing": ["ij", "xy"],
    "equation": ["ij,jk->ik", "ij,ij->", "...i->...", "ij->ji"],
    "mode": ["constant", "reflect", "replicate", "circular", "mean", "sum", "max"],
}
# Arguments of these types say nothing about what is computed.
SILENT = {"device", "layout", "memory_format", "requires_grad", "pin_memory", "Generator"}
KINDS = {"mask": "bool", "condition": "bool", "index": "index", "indices": "index"}


class Override(NamedTuple):
    """What the signature of an op does not tell."""

    shapes: tuple[tuple[tuple[int, ...], ...], ...] = ()  # tried before the usual ones
    kinds: tuple[tuple[str, ...], ...] = ()  # of the tensors, if not what their names tell
    domain: tuple[float, float] | None = None
    first_seed: int = 0  # of the tensors: from 1 on, integers are positive
    values: Mapping[str, list[Any]] = MappingProxyType({})  # of parameters, by name
    names: tuple[str, ...] = ()  # where PyTorch has it, if not under its own name
    oracle: Any = None  # what it should agree with, if PyTorch does not have it
    through: Any = None  # of a private entry: the function of a package that it serves
    rough_gradient: bool = False  # PyTorch's is wrong, or in less than the precision of the dtype
    rounds: bool = False  # to a coarser dtype, so that finite differences say nothing
    halfway: float = 0.0  # by how much steps in 16 bits differ, whatever the result's dtype
    fixed_out: bool = False  # PyTorch writes only to an out= that has the right sizes
    any_strides: bool = False  # the order of the result in memory is an accident of PyTorch's code
    not_expanded: bool = False  # PyTorch reads past the elements of a tensor with a stride of 0


WRITES = (("float", "places", "float"), ("int", "places", "int"), ("float", "float", "float"))
BY_ROW = (("float", "columns", "float"), ("int", "columns", "int"), ("float", "float", "float"))
IN_ROWS = (((2, 3), (2, 3), (2, 3)), ((2, 3), (1, 2), (2, 3)), ((3,), (2,), (3,)), ((), (), ()))


def recurrent(gates: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Sizes of the input, state and weights of recurrent cells."""
    return tuple(
        ((batch, width), (batch, hidden), (gates * hidden, width), (gates * hidden, hidden))
        for batch, width, hidden in ((2, 3, 2), (1, 2, 3), (3, 1, 1))
    )


# Images and weights that fit each other, for convolutions and for transposed ones.
CONVOLVED = {
    n: tuple(
        (lead + space, weight + kernel)
        for lead, weight in (((2, 4), (4, 2)), ((1, 2), (2, 2)), ((2,), (2, 2)), ((0, 2), (2, 2)))
        for space, kernel in (((4, 3, 5)[:n], (2, 1, 3)[:n]),)
    )
    for n in (1, 2, 3)
}
CONVOLUTION = {
    "stride": [2, 1, (1, 1), 0],
    "padding": [1, 0, "same", "valid", (1, 0), -1],
    "dilation": [2, 1, (1, 2), 0],
    "output_padding": [0, 1, (1, 0), -1],
    "groups": [1, 2, 0],
}
POOLED = {n: tuple((lead + (4, 5, 4)[:n],) for lead in ((1, 2), (3,), (0, 2))) for n in (1, 2, 3)}
POOLING = {
    "kernel_size": [2, 3, 0, (2, 3), 9],
    "stride": [1, 2, 0, (2, 1)],
    "padding": [1, 0, -1, 2],
    "dilation": [2, 1, 0],
    "divisor_override": [3, -2, 0],
    "output_size": [2, 1, 3, 0, (2, 3), -1],
}
COLUMNS = {
    "output_size": [(4, 5), (3, 3)],
    "kernel_size": [2, (2, 3), 0],
    "dilation": [1, 2],
    "padding": [0, 1, -1],
    "stride": [1, 2, 0],
}


OVERRIDES: dict[str, Override] = {
    **{
        name.format(n): Override(
            shapes=CONVOLVED[n], values=CONVOLUTION, any_strides=True, halfway=2e-2
        )
        for n in (1, 2, 3)
        for name in ("conv{}d", "conv_transpose{}d")
    },
    **{
        name.format(n): Override(
            shapes=POOLED[n],
            values=POOLING,
            any_strides=True,
            names=(f"_C._nn.{name}".format(n), name.format(n)),
        )
        for n in (1, 2, 3)
        for name in (
            "max_pool{}d",
            "max_pool{}d_with_indices",
            "avg_pool{}d",
            "adaptive_max_pool{}d",
            "adaptive_avg_pool{}d",
        )
    },
    "im2col": Override(shapes=POOLED[2], values=COLUMNS, names=("_C._nn.im2col",)),
    "col2im": Override(
        shapes=(((2, 12, 12),), ((12, 12),)), values=COLUMNS, names=("_C._nn.col2im",)
    ),
    "polygamma": Override(domain=(0.4, 3.2), first_seed=1, values={"n": [0, 1, 2, 3]}),
    "hardtanh": Override(names=("_C._nn.hardtanh",)),
    "histc": Override(halfway=1.0),
    "as_strided": Override(
        values={"size": [(2, 2), (3,), ()], "stride": [(1, 1), (2, 1), (1,), ()]}
    ),
    # Of several elements that are written to one place, any may win.
    "as_strided_scatter": Override(
        shapes=(((2, 3), (2, 2)), ((2, 3), (3,)), ((3,), ()), ((2, 3, 4), (2, 2))),
        values={"size": [(2, 2), (3,), (), (2, -1)], "stride": [(2, 1), (3, 1), (1,), ()]},
        rough_gradient=True,
        not_expanded=True,
    ),
    "index_put": Override(
        shapes=(((2, 3), (2,), (2,)), ((2, 3), (2,), (2, 3)), ((3, 3), (3,), (3,))),
        kinds=(*WRITES, ("float", "bool", "float")),
    ),
    "put": Override(shapes=(((2, 3), (3,), (3,)), ((3, 3), (2, 1), (1, 2))), kinds=WRITES),
    "scatter": Override(
        kinds=BY_ROW,
        values={"dim": [1, -1, 0, 5], "reduce": ["add", "multiply", "nonsense"]},
        shapes=IN_ROWS,
    ),
    "index_copy": Override(
        kinds=WRITES, shapes=(((3, 3), (2,), (2, 3)), ((2, 3), (2,), (2, 3)), ((3,), (2,), (2,)))
    ),
    # What PyTorch says of equal elements depends on how it happened to go through them.
    "kthvalue": Override(not_expanded=True),
    "median": Override(not_expanded=True),
    "nanmedian": Override(not_expanded=True),
    "nonzero": Override(any_strides=True),
    "_vector_norm": Override(
        through=lambda T: (
            lambda input, dim, keepdim, ord, dtype=None: T.linalg.vector_norm(
                input, ord, dim, keepdim, dtype=dtype
            )
        )
    ),
    "_linalg_cross": Override(
        through=lambda T: T.linalg.cross, shapes=(((3,), (3,)), ((2, 3), (2, 3)), ((2, 3), (1, 3)))
    ),
    "_distinct": Override(
        through=lambda T: (
            lambda input, dim, consecutive: (
                T.unique_consecutive(input, True, True, dim)
                if consecutive
                else T.unique(input, True, True, True, dim)
            )
        ),
        any_strides=True,
    ),
    "_broadcast_tensors": Override(through=lambda T: lambda tensors: T.broadcast_tensors(*tensors)),
    "_pad_from_self": Override(
        through=lambda T: T.nn.functional.pad,
        values={
            "pad": [(1, 1), (2, 0), (0, 0), (1, 2, 1, 0), (-1, 0), (9, 9), (1,)],
            "mode": ["reflect", "replicate", "circular", "nonsense"],
        },
    ),
    "bmm": Override(
        shapes=(((2, 3, 4), (2, 4, 3)), ((1, 2, 3), (1, 3, 2)), ((3, 1, 2), (3, 2, 1)))
    ),
    "mv": Override(shapes=(((2, 3), (3,)), ((1, 3), (3,)), ((0, 3), (3,)))),
    "dot": Override(shapes=(((3,), (3,)), ((2,), (2,)), ((0,), (0,)))),
    "vdot": Override(shapes=(((3,), (3,)), ((2,), (2,)), ((0,), (0,)))),
    "bincount": Override(
        shapes=(((3,),), ((5,),), ((0,),)), kinds=(("index",), ("places",), ("float",))
    ),
    "repeat_interleave": Override(shapes=(((3,),), ((5,),), ((0,),))),
    "select": Override(values={"index": [0, 1, -1, 5]}),
    "lstm_cell": Override(shapes=recurrent(4)),
    "gru_cell": Override(shapes=recurrent(3)),
    "rnn_tanh_cell": Override(shapes=recurrent(1)),
    "rnn_relu_cell": Override(shapes=recurrent(1)),
    "hardsigmoid": Override(rough_gradient=True),
    "logsigmoid": Override(any_strides=True),
    "glu": Override(names=("_C._nn.glu",)),
    "embedding": Override(values={"sparse": [False]}),
    "bfloat16": Override(rounds=True),
    "float": Override(rounds=True),
    "half": Override(rounds=True),
    "normal": Override(fixed_out=True),
    "cross_entropy": Override(halfway=2e-2),
    "empty_strided": Override(values={"size": [(2, 3), (3,)], "stride": [(3, 1), (1, 2), (2,)]}),
    "new_empty_strided": Override(
        values={"size": [(2, 3), (3,)], "stride": [(3, 1), (1, 2), (2,)]}
    ),
    # A number to the power of a tensor.
    "pow": Override(any_strides=True),
    "float_power": Override(any_strides=True),
    "mvlgamma": Override(any_strides=True),
    "bernoulli": Override(domain=(0.1, 0.9), any_strides=True),
    "multinomial": Override(domain=(0.1, 0.9)),
    "matmul": Override(shapes=(((2, 3, 4), (4,)),)),
}


class Entry(NamedTuple):
    """One entry of the op table, or a function written in Python, and what it should agree with."""

    name: str
    number: int  # among the overloads of that name
    facts: Any
    theirs: Any

    @property
    def signature(self) -> Signature:
        return parse(self.facts["signature"])

    @property
    def override(self) -> Override:
        return OVERRIDES.get(self.name, Override())

    @property
    def form(self) -> str:
        """How it is called: as "function", "method", or only "in place"."""
        if self.facts["function"]:
            return "function"
        return "method" if self.facts["method"] else "in place"

    @property
    def path(self) -> str:
        """Where wend has it."""
        if self.facts["module"]:
            return f"_C.{self.facts['module']}.{self.name}"
        names = {"function": self.name, "method": f"Tensor.{self.name}"}
        return names.get(self.form, f"Tensor.{self.name}_")

    @property
    def is_random(self) -> bool:
        """Whether only the kind of the result is settled, not its values."""
        unsettled = self.name.startswith(("empty", "new_empty")) or "dropout" in self.name
        return unsettled or any(p.type == "Generator" for p in self.signature.parameters)

    def __str__(self) -> str:
        return self.name if self.number == 0 else f"{self.name}-{self.number}"


def places(name: str) -> list[str]:
    """Where PyTorch may have a function."""
    return [name, f"nn.functional.{name}", f"special.{name}", f"linalg.{name}", f"Tensor.{name}"]


def find(T: Any, path: str) -> Any:
    """What stands at a dotted path in a package, or None."""
    for part in path.split("."):
        T = getattr(T, part, None)
    return T


def on_a_copy(method: Any) -> Any:
    """A method that writes in place, as a function that leaves its argument alone."""
    return method and (lambda self, *args, **kwargs: method(self.clone(), *args, **kwargs))


def oracle(entry: Entry) -> Any:
    """PyTorch's function."""
    if entry.override.through:
        return entry.override.through(torch)
    if entry.override.oracle:
        return entry.override.oracle
    if entry.form == "in place":
        return on_a_copy(find(torch, entry.path))
    paths = [*entry.override.names, *places(entry.name)]
    if entry.form == "method":
        paths.insert(0, entry.path)
    return next(filter(callable, (find(torch, path) for path in paths)), None)


@functools.cache
def entries() -> list[Entry]:
    """Every entry that can be called."""
    out: list[Entry] = []
    for facts in _C._op_table():
        # Parts of factorizations are no functions of PyTorch's; their wholes are test_linalg's.
        if not facts["hidden"] and facts["family"] != "linalg":
            number = sum(entry.name == facts["name"] for entry in out)
            entry = Entry(facts["name"], number, facts, None)
            out.append(entry._replace(theirs=oracle(entry)))
    return out


def candidates(parameter: Parameter, override: Override) -> list[Any]:
    """Values to try for a parameter that is no tensor."""
    if parameter.name in override.values:
        return override.values[parameter.name]
    if parameter.type == "int":
        return [0, -1, 1, 2, -4] if parameter.name.startswith("dim") else [1, 0, 2, -1]
    if parameter.type in ("int[]", "int[1]"):
        single = [1, 0, -1, 5] if parameter.type == "int[1]" else []
        return single + LISTS
    by_type: dict[str, list[Any]] = {
        "Number": [2, 0.5, -1.5, True],
        "Scalar": [2, 0.5, -1.5, True, *tensors_of(parameter)],
        "float": [0.5, 2, -1.5],
        "bool": [True, False],
        "True": [True],
        "False": [False],
        "dtype": [Dtype("float64"), Dtype("int32"), Dtype("float32")],
        "str": [*TEXTS.get(parameter.name, []), "nonsense"],
        "float[]": [(0.5,), (0.5, 2.0)],
        "float[1]": [(0.5,), 2.0],
    }
    return by_type[parameter.type]


def tensors_of(parameter: Parameter) -> list[Recipe]:
    """Tensors where a number is wanted: one that may stand for it, and one that may not."""
    seed = 1 + sum(map(ord, parameter.name)) % 7
    return [Recipe((), seed=seed), Recipe((2, 3), seed=seed)]


def tensors_for(parameter: Parameter, shape: tuple[int, ...], kind: str, seed: int) -> list[Any]:
    """Values to try for a tensor parameter."""
    one = Recipe(shape, kind, seed)
    if parameter.type == "Tensor[]":
        return [[one, one._replace(seed=seed + 5)], [one]]
    return [one]


def kinds_of(parameters: list[Parameter], override: Override) -> list[tuple[str, ...]]:
    """What the elements of the tensors may be, the likeliest first."""
    if special := [kinds for kinds in override.kinds if len(kinds) == len(parameters)]:
        return special
    named = tuple(KINDS.get(p.name, "float") for p in parameters)
    guesses = [named, tuple("int" if kind == "float" else kind for kind in named)]
    guesses += [("float",) + ("index",) * (len(named) - 1), ("bool",) * len(named)]
    return list(dict.fromkeys(guess for guess in guesses if len(guess) == len(named)))


def grid(entry: Entry) -> Iterator[Call]:
    """Calls with the required arguments, in every combination."""
    override, required = (
        entry.override,
        [p for p in entry.signature.parameters if p.default is None],
    )
    tensors = [p for p in required if p.is_tensor]
    usual = SHAPES.get(len(tensors)) or [(shape,) * len(tensors) for shape in MANY_SHAPES]
    special = [shapes for shapes in override.shapes if len(shapes) == len(tensors)]
    for kinds in kinds_of(tensors, override):
        for shapes in (*special, *usual):
            seeds = itertools.count(override.first_seed)
            made = iter(zip(tensors, shapes, kinds, seeds, strict=False))
            choices = [
                tensors_for(*next(made)) if p.is_tensor else candidates(p, override)
                for p in required
            ]
            for values in itertools.product(*choices):
                yield as_call(required, values)


def numbers_for_operands(entry: Entry, call: Call) -> Iterator[Call]:
    """The call with numbers in the place of tensors, where either may stand."""
    required = [p for p in entry.signature.parameters if p.default is None]
    for i, parameter in enumerate(required[: len(call.args)]):
        if parameter.type == "Operand":
            for value in (2, 0.5, -1, True):
                yield Call((*call.args[:i], value, *call.args[i + 1 :]), call.kwargs)


def options_of(entry: Entry, call: Call) -> Iterator[Call]:
    """The call with each of its optional arguments, and with pairs of them."""
    given: list[tuple[str, Any]] = []
    for seed, p in enumerate(entry.signature.parameters, 3):
        if p.default is None or p.type in SILENT:
            continue
        if p.is_tensor:
            given += [
                (p.name, Recipe(shape, kind, seed))
                for shape in ((2, 3), (3,), ())
                for kind in ("float", "int")
            ]
            if p.type == "Operand":
                given += [(p.name, value) for value in entry.override.values.get(p.name, [2, 0.5])]
        else:
            given += [(p.name, value) for value in candidates(p, entry.override)]
    for option in given:
        yield Call(call.args, (*call.kwargs, option))
    pairs = [pair for pair in itertools.combinations(given, 2) if pair[0][0] != pair[1][0]]
    for pair in random.Random(0).sample(pairs, min(len(pairs), 30)):
        yield Call(call.args, call.kwargs + pair)


def as_call(parameters: list[Parameter], values: tuple[Any, ...]) -> Call:
    pairs = list(zip(parameters, values, strict=True))
    positional = tuple(value for p, value in pairs if not p.keyword_only)
    return Call(positional, tuple((p.name, value) for p, value in pairs if p.keyword_only))


class Outcome(NamedTuple):
    """What PyTorch makes of a call: its result, or its refusal."""

    call: Call
    result: Any = None
    error: Exception | None = None


def attempt(function: Any, T: Any, call: Call) -> Outcome:
    """Call a function of package T, and look at the result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = make(T, call)
            return Outcome(call, result=function(*made.args, **made.kwargs))
        except Exception as error:
            return Outcome(call, error=error)


class Samples(NamedTuple):
    """The calls of an entry that PyTorch accepts, and those that it refuses."""

    accepted: list[Outcome]
    refused: list[Outcome]


@functools.cache
def samples(index: int) -> Samples:
    """Samples for entry number `index`."""
    entry = entries()[index]
    calls = list(grid(entry))
    if len(calls) > MOST_CALLS:
        calls = calls[:40] + random.Random(0).sample(calls[40:], MOST_CALLS - 40)
    outcomes = [attempt(entry.theirs, torch, call) for call in calls]
    right = [outcome.call for outcome in outcomes if outcome.error is None]
    # An op may want at least one of its optional arguments.
    for call in diverse(right or calls, 3):
        for more in (*numbers_for_operands(entry, call), *options_of(entry, call)):
            outcomes.append(attempt(entry.theirs, torch, more))
    return settled(entry, outcomes)


def settled(entry: Entry, outcomes: list[Outcome]) -> Samples:
    """The samples within the domain of the op."""
    accepted = [outcome for outcome in outcomes if outcome.error is None]
    domain = domain_of(entry, accepted)
    if domain != DOMAINS[0]:
        moved = [outcome.call.map(lambda r: r._replace(domain=domain)) for outcome in outcomes]
        outcomes = [attempt(entry.theirs, torch, call) for call in moved]
        accepted = [outcome for outcome in outcomes if outcome.error is None]
    return Samples(accepted, [outcome for outcome in outcomes if outcome.error is not None])


def domain_of(entry: Entry, accepted: list[Outcome]) -> tuple[float, float]:
    if entry.override.domain:
        return entry.override.domain
    tried = [
        outcome.call for outcome in accepted if "float" in {r.kind for r in outcome.call.recipes()}
    ]
    for domain in DOMAINS:
        moved = [call.map(lambda r, d=domain: r._replace(domain=d)) for call in diverse(tried, 4)]
        results = [attempt(entry.theirs, torch, call).result for call in moved]
        if all(is_finite(result) for result in results):
            return domain
    return DOMAINS[0]


def tensors_in(result: Any) -> list[Any]:
    if isinstance(result, (list, tuple)):
        return [tensor for item in result for tensor in tensors_in(item)]
    return [result] if hasattr(result, "requires_grad") else []


def is_finite(result: Any) -> bool:
    return all(bool(torch.isfinite(t).all()) for t in tensors_in(result) if t.is_floating_point())


def diverse(calls: list[Call], count: int) -> list[Call]:
    """Some of the calls that differ in the sizes of their tensors, then any."""
    by_shapes: dict[Any, Call] = {}
    for call in calls:
        sizes = tuple(r.shape for r in call.recipes())
        # Large ones first: empty and 0-d tensors say little about arithmetic.
        by_shapes.setdefault((-sum(math.prod(s) > 1 for s in sizes), sizes), call)
    first = [by_shapes[key] for key in sorted(by_shapes, key=lambda key: key[0])]
    return (first + calls)[:count]
