"""What programs ask about PyTorch's tracer: nothing is ever traced, programs run as written."""

from __future__ import annotations

from typing import TypeVar

from wend._absent import absent_names

__all__ = ["has_side_effect", "wrap"]

T = TypeVar("T")


def wrap(fn_or_name: T) -> T:
    """Return the function, or its name: a tracer would leave it alone."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("wrap takes a function, or the name of one")
    return fn_or_name


def has_side_effect(fn: T) -> T:
    """Return the function: a tracer would not leave it out."""
    return fn


globals().update(
    absent_names(
        "torch.fx",
        "CodeGen Graph GraphModule Interpreter Node Proxy ProxyableClassMeta Tracer Transformer"
        " map_arg replace_pattern subgraph_rewriter symbolic_trace",
        "a program runs as written; leave the tracing out",
    )
)
