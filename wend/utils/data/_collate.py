"""Making one batch of many examples, and tensors of what stands for numbers."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import wend
from wend import Tensor

Table = dict[Any, Callable[..., Any]]


def _is_array(data: Any) -> bool:
    """Whether it is an array or number of NumPy, which need not be installed."""
    return type(data).__module__ == "numpy" and hasattr(data, "dtype")


def _is_text_array(data: Any) -> bool:
    return data.dtype.kind in "SUO"


def default_convert(data: Any) -> Any:
    """Return a nest with its arrays as tensors.

    >>> wend.utils.data.default_convert([1, "a"])
    [1, 'a']
    """
    if isinstance(data, Tensor):
        return data
    if _is_array(data):
        return data if _is_text_array(data) else wend.as_tensor(data)
    if isinstance(data, Mapping):
        return _like(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(member) for member in data))
    if isinstance(data, tuple):
        return [default_convert(member) for member in data]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _like_list(data, [default_convert(member) for member in data])
    return data


def _like(mapping: Any, items: dict[Any, Any]) -> Any:
    """A mapping of the same type with other values, or a dict."""
    with contextlib.suppress(TypeError):
        if isinstance(mapping, MutableMapping):
            made = copy.copy(mapping)
            made.update(items)
            return made
        return type(mapping)(items)
    return items


def _like_list(sequence: Any, members: list[Any]) -> Any:
    """A sequence of the same type with other members, or a list."""
    with contextlib.suppress(TypeError):
        if isinstance(sequence, MutableSequence):
            made = copy.copy(sequence)
            for i, member in enumerate(members):
                made[i] = member
            return made
        return type(sequence)(members)
    return members


def collate(batch: Any, *, collate_fn_map: Table | None = None) -> Any:
    """Return one batch of a list of examples, with functions by type of what is in them."""
    first = batch[0]
    for kind, function in (collate_fn_map or {}).items():
        if isinstance(first, kind):
            return function(batch, collate_fn_map=collate_fn_map)
    if _is_array(first):
        return _stacked_arrays(batch, collate_fn_map)
    if isinstance(first, Mapping):
        merged = {
            key: collate([example[key] for example in batch], collate_fn_map=collate_fn_map)
            for key in first
        }
        return _like(first, merged)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*_columns(batch, collate_fn_map))
    if isinstance(first, tuple):
        return _columns(batch, collate_fn_map)
    if isinstance(first, Sequence):
        return _like_list(first, _columns(batch, collate_fn_map))
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}"
    )


def _columns(batch: Any, table: Table | None) -> list[Any]:
    size = len(batch[0])
    if any(len(example) != size for example in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    return [collate(column, collate_fn_map=table) for column in zip(*batch, strict=True)]


def _stacked(batch: Any, *, collate_fn_map: Table | None = None) -> Tensor:
    return wend.stack(list(batch), 0)


def _stacked_arrays(batch: Any, table: Table | None) -> Tensor:
    if _is_text_array(batch[0]):
        raise TypeError(
            "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
            f"found {batch[0].dtype}"
        )
    return collate([wend.as_tensor(array) for array in batch], collate_fn_map=table)  # type: ignore[no-any-return]


def _floats(batch: Any, *, collate_fn_map: Table | None = None) -> Tensor:
    return wend.tensor(batch, dtype=wend.float64)


def _integers(batch: Any, *, collate_fn_map: Table | None = None) -> Tensor:
    return wend.tensor(batch)


def _texts(batch: Any, *, collate_fn_map: Table | None = None) -> Any:
    return batch


default_collate_fn_map: Table = {
    Tensor: _stacked,
    float: _floats,
    int: _integers,
    str: _texts,
    bytes: _texts,
}


def default_collate(batch: Any) -> Any:
    """Return one batch of a list of examples: tensors are stacked, numbers become tensors.

    >>> wend.utils.data.default_collate([(1, 0.5), (2, 1.5)])
    [tensor([1, 2]), tensor([0.5000, 1.5000], dtype=torch.float64)]
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
