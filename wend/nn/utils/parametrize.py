"""Tensors of a module as functions of other tensors, which are trained in their place.

Ready-made functions are in parametrizations.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import wend
from wend._C import Tensor
from wend.nn.modules.container import ModuleDict, ModuleList
from wend.nn.modules.module import Module
from wend.nn.parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_cache_enabled = 0
_cache: dict[tuple[int, str], Tensor] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor once within a block.

    >>> with wend.nn.utils.parametrize.cached():
    ...     pass
    """
    global _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache.clear()


def _register(module: Module, name: str, tensor: Any) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _set(tensor: Tensor, value: Tensor) -> None:
    """Give a tensor another one's memory, sizes included."""
    tensor.data = value.detach()


def _unlike(what: str, before: Tensor, after: Any, names: tuple[str, str], flag: str) -> None:
    """Raise if a function changes dtype or shape of what it stands for."""
    for quality in ("dtype", "shape"):
        a, b = getattr(before, quality), getattr(after, quality)
        if a != b:
            raise ValueError(
                f"Registering a parametrization may not change the {quality} of the tensor, unless "
                f"{flag}\n{names[0].format(quality)}: {a}\n{names[1].format(quality)}: {b}"
            )


class ParametrizationList(ModuleList):
    """The functions of one tensor, in order, and the tensors that they start from."""

    original: Tensor
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        before = original.detach()
        new = self._inverse_of(original)
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if original.dtype != new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\n"
                    f"right_inverse(original).dtype: {new.dtype}"
                )
            _set(original, new)
            _register(self, "original", original)
        else:
            for i, each in enumerate(new):
                self._add_original(i, each, original)
        if not unsafe:
            result = self()
            if not isinstance(result, Tensor):
                name = type(result).__name__
                raise ValueError(f"A parametrization must return a tensor. Got {name}.")
            names = ("unparametrized {}", "parametrized {}")
            _unlike("", before, result, names, "`unsafe` flag is enabled.")

    def _inverse_of(self, original: Tensor) -> Any:
        new: Any = original
        with wend.no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):
                        new = module.right_inverse(new)
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        return new

    def _add_original(self, number: int, tensor: Any, original: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got element {number} of the sequence with type {type(tensor).__name__}."
            )
        if isinstance(original, Parameter):
            tensor = Parameter(tensor, original.requires_grad)
        tensor.requires_grad_(original.requires_grad)
        _register(self, f"original{number}", tensor)

    def right_inverse(self, value: Tensor) -> None:
        """Set the originals so that the functions give a value."""
        new: Any = value
        with wend.no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    name = type(module).__name__
                    raise RuntimeError(f"parametrization {name} does not implement right_inverse.")
                new = module.right_inverse(new)
            if self.is_tensor:
                self._assign_original("original", new, "The tensor returned by `right_inverse`")
                return
            if not isinstance(new, Sequence):
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors. Got {type(new).__name__}."
                )
            if len(new) != self.ntensors:
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. "
                    f"Got a sequence of length {len(new)}."
                )
            for i, each in enumerate(new):
                self._assign_original(
                    f"original{i}", each, f"Tensor {i} returned by `right_inverse`"
                )

    def _assign_original(self, name: str, tensor: Any, who: str) -> None:
        if not isinstance(tensor, Tensor):
            raise ValueError(f"`right_inverse` should return a tensor. Got {type(tensor).__name__}")
        original = getattr(self, name)
        if tensor.dtype != original.dtype:
            raise ValueError(
                f"{who} has dtype {tensor.dtype} while `{name}` has dtype {original.dtype}"
            )
        _set(original, tensor)

    def forward(self) -> Any:
        """Return what the functions give for the originals."""
        first, *rest = self
        if self.is_tensor:
            x = first(self.original)
        else:
            x = first(*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        for module in rest:
            x = module(x)
        return x


def _deepcopy_of_parametrized(self: Any, memo: dict[int, Any]) -> Any:
    if id(self) not in memo:
        twin = memo[id(self)] = self.__new__(self.__class__)
        Module.__setstate__(twin, copy.deepcopy(Module.__getstate__(self), memo))
    return memo[id(self)]


def _refuse_pickling(self: Any) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _inject_new_class(module: Any) -> None:
    """Give the module a class of its own, for properties in the place of tensors."""
    cls = module.__class__
    body: dict[str, Any] = {"__getstate__": _refuse_pickling}
    if not hasattr(cls, "__deepcopy__"):
        body["__deepcopy__"] = _deepcopy_of_parametrized
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), body)


def _inject_property(module: Any, name: str) -> None:
    def get(self: Any) -> Any:
        if not _cache_enabled:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _cache:
            _cache[key] = self.parametrizations[name]()
        return _cache[key]

    def put(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(module.__class__, name, property(get, put))


def register_parametrization(
    module: Any, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Any:
    """Make a tensor of a module a function of itself, or of what the function's inverse gives.

    unsafe: the function may change dtype and shape.

    >>> class Symmetric(wend.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).t()
    >>> m = wend.nn.utils.parametrize.register_parametrization(
    ...     wend.nn.Linear(3, 3), "weight", Symmetric())
    >>> bool((m.weight == m.weight.t()).all())
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_another(module, tensor_name, parametrization)
        found = module.parametrizations[tensor_name]
        found.append(parametrization)
        found.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        made = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    return module


def _check_another(module: Any, name: str, parametrization: Any) -> None:
    before = getattr(module, name)
    after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    names = (f"module.{name}.{{}}", f"parametrization(module.{name}).{{}}")
    _unlike("", before, after, names, "the `unsafe` flag is enabled.")
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(
            f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}"
        )
    for quality in ("dtype", "shape"):
        a, b = getattr(before, quality), getattr(back, quality)
        if a != b:
            raise ValueError(
                "The tensor returned by parametrization.right_inverse must have the same "
                f"{quality} as module.{name}, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{quality}: {a}\nreturned {quality}: {b}"
            )


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Return whether a module, or one of its tensors, is parametrized.

    >>> wend.nn.utils.parametrize.is_parametrized(wend.nn.Linear(2, 3))
    False
    """
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Make a tensor an ordinary one again, with the functions' value or the original's.

    >>> m = wend.nn.utils.parametrizations.weight_norm(wend.nn.Linear(2, 3))
    >>> wend.nn.utils.parametrize.remove_parametrizations(m, "weight")
    Linear(in_features=2, out_features=3, bias=True)
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    found = module.parametrizations[tensor_name]
    if found.is_tensor:
        original = found.original
        if leave_parametrized:
            with wend.no_grad():
                _set(original, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors."
        )
    delattr(module.__class__, tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = module.__class__.__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """Return the class that a module had before it was parametrized.

    >>> wend.nn.utils.parametrize.type_before_parametrizations(wend.nn.ReLU()).__name__
    'ReLU'
    """
    return module.__class__.__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Any, to_module: Any, tensor_name: str | None = None
) -> Any:
    """Give a module the parametrizations of another, and its originals."""
    if not is_parametrized(from_module):
        return to_module
    names = list(from_module.parametrizations) if tensor_name is None else [tensor_name]
    for name in names:
        source = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for function in source:
            register_parametrization(to_module, name, function)
        target = to_module.parametrizations[name]
        for kept in (*source._parameters, *source._buffers):
            setattr(target, kept, getattr(source, kept))
    return to_module
