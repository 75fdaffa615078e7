"""Modes of a module, and converting all that it holds: training, gradients, dtypes, memory.

What it holds is found by Module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import wend
from wend import _C
from wend._C import Tensor
from wend._info import typename
from wend._types import device as Device
from wend._types import dtype as DType
from wend._types import memory_format as MemoryFormat
from wend.nn.parameter import is_lazy

__all__ = ["ConversionMethods"]


def _parse_to(
    *args: Any,
    device: Any = None,
    dtype: DType | None = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: MemoryFormat | None = None,
    **unknown: Any,
) -> tuple[Any, DType | None, bool, MemoryFormat | None]:
    rest = list(args)
    fits = not unknown and len(rest) <= 3
    if rest and isinstance(rest[0], Tensor):
        dtype, device = rest[0].dtype, rest[0].device
        del rest[0]
    elif rest and isinstance(rest[0], DType):
        dtype = rest.pop(0)
    elif rest:
        device = rest.pop(0)
        fits = fits and (device is None or isinstance(device, (str, int, Device)))
        if rest and (rest[0] is None or isinstance(rest[0], DType)):
            dtype = rest.pop(0)
    if rest:
        non_blocking = rest.pop(0)
    if rest or not fits or not (dtype is None or isinstance(dtype, DType)):
        given = ", ".join(
            [typename(a).rpartition(".")[2] for a in args] + [f"{k}=" for k in unknown]
        )
        raise TypeError(f"to() received an invalid combination of arguments - got ({given})")
    return None if device is None else Device(device), dtype, non_blocking, memory_format


_C._nn._parse_to = _parse_to  # type: ignore[attr-defined] # where some programs call it


class ConversionMethods:
    """What a Module has to switch and to convert itself."""

    training: bool
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    children: Callable[[], Iterator[Any]]
    parameters: Callable[[], Iterator[Any]]
    buffers: Callable[[], Iterator[Any]]

    def apply(self, fn: Callable[[Any], None]) -> Any:
        """Call fn on every submodule, then on the module; return the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Any:
        """Switch the module and its submodules to training, or to evaluation; return the module.

        >>> wend.nn.Dropout().train(False).training
        False
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Any:
        """Switch the module and its submodules to evaluation; return the module."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Say whether the parameters get gradients; return the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters, or fill them with zeros."""
        for parameter in self.parameters():
            grad = parameter.grad
            if grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                grad.zero_()

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Any:
        if recurse:
            for module in self.children():
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            grad = parameter.grad
            with wend.no_grad():
                parameter.data = fn(parameter)
                if grad is not None:
                    grad.data = fn(grad)
        for name, buffer in self._buffers.items():
            if is_lazy(buffer):
                buffer.data = fn(buffer)
            elif buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Convert the floating-point parameters and buffers; return the module.

        >>> wend.nn.Linear(2, 3).to(wend.float64).weight.dtype
        torch.float64
        """
        device, dtype, non_blocking, memory_format = _parse_to(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={dtype}"
            )

        def convert(t: Tensor) -> Tensor:
            wanted = dtype if t.is_floating_point() else None
            if memory_format is not None and t.dim() in (4, 5):
                return t.to(device, wanted, non_blocking, memory_format=memory_format)
            return t.to(device, wanted, non_blocking)

        return self._apply(convert)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Any:
        """Give all parameters and buffers new memory without values; return the module."""
        return self._apply(lambda t: wend.empty_like(t, device=device), recurse=recurse)

    def _to_float(self, dtype: DType) -> Any:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self) -> Any:
        """Convert floating-point members to float32; return the module."""
        return self._to_float(wend.float32)

    def double(self) -> Any:
        """Convert floating-point members to float64; return the module."""
        return self._to_float(wend.float64)

    def half(self) -> Any:
        """Convert floating-point members to float16; return the module."""
        return self._to_float(wend.float16)

    def bfloat16(self) -> Any:
        """Convert floating-point members to bfloat16; return the module."""
        return self._to_float(wend.bfloat16)

    def type(self, dst_type: Any) -> Any:
        """Convert all members to a dtype; return the module."""
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self) -> Any:
        """Return the module: it is on the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Any:
        """Raise, if there is something to move: wend runs on the CPU."""
        return self._apply(lambda t: t.cuda(device))

    def share_memory(self) -> Any:
        """Move all members to memory that processes share; return the module."""
        for member in (*self.parameters(), *self.buffers()):
            member.share_memory_()
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the module in place: for now it stays as it is; arguments as of wend.compile."""
        from wend.compiler import compile

        compile(self, *args, **kwargs)
