"""Writes tensors as text, byte for byte as PyTorch does, and holds the print options.
How values come about is left to `Tensor.tolist`; "Parameter containing:" to `nn.Parameter`."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from wend import Tensor


class _Options(NamedTuple):
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": _Options(),
    "short": _Options(precision=2, edgeitems=2),
    "full": _Options(threshold=math.inf),
}

_options = _Options()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors print; what is not given stays, except `sci_mode`, which returns to None.

    threshold: a tensor with more elements than this is summarised.
    edgeitems: how many items a summary shows at either end of each dimension.
    profile: "default", "short" or "full", a start that the other arguments then change.
    sci_mode: True or False to force or forbid scientific notation, None to choose by the values.

    >>> import wend
    >>> wend.set_printoptions(precision=2)
    >>> wend.tensor([3.14159])
    tensor([3.14])
    >>> wend.set_printoptions(profile="default")
    """
    global _options
    start = _options if profile is None else _PROFILES.get(profile, _options)
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    _options = start._replace(**changes, sci_mode=sci_mode)


def get_printoptions() -> dict[str, Any]:
    """Return the current print options by name.

    >>> get_printoptions()["linewidth"]
    80
    """
    return _options._asdict()


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Apply `set_printoptions(**options)` within a `with` block.

    >>> import wend
    >>> with printoptions(sci_mode=True):
    ...     print(wend.tensor([0.5]))
    tensor([5.0000e-01])
    """
    global _options
    saved = _options
    set_printoptions(**options)
    try:
        yield
    finally:
        _options = saved


def tensor_repr(t: Tensor, tensor_contents: str | None = None) -> str:
    """Return the text of `repr(t)`.

    tensor_contents: text to show in place of the values, which are then not computed.

    >>> import wend
    >>> tensor_repr(wend.tensor([[1, 2]], dtype=wend.int8))
    'tensor([[1, 2]], dtype=torch.int8)'
    """
    name = _constructor(t)
    indent = len(name) + 1
    contents = _contents(t, indent) if tensor_contents is None else tensor_contents
    text = _append_facts(f"{name}({contents}", _facts(t), indent) + ")"
    return f"Parameter({text})" if name != "tensor" and _is_parameter(t) else text


def tensor_format(t: Tensor, spec: str) -> str:
    """Return the text of `format(t, spec)`: a 0-d tensor formats as its number.

    >>> import wend
    >>> tensor_format(wend.tensor(2.5), ".3f")
    '2.500'
    """
    import wend

    if t.dim() == 0 and type(t) is wend.Tensor:
        return format(t.item(), spec)
    if spec:
        raise TypeError(f"unsupported format string passed to {type(t).__name__}.__format__")
    return str(t)


def _constructor(t: Tensor) -> str:
    from wend._C import Tensor

    plain = type(t) in (Tensor, *_parameter_types())
    return "tensor" if plain else type(t).__name__


def _is_parameter(t: Tensor) -> bool:
    return isinstance(t, _parameter_types())


def _parameter_types() -> tuple[type, ...]:
    """Parameter, if nn is loaded; as long as it is not there are none."""
    loaded = sys.modules.get("wend.nn.parameter")
    return () if loaded is None else (loaded.Parameter,)


def _contents(t: Tensor, indent: int) -> str:
    if t.numel() == 0:
        return "[]"
    summarised = t.numel() > _options.threshold
    if summarised and t.dim() > 0 and _options.edgeitems == 0:
        return "[...]"
    # Slicing must not leave gradient nodes behind.
    values = t.detach()
    shown = _corners(values, 0) if summarised else values.tolist()
    return _layout(shown, t.dim(), indent, _column_for(list(_flatten(shown))))


def _corners(t: Tensor, dim: int) -> Any:
    """Read what a summary shows as nested lists, with `...` where `dim` and later ones are cut."""
    if dim == t.dim():
        return t.tolist()
    edge = _options.edgeitems
    if t.shape[dim] <= 2 * edge:
        return _corners(t, dim + 1)
    outer = (slice(None),) * dim
    head = _corners(t[(*outer, slice(None, edge))], dim + 1)
    tail = _corners(t[(*outer, slice(-edge, None))], dim + 1)
    return _join_at(dim, head, tail)


def _join_at(depth: int, head: list[Any], tail: list[Any]) -> list[Any]:
    if depth == 0:
        return [*head, ..., *tail]
    return [_join_at(depth - 1, a, b) for a, b in zip(head, tail, strict=True)]


def _flatten(shown: Any) -> Iterator[Any]:
    if isinstance(shown, list):
        for item in shown:
            yield from _flatten(item)
    elif shown is not ...:
        yield shown


class _Column(NamedTuple):
    """How every number of one tensor is written."""

    spec: str
    width: int

    def cell(self, value: Any) -> str:
        return format(value, self.spec).rjust(self.width)


def _column_for(values: list[Any]) -> _Column:
    spec = ""
    if isinstance(values[0], float):
        # Zeros, infinities and nans neither choose the notation nor widen the column.
        values = [value for value in values if value != 0 and math.isfinite(value)]
        spec = _float_spec(values)
    return _Column(spec, max((len(format(value, spec)) for value in values), default=1))


def _float_spec(values: list[float]) -> str:
    whole_spec = "#.0f"
    if not values:
        return whole_spec
    whole = all(value.is_integer() for value in values)
    sci_mode = _options.sci_mode
    if sci_mode is None:
        low, high = min(map(abs, values)), max(map(abs, values))
        sci_mode = high / low > 1000 or high > 1e8 or low < 1e-4
    if sci_mode:
        return f".{_options.precision}e"
    return whole_spec if whole else f".{_options.precision}f"


def _layout(shown: Any, depth: int, indent: int, column: _Column) -> str:
    if depth == 0:
        return column.cell(shown)
    if depth == 1:
        return _layout_row(shown, indent, column)
    inner = indent + 1
    parts = ["..." if x is ... else _layout(x, depth - 1, inner, column) for x in shown]
    return "[" + ("," + "\n" * (depth - 1) + " " * inner).join(parts) + "]"


def _layout_row(row: list[Any], indent: int, column: _Column) -> str:
    cells = [" ..." if value is ... else column.cell(value) for value in row]
    per_line = max(1, int((_options.linewidth - indent) // (column.width + len(", "))))
    lines = [", ".join(cells[i : i + per_line]) for i in range(0, len(cells), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _facts(t: Tensor) -> list[str]:
    """List what follows the values: size, dtype and gradient, where the values do not tell it."""
    import wend

    facts = []
    empty = t.numel() == 0
    if (empty and t.dim() != 1) or (not empty and _options.edgeitems == 0):
        facts.append(f"size={tuple(t.shape)}")
    told_by_values = not empty and t.dtype in (wend.int64, wend.bool)
    if t.dtype != wend.get_default_dtype() and not told_by_values:
        facts.append(f"dtype={t.dtype}")
    return facts + _gradient_facts(t)


def _gradient_facts(t: Tensor) -> list[str]:
    try:
        grad_fn = t.grad_fn
    except RuntimeError:
        # A view whose base was since written in a way that leaves it without a gradient.
        return ["grad_fn=<Invalid>"]
    if grad_fn is not None:
        return [f"grad_fn=<{type(grad_fn).__name__}>"]
    return ["requires_grad=True"] if t.requires_grad else []


def _append_facts(text: str, facts: list[str], indent: int) -> str:
    # PyTorch leaves two more columns free behind the values than behind a fact on a new line.
    used = len(text) - (text.rfind("\n") + 1) + 2
    for fact in facts:
        added = len(", ") + len(fact)
        if used + added > _options.linewidth:
            text += ",\n" + " " * indent + fact
            used = indent + len(fact)
        else:
            text += ", " + fact
            used += added
    return text
