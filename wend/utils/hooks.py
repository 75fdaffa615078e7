"""Handles that remove hooks, and the hooks on whole modules built of hooks on graph nodes.

Which hooks there are is decided by whoever calls them: tensors, graph nodes, modules.
"""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import wend
from wend import _C

__all__ = ["BackwardHook", "RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]

F = TypeVar("F", bound=Callable[..., Any])


class RemovableHandle:
    """Removes a hook when asked to, or at the end of a `with` block.

    extra_dict: a dict, or a list of them, that lose the same key.

    >>> import wend
    >>> x = wend.ones(2, requires_grad=True)
    >>> with x.register_hook(lambda g: g * 10):
    ...     x.sum().backward()
    >>> x.grad
    tensor([10., 10.])
    """

    id: int
    next_id: int = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extra = [extra_dict] if isinstance(extra_dict, dict) else extra_dict or ()
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extra)

    def remove(self) -> None:
        """Remove the hook, if it is still there."""
        for ref in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = ref()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> tuple[Any, int, tuple[Any, ...]]:
        return self.hooks_dict_ref(), self.id, tuple(ref() for ref in self.extra_dict_ref)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        hooks, self.id, *rest = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple(weakref.ref(d) for d in (rest[0] if rest else None) or ())
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


_C._register("RemovableHandle", RemovableHandle)


def unserializable_hook(f: F) -> F:
    """Mark a hook as one that a saved tensor may silently lose."""
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f


def warn_if_has_hooks(tensor: wend.Tensor) -> None:
    """Warn of the hooks that a tensor loses when it is saved."""
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected,"
                " you can decorate the function with @torch.utils.hooks.unserializable_hook to"
                " suppress this warning",
                stacklevel=2,
            )


class BackwardHook:
    """Calls the hooks of a module when the gradients of its outputs and inputs are known.

    The tensors that go in and come out pass through a node each that does nothing else, so that
    one node has all gradients at once. Arguments that are no tensors are None for the hooks.
    """

    def __init__(self, module: Any, user_hooks: Sequence[Any], user_pre_hooks: Sequence[Any]):
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs: tuple[Any, ...] | None = None
        self.input_indices: list[int] | None = None
        self.output_indices: list[int] = []
        self.n_inputs = self.n_outputs = -1

    def setup_input_hook(self, args: tuple[Any, ...]) -> Any:
        """Return the arguments of the module, to be used in their place."""
        self.n_inputs = len(args)
        result, self.input_indices = _through_one_node(args, self._inputs_are_known)
        return result

    def setup_output_hook(self, args: Any) -> Any:
        """Return the results of the module, to be used in their place."""
        is_tuple = isinstance(args, tuple)
        outputs = args if is_tuple else (args,)
        self.n_outputs = len(outputs)
        result, indices = _through_one_node(outputs, None, self._outputs_are_known)
        self.output_indices = indices or []
        return result if is_tuple else result[0]

    def _outputs_are_known(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        self.grad_outputs = _spread(grads, self.output_indices, self.n_outputs)
        for hook in self.user_pre_hooks:
            answer = hook(self.module, self.grad_outputs)
            if answer is not None:
                self.grad_outputs = _as_many(answer, self.n_outputs, "Backward pre hook", "output")
        result = tuple(self.grad_outputs[i] for i in self.output_indices)
        if self.input_indices is None:
            self._call(_spread((), [], self.n_inputs))
        return result

    def _inputs_are_known(self, grads: tuple[Any, ...], _: Any) -> tuple[Any, ...] | None:
        if self.grad_outputs is None:  # the gradient came by another way than through the outputs
            return None
        indices = self.input_indices or []
        answer = self._call(_spread(grads, indices, self.n_inputs))
        return tuple(answer[i] for i in indices)

    def _call(self, grad_inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        for hook in self.user_hooks:
            answer = hook(self.module, grad_inputs, self.grad_outputs)
            if answer is None:
                continue
            if self.input_indices is None:
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always"
                    " return None or None for all gradients."
                )
            grad_inputs = _as_many(answer, self.n_inputs, "Backward hook", "input")
        self.grad_outputs = None
        return grad_inputs


def _as_many(answer: Any, n: int, who: str, what: str) -> tuple[Any, ...]:
    answers = answer if isinstance(answer, tuple) else (answer,)
    if len(answers) != n:
        raise RuntimeError(
            f"{who} returned an invalid number of grad_{what}, got {len(answers)}, but expected {n}"
        )
    return answers


def _spread(values: Sequence[Any], indices: Sequence[int], size: int) -> tuple[Any, ...]:
    places: list[Any] = [None] * size
    for index, value in zip(indices, values, strict=True):
        places[index] = value
    return tuple(places)


def _through_one_node(
    args: tuple[Any, ...], hook: Any = None, prehook: Any = None
) -> tuple[tuple[Any, ...], list[int] | None]:
    """Return the arguments, tensors among them as outputs of one node that has these hooks.

    Without a tensor that requires grad nothing happens, and there are no indices.
    """
    indices = [i for i, arg in enumerate(args) if isinstance(arg, wend.Tensor)]
    if not wend.is_grad_enabled() or not any(args[i].requires_grad for i in indices):
        return args, None
    from wend.autograd.function import Passage

    aliases = Passage.apply(*(args[i] for i in indices))
    node = next(alias.grad_fn for alias in aliases if alias.grad_fn is not None)
    if hook is not None:
        node.register_hook(hook)
    if prehook is not None:
        node.register_prehook(prehook)
    result = list(args)
    for index, alias in zip(indices, aliases, strict=True):
        result[index] = alias
    return tuple(result), indices
