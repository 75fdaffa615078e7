"""PyTorch's private names for how tensors are written as text."""

from __future__ import annotations

from typing import Any

from wend import Tensor, _printing


class _PrintOptions:
    """The print options, as they are when they are looked at."""

    def __getattr__(self, name: str) -> Any:
        return getattr(_printing._options, name)


PRINT_OPTS = _PrintOptions()
set_printoptions = _printing.set_printoptions


def _tensor_str(self: Tensor, indent: int) -> str:
    """The elements, as they stand within `tensor(...)`."""
    return _printing._contents(self, indent)


def _str_intern(inp: Tensor, *, tensor_contents: str | None = None) -> str:
    """The whole of what is printed."""
    return _printing.tensor_repr(inp, tensor_contents)


def _add_suffixes(
    tensor_str: str, suffixes: list[str], indent: int, force_newline: bool = False
) -> str:
    """Text with facts such as the dtype after it, and the bracket that ends it."""
    if not force_newline:
        return _printing._append_facts(tensor_str, suffixes, indent)
    return f"{tensor_str},\n{' ' * indent}" + ", ".join(suffixes) + ")"
