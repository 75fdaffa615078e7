"""Types such as `FloatTensor`, which PyTorch had before dtypes: constructors and names."""

from __future__ import annotations

from typing import Any

from wend import _C, _types
from wend._C import Tensor

_NAMES = {
    "FloatTensor": _types.float32,
    "DoubleTensor": _types.float64,
    "HalfTensor": _types.float16,
    "BFloat16Tensor": _types.bfloat16,
    "ByteTensor": _types.uint8,
    "CharTensor": _types.int8,
    "ShortTensor": _types.int16,
    "IntTensor": _types.int32,
    "LongTensor": _types.int64,
    "BoolTensor": _types.bool,
}


class _TensorType(type):
    """The type of `FloatTensor` and its like: calling it makes a tensor of that dtype."""

    dtype: _types.dtype

    def __call__(cls, *args: Any, device: Any = None) -> Tensor:
        if args and isinstance(args[0], Tensor) and args[0].dtype is not cls.dtype:
            raise TypeError(f"expected {cls.__name__} (got {args[0].type()})")
        _types.require_cpu(device)
        return _C._legacy_tensor(cls.dtype, args)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


def _make(name: str, dtype: _types.dtype) -> _TensorType:
    doc = f"Tensor(...) of dtype {dtype}."
    return _TensorType(name, (), {"dtype": dtype, "__module__": "torch", "__doc__": doc})


types = {name: _make(name, dtype) for name, dtype in _NAMES.items()}


def type_name(dtype: _types.dtype) -> str:
    """Return the name of the type that tensors of a dtype have.

    >>> type_name(wend.int64)
    'torch.LongTensor'
    """
    return next(f"torch.{name}" for name, each in _NAMES.items() if each is dtype)


def dtype_of_type(given: Any) -> _types.dtype:
    """Return the dtype that a dtype, a type such as `FloatTensor` or its name stands for."""
    if isinstance(given, _types.dtype):
        return given
    if isinstance(given, _TensorType):
        return given.dtype
    name = given.removeprefix("torch.") if isinstance(given, str) else ""
    if name.startswith("cuda."):
        raise AssertionError("Torch not compiled with CUDA enabled")
    if name not in _NAMES:
        raise ValueError(f"invalid type: '{given}'")
    return _NAMES[name]
