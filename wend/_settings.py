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
    """Set how many threads a kernel may use, at most 1024."""
    if not isinstance(count, int):
        name = count.__class__.__name__
        raise RuntimeError(f"set_num_threads expects an int, but got {name}")
    if not -(2**31) <= count < 2**31:
        raise ValueError("Overflow when unpacking long")
    if count <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _C._set_num_threads(count)


def get_num_interop_threads() -> int:
    """Return 1: one op runs at a time, by as many threads as it is worth."""
    return 1


def set_num_interop_threads(count: int) -> None:
    """Accept any positive number: one op runs at a time."""
    if not -(2**31) <= count < 2**31:
        raise ValueError("Overflow when unpacking long")
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


_deterministic = _deterministic_warns = False


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Keep the wish: wend gives the same numbers every time whatever is set."""
    global _deterministic, _deterministic_warns
    _deterministic, _deterministic_warns = bool(mode), bool(mode) and bool(warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Return what `use_deterministic_algorithms` was given."""
    return _deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return what `use_deterministic_algorithms` was given as `warn_only`."""
    return _deterministic_warns


def get_deterministic_debug_mode() -> int:
    """Return 0, 1 or 2: nothing was wished, a warning, or an error."""
    return 0 if not _deterministic else 1 if _deterministic_warns else 2


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Keep the wish: "default", "warn" or "error", or 0, 1, 2."""
    modes = ("default", "warn", "error")
    if debug_mode in modes:
        debug_mode = modes.index(str(debug_mode))
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(
            "invalid value of debug_mode, expected 0, 1, 2 or `default`, `warn`, `error`, "
            f"but got {debug_mode}"
        )
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


_warn_always = False


def set_warn_always(b: bool) -> None:
    """Keep the wish: wend's warnings come as often as Python's filters let them."""
    global _warn_always
    _warn_always = bool(b)


def is_warn_always_enabled() -> bool:
    """Return what `set_warn_always` was given."""
    return _warn_always
