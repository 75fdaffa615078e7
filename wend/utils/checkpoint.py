"""Checkpoints: compute parts of a model anew in backward instead of keeping their values."""

from __future__ import annotations

import contextlib
import enum
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import wend
from wend import Tensor
from wend.random import get_rng_state, set_rng_state

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]

Contexts = tuple[contextlib.AbstractContextManager[Any], contextlib.AbstractContextManager[Any]]


def noop_context_fn() -> Contexts:
    """Return two contexts that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """Return states of the generators of the arguments' GPUs: there is none."""
    return [], []


def set_device_states(
    devices: Iterable[int], states: Iterable[Tensor], *, device_type: str | None = None
) -> None:
    """Do nothing: there is no GPU whose generator had a state."""


class _Call:
    """A call that can be repeated with the same random numbers."""

    def __init__(
        self, function: Callable[..., Any], kwargs: dict[str, Any], keep: bool, contexts: Contexts
    ) -> None:
        self.function, self.kwargs, self.contexts = function, kwargs, contexts
        self.state = get_rng_state() if keep else None

    def again(self, args: Sequence[Any]) -> Any:
        """Repeat the call with history."""
        before = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with wend.enable_grad(), self.contexts[1]:
                return self.function(*args, **self.kwargs)
        finally:
            if self.state is not None:
                set_rng_state(before)


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Return `function(*args)`, whose inner values are not kept but computed anew in backward.

    preserve_rng_state: draw the same random numbers the second time.
    context_fn: two contexts, for the first and the second call.
    use_reentrant: accepted; what is saved by the function is dropped either way.

    >>> x = wend.ones(2, requires_grad=True)
    >>> wend.utils.checkpoint.checkpoint(lambda x: (x * 3).sin().sum(), x).backward()
    >>> x.grad
    tensor([-2.9700, -2.9700])
    """
    if determinism_check not in ("default", "none"):
        raise ValueError(
            "determinism_check should be one of ['default', 'none'], got " + determinism_check
        )
    if debug:
        raise NotImplementedError("wend's checkpoint has no debug mode")
    if use_reentrant and (kwargs or context_fn is not noop_context_fn):
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        raise ValueError(
            "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
        )
    call = _Call(function, kwargs, preserve_rng_state, context_fn())
    if not wend.is_grad_enabled():
        with call.contexts[0]:
            return function(*args, **kwargs)
    return _Saved(call, args).run()


class _Saved:
    """A call whose saved values are dropped, and found again by repeating it."""

    def __init__(self, call: _Call, args: tuple[Any, ...]) -> None:
        self.call, self.args = call, args
        self.count = 0
        self.values: list[Any] | None = None

    def run(self) -> Any:
        """Make the call for the first time."""
        hooks = wend.autograd.graph.saved_tensors_hooks(self._number, self._value)
        with hooks, self.call.contexts[0]:
            return self.call.function(*self.args, **self.call.kwargs)

    def _number(self, value: Tensor) -> int:
        self.count += 1
        return self.count - 1

    def _value(self, number: int) -> Any:
        if self.values is None:
            self.values = self._repeated()
        if len(self.values) != self.count:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\n"
                f"Number of tensors saved during forward: {self.count}\n"
                f"Number of tensors saved during recomputation: {len(self.values)}."
            )
        return self.values[number]

    def _repeated(self) -> list[Any]:
        """The values that the call saves when it is made again."""
        values: list[Any] = []

        def keep(value: Tensor) -> Tensor:
            values.append(value.detach())
            return value

        with wend.autograd.graph.saved_tensors_hooks(keep, lambda value: value):
            self.call.again(self.args)
        return values


class CheckpointError(RuntimeError):
    """The second call of a checkpointed function was not like the first."""


def checkpoint_sequential(
    functions: Iterable[Callable[[Any], Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
) -> Any:
    """Return the functions applied one after the other, in segments that are checkpointed.

    >>> x = wend.ones(2, requires_grad=True)
    >>> steps = [wend.sin, wend.cos, wend.exp]
    >>> wend.utils.checkpoint.checkpoint_sequential(steps, 2, x).sum().backward()
    >>> x.grad
    tensor([-0.7844, -0.7844])
    """
    steps = list(functions.children() if hasattr(functions, "children") else functions)
    if segments < 1:
        raise ValueError(f"checkpoint_sequential needs at least one segment, got {segments}")
    size = len(steps) // segments

    def segment(begin: int, end: int) -> Callable[[Any], Any]:
        def run(value: Any) -> Any:
            for step in steps[begin:end]:
                value = step(value)
            return value

        return run

    last = size * (segments - 1)
    for begin in range(0, last, size or 1):
        input = checkpoint(
            segment(begin, begin + size),
            input,
            use_reentrant=use_reentrant,
            preserve_rng_state=preserve_rng_state,
        )
    return segment(last, len(steps))(input)


class CheckpointPolicy(enum.Enum):
    """What becomes of an op's result; wend computes all anew, whatever is preferred."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable[..., Any] | list[Any], allow_cache_entry_mutation: bool = False
) -> Contexts:
    """Return two contexts for `checkpoint`: all is computed anew, with the same results.

    >>> contexts = wend.utils.checkpoint.create_selective_checkpoint_contexts([wend.ops.aten.mm])
    >>> len(contexts)
    2
    """
    if not isinstance(policy_fn_or_list, list) and not callable(policy_fn_or_list):
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    return noop_context_fn()


class CheckpointFunction:
    """`checkpoint` as a function of autograd, which older programs apply themselves."""

    @staticmethod
    def apply(run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        """Return `run_function(*args)`, whose inner values are computed anew in backward.

        >>> x = wend.ones(2, requires_grad=True)
        >>> wend.utils.checkpoint.CheckpointFunction.apply(wend.exp, True, x).sum().backward()
        >>> x.grad
        tensor([2.7183, 2.7183])
        """
        return checkpoint(
            run_function, *args, use_reentrant=True, preserve_rng_state=preserve_rng_state
        )


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the tensors of a tuple without history, to be differentiated by.

    >>> x = wend.ones(1, requires_grad=True) * 2
    >>> wend.utils.checkpoint.detach_variable((x, 3))
    (tensor([2.], requires_grad=True), 3)
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            "Only tuple of tensors is supported. Got Unsupported input type: "
            f"{type(inputs).__name__}"
        )
    return tuple(
        each.detach().requires_grad_(each.requires_grad) if isinstance(each, Tensor) else each
        for each in inputs
    )


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn if no input requires a gradient."""
    if not any(each.requires_grad for each in inputs if isinstance(each, Tensor)):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2
        )


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Do nothing within a block: what is not needed of a repeated call is not computed anyway."""
    yield


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Accept that there is no debug mode within a block, and raise for the rest."""
    if enabled:
        raise NotImplementedError("wend's checkpoint has no debug mode")
    yield
