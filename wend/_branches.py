"""A choice and a loop as functions: the program runs as written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wend._C import Tensor
from wend.utils._pytree import tree_flatten

__all__ = ["cond", "while_loop"]


def _holds(value: Any) -> bool:
    if not isinstance(value, (bool, Tensor)):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {value}.")
    if isinstance(value, Tensor) and value.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {value}.")
    return bool(value)


def cond(
    pred: bool | Tensor,
    true_fn: Callable[..., Any],
    false_fn: Callable[..., Any],
    operands: tuple[Any, ...] | list[Any] = (),
) -> Any:
    """Return `true_fn(*operands)` if pred holds, or else `false_fn(*operands)`.

    >>> x = wend.tensor([1.0, 2.0])
    >>> wend.cond(x.sum() > 2, wend.sin, wend.cos, (x,))
    tensor([0.8415, 0.9093])
    """
    chosen = _holds(pred)
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, (tuple, list)) or any(
        not isinstance(each, (Tensor, bool, int, float)) for each in tree_flatten(operands)[0]
    ):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only "
            f"consists of tensor leaves, but got {operands}."
        )
    return (true_fn if chosen else false_fn)(*operands)


def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any
) -> tuple[Any, ...]:
    """Call `body_fn` on what it returned before as long as `cond_fn` of it holds; return the last.

    >>> wend.while_loop(lambda x: x.sum() < 10, lambda x: (x * 2,), (wend.ones(2),))
    (tensor([8., 8.]),)
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    carried = tuple(carried_inputs)
    count = len(carried)
    while _holds(cond_fn(*carried)):
        made = body_fn(*carried)
        carried = tuple(made) if isinstance(made, (tuple, list)) else (made,)
        if len(carried) != count:
            raise RuntimeError(
                f"body_fn should return the same number of values as its inputs: {count}, "
                f"but it returned {len(carried)}"
            )
    return carried
