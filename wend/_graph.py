"""The live graph as an object to look at: `wend.graph`, its nodes, a tree in text, Graphviz.

The extension module holds the nodes; looking at them computes nothing and keeps no value alive.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from wend import _C
from wend._types import Size, dtype

if TYPE_CHECKING:
    from wend._signature import Parameter


class Node:
    """One recorded operation: what it does, where it was written, and what has become of it."""

    __slots__ = ("_core", "_graph", "_index")

    def __init__(self, graph: Graph, index: int) -> None:
        self._graph = graph
        self._core = graph._core
        self._index = index

    @property
    def op(self) -> str:
        """The name of the op."""
        return self._core.op(self._index)

    @property
    def number(self) -> int:
        """The place in the order of recording, which is also a topological order."""
        return self._core.number(self._index)

    @property
    def shape(self) -> Size:
        """The sizes of the value."""
        return self._core.shape(self._index)

    @property
    def dtype(self) -> dtype:
        """The dtype of the value."""
        return self._core.dtype(self._index)

    @property
    def state(self) -> str:
        """Now "pending", "valued", "freed" (nobody can need the value any more) or "failed"."""
        return self._core.state(self._index)

    @property
    def error(self) -> str | None:
        """What computing the value raised."""
        return self._core.error(self._index)

    @property
    def requires_grad(self) -> bool:
        """Whether gradients go through this node."""
        return self._core.requires_grad(self._index)

    @property
    def is_leaf(self) -> bool:
        """Whether gradients end here, in a tensor's `.grad`."""
        return self._core.is_leaf(self._index)

    @property
    def is_view(self) -> bool:
        """Whether the value lies in the memory of the first input."""
        return self._core.is_view(self._index)

    @property
    def constant(self) -> str | None:
        """The number that was written in the program, if the node is one."""
        return self._core.constant(self._index)

    @property
    def file(self) -> str | None:
        """The file of the program that recorded the node."""
        place = self._core.place(self._index)
        return place[0] if place else None

    @property
    def line(self) -> int | None:
        """The line in that file."""
        place = self._core.place(self._index)
        return place[1] if place else None

    @property
    def function(self) -> str | None:
        """The function that the line is in."""
        place = self._core.place(self._index)
        return place[2] if place else None

    @property
    def attributes(self) -> dict[str, Any]:
        """The arguments that are not tensors, by name."""
        values = self._core.attributes(self._index)
        names = [p.name for p in _parameters(self) if not p.is_input]
        return _by_name(names, values)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that the value is computed from, and those that only gradients go to."""
        return tuple(Node(self._graph, i) for i in self._core.inputs(self._index))

    @property
    def gradient_only(self) -> tuple[bool, ...]:
        """For each input whether it is there for its gradient history alone."""
        return tuple(self._core.gradient_only(self._index))

    @property
    def users(self) -> tuple[Node, ...]:
        """The nodes of this graph that this one is an input of."""
        return tuple(Node(self._graph, i) for i in self._graph._users()[self._index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and other.number == self.number

    def __hash__(self) -> int:
        return hash(self.number)

    def __repr__(self) -> str:
        place = _place(self)
        return f"<{_title(self)}{' at ' + place if place else ''}>"


class Graph:
    """The nodes that some tensors come from, in order of recording.

    Nodes and edges are those of the moment when the graph was taken; the states are live.
    """

    def __init__(self, core: _C._Graph) -> None:
        self._core = core
        self._numbers: dict[int, int] | None = None
        self._users_of: list[list[int]] | None = None

    def __len__(self) -> int:
        return len(self._core)

    def __iter__(self) -> Iterator[Node]:
        return (Node(self, i) for i in range(len(self._core)))

    def __contains__(self, key: object) -> bool:
        return self._find(key) is not None

    def __getitem__(self, key: Any) -> Node:
        """Look up the node of a tensor, or the one with a number."""
        index = self._find(key)
        if index is None:
            raise KeyError("this graph has no such node")
        return Node(self, index)

    @property
    def roots(self) -> tuple[Node, ...]:
        """The nodes of the tensors that the graph was asked for."""
        return tuple(Node(self, i) for i in self._core.roots())

    def tree(self, lines: int = 100, depth: int = 24) -> str:
        """Draw the graph from its roots down to the data; shared nodes appear once."""
        return _Drawing(self, lines, depth).text()

    def to_dot(self) -> str:
        """Describe the graph in Graphviz's language."""
        out = ["digraph wend {", "  rankdir=BT;", '  node [shape=box, fontname="monospace"];']
        for node in self:
            if node.constant is not None:
                continue
            out.append(f"  n{node.number} [{_dot_style(node)}];")
            for source, only in zip(node.inputs, node.gradient_only, strict=True):
                if source.constant is None:
                    style = " [style=dashed]" if only else ""
                    out.append(f"  n{source.number} -> n{node.number}{style};")
        return "\n".join([*out, "}", ""])

    def __str__(self) -> str:
        return self.tree()

    def __repr__(self) -> str:
        return f"<wend.Graph of {len(self)} nodes>"

    def _find(self, key: object) -> int | None:
        if isinstance(key, Node):
            key = key.number
        if not isinstance(key, int):
            index = self._core.find(key)
            return index if index >= 0 else None
        if self._numbers is None:
            self._numbers = {self._core.number(i): i for i in range(len(self._core))}
        return self._numbers.get(key)

    def _users(self) -> list[list[int]]:
        if self._users_of is None:
            self._users_of = [[] for _ in range(len(self._core))]
            for i in range(len(self._core)):
                for source in self._core.inputs(i):
                    self._users_of[source].append(i)
        return self._users_of


def graph(*tensors: _C.Tensor) -> Graph:
    """Take the live graph that tensors come from, without computing anything.

    >>> x = wend.tensor([1.0, 2.0], requires_grad=True)
    >>> [node.op for node in wend.graph((x * 2).exp()) if not node.constant]
    ['data', 'leaf', 'mul', 'exp']
    """
    return Graph(_C._graph(*tensors))


class _Drawing:
    """A tree in text, depth first, without recursion: graphs may be a million nodes deep."""

    def __init__(self, graph: Graph, lines: int, depth: int) -> None:
        self.graph = graph
        self.limit = lines
        self.depth = depth
        self.rows: list[tuple[str, str]] = []
        self.seen: set[int] = set()

    def text(self) -> str:
        # Node, what stands before it, what stands before its children, and its depth.
        waiting = [(root, "", "", 0) for root in reversed(self.graph.roots)]
        while waiting:
            if len(self.rows) >= self.limit:
                break
            node, branch, indent, depth = waiting.pop()
            if not self._add(node, branch):
                continue
            children = _drawn_inputs(node)
            if children and depth >= self.depth:
                self.rows.append((f"{indent}└─ ...", ""))
                continue
            for i, child in reversed(list(enumerate(children))):
                last = i == len(children) - 1
                fork, stem = ("└─ ", "   ") if last else ("├─ ", "│  ")
                waiting.append((child, indent + fork, indent + stem, depth + 1))
        return self._aligned()

    def _add(self, node: Node, branch: str) -> bool:
        """Add the node's row; True if its inputs are to follow."""
        if node.number in self.seen:
            self.rows.append((f"{branch}{node.op} #{node.number}, see above", ""))
            return False
        self.seen.add(node.number)
        self.rows.append((branch + _title(node), _place(node)))
        return True

    def _aligned(self) -> str:
        width = max((len(left) for left, place in self.rows if place), default=0)
        out = [f"{left:{min(width, 72)}}  {place}".rstrip() for left, place in self.rows]
        rest = self._not_shown()
        if rest:
            out.append(f"... and {rest} more node{'s' if rest > 1 else ''}")
        return "\n".join(out)

    def _not_shown(self) -> int:
        core, shown = self.graph._core, set(self.seen)
        for i in range(len(core)):
            if core.constant(i) is not None:
                shown.add(core.number(i))
            elif core.is_leaf(i) and core.number(i) in self.seen:
                shown.update(core.number(source) for source in core.inputs(i))
        return len(core) - len(shown)


def _drawn_inputs(node: Node) -> list[Node]:
    # A leaf stands for its data, and a number is part of the call that it was written in.
    return [] if node.is_leaf else [source for source in node.inputs if source.constant is None]


def _title(node: Node) -> str:
    grad = ", requires grad" if node.requires_grad else ""
    return f"{_call(node)} #{node.number}: {_kind(node)}, {node.state}{grad}"


def _kind(node: Node) -> str:
    return f"{tuple(node.shape)} {_show(node.dtype)}"


def _call(node: Node) -> str:
    """The op with its arguments that are no nodes of their own, such as "mul(other=2.0)"."""
    if node.constant is not None:
        return node.constant
    names = [p.name for p in _parameters(node) if p.is_input]
    shown = {k: v.constant for k, v in _by_name(names, node.inputs).items() if v.constant}
    defaults = {p.name: p.default for p in _parameters(node)}
    for name, value in node.attributes.items():
        if value is not None and _show(value) != defaults.get(name):
            shown[name] = _show(value)
    return f"{node.op}({', '.join(f'{k}={v}' for k, v in shown.items())})" if shown else node.op


def _show(value: Any) -> str:
    return repr(value).removeprefix("torch.")


def _place(node: Node) -> str:
    if node.file is None:
        return ""
    here = os.getcwd() + os.sep
    return f"{node.file.removeprefix(here)}:{node.line} in {node.function}"


_COLORS = {"pending": "white", "valued": "palegreen", "freed": "lightgray", "failed": "salmon"}


def _dot_style(node: Node) -> str:
    lines = [line for line in (_call(node), _kind(node), _place(node)) if line]
    label = "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    bold = ", penwidth=2" if node.requires_grad else ""
    return f'label="{label}", style=filled, fillcolor={_COLORS[node.state]}{bold}'


def _parameters(node: Node) -> tuple[Parameter, ...]:
    from wend._signature import parse

    signature = node._core.signature(node._index)
    return parse(signature).parameters if signature else ()


def _by_name(names: list[str], values: Sequence[Any]) -> dict[str, Any]:
    # An op of no signature, or with a list of tensors, has its arguments numbered.
    if len(names) != len(values):
        names = [str(i) for i in range(len(values))]
    return dict(zip(names, values, strict=True))
