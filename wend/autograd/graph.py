"""The graph of gradients: its nodes and edges, and hooks on what its nodes save.

Hooks on single tensors and nodes are their methods; the graph itself is the engine's.
"""

from __future__ import annotations

import functools
from _thread import _local
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import wend
from wend import _C
from wend._C import Node
from wend.utils.hooks import RemovableHandle

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor is computed: output `output_nr` of a node.

    ownership_token: keeps the graph alive where the node does not.
    """

    node: Any
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: wend.Tensor) -> GradientEdge:
    """Return the edge of a tensor, which stands for it in `autograd.grad` and `backward`.

    >>> import wend
    >>> x = wend.tensor(2.0, requires_grad=True)
    >>> y = x * x
    >>> edge = wend.autograd.graph.get_gradient_edge(y)
    >>> wend.autograd.grad(y * 3, edge)
    (tensor(3.),)
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require"
            " gradients"
        )
    return GradientEdge(*_C._gradient_edge(tensor))


def increment_version(tensor: wend.Tensor | Iterable[wend.Tensor]) -> None:
    """Count a write to the tensor, or to each of several, that wend did not see."""
    for each in (tensor,) if isinstance(tensor, wend.Tensor) else tensor:
        _C._increment_version(each)


_disabled = _local()


class saved_tensors_hooks:  # noqa: N801
    """Within the block, what ops save for backward goes through `pack_hook` and comes back by
    `unpack_hook`.

    >>> import wend
    >>> x = wend.tensor(3.0, requires_grad=True)
    >>> with wend.autograd.graph.saved_tensors_hooks(lambda t: t.item(), wend.tensor):
    ...     y = x * x
    >>> y.backward()
    >>> x.grad
    tensor(6.)
    """

    def __init__(
        self,
        pack_hook: Callable[[wend.Tensor], Any],
        unpack_hook: Callable[[Any], wend.Tensor],
    ) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        message = getattr(_disabled, "message", None)
        if message is not None:
            raise RuntimeError(message)
        _C._push_saved_tensors_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exception: object) -> None:
        _C._pop_saved_tensors_hooks()


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Keeps what is saved for backward on the CPU, where wend's tensors are anyway.

    >>> import wend
    >>> x = wend.tensor(3.0, requires_grad=True)
    >>> with wend.autograd.graph.save_on_cpu():
    ...     y = x * x
    >>> y.backward()
    >>> x.grad
    tensor(6.)
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        if pin_memory:
            raise RuntimeError("wend runs on the CPU: there is no memory to pin for a device")
        super().__init__(lambda tensor: tensor, lambda tensor: tensor)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Refuse `saved_tensors_hooks` within the block, with this message."""
    before = getattr(_disabled, "message", None)
    _disabled.message = error_message
    try:
        yield
    finally:
        _disabled.message = before


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[None]:
    """Allow writes to tensors that were saved for backward, as wend does everywhere."""
    yield


class _MultiHandle(RemovableHandle):
    """Removes several hooks at once."""

    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __getstate__(self) -> Any:
        return self.handles

    def __setstate__(self, state: Any) -> None:
        self.handles = state


def register_multi_grad_hook(
    tensors: Sequence[wend.Tensor],
    fn: Callable[..., None],
    *,
    mode: Literal["all", "any"] = "all",
) -> RemovableHandle:
    """Call `fn` once in a backward: with all gradients, None for tensors that have none in it, or
    with the first.

    >>> import wend
    >>> x, y = (wend.tensor(v, requires_grad=True) for v in (2.0, 3.0))
    >>> handle = wend.autograd.graph.register_multi_grad_hook((x, y), print)
    >>> (x * y).backward()
    [tensor(3.), tensor(2.)]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    hooks = _hooks_for_all(tuple(tensors), fn) if mode == "all" else _hooks_for_any(tensors, fn)
    return _MultiHandle(
        tuple(t.register_hook(hook) for t, hook in zip(tensors, hooks, strict=True))
    )


class _Arrivals:
    """The gradients that came in one walk, and how many are still to come."""

    def __init__(self, tensors: tuple[wend.Tensor, ...]) -> None:
        self.grads: list[wend.Tensor | None] = [None] * len(tensors)
        self.missing = sum(_C._yet_to_come(tensors))


def _hooks_for_all(
    tensors: tuple[wend.Tensor, ...], fn: Callable[..., None]
) -> Iterator[Callable[[wend.Tensor], None]]:
    walks: dict[int, _Arrivals] = {}

    def arrived(index: int, grad: wend.Tensor) -> None:
        walk = _C._current_walk()
        arrivals = walks.get(walk) or walks.setdefault(walk, _Arrivals(tensors))
        arrivals.grads[index] = grad
        arrivals.missing -= 1
        if arrivals.missing == 0:
            fn(walks.pop(walk).grads)

    for index in range(len(tensors)):
        yield functools.partial(arrived, index)


def _hooks_for_any(
    tensors: Sequence[wend.Tensor], fn: Callable[..., None]
) -> Iterator[Callable[[wend.Tensor], None]]:
    last = 0

    def arrived(grad: wend.Tensor) -> None:
        nonlocal last
        walk = _C._current_walk()
        if walk == last:
            return
        last = walk
        fn(grad)

    for _ in tensors:
        yield arrived
