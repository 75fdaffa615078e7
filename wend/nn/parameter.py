"""Tensors that a module trains, those that it merely keeps, and both kinds without a shape yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, Self

from wend import _C
from wend._C import Tensor

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


class Parameter(Tensor):
    """A tensor that is a module's parameter when assigned as its attribute.

    >>> wend.nn.Parameter(wend.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Self:
        data = _C.empty(0) if data is None else data.detach()
        made: Self = Tensor._make_subclass(cls, data, requires_grad)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = self.__class__(self.detach().clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self, *, tensor_contents: str | None = None) -> str:  # type: ignore[override]
        inside: str = super().__repr__(tensor_contents=tensor_contents)  # type: ignore[call-arg]
        return "Parameter containing:\n" + inside


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
        made: Any = (
            _C.empty(0) if data is None else data.detach().requires_grad_(data.requires_grad)
        )
        made._is_buffer = True
        made.persistent = persistent
        return made


class UninitializedTensorMixin:
    """What a tensor without a shape has: it gets one by `materialize`."""

    cls_to_become: type[Tensor]

    def materialize(self: Any, shape: Sequence[int], device: Any = None, dtype: Any = None) -> None:
        """Give the tensor its shape; it is an ordinary one from then on."""
        self.data = _C.empty(tuple(shape), dtype=dtype or self.dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> NoReturn:
        """Raise: there is none yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually "
            "happens in `load_state_dict` when trying to load an uninitialized parameter into an "
            "initialized one. Call `forward` to initialize the parameters before accessing their "
            "attributes."
        )

    def __repr__(self) -> str:
        return f"<{self.__class__.__name__}>"

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        return self.__class__, (self.requires_grad,)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose shape is not known yet.

    >>> wend.nn.UninitializedParameter()
    <UninitializedParameter>
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return Tensor._make_subclass(cls, _C.empty(0, dtype=dtype, device=device), requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = self.__class__(self.requires_grad, None, self.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # type: ignore[misc]
    """A buffer whose shape is not known yet.

    >>> wend.nn.UninitializedBuffer()
    <UninitializedBuffer>
    """

    cls_to_become = Tensor

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: Any = None,
        persistent: bool = True,
    ) -> Any:
        data = _C.empty(0, dtype=dtype, device=device)
        made = Tensor._make_subclass(cls, data, requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made


def is_lazy(param: Any) -> bool:
    """Return whether a parameter or buffer has no shape yet.

    >>> wend.nn.parameter.is_lazy(wend.nn.UninitializedParameter())
    True
    """
    return isinstance(param, UninitializedTensorMixin)
