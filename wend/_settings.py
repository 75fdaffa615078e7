"""Switches of the whole program: default dtype, threads."""

from __future__ import annotations

from typing import Any

from wend import _C, _types


def set_default_dtype(d: _types.dtype) -> None:
    """Set the dtype that Python floats become; at the start it is `float32`.

    >>> wend.set_default_dtype(wend.float64)
    >>> wend.tensor(1.5).dtype
    torch.float64
    >>> wend.set_default_dtype(wend.float32)
    """
    if not isinstance(d, _types.dtype):
        raise TypeError(
            "invalid dtype object: only floating-point types are supported as the default type"
        )
    _C._set_default_dtype(d)


def set_default_tensor_type(t: Any) -> None:
    """Set the default dtype by a type such as `FloatTensor`, or its name."""
    from wend._legacy import dtype_of_type

    _C._set_default_dtype(dtype_of_type(t))


def set_default_device(device: Any) -> None:
    """Accept the CPU and raise for the rest."""
    _types.require_cpu(device)


def get_default_device() -> _types.device:
    """Return the CPU."""
    return _types.device("cpu")


def set_num_threads(count: int) -> None:
    """Set how many threads a kernel may use."""
    if not isinstance(count, int):
        name = count.__class__.__name__
        raise RuntimeError(f"set_num_threads expects an int, but got {name}")
    if count <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _C._set_num_threads(count)


def get_num_interop_threads() -> int:
    """Return 1: one op runs at a time, by as many threads as it is worth."""
    return 1


def set_num_interop_threads(count: int) -> None:
    """Accept any positive number: one op runs at a time."""
    if count <= 0:
        raise RuntimeError("set_num_interop_threads expects a positive integer")


_precision = "highest"


def set_float32_matmul_precision(precision: str) -> None:
    """Accept how exact products must at least be; wend's have all of float32's digits."""
    global _precision
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current value is used"
        )
    _precision = precision


def get_float32_matmul_precision() -> str:
    """Return what `set_float32_matmul_precision` was given."""
    return _precision


_deterministic = False


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Accept that results must be the same each time; with wend they are."""
    global _deterministic
    _deterministic = bool(mode)


def are_deterministic_algorithms_enabled() -> bool:
    """Return what `use_deterministic_algorithms` was given."""
    return _deterministic
