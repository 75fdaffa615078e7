"""Module, the base of all layers and models: members, iteration, printing.

Hooks are _hooks, saving and loading of state _state, modes and conversion _conversion, the dicts of
members _members.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from wend._C import Tensor
from wend._info import typename
from wend.nn.modules._conversion import ConversionMethods
from wend.nn.modules._hooks import (
    CALL_HOOKS,
    EVERYWHERE,
    STATE_HOOKS,
    HookedCall,
    HookMethods,
    _global_buffer_registration_hooks,
    _global_module_registration_hooks,
    _global_parameter_registration_hooks,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from wend.nn.modules._members import KINDS, Members
from wend.nn.modules._state import StateMethods
from wend.nn.modules._state import _IncompatibleKeys as _IncompatibleKeys
from wend.nn.parameter import Parameter

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

_set = object.__setattr__


def _addindent(text: str, spaces: int) -> str:
    return text.replace("\n", "\n" + " " * spaces)


def _hooked(hooks: OrderedDict[int, Any], module: Module, name: str, member: Any) -> Any:
    """The member that global registration hooks make of one."""
    for hook in hooks.values():
        answer = hook(module, name, member)
        if answer is not None:
            member = answer
    return member


def _check_name(module: Module, kind: str, name: Any, members: dict[str, Any]) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
    if "." in name:
        raise KeyError(f'{kind} name can\'t contain "."')
    if name == "":
        raise KeyError(f'{kind} name can\'t be empty string ""')
    if name not in members and hasattr(module, name):
        raise KeyError(f"attribute '{name}' already exists")


def _required(module: Module, name: str) -> Any:
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return getattr(module, name)


class _ClassName:
    """The name of a module's class, as TorchScript's modules have it; others may set their own."""

    def __get__(self, module: Module | None, owner: type[Module]) -> str:
        return owner.__name__


class Module(HookMethods, StateMethods, ConversionMethods):
    """The base of all layers and models: parameters, buffers and submodules are its attributes.

    >>> class Net(wend.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.layer = wend.nn.Linear(2, 3)
    ...     def forward(self, x):
    ...         return self.layer(x).relu()
    >>> Net()
    Net(
      (layer): Linear(in_features=2, out_features=3, bias=True)
    )
    """

    dump_patches: bool = False
    call_super_init: bool = False
    training: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            name = type(self).__name__
            if kwargs:
                raise TypeError(
                    f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given"
                )
        _set(self, "_called_with_hooks", False)
        _set(self, "training", True)
        for kind in KINDS:
            _set(self, kind, Members(self))
        _set(self, "_non_persistent_buffers_set", set())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def _forward_unimplemented(self, *input: Any) -> None:
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    forward: Callable[..., Any] = _forward_unimplemented

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._called_with_hooks or EVERYWHERE:
            return HookedCall(self, args, kwargs).run()
        # Most calls have no keywords, and need not merge a dict of them.
        return self.forward(*args, **kwargs) if kwargs else self.forward(*args)

    # Attributes

    def __getattr__(self, name: str) -> Any:
        """Make dicts of hooks when they are first asked for; members are ordinary attributes."""
        attributes = self.__dict__
        if "_modules" in attributes:
            if name in CALL_HOOKS or name in STATE_HOOKS:
                attributes[name] = OrderedDict()
                if name in CALL_HOOKS:
                    attributes["_called_with_hooks"] = True
                return attributes[name]
            # A property of that name that raised, or dicts that somebody put in place of ours.
            for kind in KINDS:
                if name in attributes[kind]:
                    return attributes[kind][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        attributes = self.__dict__
        if (
            isinstance(value, (Tensor, Module))
            or "_modules" not in attributes
            or name in attributes["_parameters"]
            or name in attributes["_modules"]
            or name in attributes["_buffers"]
            or name in KINDS
        ):
            self._set_member(name, value)
        else:
            _set(self, name, value)

    def _set_member(self, name: str, value: Any) -> None:
        """Set an attribute that is, was or becomes a member."""
        attributes = self.__dict__
        if isinstance(value, Parameter):
            self._forget(name, "parameters", "_buffers", "_modules")
            self.register_parameter(name, value)
        elif name in attributes.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            self._forget(name, "module", "_parameters", "_buffers")
            value = _hooked(_global_module_registration_hooks, self, name, value)
            attributes["_modules"][name] = value
        elif "_modules" not in attributes:
            _set(self, name, value)
        elif name in attributes["_modules"]:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            value = _hooked(_global_module_registration_hooks, self, name, value)
            attributes["_modules"][name] = value
        elif name in attributes["_buffers"] or getattr(value, "_is_buffer", False):
            self._set_buffer(name, value)
        elif name in KINDS:
            attributes[name].clear()
            _set(self, name, Members(self, value))
        else:
            _set(self, name, value)

    def _forget(self, name: str, what: str, *kinds: str) -> None:
        """Remove what a name stands for, since it becomes a member of another kind."""
        attributes = self.__dict__
        if "_modules" not in attributes:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        for kind in kinds:
            attributes[kind].pop(name, None)
        attributes["_non_persistent_buffers_set"].discard(name)
        own = attributes["_parameters" if what == "parameters" else "_modules"]
        if name not in own:
            attributes.pop(name, None)

    def _set_buffer(self, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"cannot assign '{typename(value)}' as buffer '{name}' "
                "(torch.nn.Buffer, torch.Tensor or None expected)"
            )
        persistent = name not in self._non_persistent_buffers_set
        if getattr(value, "_is_buffer", False):
            persistent = getattr(value, "persistent", True)
            if name not in self._buffers:
                self.__dict__.pop(name, None)
        self.register_buffer(name, value, persistent)

    def __delattr__(self, name: str) -> None:
        for kind in KINDS:
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = [*dir(self.__class__), *self.__dict__]
        return sorted(name for name in names if not name[0].isdigit())

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for kind in KINDS:
            members = state[kind] = dict(state[kind])
            for name in members:
                state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for kind in KINDS:
            _set(self, kind, Members(self, self.__dict__.get(kind)))
        self.__dict__.setdefault("_called_with_hooks", False)
        self.__dict__.setdefault("_non_persistent_buffers_set", set())

    # Registering

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is part of the module's state without being trained.

        persistent: whether state_dict has it.

        >>> m = wend.nn.Module()
        >>> m.register_buffer("mean", wend.zeros(2))
        >>> m.mean
        tensor([0., 0.])
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        _check_name(self, "buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = _hooked(_global_buffer_registration_hooks, self, name, tensor)
        change = self._non_persistent_buffers_set
        (change.discard if persistent else change.add)(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, or None to reserve its name.

        >>> m = wend.nn.Module()
        >>> m.register_parameter("bias", None)
        >>> m.bias is None
        True
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        _check_name(self, "parameter", name, self._parameters)
        if param is None:
            self._parameters[name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                f"created explicitly. To express '{name}' as a function of another Tensor, compute "
                "the value in the forward() method."
            )
        self._parameters[name] = _hooked(_global_parameter_registration_hooks, self, name, param)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a submodule under a name that need not be known when the program is written.

        >>> m = wend.nn.Module()
        >>> m.add_module("layer", wend.nn.Identity())
        >>> m.layer
        Identity()
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if name not in self._modules and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = _hooked(_global_module_registration_hooks, self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Alias of add_module."""
        self.add_module(name, module)

    # Finding members by their dotted name

    def get_submodule(self, target: str) -> Module:
        """Return the submodule of a dotted name.

        >>> wend.nn.Sequential(wend.nn.Sequential(wend.nn.ReLU())).get_submodule("0.0")
        ReLU()
        """
        found: Module = self
        for name in target.split(".") if target else ():
            found = _required(found, name)
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Replace, or unless strict add, the submodule of a dotted name."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        there = strict or hasattr(parent, name)
        if there and not isinstance(_required(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter of a dotted name."""
        path, _, name = target.rpartition(".")
        found = _required(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer of a dotted name."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found: Tensor = _required(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    # Iterating

    def _named_members(
        self,
        get_members_fn: Callable[[Module], Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        seen: set[Any] = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for path, module in modules:
            for name, member in get_members_fn(module):
                if member is None or member in seen:
                    continue
                if remove_duplicate:
                    seen.add(member)
                yield (f"{path}.{name}" if path else name), member

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Iterate over the parameters, each one once.

        >>> [tuple(p.shape) for p in wend.nn.Linear(2, 3).parameters()]
        [(3, 2), (3,)]
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Iterate over the parameters with their dotted names."""
        yield from self._named_members(
            lambda module: module._parameters.items(), prefix, recurse, remove_duplicate
        )

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Iterate over the buffers, each one once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Iterate over the buffers with their dotted names."""
        yield from self._named_members(
            lambda module: module._buffers.items(), prefix, recurse, remove_duplicate
        )

    def children(self) -> Iterator[Module]:
        """Iterate over the immediate submodules."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Iterate over the immediate submodules with their names."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Iterate over the module and all its submodules."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Iterate over the module and all its submodules with their dotted names.

        >>> [name for name, _ in wend.nn.Sequential(wend.nn.ReLU()).named_modules()]
        ['', '0']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    # Printing

    def _get_name(self) -> str:
        return self.__class__.__name__

    original_name = _ClassName()

    def extra_repr(self) -> str:
        """Return what the printed module says of itself; to be overridden."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({k}): {_addindent(repr(m), 2)}" for k, m in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({extra})"
        inside = "\n  ".join(lines + children)
        return f"{self._get_name()}(\n  {inside}\n)" if inside else f"{self._get_name()}()"
