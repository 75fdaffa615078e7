"""Nested containers as a flat list and back: dicts, lists, tuples and named tuples of anything."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

__all__ = [
    "SUPPORTED_NODES",
    "GetAttrKey",
    "LeafSpec",
    "MappingKey",
    "NodeDef",
    "SequenceKey",
    "TreeSpec",
    "register_pytree_node",
    "tree_all",
    "tree_any",
    "tree_flatten",
    "tree_is_leaf",
    "tree_leaves",
    "tree_map",
    "tree_map_only",
    "tree_unflatten",
]

PyTree: TypeAlias = Any
Context: TypeAlias = Any


@dataclass(frozen=True)
class TreeSpec:
    """What a nested container looks like: its type, keys where it has them, and its parts.

    A leaf has no type.
    """

    type: Any
    context: Any = None
    children: Sequence[TreeSpec] = ()

    def __repr__(self) -> str:
        if self.type is None:
            return "*"
        inside = ", ".join(map(repr, self.children))
        return f"TreeSpec({self.type.__name__}, {self.context}, [{inside}])"

    @property
    def num_leaves(self) -> int:
        """How many leaves there are."""
        return 1 if self.type is None else sum(each.num_leaves for each in self.children)


class LeafSpec(TreeSpec):
    """What a leaf looks like."""

    def __init__(self) -> None:
        super().__init__(None)


_LEAF = LeafSpec()


class NodeDef(NamedTuple):
    """How containers of a type are taken apart and put together."""

    flatten_fn: Callable[[Any], tuple[Any, Any]]
    unflatten_fn: Callable[[Any, Any], Any]


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[Any, Any]],
    unflatten_fn: Callable[[Any, Any], Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Any], Any] | None = None,
    from_dumpable_context: Callable[[Any], Any] | None = None,
    flatten_with_keys_fn: Callable[[Any], Any] | None = None,
) -> None:
    """Let a type be a container: `flatten_fn` gives its parts and what puts them back.

    The keyword arguments are for saving structures, which wend does not do.

    >>> from wend.utils import _pytree
    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> parts = lambda pair: ([pair.a, pair.b], None)
    >>> _pytree.register_pytree_node(Pair, parts, lambda parts, _: Pair(*parts))
    >>> _pytree.tree_map(abs, Pair(-1, -2)).b
    2
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(flatten_fn, unflatten_fn)


def _register_pytree_node(
    cls: type, flatten_fn: Callable[..., Any], unflatten_fn: Callable[..., Any], **options: Any
) -> None:
    SUPPORTED_NODES.setdefault(cls, NodeDef(flatten_fn, unflatten_fn))


@dataclass(frozen=True)
class MappingKey:
    """Where a part stands in a dict."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"


@dataclass(frozen=True)
class SequenceKey:
    """Where a part stands in a list or tuple."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"


@dataclass(frozen=True)
class GetAttrKey:
    """The attribute of an object that a part is."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


def _dict_flatten(d: dict[Any, Any]) -> tuple[list[Any], Any]:
    return list(d.values()), list(d)


def _dict_flatten_with_keys(d: dict[Any, Any]) -> tuple[list[tuple[MappingKey, Any]], Any]:
    return [(MappingKey(key), part) for key, part in d.items()], list(d)


def _dict_unflatten(values: Iterable[Any], context: Any) -> dict[Any, Any]:
    return dict(zip(context, values, strict=True))


def _ordered_dict_unflatten(values: Iterable[Any], context: Any) -> OrderedDict[Any, Any]:
    return OrderedDict(zip(context, values, strict=True))


def _defaultdict_flatten(d: defaultdict[Any, Any]) -> tuple[list[Any], Any]:
    return list(d.values()), (d.default_factory, list(d))


def _defaultdict_unflatten(values: Iterable[Any], context: Any) -> defaultdict[Any, Any]:
    return defaultdict(context[0], zip(context[1], values, strict=True))


SUPPORTED_NODES: dict[Any, NodeDef] = {
    dict: NodeDef(_dict_flatten, _dict_unflatten),
    OrderedDict: NodeDef(_dict_flatten, _ordered_dict_unflatten),
    defaultdict: NodeDef(_defaultdict_flatten, _defaultdict_unflatten),
    list: NodeDef(lambda tree: (tree, None), lambda parts, _: list(parts)),
    tuple: NodeDef(lambda tree: (list(tree), None), lambda parts, _: tuple(parts)),
    namedtuple: NodeDef(lambda tree: (list(tree), type(tree)), lambda parts, kind: kind(*parts)),
    deque: NodeDef(lambda tree: (list(tree), tree.maxlen), deque),
}


def _get_node_type(tree: Any) -> Any:
    """What a container is looked up by: its type, or `namedtuple` for all of those."""
    named = isinstance(tree, tuple) and hasattr(tree, "_fields")
    return namedtuple if named and type(tree) not in SUPPORTED_NODES else type(tree)


def tree_is_leaf(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Return whether something has no parts."""
    return (is_leaf is not None and is_leaf(tree)) or _get_node_type(tree) not in SUPPORTED_NODES


def tree_flatten(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[Any], TreeSpec]:
    """Return the leaves, and what `tree_unflatten` needs to put them back.

    >>> from wend.utils._pytree import tree_flatten
    >>> tree_flatten({"a": 1, "b": (2, 3)})[0]
    [1, 2, 3]
    """
    if tree_is_leaf(tree, is_leaf):
        return [tree], _LEAF
    kind = _get_node_type(tree)
    parts, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    leaves, specs = [], []
    for part in parts:
        some, spec = tree_flatten(part, is_leaf)
        leaves += some
        specs.append(spec)
    return leaves, TreeSpec(kind, context, tuple(specs))


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """Return the container with these leaves.

    >>> from wend.utils._pytree import tree_flatten, tree_unflatten
    >>> tree_unflatten([4, 5, 6], tree_flatten({"a": 1, "b": (2, 3)})[1])
    {'a': 4, 'b': (5, 6)}
    """
    given = list(leaves)
    if len(given) != treespec.num_leaves:
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(given)} but the spec "
            f"refers to a pytree that holds {treespec.num_leaves} items ({treespec})."
        )
    return _build(iter(given), treespec)


def _build(leaves: Any, spec: TreeSpec) -> Any:
    if spec.type is None:
        return next(leaves)
    parts = [_build(leaves, each) for each in spec.children]
    return SUPPORTED_NODES[spec.type].unflatten_fn(parts, spec.context)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """Return the leaves of a container."""
    return tree_flatten(tree, is_leaf)[0]


def tree_map(
    func: Callable[..., Any],
    tree: Any,
    *rests: Any,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """Return the container with a function of each leaf, and of those there in the others.

    >>> from wend.utils._pytree import tree_map
    >>> tree_map(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
    {'a': 11, 'b': [22]}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [tree_leaves(rest, is_leaf) for rest in rests]
    return tree_unflatten([func(*each) for each in zip(leaves, *others, strict=True)], spec)


def tree_map_only(
    type_or_types: Any,
    func: Callable[[Any], Any],
    tree: Any,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """Return the container with a function of those leaves that have a type.

    >>> from wend.utils._pytree import tree_map_only
    >>> tree_map_only(int, lambda x: x + 1, ["a", 1])
    ['a', 2]
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    return tree_unflatten(
        [func(leaf) if isinstance(leaf, type_or_types) else leaf for leaf in leaves], spec
    )


def tree_all(pred: Callable[[Any], bool], tree: Any) -> bool:
    """Return whether the predicate holds for every leaf."""
    return all(map(pred, tree_leaves(tree)))


def tree_any(pred: Callable[[Any], bool], tree: Any) -> bool:
    """Return whether the predicate holds for a leaf."""
    return any(map(pred, tree_leaves(tree)))
