"""Tensors print as PyTorch prints them, under every print option.
Random and named cases are compared with PyTorch itself; a few literal texts need no PyTorch."""

from __future__ import annotations

import doctest
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import wend
from wend import _printing

FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTEGERS = ["int8", "uint8", "int16", "int32", "int64"]
SPECIAL = [0.0, -0.0, math.nan, math.inf, -math.inf]
# On both sides of every point at which the notation changes.
TURNING = [1e-4, 9.99e-5, 0.99999, 1.0, 999.0, 1000.0, 1001.0, 1e8, 1e8 + 16]


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    yield
    wend.set_printoptions(profile="default")
    wend.set_default_dtype(wend.float32)


@pytest.fixture
def torch() -> Iterator[Any]:
    torch = pytest.importorskip("torch")
    yield torch
    torch.set_printoptions(profile="default")
    torch.set_default_dtype(torch.float32)


def random_shape(rng: random.Random) -> list[int]:
    dims = rng.choice([0, 1, 1, 2, 2, 3, 4, 5])
    largest = [0, 1200, 60, 12, 8, 7][dims]
    shape = [rng.choice([1, 2, 3, 5, 6, 7, largest]) for _ in range(dims)]
    if dims and rng.random() < 0.06:
        shape[rng.randrange(dims)] = 0
    return shape


def random_floats(rng: random.Random, count: int) -> list[float]:
    scale = 10.0 ** rng.choice([-30, -10, -5, -4, -1, 0, 0, 1, 3, 5, 8, 9, 30])
    draw: Callable[[], float] = rng.choice(
        [
            lambda: rng.random() * scale,
            lambda: float(round(rng.random() * scale)),
            lambda: 10 ** rng.uniform(-6, 6),
            lambda: float(rng.randint(0, 1000)),
            lambda: rng.choice(TURNING),
        ]
    )
    signs = rng.choice([[1], [1, -1], [-1]])
    special = rng.choice([0, 0, 0.1, 0.5, 1])
    return [
        rng.choice(SPECIAL) if rng.random() < special else rng.choice(signs) * draw()
        for _ in range(count)
    ]


def random_values(rng: random.Random, dtype: str, count: int) -> list[Any]:
    if dtype in FLOATS:
        return random_floats(rng, count)
    if dtype == "bool":
        return [rng.random() < 0.5 for _ in range(count)]
    limits = wend.iinfo(getattr(wend, dtype))
    size = rng.choice([1, 9, 100, 10**6, 2**63])
    low, high = max(limits.min, -size), min(limits.max, size)
    return [rng.randint(low, high) for _ in range(count)]


def random_options(rng: random.Random) -> dict[str, Any]:
    choices: dict[str, list[Any]] = {
        "precision": [0, 1, 3, 8],
        "threshold": [-1, 0, 5, 50, 200, math.inf],
        "edgeitems": [0, 1, 2, 4],
        "linewidth": [0, 15, 30, 40, 60, 79, 81, 120],
        "profile": ["default", "short", "full"],
        "sci_mode": [True, False],
    }
    return {name: rng.choice(values) for name, values in choices.items() if rng.random() < 0.25}


@pytest.mark.parametrize("seed", range(400))
def test_random_tensor_prints_as_in_pytorch(torch: Any, seed: int) -> None:
    rng = random.Random(seed)
    dtype, default = rng.choice([*FLOATS, *FLOATS, *INTEGERS, "bool"]), rng.choice(FLOATS)
    shape, options, gradient = random_shape(rng), random_options(rng), rng.randrange(6)
    values = random_values(rng, dtype, math.prod(shape))

    def text(lib: Any) -> str:
        lib.set_default_dtype(getattr(lib, default))
        lib.set_printoptions(**options)
        t = lib.tensor(values, dtype=getattr(lib, dtype)).reshape(shape)
        if dtype in FLOATS and gradient < 2:
            t.requires_grad_()
            t = t * 1 if gradient else t
        return repr(t)

    assert text(wend) == text(torch)


@pytest.mark.parametrize("a", TURNING)
@pytest.mark.parametrize("b", TURNING)
def test_notation_turns_where_it_does_in_pytorch(torch: Any, a: float, b: float) -> None:
    texts = [repr(lib.tensor([a, b], dtype=lib.float64)) for lib in (wend, torch)]
    assert texts[0] == texts[1]


def parameter(lib: Any) -> Any:
    return lib.nn.Parameter(lib.tensor([[1.0, 2.0], [3.0, 4.0]]))


def parameter_subclass(lib: Any) -> Any:
    class Weight(lib.nn.Parameter):  # type: ignore[misc]
        pass

    return Weight(lib.ones(2, 2))


def tensor_subclass(lib: Any) -> Any:
    class Points(lib.Tensor):  # type: ignore[misc]
        pass

    return lib.arange(60.0).reshape(3, 20).as_subclass(Points)


def custom_function(lib: Any) -> Any:
    class Twice(lib.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.name = "an attribute of the user's"
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    return Twice.apply(lib.ones(2, requires_grad=True))


def view_without_gradient(lib: Any) -> Any:
    base = lib.ones(3, requires_grad=True).clone()
    view = base.unbind()[0]
    base.mul_(2)
    return view


def inference_tensor(lib: Any) -> Any:
    with lib.inference_mode():
        return lib.ones(2) * 2


def transposed_summary(lib: Any) -> Any:
    return lib.arange(3000).reshape(30, 100).t()


def wrapped_history(lib: Any) -> Any:
    return lib.zeros(0, 12345, 67890, dtype=lib.float64, requires_grad=True).exp()


@pytest.mark.parametrize(
    "program",
    [
        parameter,
        parameter_subclass,
        tensor_subclass,
        custom_function,
        view_without_gradient,
        inference_tensor,
        transposed_summary,
        wrapped_history,
    ],
)
def test_program_prints_as_in_pytorch(torch: Any, program: Callable[[Any], Any]) -> None:
    assert repr(program(wend)) == repr(program(torch))
    assert str(program(wend)) == str(program(torch))


@pytest.mark.parametrize("linewidth", range(10, 75))
def test_facts_wrap_where_pytorch_wraps_them(torch: Any, linewidth: int) -> None:
    def text(lib: Any) -> str:
        lib.set_printoptions(linewidth=linewidth, edgeitems=0)
        return repr(lib.ones(2, 2, dtype=lib.float64, requires_grad=True))

    assert text(wend) == text(torch)


@pytest.mark.parametrize("spec", ["", ".3f", "8", "d", "x"])
@pytest.mark.parametrize("value", [1.5, 7, True, [1.5], []])
def test_format_is_that_of_pytorch(torch: Any, value: Any, spec: str) -> None:
    def outcome(lib: Any) -> Any:
        try:
            return format(lib.tensor(value), spec)
        except (TypeError, ValueError) as error:
            return type(error), str(error)

    assert outcome(wend) == outcome(torch)


@pytest.mark.parametrize(
    "options",
    [
        {"precision": 7},
        {"sci_mode": True},
        {"profile": "short", "edgeitems": 9},
        {"profile": "full"},
        {"profile": "unheard of"},
        {"threshold": 2, "linewidth": 33},
        {},
    ],
)
def test_options_are_kept_as_in_pytorch(torch: Any, options: dict[str, Any]) -> None:
    from torch import _tensor_str

    for lib in (wend, torch):
        lib.set_printoptions(precision=3, sci_mode=False)
    with _printing.printoptions(**options), _tensor_str.printoptions(**options):
        assert _printing.get_printoptions() == _tensor_str.get_printoptions()
    assert _printing.get_printoptions() == _tensor_str.get_printoptions()
    for lib in (wend, torch):
        lib.set_printoptions(**options)
    assert _printing.get_printoptions() == _tensor_str.get_printoptions()


def test_unknown_option_is_refused() -> None:
    options: dict[str, Any] = {"width": 3}
    with pytest.raises(TypeError, match="unexpected keyword argument 'width'"):
        wend.set_printoptions(**options)


def test_options_return_after_an_error() -> None:
    before = _printing.get_printoptions()
    with pytest.raises(KeyError), _printing.printoptions(precision=1):
        raise KeyError
    assert _printing.get_printoptions() == before


GOLDEN = [
    (2.5, None, "tensor(2.5000)"),
    ([], None, "tensor([])"),
    ([[], []], "int64", "tensor([], size=(2, 0), dtype=torch.int64)"),
    ([True, False], None, "tensor([ True, False])"),
    ([1.0, -20.0], "float64", "tensor([  1., -20.], dtype=torch.float64)"),
    ([1.0, 0.5, math.nan], None, "tensor([1.0000, 0.5000,    nan])"),
    ([1e-5, 1.0], None, "tensor([1.0000e-05, 1.0000e+00])"),
    ([-0.0, math.inf], None, "tensor([-0., inf])"),
    ([[[1, 2]], [[3, 4]]], None, "tensor([[[1, 2]],\n\n        [[3, 4]]])"),
    (list(range(1001)), None, "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
]


@pytest.mark.parametrize(("values", "dtype", "text"), GOLDEN)
def test_literal_text(values: Any, dtype: str | None, text: str) -> None:
    assert repr(wend.tensor(values, dtype=getattr(wend, dtype) if dtype else None)) == text


def test_summary_begins_above_the_threshold() -> None:
    wend.set_printoptions(threshold=7)
    assert repr(wend.arange(7)) == "tensor([0, 1, 2, 3, 4, 5, 6])"
    assert repr(wend.arange(8)) == "tensor([0, 1, 2,  ..., 5, 6, 7])"


def test_gradient_facts() -> None:
    x = wend.ones(2, requires_grad=True)
    assert repr(x) == "tensor([1., 1.], requires_grad=True)"
    assert repr(x * 2) == "tensor([2., 2.], grad_fn=<MulBackward0>)"
    assert repr((x * 2).detach()) == "tensor([2., 2.])"


class Watched:
    """Passes everything on to a tensor, and notes which parts of it are read."""

    def __init__(self, tensor: wend.Tensor, reads: list[wend.Tensor]) -> None:
        self.tensor, self.reads = tensor, reads

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tensor, name)

    def __getitem__(self, key: Any) -> Watched:
        return Watched(self.tensor[key], self.reads)

    def detach(self) -> Watched:
        return Watched(self.tensor.detach(), self.reads)

    def tolist(self) -> Any:
        self.reads.append(self.tensor)
        return self.tensor.tolist()


def test_summary_reads_only_what_it_shows_and_records_no_gradient() -> None:
    reads: list[wend.Tensor] = []
    tensor: Any = Watched(wend.zeros(50, 4, 60, requires_grad=True), reads)
    assert "..." in _printing.tensor_repr(tensor)
    assert sum(part.numel() for part in reads) == 6 * 4 * 6
    assert not any(part.requires_grad for part in reads)


def test_given_contents_are_shown_unread() -> None:
    reads: list[wend.Tensor] = []
    tensor: Any = Watched(wend.zeros(2, dtype=wend.int8), reads)
    assert _printing.tensor_repr(tensor, "much") == "Watched(much, dtype=torch.int8)"
    assert reads == []


def test_docstring_examples() -> None:
    assert doctest.testmod(_printing).failed == 0
