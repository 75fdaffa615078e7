"""Modules whose parameters get their shapes from the first input.

The parameters without a shape are in nn.parameter.
"""

from __future__ import annotations

from typing import Any

import wend
from wend._C import Tensor
from wend.nn.parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Makes a module lazy: its first call runs `initialize_parameters` on the input.

    >>> m = wend.nn.LazyLinear(3)
    >>> m.weight
    <UninitializedParameter>
    >>> _ = m(wend.ones(1, 2))
    >>> m
    Linear(in_features=2, out_features=3, bias=True)
    """

    cls_to_become: type[Any] | None = None
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        this: Any = self
        self._load_hook = this._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = this.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True
        )

    def _members(self) -> dict[str, Tensor]:
        both = {**self._parameters, **self._buffers}
        return {name: tensor for name, tensor in both.items() if tensor is not None}

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        passing: set[str] = self._non_persistent_buffers_set  # type: ignore[attr-defined]
        for name, tensor in self._members().items():
            if name not in passing:
                whole = is_lazy(tensor) or keep_vars
                destination[prefix + name] = tensor if whole else tensor.detach()

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *_: Any) -> None:
        """Give the members the shapes that a state_dict has for them."""
        for name, tensor in self._members().items():
            given = state_dict.get(prefix + name)
            if given is not None and is_lazy(tensor) and not is_lazy(given):
                with wend.no_grad():
                    tensor.materialize(given.shape)  # type: ignore[attr-defined]

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their shapes; called with the first call's arguments."""
        name = self.__class__.__name__
        raise NotImplementedError(f"initialize_parameters is not implemented for {name}")

    def has_uninitialized_params(self) -> bool:
        """Return whether a parameter or buffer has no shape yet."""
        return any(is_lazy(tensor) for tensor in self._members().values())

    def _infer_parameters(self, module: Any, args: Any, kwargs: Any = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become
        if not (module._forward_pre_hooks or module._forward_hooks or module._backward_hooks):
            module.__dict__["_called_with_hooks"] = bool(module._backward_pre_hooks)
