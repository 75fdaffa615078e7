"""Arguments as recipes, from which the same call is made for PyTorch and for wend.

Which recipes an op gets is the business of `samples`.
"""

import itertools
import math
from typing import Any, NamedTuple

GOLDEN = (math.sqrt(5) - 1) / 2
DEFAULT_DTYPE = {
    "float": "float64", "int": "int64", "index": "int64", "places": "int64", "columns": "int64",
    "bool": "bool",
}  # fmt: skip


class Recipe(NamedTuple):
    """A tensor: its sizes, what its elements are like, and how they lie in memory."""

    shape: tuple[int, ...]
    # "float", "int", "bool", "index" (0 and 1), "places" (all distinct) or "columns" (in each row)
    kind: str = "float"
    seed: int = 0
    domain: tuple[float, float] = (-2.2, 2.2)
    dtype: str | None = None
    layout: str = "contiguous"
    # The elements, again and again, each `times` times; where they stand for themselves.
    points: tuple[float, ...] = ()
    times: int = 1

    @property
    def dtype_name(self) -> str:
        return self.dtype or DEFAULT_DTYPE[self.kind]


class Dtype(NamedTuple):
    """A dtype by name, for either package."""

    name: str


class Call(NamedTuple):
    """Arguments by position and by keyword, with recipes for tensors and dtypes."""

    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...] = ()

    def map(self, change: Any) -> "Call":
        """The call with every recipe changed."""
        args = tuple(_map(arg, change) for arg in self.args)
        return Call(args, tuple((name, _map(arg, change)) for name, arg in self.kwargs))

    def recipes(self) -> list[Recipe]:
        found: list[Recipe] = []
        self.map(lambda recipe: found.append(recipe) or recipe)
        return found


def _map(arg: Any, change: Any) -> Any:
    if isinstance(arg, Recipe):
        return change(arg)
    if isinstance(arg, list):
        return [_map(item, change) for item in arg]
    return arg


def elements(recipe: Recipe) -> list[Any]:
    """The elements in row-major order: spread over the domain, distinct, away from kinks."""
    count = math.prod(recipe.shape)
    if recipe.points:
        return [recipe.points[i // recipe.times % len(recipe.points)] for i in range(count)]
    spread = [(GOLDEN * (i + 1) + 0.37 * recipe.seed) % 1 for i in range(count)]
    if recipe.kind == "float":
        low, high = recipe.domain
        return [_off_the_kinks(low + (high - low) * x) for x in spread]
    if recipe.kind == "bool":
        return [x < 0.5 for x in spread]
    if recipe.kind == "index":
        return [int(x < 0.5) for x in spread]
    if recipe.kind == "places":
        return list(range(count))
    if recipe.kind == "columns":
        return [i % recipe.shape[-1] for i in range(count)] if recipe.shape else [0]
    # The first operand may be negative; divisors, exponents and shifts are positive.
    return [int(x * 9) - 4 if recipe.seed == 0 else int(x * 4) + 1 for x in spread]


def _off_the_kinks(x: float) -> float:
    """Where rounding, relu and their kin have kinks: move away from halves."""
    nearest = round(2 * x) / 2
    return nearest + math.copysign(0.03, x - nearest) if abs(x - nearest) < 0.03 else x


LAYOUTS = ("contiguous", "transposed", "stepped", "offset", "expanded")


def geometry(recipe: Recipe) -> tuple[list[int], int]:
    """Strides and offset of the layout."""
    shape = recipe.shape
    rows = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    if recipe.layout == "transposed":
        return [math.prod(shape[:i]) for i in range(len(shape))], 0
    if recipe.layout == "stepped":
        return [2 * stride for stride in rows], 1
    if recipe.layout == "offset":
        return rows, 3
    if recipe.layout == "expanded" and shape:
        return [0, *(math.prod(shape[i + 1 :]) for i in range(1, len(shape)))], 0
    return rows, 0


def storage(recipe: Recipe) -> list[Any]:
    """The elements as they lie in memory, gaps filled."""
    strides, offset = geometry(recipe)
    values = elements(recipe)
    places = [
        offset + sum(i * stride for i, stride in zip(index, strides, strict=True))
        for index in itertools.product(*map(range, recipe.shape))
    ]
    filler = values[0] if values else 1
    memory = [filler] * (max(places, default=offset) + 2)
    for place, value in zip(places, values, strict=True):
        memory[place] = value
    return memory


class Made(NamedTuple):
    """A call made for one package, and the leaves that gradients are asked of."""

    args: list[Any]
    kwargs: dict[str, Any]
    leaves: list[Any]


def make(T: Any, call: Call, grad: bool = False) -> Made:
    """Make the arguments of a call for package T; floats require grad if `grad`."""
    leaves: list[Any] = []

    def tensor(recipe: Recipe) -> Any:
        dtype = getattr(T, recipe.dtype_name)
        wants = grad and recipe.kind == "float"
        if recipe.layout == "contiguous":
            flat = T.tensor(elements(recipe), dtype=dtype)
            leaf = whole = flat.reshape(recipe.shape).detach()
        else:
            leaf = T.tensor(storage(recipe), dtype=dtype)
            strides, offset = geometry(recipe)
            whole = None
        if wants:
            leaf.requires_grad_()
            leaves.append(leaf)
        return leaf.as_strided(recipe.shape, strides, offset) if whole is None else whole

    def convert(arg: Any) -> Any:
        if isinstance(arg, Recipe):
            return tensor(arg)
        if isinstance(arg, Dtype):
            return getattr(T, arg.name)
        return [convert(item) for item in arg] if isinstance(arg, list) else arg

    args = [convert(arg) for arg in call.args]
    return Made(args, {name: convert(arg) for name, arg in call.kwargs}, leaves)
