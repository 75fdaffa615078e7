"""Tensor methods that are written in Python, attached to the extension's Tensor.

What an op can say in the op table is not here; attributes of the object are bind/attributes.
"""

from __future__ import annotations

from _thread import _local
from numbers import Number
from typing import Any, NoReturn

import wend
from wend import _C
from wend._C import Tensor

_C._log_api_usage_once = lambda event: None  # wend counts no uses
_C._is_tracing = lambda: False  # and traces no programs
_C._TensorMeta = Tensor.__class__
_C._get_tracing_state = lambda: None  # nothing is traced


class _DisabledTorchFunction(_local):
    """Calls the function as if no argument's type handled it.

    PyTorch's own functions, which a tensor of wend may be given to, come back here instead.
    """

    func: Any = None  # that this thread calls

    def __call__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.func is func:
            return NotImplemented
        before, self.func = self.func, func
        try:
            return func(*args, **(kwargs or {}))
        finally:
            self.func = before


_C._disabled_torch_function_impl = _DisabledTorchFunction()
Tensor.__torch_function__ = _C._disabled_torch_function_impl

Tensor.__array_priority__ = 1000  # NumPy leaves operators with a tensor on the right to us


def _method(f: Any) -> Any:
    """Attach a function to Tensor under its own name."""
    _C._add_method(f.__name__, f)
    return f


@_method
def __repr__(self: Tensor, *, tensor_contents: str | None = None) -> str:  # noqa: N807
    from wend._printing import tensor_repr

    return tensor_repr(self, tensor_contents)


@_method
def __format__(self: Tensor, spec: str) -> str:  # noqa: N807
    from wend._printing import tensor_format

    return tensor_format(self, spec)


@_method
def numpy(self: Tensor, *, force: bool = False) -> Any:
    """Return a NumPy array over the tensor's memory.

    force: also for a tensor that requires grad, as `detach().numpy()`.

    >>> wend.tensor([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    if self.requires_grad:
        if not force and wend.is_grad_enabled():
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. "
                "Use tensor.detach().numpy() instead."
            )
        self = self.detach()
    import numpy

    return numpy.asarray(self._expose())


@_method
def __array__(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:  # noqa: N807
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return array.astype(dtype)
    return array.copy() if copy else array


@_method
def __array_wrap__(  # noqa: N807
    self: Tensor, array: Any, context: Any = None, return_scalar: bool = False
) -> Tensor:
    if array.dtype == bool:  # as PyTorch, which had no tensors of truths at first
        array = array.astype("uint8")
    return wend.as_tensor(array)


@_method
def __dlpack__(  # noqa: N807
    self: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    if stream not in (None, -1):
        raise RuntimeError("wend runs on the CPU, where there are no streams")
    if dl_device is not None and tuple(dl_device) != (1, 0):
        raise BufferError(f"cannot export a CPU tensor to the DLPack device {dl_device}")
    source = self.clone() if copy else self
    return _C._to_dlpack(source, max_version is not None and max_version[0] >= 1)


@_method
def __dlpack_device__(self: Tensor) -> tuple[Any, int]:  # noqa: N807
    from wend.utils.dlpack import DLDeviceType

    return DLDeviceType.kDLCPU, 0


@_method
def untyped_storage(self: Tensor) -> Any:
    """Return the memory that the tensor shares with its views, as bytes.

    >>> x = wend.zeros(4)
    >>> x.untyped_storage().nbytes()
    16
    """
    from wend._storage import storage_of

    return storage_of(self)


@_method
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Return whether both have the same memory, sizes and strides."""
    return (
        self._storage_key() == tensor._storage_key()
        and self.storage_offset() == tensor.storage_offset()
        and self.shape == tensor.shape
        and self.stride() == tensor.stride()
    )


@_method
def __reduce__(self: Tensor) -> Any:  # noqa: N807
    from wend._storage import pickled

    return pickled(self)


@_method
def __deepcopy__(self: Tensor, memo: dict[int, Any]) -> Tensor:  # noqa: N807
    from wend._storage import deep_copy

    return deep_copy(self, memo)


@_method
def new_tensor(
    self: Tensor,
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Return a tensor with a copy of the data, of this tensor's dtype unless another is given.

    >>> wend.tensor([1.5]).new_tensor([1, 2])
    tensor([1., 2.])
    """
    if layout not in (None, wend.strided):
        raise RuntimeError("wend has strided tensors only")
    return wend.tensor(
        data,
        dtype=dtype or self.dtype,
        device=device,
        requires_grad=requires_grad,
        pin_memory=pin_memory,
    )


@_method
def new(self: Tensor, *args: Any) -> Tensor:
    """Return a tensor of this dtype, of the given sizes or with a copy of the data."""
    return _C._legacy_tensor(self.dtype, args)


@_method
def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """Return the tensor itself: it is on the CPU."""
    return self.to(memory_format=memory_format)


@_method
def cuda(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Raise: wend runs on the CPU."""
    raise AssertionError("Torch not compiled with CUDA enabled")


@_method
def type(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Return the name of the tensor's type, or the tensor with another dtype.

    >>> wend.ones(2).type()
    'torch.FloatTensor'
    """
    from wend._legacy import dtype_of_type, type_name

    return type_name(self.dtype) if dtype is None else self.to(dtype_of_type(dtype))


@_method
def get_device(self: Tensor) -> int:
    """Return -1, the number of the CPU."""
    return -1


@_method
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Raise: pinned memory is for accelerators."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


@_method
def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Return False: pinned memory is for accelerators."""
    return False


@_method
def is_shared(self: Tensor) -> bool:
    """Return whether the tensor was put into memory that other processes see."""
    from wend._sharing import is_shared

    return is_shared(self)


@_method
def share_memory_(self: Tensor) -> Tensor:
    """Move the elements to memory that processes started from now on see and write as well.

    >>> wend.ones(2).share_memory_().is_shared()
    True
    """
    from wend._sharing import share

    return share(self)


@_method
def is_conj(self: Tensor) -> bool:
    """Return False: wend has real dtypes only."""
    return False


@_method
def is_neg(self: Tensor) -> bool:
    """Return False: no tensor stands for its negative."""
    return False


@_method
def to_sparse(self: Tensor, sparse_dim: int | None = None) -> Any:
    """Return the tensor as one that shows its nonzero elements; it holds the others as well.

    sparse_dim: all dimensions.
    """
    from wend.sparse import to_sparse

    return to_sparse(self, sparse_dim)


@_method
def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: Any = None) -> Tensor:
    """Return the tensor itself: all are dense."""
    return self if dtype is None else self.to(dtype)


Tensor.is_cpu = property(lambda self: True, doc="True: wend runs on the CPU.")  # type: ignore[attr-defined]
for _device in ("ipu", "maia", "mps", "mtia", "vulkan", "xla", "xpu"):
    _answer = property(lambda self: False, doc="False: wend runs on the CPU.")
    setattr(Tensor, f"is_{_device}", _answer)


for _layout in ("mkldnn", "sparse_csr"):
    setattr(Tensor, f"is_{_layout}", property(lambda self: False, doc="False: all are strided."))
Tensor.name = property(lambda self: None, doc="None: tensors have no names.")  # type: ignore[attr-defined]


def _set_real(self: Tensor, value: Any) -> None:
    self.copy_(value)


Tensor.real = property(  # type: ignore[attr-defined]
    lambda self: self, _set_real, doc="The tensor itself: wend has real dtypes only."
)
Tensor.imag = property(lambda self: imag(self), doc="Raises: wend has real dtypes only.")  # type: ignore[attr-defined]


@_method
def __contains__(self: Tensor, element: Any, /) -> bool:  # noqa: N807
    if not isinstance(element, (Tensor, Number)):
        raise RuntimeError(
            "Tensor.__contains__ only supports Tensor or scalar, "
            f"but you passed in a {element.__class__}."
        )
    return bool((element == self).any())


@_method
def __reversed__(self: Tensor) -> Tensor:  # noqa: N807
    return self.flip(0) if self.dim() else self


Tensor.__rdiv__ = Tensor.__rtruediv__  # type: ignore[attr-defined]
Tensor.__div__ = Tensor.__truediv__  # type: ignore[attr-defined]
Tensor.__idiv__ = Tensor.__itruediv__  # type: ignore[attr-defined]


def _of_sparse(name: str, layout: str) -> None:
    """Attach a question to Tensor that only sparse tensors answer."""

    def ask(self: Tensor) -> Any:
        raise RuntimeError(f"{name} expected sparse {layout} tensor layout but got Strided")

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = "Raise: the tensor is not sparse."
    _method(ask)


for _name in ("coalesce", "indices", "is_coalesced"):
    _of_sparse(_name, "coordinate")
for _name in ("col_indices", "crow_indices"):
    _of_sparse(_name, "row compressed")
for _name in ("ccol_indices", "row_indices"):
    _of_sparse(_name, "column compressed")


@_method
def values(self: Tensor) -> Any:
    """Raise: the tensor is not sparse."""
    raise RuntimeError("values expected sparse tensor layout but got Strided")


@_method
def sparse_dim(self: Tensor) -> int:
    """Return 0: no dimension is sparse."""
    return 0


@_method
def dense_dim(self: Tensor) -> int:
    """Return the number of dimensions: all are dense."""
    return self.dim()


@_method
def dim_order(self: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """Return the dimensions from the one with the largest steps in memory to that with the least.

    >>> wend.ones(2, 3).t().dim_order()
    (1, 0)
    """
    steps = self.stride()
    return tuple(sorted(range(self.dim()), key=lambda d: -steps[d]))


@_method
def is_distributed(self: Tensor) -> bool:
    """Return False: a tensor is in one process."""
    return False


def _refuse_complex(name: str) -> NoReturn:
    raise NotImplementedError(
        f"wend does not have Tensor.{name}: wend has no complex numbers; "
        "keep real and imaginary parts as two tensors"
    )


@_method
def cfloat(self: Tensor, memory_format: Any = None) -> NoReturn:
    """Raise: wend has no complex numbers."""
    _refuse_complex("cfloat")


@_method
def cdouble(self: Tensor, memory_format: Any = None) -> NoReturn:
    """Raise: wend has no complex numbers."""
    _refuse_complex("cdouble")


@_method
def chalf(self: Tensor, memory_format: Any = None) -> NoReturn:
    """Raise: wend has no complex numbers."""
    _refuse_complex("chalf")


@_method
def stft(self: Tensor, n_fft: int, hop_length: int | None = None, **options: Any) -> NoReturn:
    """Raise: wend has no complex numbers."""
    _refuse_complex("stft")


@_method
def istft(self: Tensor, n_fft: int, hop_length: int | None = None, **options: Any) -> NoReturn:
    """Raise: wend has no complex numbers."""
    _refuse_complex("istft")


def _requires_no_grad(self: Tensor, name: str) -> None:
    if self.requires_grad:
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. "
            f"Use var.detach().{name}() instead."
        )


def _elementwise(self: Tensor, others: tuple[Tensor, ...], function: Any) -> Tensor:
    columns = [each.expand_as(self).reshape(-1).tolist() for each in (self, *others)]
    values = [function(*each) for each in zip(*columns, strict=True)]
    return self.copy_(wend.tensor(values, dtype=self.dtype).reshape(self.shape))


@_method
def apply_(self: Tensor, callable: Any) -> Tensor:
    """Replace each element by what a Python function makes of it.

    >>> wend.tensor([1.0, 2.0]).apply_(lambda x: x * 10)
    tensor([10., 20.])
    """
    _requires_no_grad(self, "apply_")
    return _elementwise(self, (), callable)


@_method
def map_(self: Tensor, tensor: Tensor, callable: Any) -> Tensor:
    """Replace each element by what a Python function makes of it and of another tensor's.

    >>> wend.tensor([1.0, 2.0]).map_(wend.tensor([3.0, 4.0]), lambda x, y: x + y)
    tensor([4., 6.])
    """
    _requires_no_grad(self, "map_")
    return _elementwise(self, (tensor,), callable)


@_method
def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Any) -> Tensor:
    """Replace each element by what a Python function makes of it and of two other tensors'."""
    _requires_no_grad(self, "map2_")
    return _elementwise(self, (x, y), callable)


@_method
def renorm_(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Scale slices of a dimension down so that the p-norm of each is at most maxnorm.

    >>> wend.tensor([[3.0, 4.0], [0.3, 0.4]]).renorm_(2, 0, 1)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    return self.copy_(wend.renorm(self, p, dim, maxnorm))


@_method
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Fill the elements whose indices are all equal.

    wrap: in a matrix that is higher than wide, begin again below the diagonal's end.

    >>> wend.zeros(2, 2).fill_diagonal_(3)
    tensor([[3., 0.],
            [0., 3.]])
    """
    if self.dim() < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.dim() > 2 and len(set(self.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    rows = wend.arange(self.size(0))
    step = self.size(1) + 1 if wrap and self.dim() == 2 else self.size(0) + self.size(1)
    columns = rows % step
    chosen = columns < self.size(1)
    place = (rows[chosen], *[columns[chosen]] * (self.dim() - 1))
    self[place] = fill_value
    return self


@_method
def is_complex(self: Tensor) -> bool:
    """Return False: wend has real dtypes only."""
    return False


@_method
def is_signed(self: Tensor) -> bool:
    """Return whether the dtype holds negative numbers."""
    return self.dtype.is_signed


@_method
def is_nonzero(self: Tensor) -> bool:
    """Return whether the only element is other than 0."""
    return bool(self)


@_method
def is_same_size(self: Tensor, other: Tensor) -> bool:
    """Return whether both have the same sizes."""
    return self.shape == other.shape


@_method
def equal(self: Tensor, other: Tensor) -> bool:
    """Return whether both have the same sizes and elements.

    >>> wend.equal(wend.tensor([1, 2]), wend.tensor([1, 2]))
    True
    """
    if not isinstance(other, Tensor):
        name = other.__class__.__name__
        raise TypeError(f"equal(): argument 'other' (position 1) must be Tensor, not {name}")
    return self.shape == other.shape and bool((self == other).all())


@_method
def allclose(
    self: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Return whether all elements are close, as `isclose` has it.

    >>> wend.allclose(wend.tensor([1.0]), wend.tensor([1.0 + 1e-7]))
    True
    """
    return bool(self.isclose(other, rtol, atol, equal_nan).all())


def _function(name: str) -> Any:
    """A module function that calls the method of that name, which it documents too."""
    method = Tensor.__dict__[name]

    def function(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(input, Tensor):
            given = input.__class__.__name__
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {given}")
        return method(input, *args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = method.__doc__
    return function


allclose = _function("allclose")
conj_physical_ = _function("conj_physical_")
detach = _function("detach")
detach_ = _function("detach_")
equal = _function("equal")
get_device = _function("get_device")
is_complex = _function("is_complex")
is_conj = _function("is_conj")
is_floating_point = _function("is_floating_point")
is_inference = _function("is_inference")
is_neg = _function("is_neg")
is_nonzero = _function("is_nonzero")
is_same_size = _function("is_same_size")
is_signed = _function("is_signed")
numel = _function("numel")
resize_as_ = _function("resize_as_")


def is_tensor(obj: Any) -> bool:
    """Return whether the object is a tensor.

    >>> wend.is_tensor(1.0)
    False
    """
    return isinstance(obj, Tensor)


def imag(input: Tensor) -> Tensor:
    """Refuse every tensor: there are no complex ones, of which it would give the imaginary part.

    >>> wend.imag(wend.tensor([1.0]))
    Traceback (most recent call last):
    RuntimeError: imag is not implemented for tensors with non-complex dtypes.
    """
    if not isinstance(input, Tensor):
        given = input.__class__.__name__
        raise TypeError(f"imag(): argument 'input' (position 1) must be Tensor, not {given}")
    raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
