"""What programs say to PyTorch's compiler: marks and settings, which change nothing here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from wend._dynamo import eval_frame
from wend._dynamo.eval_frame import OptimizedModule
from wend.compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
    set_stance,
)

__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "disallow_in_graph",
    "eval_frame",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "maybe_mark_dynamic",
    "reset",
    "set_stance",
]

# Settings of PyTorch's compiler, as far as programs set some.
config = SimpleNamespace()

disallow_in_graph = forbid_in_graph = allow_in_graph


def graph_break(msg: str = "") -> None:
    """Do nothing: a program runs as written."""


def mark_dynamic(t: Any, index: Any, **bounds: Any) -> None:
    """Do nothing: every size may change."""


maybe_mark_dynamic = mark_static = mark_dynamic


def mark_static_address(t: Any, guard: bool = True) -> None:
    """Do nothing: no code was compiled for an address."""
