"""Hooks on modules: registering them, on one module or on all, and calling a module that has some.

What a backward hook attaches to the graph is utils.hooks; a module without hooks never comes here.
"""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from wend._C import Tensor
from wend._watch import in_module
from wend.utils.hooks import BackwardHook, RemovableHandle

__all__ = [
    "HookMethods",
    "WrappedHook",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

Hook = Callable[..., Any]
Hooks = OrderedDict[int, Any]

# Dicts of hooks that a module gets when it is first asked for them; the former concern its calls.
CALL_HOOKS = {
    "_backward_hooks",
    "_backward_pre_hooks",
    "_forward_hooks",
    "_forward_hooks_always_called",
    "_forward_hooks_with_kwargs",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
}
STATE_HOOKS = {
    "_load_state_dict_post_hooks",
    "_load_state_dict_pre_hooks",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
}

_global_buffer_registration_hooks: Hooks = OrderedDict()
_global_module_registration_hooks: Hooks = OrderedDict()
_global_parameter_registration_hooks: Hooks = OrderedDict()
_global_backward_pre_hooks: Hooks = OrderedDict()
_global_backward_hooks: Hooks = OrderedDict()
_global_forward_pre_hooks: Hooks = OrderedDict()
_global_forward_hooks: Hooks = OrderedDict()
_global_forward_hooks_always_called: Hooks = OrderedDict()
_global_forward_hooks_with_kwargs: Hooks = OrderedDict()
_global_is_full_backward_hook: bool | None = None

# The ids of all global hooks that a call has to look at, and one more while somebody watches;
# empty: calls take the short way.
EVERYWHERE: Hooks = OrderedDict()

_BOTH_KINDS = (
    "Cannot use both regular backward hooks and full backward hooks {}. "
    "Please use only one of them."
)


class WrappedHook:
    """A hook that is called with its module, which it does not keep alive, in front."""

    def __init__(self, hook: Hook, module: Any = None) -> None:
        self.hook = hook
        self.with_module = module is not None
        self.module = weakref.ref(module) if module is not None else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.module is None:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        module = None if self.module is None else self.module()
        return {"hook": self.hook, "with_module": self.with_module, "module": module}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module and state["module"] is None:
            raise RuntimeError("You are trying to revive the hook of a dead Module!")
        self.module = weakref.ref(state["module"]) if self.with_module else None


def _add(hooks: Hooks, hook: Any, *also: Hooks, prepend: bool = False) -> RemovableHandle:
    """Add a hook to a dict; its id goes into the `also` too, and out of all together."""
    handle = RemovableHandle(hooks, extra_dict=list(also))
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    for extra in also:
        extra[handle.id] = True
    return handle


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call hook(module, name, buffer) for every buffer that is registered; it may replace it."""
    return _add(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call hook(module, name, submodule) for every submodule that is registered."""
    return _add(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call hook(module, name, parameter) for every parameter that is registered."""
    return _add(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call hook(module, args) before every call of any module."""
    return _add(_global_forward_pre_hooks, hook, EVERYWHERE)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call hook(module, args, output) after every call of any module."""
    also = [EVERYWHERE]
    if with_kwargs:
        also.append(_global_forward_hooks_with_kwargs)
    if always_call:
        also.append(_global_forward_hooks_always_called)
    return _add(_global_forward_hooks, hook, *also)


def _register_global_backward_hook(hook: Hook, full: bool) -> RemovableHandle:
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is (not full):
        raise RuntimeError(_BOTH_KINDS.format("as a global Module hook"))
    _global_is_full_backward_hook = full
    return _add(_global_backward_hooks, hook, EVERYWHERE)


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """Call hook(module, grad_input, grad_output) for the last node of any module's result."""
    return _register_global_backward_hook(hook, full=False)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call hook(module, grad_output) when the gradients of any module's outputs are known."""
    return _add(_global_backward_pre_hooks, hook, EVERYWHERE)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call hook(module, grad_input, grad_output) when both are known, for any module."""
    return _register_global_backward_hook(hook, full=True)


class HookMethods:
    """What a Module has for hooks on its calls."""

    _backward_hooks: Hooks
    _backward_pre_hooks: Hooks
    _forward_hooks: Hooks
    _forward_hooks_always_called: Hooks
    _forward_hooks_with_kwargs: Hooks
    _forward_pre_hooks: Hooks
    _forward_pre_hooks_with_kwargs: Hooks
    _is_full_backward_hook: bool | None = None

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call hook(module, args) before each call; it may return the arguments to use instead."""
        also = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
        return _add(self._forward_pre_hooks, hook, *also, prepend=prepend)

    def register_forward_hook(
        self,
        hook: Hook,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call hook(module, args, output) after each call; it may return another output."""
        also = [self._forward_hooks_with_kwargs] if with_kwargs else []
        if always_call:
            also.append(self._forward_hooks_always_called)
        return _add(self._forward_hooks, hook, *also, prepend=prepend)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call hook(module, grad_output) when the gradients of the outputs are known."""
        return _add(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call hook(module, grad_input, grad_output) when both are known."""
        self._set_kind_of_backward_hook(full=True)
        return _add(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """Call hook(module, grad_input, grad_output) for the last node of the result only."""
        self._set_kind_of_backward_hook(full=False)
        return _add(self._backward_hooks, hook)

    def _set_kind_of_backward_hook(self, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(_BOTH_KINDS.format("on a single Module"))
        self._is_full_backward_hook = full

    def _get_backward_pre_hooks(self) -> list[Hook]:
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]

    def _get_backward_hooks(self) -> tuple[list[Hook], list[Hook]]:
        """The full hooks, and the others."""
        found: dict[bool, list[Hook]] = {True: [], False: []}
        for kind, hooks in (
            (_global_is_full_backward_hook, _global_backward_hooks),
            (self._is_full_backward_hook, self._backward_hooks),
        ):
            if kind is not None:
                found[kind] += hooks.values()
        return found[True], found[False]


class HookedCall:
    """One call of a module that has hooks, or while there are hooks on all modules."""

    def __init__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result: Any = None
        self.called: set[int] = set()

    def run(self) -> Any:
        """Call the hooks and, between them, forward."""
        try:
            with in_module(self.module):
                return self._run()
        except Exception:
            self._call_the_rest()
            raise

    def _run(self) -> Any:
        module = self.module
        full, last_node = module._get_backward_hooks()
        before = module._get_backward_pre_hooks()
        self._call_pre_hooks()
        backward = BackwardHook(module, full, before) if full or before else None
        if backward is not None:
            self.args = backward.setup_input_hook(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        self._call_hooks()
        if backward is not None:
            if not isinstance(self.result, (Tensor, tuple)):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple "
                    f"of Tensors but received {type(self.result)}",
                    stacklevel=4,
                )
            self.result = backward.setup_output_hook(self.result)
        if last_node:
            _hook_last_node(module, last_node, self.args, self.result)
        return self.result

    def _call_pre_hooks(self) -> None:
        module = self.module
        with_kwargs = module._forward_pre_hooks_with_kwargs
        hooks = (*_global_forward_pre_hooks.items(), *module._forward_pre_hooks.items())
        for key, hook in hooks:
            if key in with_kwargs:
                answer = hook(module, self.args, self.kwargs)
                if answer is None:
                    continue
                if not (isinstance(answer, tuple) and len(answer) == 2):
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                        f"but got {answer}."
                    )
                self.args, self.kwargs = answer
            else:
                answer = hook(module, self.args)
                if answer is not None:
                    self.args = answer if isinstance(answer, tuple) else (answer,)

    def _call_hooks(self) -> None:
        hooks = (*_global_forward_hooks.items(), *self.module._forward_hooks.items())
        for key, hook in hooks:
            self.called.add(key)
            self._call_hook(key, hook)

    def _call_hook(self, key: int, hook: Hook) -> None:
        module = self.module
        if key in module._forward_hooks_with_kwargs or key in _global_forward_hooks_with_kwargs:
            answer = hook(module, self.args, self.kwargs, self.result)
        else:
            answer = hook(module, self.args, self.result)
        if answer is not None:
            self.result = answer

    def _call_the_rest(self) -> None:
        """Call, after an error, the hooks that want to be called always and were not."""
        own, everywhere = self.module._forward_hooks, _global_forward_hooks
        always = {
            **dict.fromkeys(_global_forward_hooks_always_called, "global module"),
            **dict.fromkeys(self.module._forward_hooks_always_called, "module"),
        }
        for key, hook in (*everywhere.items(), *own.items()):
            if key not in always or key in self.called:
                continue
            try:
                self._call_hook(key, hook)
            except Exception as error:
                warnings.warn(
                    f"{always[key]} forward hook with ``always_call=True`` raised an exception "
                    f"that was silenced as another error was raised in forward: {error}",
                    stacklevel=5,
                )


def _hook_last_node(module: Any, hooks: list[Hook], args: Any, result: Any) -> None:
    found = result
    while not isinstance(found, Tensor):
        if isinstance(found, dict):
            found = next(value for value in found.values() if isinstance(value, Tensor))
        else:
            found = found[0]
    if found.grad_fn is None:
        return
    for hook in hooks:
        found.grad_fn.register_hook(WrappedHook(hook, module))
    missing = _what_is_missed(args, result, found.grad_fn)
    if missing:
        warnings.warn(missing, FutureWarning, stacklevel=5)


def _what_is_missed(args: Any, result: Any, node: Any) -> str | None:
    """The warning that a hook on the last node of a result alone deserves, if any."""
    advice = "Please use register_full_backward_hook to get the documented behavior."
    results = result if isinstance(result, tuple) else (result,)
    deprecated = "is deprecated and will be removed in future versions. This hook will be missing"
    if not all(isinstance(each, Tensor) for each in results):
        return (
            "Using non-full backward hooks on a Module that does not return a single Tensor or a "
            f"tuple of Tensors {deprecated} some of the grad_output. {advice}"
        )
    if not all(isinstance(each, Tensor) for each in args):
        return (
            "Using non-full backward hooks on a Module that does not take as input a single "
            f"Tensor or a tuple of Tensors {deprecated} some of the grad_input. {advice}"
        )
    if len({each.grad_fn for each in results if each.grad_fn is not None}) > 1:
        return (
            "Using a non-full backward hook when outputs are generated by different autograd "
            f"Nodes {deprecated} some grad_output. {advice}"
        )
    before = {each.grad_fn for each in args if each.grad_fn is not None}
    if before != {following[0] for following in node.next_functions}:
        return (
            "Using a non-full backward hook when the forward contains multiple autograd Nodes "
            f"{deprecated} some grad_input. {advice}"
        )
    return None
