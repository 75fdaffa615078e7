"""Small types that tensors are described by: dtype, device, Size, layout, memory_format.

The extension module is told about them once, so that it can hand them out.
"""

from __future__ import annotations

import builtins
from typing import Any, NoReturn

from wend import _C


class dtype:  # noqa: N801
    """The type of a tensor's elements; one object for each, such as `wend.float32`."""

    __slots__ = ("_name", "is_complex", "is_floating_point", "is_signed", "itemsize")

    is_floating_point: builtins.bool
    is_signed: builtins.bool
    is_complex: builtins.bool
    itemsize: builtins.int

    def __init__(
        self,
        name: str,
        itemsize: builtins.int,
        is_floating_point: builtins.bool,
        is_signed: builtins.bool,
        is_complex: builtins.bool = False,
    ) -> None:
        self._name = name
        self.itemsize = itemsize
        self.is_floating_point = is_floating_point
        self.is_signed = is_signed
        self.is_complex = is_complex

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name

    def __copy__(self) -> dtype:
        return self

    def __deepcopy__(self, memo: Any) -> dtype:
        return self

    def to_real(self) -> dtype:
        """Return the dtype of the real part.

        >>> wend.complex64.to_real()
        torch.float32
        """
        return _REAL.get(self, self)

    def to_complex(self) -> dtype:
        """Return the dtype of complex numbers whose parts have this one."""
        if self.is_complex:
            return self
        found = {real: each for each, real in _REAL.items()} | {bfloat16: complex64}
        if self not in found:
            raise RuntimeError(f"Unknown Complex ScalarType for {self._name}")
        return found[self]


bool = dtype("bool", 1, False, False)
uint8 = dtype("uint8", 1, False, False)
int8 = dtype("int8", 1, False, True)
int16 = short = dtype("int16", 2, False, True)
int32 = int = dtype("int32", 4, False, True)
int64 = long = dtype("int64", 8, False, True)
float16 = half = dtype("float16", 2, True, True)
bfloat16 = dtype("bfloat16", 2, True, True)
float32 = float = dtype("float32", 4, True, True)
float64 = double = dtype("float64", 8, True, True)

# Those that can be mentioned, compared and carried, but no tensor has.
uint16 = dtype("uint16", 2, False, False)
uint32 = dtype("uint32", 4, False, False)
uint64 = dtype("uint64", 8, False, False)
complex32 = chalf = dtype("complex32", 4, False, True, True)
complex64 = cfloat = dtype("complex64", 8, False, True, True)
complex128 = cdouble = dtype("complex128", 16, False, True, True)
float8_e4m3fn = dtype("float8_e4m3fn", 1, True, True)
float8_e4m3fnuz = dtype("float8_e4m3fnuz", 1, True, True)
float8_e5m2 = dtype("float8_e5m2", 1, True, True)
float8_e5m2fnuz = dtype("float8_e5m2fnuz", 1, True, True)
float8_e8m0fnu = dtype("float8_e8m0fnu", 1, True, False)
float4_e2m1fn_x2 = dtype("float4_e2m1fn_x2", 1, True, True)
int1, int2, int3, int4, int5, int6, int7 = (
    dtype(f"int{bits}", 1, False, True) for bits in range(1, 8)
)
uint1, uint2, uint3, uint4, uint5, uint6, uint7 = (
    dtype(f"uint{bits}", 1, False, False) for bits in range(1, 8)
)
bit = uint1
bits8, bits1x8, bits2x4, bits4x2 = (
    dtype(name, 1, False, False) for name in ("bits8", "bits1x8", "bits2x4", "bits4x2")
)
bits16 = dtype("bits16", 2, False, False)
qint8 = dtype("qint8", 1, False, True)
qint32 = dtype("qint32", 4, False, True)
quint8, quint4x2, quint2x4 = (
    dtype(name, 1, False, False) for name in ("quint8", "quint4x2", "quint2x4")
)
_REAL = {complex32: float16, complex64: float32, complex128: float64}


def refuse_dtype(given: dtype) -> NoReturn:
    """Raise: no tensor can have this dtype; say which one to take instead."""
    if given.is_complex:
        instead = "keep real and imaginary parts as two tensors"
    elif given._name[0] == "q":
        instead = "keep the values as they are, or in torch.int8 with a scale of their own"
    elif given.is_floating_point:
        instead = "use torch.bfloat16"
    elif given.itemsize == 1:
        instead = "use torch.int8" if given.is_signed else "use torch.uint8"
    else:
        instead = "use torch.int64" if given.itemsize > 2 else "use torch.int32"
    raise NotImplementedError(f"wend has no tensors of dtype {given}: {instead}")


class layout:  # noqa: N801
    """How a tensor's elements lie in memory; wend's are `strided`, the others can be mentioned."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
sparse_csc = layout("sparse_csc")
sparse_bsr = layout("sparse_bsr")
sparse_bsc = layout("sparse_bsc")
_mkldnn = layout("_mkldnn")
jagged = layout("jagged")


class memory_format:  # noqa: N801
    """The order of dimensions in memory that an op should give its result."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


contiguous_format = memory_format("contiguous_format")
legacy_contiguous_format = contiguous_format
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


class device:  # noqa: N801
    """Where a tensor lives. Any device can be named; only the CPU can be used.

    >>> wend.device("cpu")
    device(type='cpu')
    """

    __slots__ = ("index", "type")

    type: str
    index: Any

    def __init__(self, type: Any, index: Any = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index
        kind, number = _device_parts(type)
        if number is not None and index is not None:
            raise RuntimeError(
                "type (string) must not include an index because index was passed explicitly: "
                + type
            )
        object.__setattr__(self, "type", kind)
        object.__setattr__(self, "index", index if number is None else number)

    def __enter__(self) -> device:
        require_cpu(self)
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, device):
            return NotImplemented
        return (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> Any:
        return hash((self.type, self.index))

    def __reduce__(self) -> Any:
        return device, (self.type, self.index)


_DEVICES = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, "
    "mps, meta, hpu, mtia, privateuseone"
)


def _device_parts(text: Any) -> tuple[str, builtins.int | None]:
    """The kind and number of a device such as "cuda:1"."""
    if isinstance(text, builtins.int):
        raise RuntimeError("Cannot access accelerator device when none is available.")
    if not isinstance(text, str):
        name = text.__class__.__name__
        raise TypeError(f"device(): argument 'type' must be str, not {name}")
    kind, colon, number = text.partition(":")
    if kind not in _DEVICES.split(", "):
        raise RuntimeError(
            f"Expected one of {_DEVICES} device type at start of device string: {kind}"
        )
    if colon and not number.isdigit():
        raise RuntimeError(f"Invalid device string: '{text}'")
    return kind, builtins.int(number) if colon else None


def require_bools(function: str, **given: Any) -> None:
    """Refuse what is no truth, such as a dimension that was given in the place of an option."""
    for name, value in given.items():
        if not isinstance(value, builtins.bool):
            kind = value.__class__.__name__
            raise TypeError(f"{function}(): argument '{name}' must be bool, not {kind}")


_IN_CPP = {"float32": "float", "float64": "double", "float16": "c10::Half"}
_IN_CPP |= {"bfloat16": "c10::BFloat16", "int64": "long int", "int32": "int", "int16": "short int"}
_IN_CPP |= {"int8": "signed char", "uint8": "unsigned char"}


def name_in_cpp(dtype: dtype) -> str:
    """The name of a dtype as those messages of PyTorch have it that its C++ code writes.

    >>> name_in_cpp(int64)
    'long int'
    """
    name = str(dtype).removeprefix("torch.")
    return _IN_CPP.get(name, name)


def require_cpu(given: Any) -> None:
    """Raise for any device but the CPU; None is the CPU."""
    kind = "cpu" if given is None else device(given).type
    if kind == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if kind != "cpu":
        raise RuntimeError(f"wend runs on the CPU: there is no device '{kind}'")


def _checked_size(i: builtins.int, size: Any) -> builtins.int:
    if isinstance(size, builtins.int):
        return size
    try:
        return size.__index__()
    except (AttributeError, TypeError):
        name = size.__class__.__name__
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{name}')") from None


# No list of sizes in a file is longer: products of many large ones would take quadratic time.
MOST_SIZES = 1000


class Size(tuple):  # type: ignore[type-arg]
    """The sizes of a tensor's dimensions, a tuple.

    >>> wend.zeros(2, 3).shape.numel()
    6
    """

    __slots__ = ()

    def __new__(cls, sizes: Any = ()) -> Size:
        return tuple.__new__(cls, [_checked_size(i, size) for i, size in enumerate(sizes)])

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(repr(builtins.int(size)) for size in self)}])"

    def numel(self) -> Any:
        """The number of elements."""
        total = 1
        for size in self:
            total *= size
        return total

    def __getitem__(self, key: Any) -> Any:
        item = tuple.__getitem__(self, key)
        return Size(item) if isinstance(key, slice) else item

    def __add__(self, other: Any) -> Any:
        return Size(tuple.__add__(self, other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count: Any) -> Any:
        return Size(tuple.__mul__(self, count))

    __rmul__ = __mul__

    def __reduce__(self) -> Any:
        return Size, (tuple(self),)


DTYPES = (bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64)
FORMATS = (contiguous_format, preserve_format, channels_last, channels_last_3d)

for _each in DTYPES + FORMATS:
    _C._register(_each._name, _each)
_C._register("strided", strided)
_C._register("device", device)
_C._register("cpu", device("cpu"))
_C._register("require_cpu", require_cpu)
_C._register("Size", Size)
_C._register("dtype", dtype)
_C._register("complex64", complex64)
_C._register("refuse_dtype", refuse_dtype)


def _other_call(*call: Any) -> Any:
    from wend._other_calls import other_call

    return other_call(*call)


_C._register("other_call", _other_call)
