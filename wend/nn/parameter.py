"""Tensors that a module trains, and tensors that it merely keeps."""

from __future__ import annotations

from typing import Any

from wend._C import Tensor, empty


class Parameter(Tensor):
    """A tensor that is a module's parameter when assigned as its attribute.

    >>> wend.nn.Parameter(wend.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        data = empty(0) if data is None else data.detach()
        return Tensor._make_subclass(cls, data, requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = self.__class__(self.detach().clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        return "Parameter containing:\n" + super().__repr__(tensor_contents=tensor_contents)


class _BufferType(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(metaclass=_BufferType):
    """Makes a tensor that is part of a module's state without being trained.

    persistent: whether the module's `state_dict` has it.

    >>> wend.nn.Buffer(wend.ones(2))
    tensor([1., 1.])
    """

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        made = empty(0) if data is None else data.detach().requires_grad_(data.requires_grad)
        made._is_buffer = True
        made.persistent = persistent
        return made
