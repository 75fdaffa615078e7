"""Arrays and scalars of NumPy beside tensors, and tensors from whatever holds numbers.

PyTorch says what is right: type, dtype, whether it requires grad, numbers, or the exception.
"""

import array as python_arrays
import operator
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import wend

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")

OPERATORS = [
    *("add", "sub", "mul", "truediv", "mod", "pow", "matmul"),
    *("lt", "le", "gt", "ge", "eq", "ne"),
    *("and_", "or_", "xor", "lshift", "rshift"),
    *("iadd", "isub", "imul", "itruediv"),
]
SCALARS = [
    *("bool_", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "float32", "float64", "complex64"),
]
ARRAYS: dict[str, Callable[[], Any]] = {
    "float64": lambda: np.ones(3),
    "float32": lambda: np.array([1, 2, 3], np.float32),
    "int64": lambda: np.array([1, 2, 3]),
    "bool": lambda: np.array([True, False, True]),
    "0-d": lambda: np.array(2.0),
    "2-d": lambda: np.ones((3, 3)),
    "matrix": lambda: np.matrix(np.ones((3, 3))),
    **{name: (lambda name=name: getattr(np, name)(1)) for name in SCALARS},
}
TENSORS: dict[str, Callable[[Any], Any]] = {
    "float32": lambda T: T.tensor([1.0, 2.0, 3.0]),
    "float64": lambda T: T.tensor([1.0, 2.0, 3.0], dtype=T.float64),
    "int64": lambda T: T.tensor([1, 2, 3]),
    "bool": lambda T: T.tensor([True, False, True]),
    "0-d": lambda T: T.tensor(2.0),
    "2-d": lambda T: T.ones(3, 3),
    "leaf": lambda T: T.tensor([1.0, 2.0, 3.0], requires_grad=True),
    "result": lambda T: T.tensor([1.0, 2.0, 3.0], requires_grad=True) * 2,
}
UFUNCS = [
    *("add", "multiply", "divide", "sqrt", "exp", "less", "equal", "maximum", "logical_and"),
    *("isnan", "argmax"),
]
# Dtypes that wend cannot compute with: what NumPy makes of them is no tensor of wend.
ABSENT = {"uint16", "uint32", "uint64", "complex64"}


def shown(T: Any, x: Any) -> Any:
    if isinstance(x, T.Tensor):
        return "tensor", str(x.dtype), x.requires_grad, str(x.tolist())
    if isinstance(x, np.ndarray):
        return type(x).__name__, str(x.dtype), str(x.tolist())
    return type(x).__name__, str(x)


def outcome(T: Any, program: Callable[[Any], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return shown(T, program(T))
        except Exception as error:
            return type(error).__name__, str(error).split("\n")[0]


def differences(programs: dict[Any, Callable[[Any], Any]]) -> dict[Any, Any]:
    found = {}
    for name, program in programs.items():
        theirs, ours = outcome(torch, program), outcome(wend, program)
        if ours != theirs:
            found[name] = ours, theirs
    return found


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_with_an_array_or_scalar_on_either_side(name: str) -> None:
    do = getattr(operator, name)
    programs = {}
    for kind, array in ARRAYS.items():
        for other, tensor in TENSORS.items():
            programs[kind, other] = lambda T, a=array, t=tensor: do(a(), t(T))
            programs[other, kind] = lambda T, a=array, t=tensor: do(t(T), a())
    assert differences(programs) == {}


@pytest.mark.parametrize("name", UFUNCS)
def test_functions_of_numpy_take_tensors(name: str) -> None:
    do = getattr(np, name)
    binary = getattr(do, "nin", 1) == 2
    programs = {}
    for kind, tensor in TENSORS.items():
        if not binary:
            programs[kind] = lambda T, t=tensor: do(t(T))
            continue
        for other, array in ARRAYS.items():
            if other in ABSENT:
                continue
            programs[kind, other] = lambda T, a=array, t=tensor: do(t(T), a())
            programs[other, kind] = lambda T, a=array, t=tensor: do(a(), t(T))
    assert differences(programs) == {}


class Numbers:
    """Numbers found one by one, as those of a pandas.Series: by number they are NumPy's."""

    def __init__(self, numbers: Any) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, i: int) -> Any:
        return self.numbers[i]

    def __iter__(self) -> Any:
        return iter(self.numbers.tolist())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.numbers, dtype)


class ByLabel(Numbers):
    def __getitem__(self, i: int) -> Any:
        raise KeyError(i)


class OnlyDLPack:
    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class OnlyArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.ones(2, dtype)


DTYPES = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u1", "?"]
DATA: dict[str, Callable[[], Any]] = {
    **{f"series {d}": (lambda d=d: Numbers(np.array([1, 0], d))) for d in DTYPES},
    **{f"nested {d}": (lambda d=d: [Numbers(np.array([1, 0], d))]) for d in DTYPES},
    **{f"scalars {d}": (lambda d=d: list(np.array([1, 0], d))) for d in DTYPES},
    **{f"arrays {d}": (lambda d=d: [np.array([1, 0], d)] * 2) for d in DTYPES},
    **{f"with float {d}": (lambda d=d: [np.array([1], d)[0], 1.5]) for d in DTYPES},
    "by label": lambda: ByLabel(np.ones(2)),
    "dlpack": lambda: OnlyDLPack(np.ones(2)),
    "array only": OnlyArray,
    "array.array": lambda: python_arrays.array("f", [1, 2]),
    "memoryview": lambda: memoryview(np.ones(2)),
    "bytearray": lambda: bytearray(b"12345678"),
    "range": lambda: range(3),
    "matrix": lambda: np.matrix([[1.0, 2.0]]),
    "masked": lambda: np.ma.array([1.0, 2.0], mask=[0, 1]),
    "backwards": lambda: np.arange(4.0)[::-1],
    "big-endian": lambda: np.array([1, 2], ">f8"),
    "dict": lambda: {0: 1.0},
    "set": lambda: {1.0},
    "None": lambda: None,
    "text": lambda: "ab",
    "generator": lambda: (i for i in range(2)),
    "empty": list,
}
MAKERS: dict[str, Callable[[Any, Any], Any]] = {
    "tensor": lambda T, x: T.tensor(x),
    "tensor of float64": lambda T, x: T.tensor(x, dtype=T.float64),
    "as_tensor": lambda T, x: T.as_tensor(x),
    "asarray": lambda T, x: T.asarray(x),
    "new_tensor": lambda T, x: T.ones(1, dtype=T.float64).new_tensor(x),
    "Tensor": lambda T, x: T.Tensor(x),
    "FloatTensor": lambda T, x: T.FloatTensor(x),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_tensors_of_whatever_holds_numbers(maker: str) -> None:
    make = MAKERS[maker]
    assert differences({n: lambda T, d=d: make(T, d()) for n, d in DATA.items()}) == {}


@pytest.mark.parametrize("kind", ["M8[D]", "m8[s]", "U1", "S1", "O", "f4,i1"])
@pytest.mark.parametrize("name", ["from_numpy", "as_tensor", "tensor", "asarray"])
def test_arrays_of_what_no_tensor_holds_are_refused_by_type(name: str, kind: str) -> None:
    array = np.zeros(2, kind)
    errors = []
    for package in (torch, wend):
        with pytest.raises(TypeError) as caught:
            getattr(package, name)(array)
        errors.append(str(caught.value).partition(" The only")[0])
    assert errors[0] == errors[1]
