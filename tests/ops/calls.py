"""Calls of wend's functions with tensors that are computed, and that nobody has looked at."""

import warnings
from collections.abc import Callable
from typing import Any

from ops.recipes import Call, make
from ops.samples import Entry, find, on_a_copy, tensors_in

import wend


def pending(t: Any) -> Any:
    """The same, computed, of which nobody knows the values yet."""
    return t ^ False if t.dtype == wend.bool else t * 1


def computed(function: Any, call: Call) -> list[Any]:
    with warnings.catch_warnings(action="ignore"):
        made = make(wend, call)
        args = [
            [pending(each) for each in arg] if isinstance(arg, list) and tensors_in(arg)
            else pending(arg) if isinstance(arg, wend.Tensor)
            else arg
            for arg in made.args
        ]  # fmt: skip
        kwargs = {
            name: pending(arg) if isinstance(arg, wend.Tensor) else arg
            for name, arg in made.kwargs.items()
        }
        return tensors_in(function(*args, **kwargs))


def function_of(entry: Entry) -> Callable[..., Any]:
    function = find(wend, entry.path)
    return on_a_copy(function) if entry.form == "in place" else function
