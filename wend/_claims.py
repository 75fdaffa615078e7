"""torch._check and its like: conditions that a program relies on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wend._C import Tensor

Message = Callable[[], Any] | None


def _check_with(error: type[Exception], cond: Any, message: Message = None) -> None:
    if isinstance(cond, Tensor):
        raise TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use "
            "torch._check_tensor_all() to assert that all elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        text = (
            "Expected cond to be True, but got False. (Could this error message be improved? If "
            "so, please report an enhancement request to PyTorch.)"
        )
    elif not callable(message):
        raise TypeError("message must be a callable")
    else:
        text = str(message())
    raise error(text)


def _check(cond: Any, message: Message = None) -> None:
    _check_with(RuntimeError, cond, message)


def _check_index(cond: Any, message: Message = None) -> None:
    _check_with(IndexError, cond, message)


def _check_value(cond: Any, message: Message = None) -> None:
    _check_with(ValueError, cond, message)


def _check_type(cond: Any, message: Message = None) -> None:
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: Message = None) -> None:
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i: Any, message: Message = None, *, max: Any = None) -> None:
    _check(bool(i >= 0), message)
    if max is not None:
        _check(bool(i <= max), message)


def _check_tensor_all(cond: Any, message: Message = None) -> None:
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    _check(bool(cond.all()), message)


def _assert(condition: Any, message: str) -> None:
    assert condition, message


def _assert_async(input: Tensor, assert_msg: str | None = None) -> None:
    """Raise a RuntimeError unless a tensor's one value is true."""
    if not input:
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")
