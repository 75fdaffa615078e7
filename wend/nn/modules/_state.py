"""state_dict and load_state_dict of modules, with their hooks and PyTorch's messages.

Files are left to save and load.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import wend
from wend._C import Tensor
from wend.nn.modules._hooks import WrappedHook
from wend.nn.parameter import Parameter, is_lazy
from wend.utils.hooks import RemovableHandle

__all__ = ["StateMethods"]

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class _IncompatibleKeys(_Keys):
    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


def _overrides(module: Any, name: str) -> bool:
    return getattr(type(module), name) is not getattr(StateMethods, name)


class StateMethods:
    """What a Module has for its state."""

    _version: int = 1
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: dict[int, Any]
    _state_dict_pre_hooks: dict[int, Any]
    _load_state_dict_pre_hooks: dict[int, Any]
    _load_state_dict_post_hooks: dict[int, Any]

    def get_extra_state(self) -> Any:
        """Return what state_dict should keep besides tensors; to be overridden."""
        raise RuntimeError("Module.get_extra_state is not overridden: there is no extra state.")

    def set_extra_state(self, state: Any) -> None:
        """Take over what get_extra_state once returned; to be overridden."""
        raise RuntimeError("Module.set_extra_state is not overridden: there is no extra state.")

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously"
                " registered via register_state_dict_post_hook"
            )
        handle = RemovableHandle(self._state_dict_hooks)
        self._state_dict_hooks[handle.id] = hook
        return handle

    def register_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call hook(module, state_dict, prefix, local_metadata) after state_dict is made."""
        hook._from_public_api = True  # type: ignore[attr-defined]
        handle = RemovableHandle(self._state_dict_hooks)
        self._state_dict_hooks[handle.id] = hook
        return handle

    def register_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call hook(module, prefix, keep_vars) before state_dict is made."""
        handle = RemovableHandle(self._state_dict_pre_hooks)
        self._state_dict_pre_hooks[handle.id] = hook
        return handle

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., None], with_module: bool = False
    ) -> RemovableHandle:
        handle = RemovableHandle(self._load_state_dict_pre_hooks)
        wrapped = WrappedHook(hook, self if with_module else None)
        self._load_state_dict_pre_hooks[handle.id] = wrapped
        return handle

    def register_load_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call hook(module, ...) with the arguments of _load_from_state_dict before loading."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call hook(module, incompatible_keys), which it may change, after loading."""
        handle = RemovableHandle(self._load_state_dict_post_hooks)
        self._load_state_dict_post_hooks[handle.id] = hook
        return handle

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, tensor in self._own_state().items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if _overrides(self, "get_extra_state"):
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def _own_state(self) -> dict[str, Tensor]:
        """The module's own parameters and persistent buffers."""
        passing = self._non_persistent_buffers_set
        kept = {name: each for name, each in self._buffers.items() if name not in passing}
        both = {**self._parameters, **kept}
        return {name: tensor for name, tensor in both.items() if tensor is not None}

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """Return all parameters and persistent buffers by name, as aliases without history.

        keep_vars: the tensors themselves.

        >>> list(wend.nn.Linear(2, 3).state_dict())
        ['weight', 'bias']
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#"
                "torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            given = (*args, *(destination, prefix, keep_vars)[len(args) :])
            destination, prefix, keep_vars = given
        if destination is None:
            # Of that very type, since files hold it; the versions are an attribute of it.
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        return self._after_state_dict(destination, prefix, metadata)

    def _after_state_dict(self, destination: Any, prefix: str, metadata: dict[str, Any]) -> Any:
        for hook in self._state_dict_hooks.values():
            answer = hook(self, destination, prefix, metadata)
            if answer is None:
                continue
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = answer
        return destination

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        for hook in self._load_state_dict_pre_hooks.values():
            hook(
                state_dict,
                prefix,
                local_metadata,
                strict,
                missing_keys,
                unexpected_keys,
                error_msgs,
            )
        state = self._own_state()
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, tensor in state.items():
            key = prefix + name
            if key in state_dict:
                problem = self._load_tensor(name, key, tensor, state_dict[key], assign)
                if problem:
                    error_msgs.append(problem)
            elif strict:
                missing_keys.append(key)
        self._load_extra_state(state_dict, prefix, strict, missing_keys, unexpected_keys)
        if strict:
            unexpected_keys += self._unknown_keys(state_dict, prefix, state)

    def _load_tensor(
        self, name: str, key: str, tensor: Tensor, given: Any, assign: bool
    ) -> str | None:
        """Take a tensor over; return what is wrong with it, if something is."""
        if not isinstance(given, Tensor):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
                f"object from checkpoint but received {type(given)}"
            )
        if not is_lazy(tensor):
            if tensor.dim() == 0 and tuple(given.shape) == (1,):
                given = given[0]
            if given.shape != tensor.shape:
                return (
                    f"size mismatch for {key}: copying a param with shape {given.shape} from "
                    f"checkpoint, the shape in current model is {tensor.shape}."
                )
        try:
            with wend.no_grad():
                if assign:
                    self._assign_loaded(name, tensor, given)
                else:
                    tensor.copy_(given)
        except Exception as error:
            return (
                f'While copying the parameter named "{key}", whose dimensions in the model are '
                f"{tensor.size()} and whose dimensions in the checkpoint are {given.size()}, an "
                f"exception occurred : {error.args}."
            )
        return None

    def _assign_loaded(self, name: str, tensor: Tensor, given: Tensor) -> None:
        if isinstance(tensor, Parameter):
            if isinstance(given, Parameter):
                given.requires_grad_(tensor.requires_grad)
            else:
                given = Parameter(given, requires_grad=tensor.requires_grad)
        setattr(self, name, given)

    def _load_extra_state(
        self, state_dict: Any, prefix: str, strict: bool, missing: list[str], unexpected: list[str]
    ) -> None:
        key = prefix + _EXTRA_STATE_KEY_SUFFIX
        if _overrides(self, "set_extra_state"):
            if key in state_dict:
                self.set_extra_state(state_dict[key])
            elif strict:
                missing.append(key)
        elif strict and key in state_dict:
            unexpected.append(key)

    def _unknown_keys(self, state_dict: Any, prefix: str, state: dict[str, Tensor]) -> list[str]:
        unknown = []
        for key in state_dict:
            if not key.startswith(prefix) or key == prefix + _EXTRA_STATE_KEY_SUFFIX:
                continue
            name, dot, _ = key[len(prefix) :].partition(".")
            if name not in (self._modules if dot else state):
                unknown.append(key)
        return unknown

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy parameters and buffers from a state_dict into the module and its submodules.

        strict: the names must be exactly the module's. assign: take the tensors instead of copying.

        >>> m = wend.nn.Linear(2, 3)
        >>> m.load_state_dict(wend.nn.Linear(2, 3).state_dict())
        <All keys matched successfully>
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        keys = _IncompatibleKeys([], [])
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        state: Any = OrderedDict(state_dict)
        if metadata is not None:
            state._metadata = metadata
        _load(self, state, "", metadata or {}, assign, keys, errors)
        if strict:
            for problem, names in (("Unexpected", keys[1]), ("Missing", keys[0])):
                if names:
                    listed = ", ".join(f'"{name}"' for name in names)
                    errors.insert(0, f"{problem} key(s) in state_dict: {listed}. ")
        if errors:
            name = self.__class__.__name__
            lines = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {name}:\n\t{lines}")
        return keys


def _load(
    module: Any,
    state: Any,
    prefix: str,
    metadata: dict[str, Any],
    assign: bool,
    keys: _IncompatibleKeys,
    errors: list[str],
) -> None:
    local = metadata.get(prefix[:-1], {})
    if assign:
        local["assign_to_params_buffers"] = True
    module._load_from_state_dict(state, prefix, local, True, *keys, errors)
    for name, child in module._modules.items():
        if child is not None:
            below = f"{prefix}{name}."
            part = {key: each for key, each in state.items() if key.startswith(below)}
            _load(child, part, below, metadata, assign, keys, errors)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, keys) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to "
                "return new values, if incompatible_keys need to be modified, it should be done "
                "inplace."
            )
