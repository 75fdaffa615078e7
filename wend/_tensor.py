"""Tensor methods that are written in Python, attached to the extension's Tensor.

What an op can say in the op table is not here; attributes of the object are bind/attributes.
"""

from __future__ import annotations

from typing import Any

from wend import _C
from wend._C import Tensor


def _method(f: Any) -> Any:
    """Attach a function to Tensor under its own name."""
    _C._add_method(f.__name__, f)
    return f


@_method
def __repr__(self: Tensor, *, tensor_contents: Any = None) -> str:  # noqa: N807
    from wend._printing import tensor_repr

    return tensor_repr(self, tensor_contents)


@_method
def __format__(self: Tensor, spec: str) -> str:  # noqa: N807
    from wend._printing import tensor_format

    return tensor_format(self, spec)
