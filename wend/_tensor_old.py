"""Methods of Tensor for programs of old, and for kinds of tensors that wend lacks.

Where PyTorch only says that something was removed, so does wend; the rest raises one sentence.
"""

from __future__ import annotations

import warnings
from typing import Any, NoReturn

from wend import _C
from wend._C import Tensor


def _method(f: Any) -> Any:
    """Attach a function to Tensor under its own name."""
    _C._add_method(f.__name__, f)
    return f


@_method
def storage(self: Tensor) -> Any:
    """Return the memory that the tensor shares with its views, as numbers in a row."""
    from wend.storage import typed_storage_of

    return typed_storage_of(self)


@_method
def storage_type(self: Tensor) -> Any:
    """Return the class of the tensor's storage.

    >>> wend.ones(1).storage_type()
    <class 'torch.FloatStorage'>
    """
    from wend.storage import kind_of

    return kind_of(self.dtype)


@_method
def const_data_ptr(self: Tensor) -> int:
    """Return the address of the first element, to read from."""
    return self.data_ptr()


@_method
def resize(self: Tensor, *sizes: Any) -> Tensor:
    """Return the elements in another shape, as `view` does."""
    warnings.warn("non-inplace resize is deprecated", stacklevel=2)
    return self.view(*sizes)


@_method
def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """Return the elements in the shape of another tensor."""
    warnings.warn("non-inplace resize_as is deprecated", stacklevel=2)
    return self.view(tensor.size())


@_method
def conj_physical_(self: Tensor) -> Tensor:
    """Return the tensor itself: real numbers are their own conjugates."""
    return self


@_method
def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """Return what a module takes when `other` is loaded into this tensor, which is written to.

    assign: `other` itself.
    """
    return other.detach() if assign else self.copy_(other).detach()


@_method
def dequantize(self: Tensor) -> Tensor:
    """Return the tensor as float32: none is quantized."""
    return self.float()


@_method
def to_sparse_coo(self: Tensor) -> Any:
    """Return what `to_sparse` does."""
    return self.to_sparse()


@_method
def reinforce(self: Tensor, reward: Any) -> NoReturn:
    """Raise: it was removed."""
    raise RuntimeError(
        "reinforce() was removed.\n"
        "Use torch.distributions instead.\n"
        "See https://pytorch.org/docs/main/distributions.html"
    )


@_method
def __complex__(self: Tensor) -> complex:  # noqa: N807
    if self.numel() != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return complex(self.item())


def _volatile(self: Tensor) -> bool:
    warnings.warn("volatile was removed (Variable.volatile is always False)", stacklevel=2)
    return False


setattr(Tensor, "volatile", property(_volatile, doc="False: use torch.no_grad()."))  # noqa: B010


def _refusing(name: str, error: type[Exception], text: str) -> None:
    """Attach a method to Tensor that raises when it is called."""

    def refuse(self: Tensor, *args: Any, dense_dim: Any = None) -> NoReturn:
        raise error(text)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raise: {text.partition(': ')[2] or text}."
    _method(refuse)


for _name, _text in {
    "xpu": "Torch not compiled with XPU enabled",
    "mtia": "Torch not compiled with MTIA enabled",
}.items():
    _refusing(_name, AssertionError, _text)
_refusing("ipu", RuntimeError, "PyTorch is not linked with support for ipu devices")
for _names, _instead in {
    "int_repr q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale "
    "q_zero_point qscheme": "wend has no quantized tensors",
    "resize_as_sparse_ sparse_mask sparse_resize_ sparse_resize_and_clear_ smm sspaddmm "
    "to_sparse_bsc to_sparse_bsr to_sparse_csc to_sparse_csr": "use to_sparse(), which gives the "
    "same results and holds every element",
    "to_padded_tensor": "use torch.nn.utils.rnn.pad_sequence with a list of tensors",
    "to_mkldnn": "the tensor can be used as it is",
    "record_stream": "wend runs on the CPU, where work is in order",
}.items():
    for _name in _names.split():
        _text = f"wend does not have Tensor.{_name}: {_instead}"
        _refusing(_name, NotImplementedError, _text)
