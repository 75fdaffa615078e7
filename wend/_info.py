"""The limits of dtypes, `finfo` for floats and `iinfo` for integers, and the names of types."""

from __future__ import annotations

from typing import Any

from wend import _C, _types

# Bits of the mantissa with the hidden one, and the largest exponent, by name of the float dtype.
_FLOATS = {"float16": (11, 15), "bfloat16": (8, 127), "float32": (24, 127), "float64": (53, 1023)}
_RESOLUTION = {"float16": 1e-3, "bfloat16": 1e-2, "float32": 1e-6, "float64": 1e-15}
# Smallest and largest value, the step at 1, and the smallest normal number, of floats of 8 bits.
_BYTES = {
    "float8_e4m3fn": (-448.0, 448.0, 2.0**-3, 2.0**-6),
    "float8_e4m3fnuz": (-240.0, 240.0, 2.0**-3, 2.0**-7),
    "float8_e5m2": (-57344.0, 57344.0, 2.0**-2, 2.0**-14),
    "float8_e5m2fnuz": (-57344.0, 57344.0, 2.0**-3, 2.0**-15),
    "float8_e8m0fnu": (2.0**-127, 2.0**127, 1.0, 2.0**-127),
}
_INTEGERS = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}


def _limits(type: _types.dtype) -> tuple[float, float, float, float]:
    """The smallest and largest value, the step at 1, and the smallest normal number."""
    name = type._name
    if name in _BYTES:
        return _BYTES[name]
    if name not in _FLOATS:
        raise NotImplementedError(f"torch.finfo() is not defined for {type}")
    digits, exponent = _FLOATS[name]
    eps = 2.0 ** (1 - digits)
    largest = (2.0 - eps) * 2.0**exponent
    return -largest, largest, eps, 2.0 ** (1 - exponent)


class _Info:
    """What both kinds of limits have in common."""

    bits: int
    dtype: str

    def __init__(self, type: _types.dtype) -> None:
        self.bits = type.itemsize * 8
        self.dtype = type._name

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(self.dtype)


class finfo(_Info):  # noqa: N801
    """The limits of a float dtype, the default one unless it is given.

    >>> wend.finfo(wend.float32).eps
    1.1920928955078125e-07
    """

    def __init__(self, type: Any = None) -> None:
        type = _C.get_default_dtype() if type is None else type
        if not isinstance(type, _types.dtype):
            raise TypeError(f"finfo(): argument 'type' must be torch.dtype, not {_name(type)}")
        type = type.to_real()
        if not type.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. "
                "Use torch.iinfo to handle 'torch.finfo'"
            )
        super().__init__(type)
        self.min, self.max, self.eps, self.smallest_normal = _limits(type)
        self.tiny = self.smallest_normal
        self.resolution = _RESOLUTION.get(type._name, 1.0)

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        values = ", ".join(f"{name}={getattr(self, name):g}" for name in names)
        return f"finfo({values}, dtype={self.dtype})"


class iinfo(_Info):  # noqa: N801
    """The limits of an integer dtype.

    >>> wend.iinfo(wend.int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    def __init__(self, type: Any) -> None:
        if not isinstance(type, _types.dtype):
            raise TypeError(f"iinfo(): argument 'type' must be torch.dtype, not {_name(type)}")
        if type is _types.bool:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if type.is_floating_point or type.is_complex or type._name not in _INTEGERS:
            raise TypeError(
                "torch.iinfo() requires an integer input type. "
                "Use torch.finfo to handle 'torch.iinfo'"
            )
        super().__init__(type)
        magnitude = self.bits - 1 if type.is_signed else self.bits
        self.max = 2**magnitude - 1
        self.min = -(2**magnitude) if type.is_signed else 0

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def _name(obj: object) -> str:
    return obj.__class__.__name__


def typename(obj: Any) -> str:
    """The name of a tensor's type, of a class, or of the class of any other object.

    >>> wend.typename(wend.ones(2))
    'torch.FloatTensor'
    """
    if isinstance(obj, _C.Tensor):
        name: str = obj.type()
        return name
    named = obj if hasattr(obj, "__qualname__") else obj.__class__
    module = getattr(named, "__module__", None)
    within = "" if module in (None, "", "builtins") else f"{module}."
    return f"{within}{named.__qualname__}"


def compiled_with_cxx11_abi() -> bool:
    """Return True: wend is built with the strings of C++11."""
    return True


def get_file_path(*path_components: str) -> str:
    """Return the path of a file of the package."""
    from pathlib import Path

    return str(Path(__file__).parent.joinpath(*path_components))


def get_device_module(device: Any = None) -> Any:
    """Return the module of a device, `wend.cpu` unless another is named.

    >>> wend.get_device_module("cpu").__name__
    'wend.cpu'
    """
    import wend

    name = "cpu" if device is None else _types.device(device).type
    module = getattr(wend, name, None)
    if module is None:
        raise RuntimeError(f"Invalid device: {device}, no module named torch.{name} is registered")
    return module
