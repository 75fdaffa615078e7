"""The signature of an op as data, read from its text in the op table.

Calls are parsed by the extension module; this is for what is derived from the table: stubs, tests
and the names of attributes in the graph.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Parameter(NamedTuple):
    """One parameter: "int[1]? dim=None" has type "int[1]", is optional, and defaults to "None"."""

    type: str
    name: str
    default: str | None
    optional: bool
    keyword_only: bool

    @property
    def is_tensor(self) -> bool:
        """Whether a tensor may be given."""
        return self.type in ("Tensor", "Operand", "Tensor[]")

    @property
    def is_input(self) -> bool:
        """Whether the argument becomes an input of the node; the others are attributes."""
        return self.is_tensor or self.type == "Scalar"


class Signature(NamedTuple):
    """The parameters in order, and what the call returns, such as "Tensor" or "Tensor[]"."""

    parameters: tuple[Parameter, ...]
    returns: str

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the results, where they have names."""
        if not self.returns.startswith("("):
            return ()
        return tuple(item.split()[1] for item in self.returns[1:-1].split(","))


def parse(text: str) -> Signature:
    """Read a signature.

    >>> from wend._signature import parse
    >>> [p.name for p in parse("(Tensor input, int dim=0) -> Tensor").parameters]
    ['input', 'dim']
    """
    inner, _, returns = text[1:].rpartition(") -> ")
    parameters = []
    keyword_only = False
    for part in re.split(r",\s*(?![^\[(]*[\])])", inner):
        if part == "*":
            keyword_only = True
        elif part:
            parameters.append(_parameter(part, keyword_only))
    return Signature(tuple(parameters), returns)


def _parameter(text: str, keyword_only: bool) -> Parameter:
    declared, equals, default = text.partition("=")
    type, name = declared.strip().rsplit(" ", 1)
    given = default.strip() if equals else None
    return Parameter(type.removesuffix("?"), name, given, type.endswith("?"), keyword_only)
