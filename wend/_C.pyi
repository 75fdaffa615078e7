"""Written by `python -m wend._stubs` (./dev stubs) from the op table; do not edit."""
# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, misc"

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, NoReturn, Self, TypeAlias, overload

from wend import _types

Number: TypeAlias = builtins.float | builtins.int | builtins.bool

class _max_result(NamedTuple):
    values: Tensor
    indices: Tensor
class _min_result(NamedTuple):
    values: Tensor
    indices: Tensor
class _aminmax_result(NamedTuple):
    min: Tensor
    max: Tensor
class _cummax_result(NamedTuple):
    values: Tensor
    indices: Tensor
class _cummin_result(NamedTuple):
    values: Tensor
    indices: Tensor
class _sort_result(NamedTuple):
    values: Tensor
    indices: Tensor
class _sort_result(NamedTuple):
    values: Tensor
    indices: Tensor
class _topk_result(NamedTuple):
    values: Tensor
    indices: Tensor
class _kthvalue_result(NamedTuple):
    values: Tensor
    indices: Tensor
class _mode_result(NamedTuple):
    values: Tensor
    indices: Tensor
class _median_result(NamedTuple):
    values: Tensor
    indices: Tensor
class _nanmedian_result(NamedTuple):
    values: Tensor
    indices: Tensor
class _frexp_result(NamedTuple):
    mantissa: Tensor
    exponent: Tensor

class Tensor:
    shape: _types.Size
    dtype: _types.dtype
    device: _types.device
    layout: _types.layout
    ndim: builtins.int
    itemsize: builtins.int
    nbytes: builtins.int
    requires_grad: builtins.bool
    is_leaf: builtins.bool
    grad: Tensor | None
    grad_fn: Node | None
    data: Tensor
    _version: builtins.int
    _base: Tensor | None
    _backward_hooks: Any
    is_cuda: builtins.bool
    is_sparse: builtins.bool
    is_quantized: builtins.bool
    is_meta: builtins.bool
    is_nested: builtins.bool
    output_nr: builtins.int
    retains_grad: builtins.bool
    H: Tensor
    T: Tensor
    mH: Tensor
    mT: Tensor
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Any) -> Tensor: ...
    def __and__(self, other: Any) -> Tensor: ...
    def __array__(self, dtype: Any = ..., copy: builtins.bool | None = ...) -> Any: ...
    def __array_priority__(self, other: Any) -> Tensor: ...
    def __array_wrap__(self, array: Any, context: Any = ..., return_scalar: builtins.bool = ...) -> Tensor: ...
    def __bool__(self) -> builtins.bool: ...
    def __complex__(self) -> complex: ...
    def __contains__(self, element: Any) -> builtins.bool: ...
    def __deepcopy__(self, memo: dict[builtins.int, Any]) -> Tensor: ...
    def __delitem__(self, index: Any) -> NoReturn: ...
    def __div__(self, other: Any) -> Tensor: ...
    def __dlpack__(self, *, stream: Any = ..., max_version: tuple[builtins.int, builtins.int] | None = ..., dl_device: tuple[builtins.int, builtins.int] | None = ..., copy: builtins.bool | None = ...) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, builtins.int]: ...
    def __eq__(self, other: Any) -> Tensor: ...
    def __float__(self) -> builtins.float: ...
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __format__(self, spec: str) -> str: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __getitem__(self, index: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __hash__(self) -> builtins.int: ...
    def __iadd__(self, other: Any) -> Tensor: ...
    def __iand__(self, other: Any) -> Tensor: ...
    def __idiv__(self, other: Any) -> Tensor: ...
    def __ifloordiv__(self, other: Any) -> Tensor: ...
    def __ilshift__(self, other: Any) -> Tensor: ...
    def __imod__(self, other: Any) -> Tensor: ...
    def __imul__(self, other: Any) -> Tensor: ...
    def __index__(self) -> builtins.int: ...
    def __int__(self) -> builtins.int: ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Any) -> Tensor: ...
    def __ipow__(self, other: Any) -> Tensor: ...
    def __irshift__(self, other: Any) -> Tensor: ...
    def __isub__(self, other: Any) -> Tensor: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, other: Any) -> Tensor: ...
    def __ixor__(self, other: Any) -> Tensor: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __len__(self) -> builtins.int: ...
    def __lshift__(self, other: Any) -> Tensor: ...
    def __lt__(self, other: Any) -> Tensor: ...
    def __matmul__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __ne__(self, other: Any) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    def __or__(self, other: Any) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def __rdiv__(self, other: Any) -> Tensor: ...
    def __reduce__(self) -> Any: ...
    def __repr__(self, *, tensor_contents: str | None = ...) -> str: ...
    def __reversed__(self) -> Tensor: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __rlshift__(self, other: Any) -> Tensor: ...
    def __rmatmul__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __rrshift__(self, other: Any) -> Tensor: ...
    def __rshift__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __sub__(self, other: Any) -> Tensor: ...
    def __torch_function__(self, other: Any) -> Tensor: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __xor__(self, other: Any) -> Tensor: ...
    def _expose(self, *args: Any, **kwargs: Any) -> Any: ...
    def _is_view(self, *args: Any, **kwargs: Any) -> Any: ...
    @staticmethod
    def _make_subclass(*args: Any, **kwargs: Any) -> Any: ...
    def _storage_bytes(self, *args: Any, **kwargs: Any) -> Any: ...
    def _storage_content(self, *args: Any, **kwargs: Any) -> Any: ...
    def _storage_key(self, *args: Any, **kwargs: Any) -> Any: ...
    def _storage_ptr(self, *args: Any, **kwargs: Any) -> Any: ...
    def allclose(self, other: Tensor, rtol: builtins.float = ..., atol: builtins.float = ..., equal_nan: builtins.bool = ...) -> builtins.bool: ...
    def apply_(self, callable: Any) -> Tensor: ...
    def as_subclass(cls: type) -> Any: ...
    def backward(self, gradient: Tensor | None = None, retain_graph: builtins.bool | None = None, create_graph: builtins.bool = False, inputs: Sequence[Tensor] | Tensor | None = None) -> None: ...
    def ccol_indices(self) -> Any: ...
    def cdouble(self, memory_format: Any = ...) -> NoReturn: ...
    def cfloat(self, memory_format: Any = ...) -> NoReturn: ...
    def chalf(self, memory_format: Any = ...) -> NoReturn: ...
    def cholesky(input: Tensor, upper: builtins.bool = ..., *, out: Out = ...) -> Tensor: ...
    def cholesky_inverse(input: Tensor, upper: builtins.bool = ..., *, out: Out = ...) -> Tensor: ...
    def cholesky_solve(input: Tensor, L: Tensor, upper: builtins.bool = ..., *, out: Out = ...) -> Tensor: ...
    def coalesce(self) -> Any: ...
    def col_indices(self) -> Any: ...
    def conj_physical_(self) -> Tensor: ...
    def const_data_ptr(self) -> builtins.int: ...
    def corrcoef(input: Tensor) -> Tensor: ...
    def cov(input: Tensor, *, correction: builtins.int = ..., fweights: Tensor | None = ..., aweights: Tensor | None = ...) -> Tensor: ...
    def cpu(self, memory_format: Any = ...) -> Tensor: ...
    def crow_indices(self) -> Any: ...
    def cuda(self, device: Any = None, non_blocking: builtins.bool = False, memory_format: Any = None) -> NoReturn: ...
    def data_ptr(self) -> builtins.int: ...
    def dense_dim(self) -> builtins.int: ...
    def dequantize(self) -> Tensor: ...
    def det(input: Tensor) -> Tensor: ...
    def detach(self) -> Tensor: ...
    def detach_(self) -> Tensor: ...
    def diff(input: Tensor, n: builtins.int = ..., dim: builtins.int = ..., prepend: Tensor | None = ..., append: Tensor | None = ..., *, out: Tensor | None = ...) -> Tensor: ...
    def dim(self) -> builtins.int: ...
    def dim_order(self, *, ambiguity_check: Any = ...) -> tuple[builtins.int, ...]: ...
    def eig(self, eigenvectors: builtins.bool = ..., *, e: Any = ..., v: Any = ...) -> NoReturn: ...
    def element_size(self) -> builtins.int: ...
    def equal(self, other: Tensor) -> builtins.bool: ...
    def fill_diagonal_(self, fill_value: Any, wrap: builtins.bool = ...) -> Tensor: ...
    def geqrf(input: Tensor, *, out: Any = ...) -> Any: ...
    def get_device(self) -> builtins.int: ...
    def histogram(input: Tensor, bins: builtins.int | Tensor = ..., *, range: Sequence[builtins.float] | None = ..., weight: Tensor | None = ..., density: builtins.bool = ...) -> Any: ...
    @property
    def imag(self) -> Any: ...
    def indices(self) -> Any: ...
    def int_repr(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def inverse(input: Tensor, *, out: Out = ...) -> Tensor: ...
    def ipu(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def is_coalesced(self) -> Any: ...
    def is_complex(self) -> builtins.bool: ...
    def is_conj(self) -> builtins.bool: ...
    def is_contiguous(self, memory_format: _types.memory_format = ...) -> builtins.bool: ...
    @property
    def is_cpu(self) -> Any: ...
    def is_distributed(self) -> builtins.bool: ...
    def is_floating_point(self) -> builtins.bool: ...
    def is_inference(self) -> builtins.bool: ...
    @property
    def is_ipu(self) -> Any: ...
    @property
    def is_maia(self) -> Any: ...
    @property
    def is_mkldnn(self) -> Any: ...
    @property
    def is_mps(self) -> Any: ...
    @property
    def is_mtia(self) -> Any: ...
    def is_neg(self) -> builtins.bool: ...
    def is_nonzero(self) -> builtins.bool: ...
    def is_pinned(self, device: Any = ...) -> builtins.bool: ...
    def is_same_size(self, other: Tensor) -> builtins.bool: ...
    def is_set_to(self, tensor: Tensor) -> builtins.bool: ...
    def is_shared(self) -> builtins.bool: ...
    def is_signed(self) -> builtins.bool: ...
    @property
    def is_sparse_csr(self) -> Any: ...
    @property
    def is_vulkan(self) -> Any: ...
    @property
    def is_xla(self) -> Any: ...
    @property
    def is_xpu(self) -> Any: ...
    def istft(self, n_fft: builtins.int, hop_length: builtins.int | None = ..., **options: Any) -> NoReturn: ...
    def item(self) -> Any: ...
    def logdet(input: Tensor) -> Tensor: ...
    def lstsq(input: Tensor, A: Tensor, *, out: Any = ...) -> NoReturn: ...
    def lu(A: Tensor, pivot: builtins.bool = ..., get_infos: builtins.bool = ..., out: Out = ...) -> Any: ...
    def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Out = ...) -> Tensor: ...
    def map2_(self, x: Tensor, y: Tensor, callable: Any) -> Tensor: ...
    def map_(self, tensor: Tensor, callable: Any) -> Tensor: ...
    def matrix_exp(A: Tensor) -> Tensor: ...
    def matrix_power(input: Tensor, n: builtins.int, *, out: Tensor | None = ...) -> Tensor: ...
    def module_load(self, other: Tensor, assign: builtins.bool = ...) -> Tensor: ...
    def mtia(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    @property
    def name(self) -> Any: ...
    def nanquantile(input: Tensor, q: builtins.float | Tensor, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, interpolation: str = ..., out: Tensor | None = ...) -> Tensor: ...
    def narrow_copy(input: Tensor, dim: builtins.int, start: builtins.int | Tensor, length: builtins.int, *, out: Tensor | None = ...) -> Tensor: ...
    def ndimension(self) -> builtins.int: ...
    def nelement(self) -> builtins.int: ...
    def new(self, *args: Any) -> Tensor: ...
    def new_tensor(self, data: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ..., layout: Any = ..., pin_memory: builtins.bool = ...) -> Tensor: ...
    def nonzero_static(input: Tensor, *, size: builtins.int, fill_value: builtins.int = ..., out: Tensor | None = ...) -> Tensor: ...
    def norm(self, p: Order = ..., dim: Dims = ..., keepdim: builtins.bool = ..., dtype: Any = ...) -> Tensor: ...
    def numel(self) -> builtins.int: ...
    def numpy(self, *, force: builtins.bool = ...) -> Any: ...
    def orgqr(input: Tensor, tau: Tensor, *, out: Out = ...) -> Tensor: ...
    def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: builtins.bool = ..., transpose: builtins.bool = ..., *, out: Any = ...) -> Tensor: ...
    def pin_memory(self, device: Any = ...) -> Tensor: ...
    def pinverse(input: Tensor, rcond: builtins.float = ...) -> Tensor: ...
    def q_per_channel_axis(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def q_per_channel_scales(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def q_per_channel_zero_points(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def q_scale(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def q_zero_point(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def qr(input: Tensor, some: builtins.bool = ..., *, out: Out = ...) -> Any: ...
    def qscheme(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def quantile(input: Tensor, q: builtins.float | Tensor, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, interpolation: str = ..., out: Tensor | None = ...) -> Tensor: ...
    @property
    def real(self) -> Any: ...
    def record_stream(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def register_hook(self, hook: Callable[[Tensor], Any]) -> Any: ...
    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> Any: ...
    def reinforce(self, reward: Any) -> NoReturn: ...
    def renorm(input: Tensor, p: builtins.float, dim: builtins.int, maxnorm: builtins.float, *, out: Tensor | None = ...) -> Tensor: ...
    def renorm_(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor: ...
    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor: ...
    def resize(self, *sizes: Any) -> Tensor: ...
    @overload
    def resize_(self, size: Sequence[builtins.int]) -> Self: ...
    @overload
    def resize_(self, *size: builtins.int) -> Self: ...
    def resize_as(self, tensor: Tensor) -> Tensor: ...
    def resize_as_(self, other: Tensor) -> Self: ...
    def resize_as_sparse_(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def retain_grad(self) -> None: ...
    def row_indices(self) -> Any: ...
    def set_(self, source: Tensor, storage_offset: builtins.int = 0, size: Sequence[builtins.int] | None = None, stride: Sequence[builtins.int] | None = None) -> Self: ...
    def share_memory_(self) -> Tensor: ...
    @overload
    def size(self) -> _types.Size: ...
    @overload
    def size(self, dim: builtins.int) -> builtins.int: ...
    def slogdet(input: Tensor, *, out: Out = ...) -> Any: ...
    def smm(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def solve(input: Tensor, A: Tensor, *, out: Any = ...) -> NoReturn: ...
    def sparse_dim(self) -> builtins.int: ...
    def sparse_mask(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def sparse_resize_(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def sparse_resize_and_clear_(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def sspaddmm(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def stft(self, n_fft: builtins.int, hop_length: builtins.int | None = ..., **options: Any) -> NoReturn: ...
    def storage(self) -> Any: ...
    def storage_offset(self) -> builtins.int: ...
    def storage_type(self) -> Any: ...
    @overload
    def stride(self) -> tuple[builtins.int, ...]: ...
    @overload
    def stride(self, dim: builtins.int) -> builtins.int: ...
    def svd(input: Tensor, some: builtins.bool = ..., compute_uv: builtins.bool = ..., *, out: Out = ...) -> Any: ...
    def symeig(input: Tensor, eigenvectors: builtins.bool = ..., upper: builtins.bool = ..., *, out: Any = ...) -> NoReturn: ...
    def to_dense(self, dtype: Any = ..., *, masked_grad: Any = ...) -> Tensor: ...
    def to_mkldnn(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def to_padded_tensor(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def to_sparse(self, sparse_dim: builtins.int | None = ...) -> Any: ...
    def to_sparse_bsc(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def to_sparse_bsr(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def to_sparse_coo(self) -> Any: ...
    def to_sparse_csc(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def to_sparse_csr(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def tolist(self) -> Any: ...
    def triangular_solve(input: Tensor, A: Tensor, upper: builtins.bool = ..., transpose: builtins.bool = ..., unitriangular: builtins.bool = ..., *, out: Out = ...) -> Any: ...
    def type(self, dtype: Any = ..., non_blocking: builtins.bool = ...) -> Any: ...
    def unique(input: Tensor, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: builtins.int | None = ...) -> Any: ...
    def unique_consecutive(input: Tensor, return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: builtins.int | None = ...) -> Any: ...
    def untyped_storage(self) -> Any: ...
    def values(self) -> Any: ...
    @property
    def volatile(self) -> builtins.bool: ...
    def xpu(self, *args: Any, dense_dim: Any = ...) -> NoReturn: ...
    def abs(self) -> Tensor:
        """Absolute value of each element."""
    def absolute(self) -> Tensor:
        """Absolute value of each element."""
    def acos(self) -> Tensor:
        """The angle whose cosine each element is."""
    def acosh(self) -> Tensor:
        """Inverse hyperbolic cosine of each element."""
    @overload
    def add(self, other: Tensor | Number) -> Tensor:
        """Sum of input and other, element by element."""
    @overload
    def add(self, other: Tensor | Number, *, alpha: Number = ...) -> Tensor: ...
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Tensor:
        """beta * input + alpha * the sum of batch1 @ batch2 over the batch."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = ...) -> Tensor:
        """input + value * tensor1 / tensor2."""
    @overload
    def addcmul(self, tensor1: Tensor, tensor2: Tensor) -> Tensor:
        """input + value * tensor1 * tensor2."""
    @overload
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = ...) -> Tensor: ...
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Tensor:
        """beta * input + alpha * mat1 @ mat2, for matrices."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Tensor:
        """beta * input + alpha * mat @ vec."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Tensor:
        """beta * input + alpha * outer(vec1, vec2)."""
    def adjoint(self) -> Tensor:
        """Each matrix of a batch transposed."""
    @overload
    def all(self) -> Tensor:
        """Whether no element is zero."""
    @overload
    def all(self, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ...) -> Tensor: ...
    def amax(self, dim: builtins.int | Sequence[builtins.int] = ..., keepdim: builtins.bool = ...) -> Tensor:
        """The largest elements over some or all dimensions; equal ones share the gradient."""
    def amin(self, dim: builtins.int | Sequence[builtins.int] = ..., keepdim: builtins.bool = ...) -> Tensor:
        """The smallest elements over some or all dimensions; equal ones share the gradient."""
    def aminmax(self, *, dim: builtins.int | None = ..., keepdim: builtins.bool = ...) -> _aminmax_result:
        """The smallest and the largest elements."""
    def angle(self) -> Tensor:
        """pi where input is negative, 0 elsewhere."""
    @overload
    def any(self) -> Tensor:
        """Whether any element is not zero."""
    @overload
    def any(self, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ...) -> Tensor: ...
    def arccos(self) -> Tensor:
        """The angle whose cosine each element is."""
    def arccosh(self) -> Tensor:
        """Inverse hyperbolic cosine of each element."""
    def arcsin(self) -> Tensor:
        """The angle whose sine each element is."""
    def arcsinh(self) -> Tensor:
        """Inverse hyperbolic sine of each element."""
    def arctan(self) -> Tensor:
        """The angle whose tangent each element is."""
    def arctan2(self, other: Tensor) -> Tensor:
        """The angle of the point (other, input), from -pi to pi."""
    def arctanh(self) -> Tensor:
        """Inverse hyperbolic tangent of each element."""
    def argmax(self, dim: builtins.int | None = ..., keepdim: builtins.bool = ...) -> Tensor:
        """Where the largest element is; of equal ones the first."""
    def argmin(self, dim: builtins.int | None = ..., keepdim: builtins.bool = ...) -> Tensor:
        """Where the smallest element is; of equal ones the first."""
    @overload
    def argsort(self, dim: builtins.int = ..., descending: builtins.bool = ...) -> Tensor:
        """Where the elements in order along a dimension are."""
    @overload
    def argsort(self, *, stable: builtins.bool, dim: builtins.int = ..., descending: builtins.bool = ...) -> Tensor: ...
    def argwhere(self) -> Tensor:
        """The positions of the elements that are not zero, one in each row."""
    def as_strided(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = ...) -> Tensor:
        """A view of the storage with the given sizes, strides and offset."""
    def as_strided_scatter(self, src: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = ...) -> Tensor:
        """A copy of input with the strided part replaced by src."""
    def asin(self) -> Tensor:
        """The angle whose sine each element is."""
    def asinh(self) -> Tensor:
        """Inverse hyperbolic sine of each element."""
    def atan(self) -> Tensor:
        """The angle whose tangent each element is."""
    def atan2(self, other: Tensor) -> Tensor:
        """The angle of the point (other, input), from -pi to pi."""
    def atanh(self) -> Tensor:
        """Inverse hyperbolic tangent of each element."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Tensor:
        """beta * input + alpha * batch1 @ batch2, for batches of matrices."""
    @overload
    def bernoulli(self, *, generator: Generator | None = ...) -> Tensor:
        """1 with the probability that the element of input says, else 0."""
    @overload
    def bernoulli(self, p: builtins.float, *, generator: Generator | None = ...) -> Tensor: ...
    def bfloat16(self, *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """The tensor as bfloat16, itself if it is."""
    def bincount(self, weights: Tensor | None = ..., minlength: builtins.int = ...) -> Tensor:
        """How often each non-negative integer occurs, or the sum of its weights."""
    def bitwise_and(self, other: Tensor | Number) -> Tensor:
        """The bits that both have."""
    def bitwise_left_shift(self, other: Tensor | Number) -> Tensor:
        """Bits moved to the left by other places."""
    def bitwise_not(self) -> Tensor:
        """The bits that input has not; of a bool, its opposite."""
    def bitwise_or(self, other: Tensor | Number) -> Tensor:
        """The bits that at least one has."""
    def bitwise_right_shift(self, other: Tensor | Number) -> Tensor:
        """Bits moved to the right by other places, keeping the sign."""
    def bitwise_xor(self, other: Tensor | Number) -> Tensor:
        """The bits that exactly one has."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """Products of the matrices of two batches."""
    def bool(self, *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """The tensor as bool_, itself if it is."""
    @overload
    def broadcast_to(self, size: Sequence[builtins.int]) -> Tensor:
        """Repeats dimensions of size 1 without copying."""
    @overload
    def broadcast_to(self, *size: builtins.int) -> Tensor: ...
    def byte(self, *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """The tensor as uint8, itself if it is."""
    def ceil(self) -> Tensor:
        """The smallest integer that is not below each element."""
    def char(self, *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """The tensor as int8, itself if it is."""
    def chunk(self, chunks: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]:
        """Views of at most that many parts of one size; the last may be smaller."""
    @overload
    def clamp(self, min: Tensor | None = ..., max: Tensor | None = ...) -> Tensor:
        """input, held between min and max."""
    @overload
    def clamp(self, min: Number | None = ..., max: Number | None = ...) -> Tensor: ...
    def clamp_max(self, max: Tensor | Number) -> Tensor:
        """input, held at or below max."""
    def clamp_min(self, min: Tensor | Number) -> Tensor:
        """input, held at or above min."""
    @overload
    def clip(self, min: Tensor | None = ..., max: Tensor | None = ...) -> Tensor:
        """input, held between min and max."""
    @overload
    def clip(self, min: Number | None = ..., max: Number | None = ...) -> Tensor: ...
    def clone(self, *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """A copy."""
    def conj(self) -> Tensor:
        """input itself, which is real."""
    def conj_physical(self) -> Tensor:
        """input itself, which is real."""
    def contiguous(self, *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """The tensor in row-major order, itself if it is."""
    def copysign(self, other: Tensor | Number) -> Tensor:
        """The size of input with the sign of other."""
    def cos(self) -> Tensor:
        """Cosine of each element, in radians."""
    def cosh(self) -> Tensor:
        """Hyperbolic cosine of each element."""
    def count_nonzero(self, dim: builtins.int | Sequence[builtins.int] | None = ...) -> Tensor:
        """How many elements are not zero."""
    def cross(self, other: Tensor, dim: builtins.int | None = ...) -> Tensor:
        """Cross product of vectors of three elements."""
    def cummax(self, dim: builtins.int) -> _cummax_result:
        """Running largest elements along a dimension, and where they are."""
    def cummin(self, dim: builtins.int) -> _cummin_result:
        """Running smallest elements along a dimension, and where they are."""
    def cumprod(self, dim: builtins.int, *, dtype: _types.dtype | None = ...) -> Tensor:
        """Running products along a dimension."""
    def cumsum(self, dim: builtins.int, *, dtype: _types.dtype | None = ...) -> Tensor:
        """Running sums along a dimension."""
    def deg2rad(self) -> Tensor:
        """Angles in degrees as radians."""
    def diag(self, diagonal: builtins.int = ...) -> Tensor:
        """The matrix with a vector on its diagonal, or the diagonal of a matrix."""
    def diag_embed(self, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor:
        """Matrices with the last dimension of input on their diagonals."""
    def diagflat(self, offset: builtins.int = ...) -> Tensor:
        """The matrix with all elements on its diagonal."""
    def diagonal(self, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor:
        """A diagonal of each matrix that two dimensions make."""
    def diagonal_scatter(self, src: Tensor, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor:
        """A copy of input with a diagonal replaced by src."""
    def digamma(self) -> Tensor:
        """Derivative of lgamma."""
    def dist(self, other: Tensor, p: builtins.float = ...) -> Tensor:
        """The norm of order p of the difference."""
    @overload
    def div(self, other: Tensor | Number) -> Tensor:
        """Quotient of input and other, element by element."""
    @overload
    def div(self, other: Tensor | Number, *, rounding_mode: str | None) -> Tensor: ...
    @overload
    def divide(self, other: Tensor | Number) -> Tensor:
        """Quotient of input and other, element by element."""
    @overload
    def divide(self, other: Tensor | Number, *, rounding_mode: str | None) -> Tensor: ...
    def dot(self, tensor: Tensor) -> Tensor:
        """Inner product of two vectors."""
    def double(self, *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """The tensor as float64, itself if it is."""
    @overload
    def dsplit(self, sections: builtins.int) -> tuple[Tensor, ...]:
        """Views of equal parts in depth, or parted at the given indices."""
    @overload
    def dsplit(self, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
    @overload
    def dsplit(self, *indices: builtins.int) -> tuple[Tensor, ...]: ...
    def eq(self, other: Tensor | Number) -> Tensor:
        """True where input and other are equal."""
    def erf(self) -> Tensor:
        """The error function of each element."""
    def erfc(self) -> Tensor:
        """1 - erf(input), exact for large input."""
    def erfinv(self) -> Tensor:
        """The number whose error function each element is."""
    def exp(self) -> Tensor:
        """e to the power of each element."""
    def exp2(self) -> Tensor:
        """2 to the power of each element."""
    @overload
    def expand(self, size: Sequence[builtins.int], *, implicit: builtins.bool = ...) -> Tensor:
        """Repeats dimensions of size 1 without copying; -1 keeps a size."""
    @overload
    def expand(self, *size: builtins.int, implicit: builtins.bool = ...) -> Tensor: ...
    def expand_as(self, other: Tensor) -> Tensor:
        """Repeats dimensions of size 1 without copying, to the sizes of other."""
    def expm1(self) -> Tensor:
        """exp(input) - 1, exact for small input."""
    def fix(self) -> Tensor:
        """Each element without its fraction."""
    def flatten(self, start_dim: builtins.int = ..., end_dim: builtins.int = ...) -> Tensor:
        """Makes one dimension of those from start_dim to end_dim."""
    @overload
    def flip(self, dims: Sequence[builtins.int]) -> Tensor:
        """The elements in the opposite order along each of the dims."""
    @overload
    def flip(self, *dims: builtins.int) -> Tensor: ...
    def fliplr(self) -> Tensor:
        """The columns in the opposite order."""
    def flipud(self) -> Tensor:
        """The rows in the opposite order."""
    def float(self, *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """The tensor as float32, itself if it is."""
    def float_power(self, exponent: Tensor | Number) -> Tensor:
        """input to the power of exponent, in float64."""
    def floor(self) -> Tensor:
        """The largest integer that is not above each element."""
    def floor_divide(self, other: Tensor | Number) -> Tensor:
        """Quotient rounded towards minus infinity, Python's //."""
    def fmax(self, other: Tensor) -> Tensor:
        """The larger of input and other; a NaN loses against a number."""
    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of input and other; a NaN loses against a number."""
    def fmod(self, other: Tensor | Number) -> Tensor:
        """Remainder with the sign of the dividend, C's fmod."""
    def frac(self) -> Tensor:
        """The fraction of each element, with its sign."""
    def frexp(self) -> _frexp_result:
        """input as mantissa * 2**exponent, the mantissa being at least 0.5 and below 1."""
    def gather(self, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = ...) -> Tensor:
        """For each index the element of input at it along dim, and where it stands otherwise."""
    def gcd(self, other: Tensor) -> Tensor:
        """Greatest common divisor."""
    def ge(self, other: Tensor | Number) -> Tensor:
        """True where input is at least other."""
    def ger(self, vec2: Tensor) -> Tensor:
        """Every element of a vector times every element of another; another name of outer."""
    def greater(self, other: Tensor | Number) -> Tensor:
        """True where input is greater than other."""
    def greater_equal(self, other: Tensor | Number) -> Tensor:
        """True where input is at least other."""
    def gt(self, other: Tensor | Number) -> Tensor:
        """True where input is greater than other."""
    def half(self, *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """The tensor as float16, itself if it is."""
    def hardshrink(self, lambd: Number = ...) -> Tensor:
        """input, and 0 where its size is at most lambd."""
    def heaviside(self, values: Tensor) -> Tensor:
        """0 where input is negative, values where it is 0, 1 where it is positive."""
    def histc(self, bins: builtins.int = ..., min: Number = ..., max: Number = ...) -> Tensor:
        """How many elements fall into each of equal bins."""
    @overload
    def hsplit(self, sections: builtins.int) -> tuple[Tensor, ...]:
        """Views of equal parts side by side, or parted at the given indices."""
    @overload
    def hsplit(self, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
    @overload
    def hsplit(self, *indices: builtins.int) -> tuple[Tensor, ...]: ...
    def hypot(self, other: Tensor) -> Tensor:
        """Length of the hypotenuse over the sides input and other."""
    def i0(self) -> Tensor:
        """Modified Bessel function of the first kind, of order 0."""
    def igamma(self, other: Tensor) -> Tensor:
        """The lower part of the gamma function of input, up to other, as a fraction of the whole."""
    def igammac(self, other: Tensor) -> Tensor:
        """The upper part of the gamma function of input, from other, as a fraction of the whole."""
    def index_add(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = ...) -> Tensor:
        """A copy of input with alpha times each slice of source added where index says."""
    def index_copy(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """A copy of input with slices of source written where index says."""
    def index_fill(self, dim: builtins.int, index: Tensor, value: Tensor | Number) -> Tensor:
        """A copy of input with the slices that index names filled with value."""
    def index_put(self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = ...) -> Tensor:
        """A copy of input with values written, or added, where the indices say."""
    def index_reduce(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: str, *, include_self: builtins.bool = ...) -> Tensor:
        """Slices of source reduced, by prod, mean, amax or amin, where index says along dim."""
    def index_select(self, dim: builtins.int, index: Tensor) -> Tensor:
        """The slices of input that index names along dim."""
    def inner(self, other: Tensor) -> Tensor:
        """Inner products of all pairs of rows."""
    def int(self, *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """The tensor as int32, itself if it is."""
    def isclose(self, other: Tensor, rtol: builtins.float = ..., atol: builtins.float = ..., equal_nan: builtins.bool = ...) -> Tensor:
        """True where |input - other| <= atol + rtol * |other|."""
    def isfinite(self) -> Tensor:
        """True where input is neither infinite nor NaN."""
    def isinf(self) -> Tensor:
        """True where input is infinite."""
    def isnan(self) -> Tensor:
        """True where input is not a number."""
    def isneginf(self) -> Tensor:
        """True where input is minus infinity."""
    def isposinf(self) -> Tensor:
        """True where input is plus infinity."""
    def isreal(self) -> Tensor:
        """True everywhere."""
    def kron(self, other: Tensor) -> Tensor:
        """Kronecker product: every element of input times the whole of other."""
    def kthvalue(self, k: builtins.int, dim: builtins.int = ..., keepdim: builtins.bool = ...) -> _kthvalue_result:
        """The k-th smallest elements along a dimension, and where they are."""
    def lcm(self, other: Tensor) -> Tensor:
        """Least common multiple."""
    def ldexp(self, other: Tensor) -> Tensor:
        """input * 2**other."""
    def le(self, other: Tensor | Number) -> Tensor:
        """True where input is at most other."""
    def lerp(self, end: Tensor, weight: Tensor | Number) -> Tensor:
        """The point between input (weight 0) and end (weight 1)."""
    def less(self, other: Tensor | Number) -> Tensor:
        """True where input is less than other."""
    def less_equal(self, other: Tensor | Number) -> Tensor:
        """True where input is at most other."""
    def lgamma(self) -> Tensor:
        """Logarithm of the absolute value of the gamma function."""
    def log(self) -> Tensor:
        """Natural logarithm of each element."""
    def log10(self) -> Tensor:
        """Logarithm to base 10 of each element."""
    def log1p(self) -> Tensor:
        """log(1 + input), exact for small input."""
    def log2(self) -> Tensor:
        """Logarithm to base 2 of each element."""
    def log_softmax(self, dim: builtins.int, dtype: _types.dtype | None = ...) -> Tensor:
        """The logarithm of softmax, without overflow."""
    def logaddexp(self, other: Tensor) -> Tensor:
        """log(exp(input) + exp(other)), without overflow."""
    def logaddexp2(self, other: Tensor) -> Tensor:
        """log2(2**input + 2**other), without overflow."""
    def logcumsumexp(self, dim: builtins.int) -> Tensor:
        """Logarithms of the running sums of exponentials along a dimension."""
    def logical_and(self, other: Tensor) -> Tensor:
        """True where both are not zero."""
    def logical_not(self) -> Tensor:
        """True where input is zero."""
    def logical_or(self, other: Tensor) -> Tensor:
        """True where at least one is not zero."""
    def logical_xor(self, other: Tensor) -> Tensor:
        """True where exactly one is not zero."""
    @overload
    def logit(self) -> Tensor:
        """log(input / (1 - input)), the inverse of sigmoid."""
    @overload
    def logit(self, eps: builtins.float | None) -> Tensor: ...
    def logsumexp(self, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = ...) -> Tensor:
        """Logarithm of the sum of exponentials, without overflow."""
    def long(self, *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """The tensor as int64, itself if it is."""
    def lt(self, other: Tensor | Number) -> Tensor:
        """True where input is less than other."""
    def masked_fill(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """A copy of input with value where mask is true."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """A copy of input with the elements of source, in order, where mask is true."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """A list of the elements where mask is true."""
    def matmul(self, other: Tensor) -> Tensor:
        """Product of vectors, matrices or batches of matrices, which broadcast; Python's @."""
    @overload
    def max(self) -> Tensor:
        """The largest element; along a dimension, also where it is; of two tensors, the larger."""
    @overload
    def max(self, other: Tensor) -> Tensor: ...
    @overload
    def max(self, dim: builtins.int, keepdim: builtins.bool = ...) -> _max_result: ...
    def maximum(self, other: Tensor) -> Tensor:
        """The larger of input and other; NaN if either is."""
    @overload
    def mean(self, *, dtype: _types.dtype | None = ...) -> Tensor:
        """Mean of all elements, or over some dimensions."""
    @overload
    def mean(self, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ..., *, dtype: _types.dtype | None = ...) -> Tensor: ...
    @overload
    def median(self) -> Tensor:
        """The lower median of all elements; along a dimension, also where it is."""
    @overload
    def median(self, dim: builtins.int, keepdim: builtins.bool = ...) -> _median_result: ...
    @overload
    def min(self) -> Tensor:
        """The smallest element; along a dimension, also where it is; of two tensors, the smaller."""
    @overload
    def min(self, other: Tensor) -> Tensor: ...
    @overload
    def min(self, dim: builtins.int, keepdim: builtins.bool = ...) -> _min_result: ...
    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of input and other; NaN if either is."""
    def mm(self, mat2: Tensor) -> Tensor:
        """Product of two matrices."""
    def mode(self, dim: builtins.int = ..., keepdim: builtins.bool = ...) -> _mode_result:
        """The most frequent elements along a dimension, and where they are."""
    @overload
    def moveaxis(self, source: builtins.int, destination: builtins.int) -> Tensor:
        """Moves dimensions to other positions; another name of movedim."""
    @overload
    def moveaxis(self, source: Sequence[builtins.int], destination: Sequence[builtins.int]) -> Tensor: ...
    @overload
    def moveaxis(self, source: Sequence[builtins.int], *destination: builtins.int) -> Tensor: ...
    @overload
    def movedim(self, source: builtins.int, destination: builtins.int) -> Tensor:
        """Moves dimensions to other positions; the rest keep their order."""
    @overload
    def movedim(self, source: Sequence[builtins.int], destination: Sequence[builtins.int]) -> Tensor: ...
    @overload
    def movedim(self, source: Sequence[builtins.int], *destination: builtins.int) -> Tensor: ...
    def msort(self) -> Tensor:
        """The elements in order along the first dimension."""
    def mul(self, other: Tensor | Number) -> Tensor:
        """Product of input and other, element by element."""
    def multinomial(self, num_samples: builtins.int, replacement: builtins.bool = ..., *, generator: Generator | None = ...) -> Tensor:
        """Indices drawn with the probabilities that are proportional to each row of input."""
    def multiply(self, other: Tensor | Number) -> Tensor:
        """Product of input and other, element by element."""
    def mv(self, vec: Tensor) -> Tensor:
        """Product of a matrix and a vector."""
    def mvlgamma(self, p: builtins.int) -> Tensor:
        """Logarithm of the multivariate gamma function of dimension p."""
    def nan_to_num(self, nan: builtins.float | None = ..., posinf: builtins.float | None = ..., neginf: builtins.float | None = ...) -> Tensor:
        """NaN and infinities replaced: by 0 and by the largest numbers unless given."""
    def nanmean(self, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _types.dtype | None = ...) -> Tensor:
        """Mean of the elements that are not NaN."""
    @overload
    def nanmedian(self) -> Tensor:
        """The lower median of the elements that are not NaN; along a dimension, also where it is."""
    @overload
    def nanmedian(self, dim: builtins.int, keepdim: builtins.bool = ...) -> _nanmedian_result: ...
    def nansum(self, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _types.dtype | None = ...) -> Tensor:
        """Sum in which NaN counts as zero."""
    def narrow(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor:
        """length elements of a dimension from start on."""
    def ne(self, other: Tensor | Number) -> Tensor:
        """True where input and other differ."""
    def neg(self) -> Tensor:
        """Each element with the opposite sign."""
    def negative(self) -> Tensor:
        """Each element with the opposite sign."""
    @overload
    def new_empty(self, size: Sequence[builtins.int], *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ...) -> Tensor:
        """Unspecified numbers with the dtype of input."""
    @overload
    def new_empty(self, *size: builtins.int, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ...) -> Tensor: ...
    @overload
    def new_empty_strided(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ...) -> Tensor:
        """Unspecified numbers with the dtype of input and the given strides."""
    @overload
    def new_empty_strided(self, size: Sequence[builtins.int], *stride: builtins.int, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ...) -> Tensor: ...
    def new_full(self, size: Sequence[builtins.int], fill_value: Number, *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ...) -> Tensor:
        """One number everywhere, with the dtype of input."""
    @overload
    def new_ones(self, size: Sequence[builtins.int], *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ...) -> Tensor:
        """Ones with the dtype of input."""
    @overload
    def new_ones(self, *size: builtins.int, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ...) -> Tensor: ...
    @overload
    def new_zeros(self, size: Sequence[builtins.int], *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ...) -> Tensor:
        """Zeros with the dtype of input."""
    @overload
    def new_zeros(self, *size: builtins.int, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ...) -> Tensor: ...
    def nextafter(self, other: Tensor) -> Tensor:
        """The next number after input in the direction of other."""
    @overload
    def nonzero(self, *, as_tuple: Literal[False] = ...) -> Tensor:
        """The positions of the elements that are not zero, one in each row."""
    @overload
    def nonzero(self, *, as_tuple: Literal[True], out: Tensor | None = ...) -> tuple[Tensor, ...]: ...
    def not_equal(self, other: Tensor | Number) -> Tensor:
        """True where input and other differ."""
    def outer(self, vec2: Tensor) -> Tensor:
        """Every element of a vector times every element of another."""
    @overload
    def permute(self, dims: Sequence[builtins.int]) -> Tensor:
        """Reorders the dimensions."""
    @overload
    def permute(self, *dims: builtins.int) -> Tensor: ...
    def polygamma(self, n: builtins.int) -> Tensor:
        """The nth derivative of digamma."""
    def positive(self) -> Tensor:
        """input itself, +input."""
    def pow(self, exponent: Tensor | Number) -> Tensor:
        """input to the power of exponent."""
    def prelu(self, weight: Tensor) -> Tensor:
        """leaky_relu whose slope is learnt: one, or one for each channel."""
    @overload
    def prod(self, *, dtype: _types.dtype | None = ...) -> Tensor:
        """Product of all elements, or along a dimension."""
    @overload
    def prod(self, dim: builtins.int, keepdim: builtins.bool = ..., *, dtype: _types.dtype | None = ...) -> Tensor: ...
    def put(self, index: Tensor, source: Tensor, accumulate: builtins.bool = ...) -> Tensor:
        """A copy of input, taken as one list, with source written where index says."""
    def rad2deg(self) -> Tensor:
        """Angles in radians as degrees."""
    def ravel(self) -> Tensor:
        """All elements in one dimension, as a view where possible."""
    def reciprocal(self) -> Tensor:
        """One divided by each element."""
    def relu(self) -> Tensor:
        """The larger of 0 and each element."""
    def remainder(self, other: Tensor | Number) -> Tensor:
        """Remainder with the sign of the divisor, Python's %."""
    @overload
    def repeat(self, repeats: Sequence[builtins.int]) -> Tensor:
        """Copies of the tensor side by side along each dimension."""
    @overload
    def repeat(self, *repeats: builtins.int) -> Tensor: ...
    @overload
    def repeat_interleave(self, repeats: Tensor, dim: builtins.int | None = ..., *, output_size: builtins.int | None = ...) -> Tensor:
        """Each element, or slice along dim, repeats times in a row."""
    @overload
    def repeat_interleave(self, repeats: builtins.int, dim: builtins.int | None = ..., *, output_size: builtins.int | None = ...) -> Tensor: ...
    @overload
    def repeat_interleave(self, *, output_size: builtins.int | None = ...) -> Tensor: ...
    @overload
    def reshape(self, shape: Sequence[builtins.int]) -> Tensor:
        """The same elements with other sizes, as a view where possible."""
    @overload
    def reshape(self, *shape: builtins.int) -> Tensor: ...
    def reshape_as(self, other: Tensor) -> Tensor:
        """The same elements with the sizes of other, as a view where possible."""
    def resolve_conj(self) -> Tensor:
        """input itself, which is real."""
    def resolve_neg(self) -> Tensor:
        """input itself, which is real."""
    def roll(self, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] = ...) -> Tensor:
        """Elements moved on by shifts along dims; those that fall off come in again."""
    @overload
    def rot90(self, k: builtins.int = ..., dims: Sequence[builtins.int] = ...) -> Tensor:
        """k quarter turns from the first of the dims towards the second."""
    @overload
    def rot90(self, k: builtins.int = ..., *dims: builtins.int) -> Tensor: ...
    @overload
    def round(self) -> Tensor:
        """The nearest integer; halves go to the even one."""
    @overload
    def round(self, *, decimals: builtins.int) -> Tensor: ...
    def rsqrt(self) -> Tensor:
        """One divided by the square root of each element."""
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """A copy of input with src written where index says along dim."""
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, value: Number) -> Tensor: ...
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor | Number, *, reduce: str) -> Tensor: ...
    @overload
    def scatter(self, dim: builtins.int, index: Tensor, value: Tensor | Number, *, reduce: str) -> Tensor: ...
    def scatter_add(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """A copy of input with src added where index says along dim."""
    def scatter_reduce(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: str, *, include_self: builtins.bool = ...) -> Tensor:
        """Elements of src reduced, by sum, prod, mean, amax or amin, where index says along dim."""
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """The slice at one index of a dimension, without that dimension."""
    def select_scatter(self, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
        """A copy of input with the slice at one index replaced by src."""
    def sgn(self) -> Tensor:
        """The same as sign, for real numbers."""
    def short(self, *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """The tensor as int16, itself if it is."""
    def sigmoid(self) -> Tensor:
        """1 / (1 + exp(-input))."""
    def sign(self) -> Tensor:
        """-1, 0 or 1, as each element is negative, zero or positive."""
    def signbit(self) -> Tensor:
        """True where input has a minus sign, -0 too."""
    def sin(self) -> Tensor:
        """Sine of each element, in radians."""
    def sinc(self) -> Tensor:
        """sin(pi * input) / (pi * input), and 1 where input is 0."""
    def sinh(self) -> Tensor:
        """Hyperbolic sine of each element."""
    def slice_scatter(self, src: Tensor, dim: builtins.int = ..., start: builtins.int | None = ..., end: builtins.int | None = ..., step: builtins.int = ...) -> Tensor:
        """A copy of input with every step-th element from start to end replaced by src."""
    def softmax(self, dim: builtins.int, dtype: _types.dtype | None = ...) -> Tensor:
        """exp(input), scaled so that it sums to 1 along dim."""
    @overload
    def sort(self, dim: builtins.int = ..., descending: builtins.bool = ...) -> _sort_result:
        """The elements in order along a dimension, and where they were."""
    @overload
    def sort(self, *, stable: builtins.bool | None, dim: builtins.int = ..., descending: builtins.bool = ...) -> _sort_result: ...
    @overload
    def split(self, split_size: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]:
        """Views of parts of the given size, or sizes; the last may be smaller."""
    @overload
    def split(self, split_size: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: ...
    def split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]:
        """Views of parts of the given sizes."""
    def sqrt(self) -> Tensor:
        """Square root of each element."""
    def square(self) -> Tensor:
        """Each element times itself."""
    @overload
    def squeeze(self) -> Tensor:
        """Removes dimensions of size 1: all, or those among dim."""
    @overload
    def squeeze(self, dim: builtins.int) -> Tensor: ...
    @overload
    def squeeze(self, dim: Sequence[builtins.int]) -> Tensor: ...
    @overload
    def squeeze(self, *dim: builtins.int) -> Tensor: ...
    @overload
    def std(self, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = ..., keepdim: builtins.bool = ...) -> Tensor:
        """Standard deviation of all elements, or over some dimensions."""
    @overload
    def std(self, dim: builtins.int | Sequence[builtins.int] | None = ..., *, correction: Number | None = ..., keepdim: builtins.bool = ...) -> Tensor: ...
    @overload
    def std(self, unbiased: builtins.bool = ...) -> Tensor: ...
    @overload
    def sub(self, other: Tensor | Number) -> Tensor:
        """Difference of input and other, element by element."""
    @overload
    def sub(self, other: Tensor | Number, *, alpha: Number = ...) -> Tensor: ...
    @overload
    def subtract(self, other: Tensor | Number) -> Tensor:
        """Difference of input and other, element by element."""
    @overload
    def subtract(self, other: Tensor | Number, *, alpha: Number = ...) -> Tensor: ...
    @overload
    def sum(self, *, dtype: _types.dtype | None = ...) -> Tensor:
        """Sum of all elements, or over some dimensions."""
    @overload
    def sum(self, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ..., *, dtype: _types.dtype | None = ...) -> Tensor: ...
    @overload
    def sum_to_size(self, size: Sequence[builtins.int]) -> Tensor:
        """Sum over what broadcasting would add to a tensor of these sizes."""
    @overload
    def sum_to_size(self, *size: builtins.int) -> Tensor: ...
    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Exchanges two dimensions; another name of transpose."""
    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Exchanges two dimensions; another name of transpose."""
    def t(self) -> Tensor:
        """The transpose of a matrix; vectors stay as they are."""
    def take(self, index: Tensor) -> Tensor:
        """The elements that index names in input taken as one list."""
    def take_along_dim(self, indices: Tensor, dim: builtins.int | None = ...) -> Tensor:
        """gather with the sizes of input and indices broadcast together."""
    def tan(self) -> Tensor:
        """Tangent of each element, in radians."""
    def tanh(self) -> Tensor:
        """Hyperbolic tangent of each element."""
    @overload
    def tensor_split(self, sections: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]:
        """Views of parts, as equal as can be, or parted at the given indices."""
    @overload
    def tensor_split(self, indices: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: ...
    @overload
    def tensor_split(self, tensor_indices_or_sections: Tensor, dim: builtins.int = ...) -> tuple[Tensor, ...]: ...
    @overload
    def tile(self, dims: Sequence[builtins.int]) -> Tensor:
        """Copies of the tensor side by side; missing counts are 1."""
    @overload
    def tile(self, *dims: builtins.int) -> Tensor: ...
    @overload
    def to(self, dtype: _types.dtype, non_blocking: builtins.bool = ..., copy: builtins.bool = ..., *, memory_format: _types.memory_format | None = ...) -> Tensor:
        """The tensor with another dtype, itself if nothing changes."""
    @overload
    def to(self, other: Tensor, non_blocking: builtins.bool = ..., copy: builtins.bool = ..., *, memory_format: _types.memory_format | None = ...) -> Tensor: ...
    @overload
    def to(self, device: _types.device | str | builtins.int | None = ..., dtype: _types.dtype | None = ..., non_blocking: builtins.bool = ..., copy: builtins.bool = ..., *, memory_format: _types.memory_format | None = ...) -> Tensor: ...
    def topk(self, k: builtins.int, dim: builtins.int = ..., largest: builtins.bool = ..., sorted: builtins.bool = ...) -> _topk_result:
        """The k largest elements along a dimension, and where they are."""
    def trace(self) -> Tensor:
        """The sum of a matrix's diagonal."""
    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Exchanges two dimensions."""
    def tril(self, diagonal: builtins.int = ...) -> Tensor:
        """Each matrix with zeros above a diagonal."""
    def triu(self, diagonal: builtins.int = ...) -> Tensor:
        """Each matrix with zeros below a diagonal."""
    def true_divide(self, other: Tensor | Number) -> Tensor:
        """Quotient of input and other, element by element."""
    def trunc(self) -> Tensor:
        """Each element without its fraction."""
    def type_as(self, other: Tensor) -> Tensor:
        """The tensor with the dtype of other."""
    def unbind(self, dim: builtins.int = ...) -> tuple[Tensor, ...]:
        """Views of all slices along a dimension."""
    @overload
    def unflatten(self, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
        """Makes several dimensions of one."""
    @overload
    def unflatten(self, dim: builtins.int, *sizes: builtins.int) -> Tensor: ...
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """All windows of the given size, step apart, in a new last dimension."""
    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]:
        """Views of at most that many parts of one size; the last may be smaller."""
    def unsafe_split(self, split_size: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]:
        """Views of parts of the given size, or sizes; the last may be smaller."""
    def unsafe_split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]:
        """Views of parts of the given sizes."""
    def unsqueeze(self, dim: builtins.int) -> Tensor:
        """Inserts a dimension of size 1."""
    @overload
    def var(self, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = ..., keepdim: builtins.bool = ...) -> Tensor:
        """Variance of all elements, or over some dimensions."""
    @overload
    def var(self, dim: builtins.int | Sequence[builtins.int] | None = ..., *, correction: Number | None = ..., keepdim: builtins.bool = ...) -> Tensor: ...
    @overload
    def var(self, unbiased: builtins.bool = ...) -> Tensor: ...
    def vdot(self, other: Tensor) -> Tensor:
        """Inner product of two vectors."""
    @overload
    def view(self, size: Sequence[builtins.int]) -> Tensor:
        """The same elements with other sizes; raises where that needs a copy."""
    @overload
    def view(self, *size: builtins.int) -> Tensor: ...
    def view_as(self, other: Tensor) -> Tensor:
        """The same elements with the sizes of other; raises where that needs a copy."""
    @overload
    def vsplit(self, sections: builtins.int) -> tuple[Tensor, ...]:
        """Views of equal parts one below the other, or parted at the given indices."""
    @overload
    def vsplit(self, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
    @overload
    def vsplit(self, *indices: builtins.int) -> tuple[Tensor, ...]: ...
    def where(self, condition: Tensor, other: Tensor | Number) -> Tensor:
        """input where condition holds, other elsewhere."""
    def xlogy(self, other: Tensor | Number) -> Tensor:
        """input * log(other), and 0 where input is 0."""
    def abs_(self) -> Self:
        """Absolute value of each element."""
    def absolute_(self) -> Self:
        """Absolute value of each element."""
    def acos_(self) -> Self:
        """The angle whose cosine each element is."""
    def acosh_(self) -> Self:
        """Inverse hyperbolic cosine of each element."""
    @overload
    def add_(self, other: Tensor | Number) -> Self:
        """Sum of input and other, element by element."""
    @overload
    def add_(self, other: Tensor | Number, *, alpha: Number = ...) -> Self: ...
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Self:
        """beta * input + alpha * the sum of batch1 @ batch2 over the batch."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = ...) -> Self:
        """input + value * tensor1 / tensor2."""
    @overload
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor) -> Self:
        """input + value * tensor1 * tensor2."""
    @overload
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = ...) -> Self: ...
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Self:
        """beta * input + alpha * mat1 @ mat2, for matrices."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Self:
        """beta * input + alpha * mat @ vec."""
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Self:
        """beta * input + alpha * outer(vec1, vec2)."""
    def arccos_(self) -> Self:
        """The angle whose cosine each element is."""
    def arccosh_(self) -> Self:
        """Inverse hyperbolic cosine of each element."""
    def arcsin_(self) -> Self:
        """The angle whose sine each element is."""
    def arcsinh_(self) -> Self:
        """Inverse hyperbolic sine of each element."""
    def arctan2_(self, other: Tensor) -> Self:
        """The angle of the point (other, input), from -pi to pi."""
    def arctan_(self) -> Self:
        """The angle whose tangent each element is."""
    def arctanh_(self) -> Self:
        """Inverse hyperbolic tangent of each element."""
    def as_strided_(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = ...) -> Self:
        """A view of the storage with the given sizes, strides and offset."""
    def asin_(self) -> Self:
        """The angle whose sine each element is."""
    def asinh_(self) -> Self:
        """Inverse hyperbolic sine of each element."""
    def atan2_(self, other: Tensor) -> Self:
        """The angle of the point (other, input), from -pi to pi."""
    def atan_(self) -> Self:
        """The angle whose tangent each element is."""
    def atanh_(self) -> Self:
        """Inverse hyperbolic tangent of each element."""
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Self:
        """beta * input + alpha * batch1 @ batch2, for batches of matrices."""
    @overload
    def bernoulli_(self, p: builtins.float = ..., *, generator: Generator | None = ...) -> Self:
        """1 with probability p, else 0."""
    @overload
    def bernoulli_(self, p: Tensor, *, generator: Generator | None = ...) -> Self: ...
    def bitwise_and_(self, other: Tensor | Number) -> Self:
        """The bits that both have."""
    def bitwise_left_shift_(self, other: Tensor | Number) -> Self:
        """Bits moved to the left by other places."""
    def bitwise_not_(self) -> Self:
        """The bits that input has not; of a bool, its opposite."""
    def bitwise_or_(self, other: Tensor | Number) -> Self:
        """The bits that at least one has."""
    def bitwise_right_shift_(self, other: Tensor | Number) -> Self:
        """Bits moved to the right by other places, keeping the sign."""
    def bitwise_xor_(self, other: Tensor | Number) -> Self:
        """The bits that exactly one has."""
    def cauchy_(self, median: builtins.float = ..., sigma: builtins.float = ..., *, generator: Generator | None = ...) -> Self:
        """Numbers of the Cauchy distribution."""
    def ceil_(self) -> Self:
        """The smallest integer that is not below each element."""
    @overload
    def clamp_(self, min: Tensor | None = ..., max: Tensor | None = ...) -> Self:
        """input, held between min and max."""
    @overload
    def clamp_(self, min: Number | None = ..., max: Number | None = ...) -> Self: ...
    def clamp_max_(self, max: Tensor | Number) -> Self:
        """input, held at or below max."""
    def clamp_min_(self, min: Tensor | Number) -> Self:
        """input, held at or above min."""
    @overload
    def clip_(self, min: Tensor | None = ..., max: Tensor | None = ...) -> Self:
        """input, held between min and max."""
    @overload
    def clip_(self, min: Number | None = ..., max: Number | None = ...) -> Self: ...
    def copy_(self, src: Tensor, non_blocking: builtins.bool = ...) -> Self:
        """Takes over the elements of src, broadcast and converted."""
    def copysign_(self, other: Tensor | Number) -> Self:
        """The size of input with the sign of other."""
    def cos_(self) -> Self:
        """Cosine of each element, in radians."""
    def cosh_(self) -> Self:
        """Hyperbolic cosine of each element."""
    def cumprod_(self, dim: builtins.int, *, dtype: _types.dtype | None = ...) -> Self:
        """Running products along a dimension."""
    def cumsum_(self, dim: builtins.int, *, dtype: _types.dtype | None = ...) -> Self:
        """Running sums along a dimension."""
    def deg2rad_(self) -> Self:
        """Angles in degrees as radians."""
    def digamma_(self) -> Self:
        """Derivative of lgamma."""
    @overload
    def div_(self, other: Tensor | Number) -> Self:
        """Quotient of input and other, element by element."""
    @overload
    def div_(self, other: Tensor | Number, *, rounding_mode: str | None) -> Self: ...
    @overload
    def divide_(self, other: Tensor | Number) -> Self:
        """Quotient of input and other, element by element."""
    @overload
    def divide_(self, other: Tensor | Number, *, rounding_mode: str | None) -> Self: ...
    def eq_(self, other: Tensor | Number) -> Self:
        """True where input and other are equal."""
    def erf_(self) -> Self:
        """The error function of each element."""
    def erfc_(self) -> Self:
        """1 - erf(input), exact for large input."""
    def erfinv_(self) -> Self:
        """The number whose error function each element is."""
    def exp2_(self) -> Self:
        """2 to the power of each element."""
    def exp_(self) -> Self:
        """e to the power of each element."""
    def expm1_(self) -> Self:
        """exp(input) - 1, exact for small input."""
    def exponential_(self, lambd: builtins.float = ..., *, generator: Generator | None = ...) -> Self:
        """Exponentially distributed numbers."""
    def fill_(self, value: Tensor | Number) -> Self:
        """Sets every element to value."""
    def fix_(self) -> Self:
        """Each element without its fraction."""
    def float_power_(self, exponent: Tensor | Number) -> Self:
        """input to the power of exponent, in float64."""
    def floor_(self) -> Self:
        """The largest integer that is not above each element."""
    def floor_divide_(self, other: Tensor | Number) -> Self:
        """Quotient rounded towards minus infinity, Python's //."""
    def fmod_(self, other: Tensor | Number) -> Self:
        """Remainder with the sign of the dividend, C's fmod."""
    def frac_(self) -> Self:
        """The fraction of each element, with its sign."""
    def gcd_(self, other: Tensor) -> Self:
        """Greatest common divisor."""
    def ge_(self, other: Tensor | Number) -> Self:
        """True where input is at least other."""
    def geometric_(self, p: builtins.float, *, generator: Generator | None = ...) -> Self:
        """Trials up to the first success of probability p."""
    def greater_(self, other: Tensor | Number) -> Self:
        """True where input is greater than other."""
    def greater_equal_(self, other: Tensor | Number) -> Self:
        """True where input is at least other."""
    def gt_(self, other: Tensor | Number) -> Self:
        """True where input is greater than other."""
    def heaviside_(self, values: Tensor) -> Self:
        """0 where input is negative, values where it is 0, 1 where it is positive."""
    def hypot_(self, other: Tensor) -> Self:
        """Length of the hypotenuse over the sides input and other."""
    def i0_(self) -> Self:
        """Modified Bessel function of the first kind, of order 0."""
    def igamma_(self, other: Tensor) -> Self:
        """The lower part of the gamma function of input, up to other, as a fraction of the whole."""
    def igammac_(self, other: Tensor) -> Self:
        """The upper part of the gamma function of input, from other, as a fraction of the whole."""
    def index_add_(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = ...) -> Self:
        """A copy of input with alpha times each slice of source added where index says."""
    def index_copy_(self, dim: builtins.int, index: Tensor, source: Tensor) -> Self:
        """A copy of input with slices of source written where index says."""
    def index_fill_(self, dim: builtins.int, index: Tensor, value: Tensor | Number) -> Self:
        """A copy of input with the slices that index names filled with value."""
    def index_put_(self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = ...) -> Self:
        """A copy of input with values written, or added, where the indices say."""
    def index_reduce_(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: str, *, include_self: builtins.bool = ...) -> Self:
        """Slices of source reduced, by prod, mean, amax or amin, where index says along dim."""
    def lcm_(self, other: Tensor) -> Self:
        """Least common multiple."""
    def ldexp_(self, other: Tensor) -> Self:
        """input * 2**other."""
    def le_(self, other: Tensor | Number) -> Self:
        """True where input is at most other."""
    def lerp_(self, end: Tensor, weight: Tensor | Number) -> Self:
        """The point between input (weight 0) and end (weight 1)."""
    def less_(self, other: Tensor | Number) -> Self:
        """True where input is less than other."""
    def less_equal_(self, other: Tensor | Number) -> Self:
        """True where input is at most other."""
    def lgamma_(self) -> Self:
        """Logarithm of the absolute value of the gamma function."""
    def log10_(self) -> Self:
        """Logarithm to base 10 of each element."""
    def log1p_(self) -> Self:
        """log(1 + input), exact for small input."""
    def log2_(self) -> Self:
        """Logarithm to base 2 of each element."""
    def log_(self) -> Self:
        """Natural logarithm of each element."""
    def log_normal_(self, mean: builtins.float = ..., std: builtins.float = ..., *, generator: Generator | None = ...) -> Self:
        """Numbers whose logarithm is normally distributed."""
    def logical_and_(self, other: Tensor) -> Self:
        """True where both are not zero."""
    def logical_not_(self) -> Self:
        """True where input is zero."""
    def logical_or_(self, other: Tensor) -> Self:
        """True where at least one is not zero."""
    def logical_xor_(self, other: Tensor) -> Self:
        """True where exactly one is not zero."""
    @overload
    def logit_(self) -> Self:
        """log(input / (1 - input)), the inverse of sigmoid."""
    @overload
    def logit_(self, eps: builtins.float | None) -> Self: ...
    def lt_(self, other: Tensor | Number) -> Self:
        """True where input is less than other."""
    def masked_fill_(self, mask: Tensor, value: Tensor | Number) -> Self:
        """A copy of input with value where mask is true."""
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Self:
        """A copy of input with the elements of source, in order, where mask is true."""
    def mul_(self, other: Tensor | Number) -> Self:
        """Product of input and other, element by element."""
    def multiply_(self, other: Tensor | Number) -> Self:
        """Product of input and other, element by element."""
    def mvlgamma_(self, p: builtins.int) -> Self:
        """Logarithm of the multivariate gamma function of dimension p."""
    def nan_to_num_(self, nan: builtins.float | None = ..., posinf: builtins.float | None = ..., neginf: builtins.float | None = ...) -> Self:
        """NaN and infinities replaced: by 0 and by the largest numbers unless given."""
    def ne_(self, other: Tensor | Number) -> Self:
        """True where input and other differ."""
    def neg_(self) -> Self:
        """Each element with the opposite sign."""
    def negative_(self) -> Self:
        """Each element with the opposite sign."""
    def nextafter_(self, other: Tensor) -> Self:
        """The next number after input in the direction of other."""
    def normal_(self, mean: builtins.float = ..., std: builtins.float = ..., *, generator: Generator | None = ...) -> Self:
        """Normally distributed numbers."""
    def not_equal_(self, other: Tensor | Number) -> Self:
        """True where input and other differ."""
    def polygamma_(self, n: builtins.int) -> Self:
        """The nth derivative of digamma."""
    def pow_(self, exponent: Tensor | Number) -> Self:
        """input to the power of exponent."""
    def put_(self, index: Tensor, source: Tensor, accumulate: builtins.bool = ...) -> Self:
        """A copy of input, taken as one list, with source written where index says."""
    def rad2deg_(self) -> Self:
        """Angles in radians as degrees."""
    @overload
    def random_(self, *, generator: Generator | None = ...) -> Self:
        """Integers over the range of the dtype, or from one up to another."""
    @overload
    def random_(self, to: builtins.int, *, generator: Generator | None = ...) -> Self: ...
    @overload
    def random_(self, from_: builtins.int, to: builtins.int | None, *, generator: Generator | None = ...) -> Self: ...
    def reciprocal_(self) -> Self:
        """One divided by each element."""
    def relu_(self) -> Self:
        """The larger of 0 and each element."""
    def remainder_(self, other: Tensor | Number) -> Self:
        """Remainder with the sign of the divisor, Python's %."""
    @overload
    def round_(self) -> Self:
        """The nearest integer; halves go to the even one."""
    @overload
    def round_(self, *, decimals: builtins.int) -> Self: ...
    def rsqrt_(self) -> Self:
        """One divided by the square root of each element."""
    @overload
    def scatter_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Self:
        """A copy of input with src written where index says along dim."""
    @overload
    def scatter_(self, dim: builtins.int, index: Tensor, value: Number) -> Self: ...
    @overload
    def scatter_(self, dim: builtins.int, index: Tensor, src: Tensor | Number, *, reduce: str) -> Self: ...
    @overload
    def scatter_(self, dim: builtins.int, index: Tensor, value: Tensor | Number, *, reduce: str) -> Self: ...
    def scatter_add_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Self:
        """A copy of input with src added where index says along dim."""
    def scatter_reduce_(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: str, *, include_self: builtins.bool = ...) -> Self:
        """Elements of src reduced, by sum, prod, mean, amax or amin, where index says along dim."""
    def sgn_(self) -> Self:
        """The same as sign, for real numbers."""
    def sigmoid_(self) -> Self:
        """1 / (1 + exp(-input))."""
    def sign_(self) -> Self:
        """-1, 0 or 1, as each element is negative, zero or positive."""
    def sin_(self) -> Self:
        """Sine of each element, in radians."""
    def sinc_(self) -> Self:
        """sin(pi * input) / (pi * input), and 1 where input is 0."""
    def sinh_(self) -> Self:
        """Hyperbolic sine of each element."""
    def sqrt_(self) -> Self:
        """Square root of each element."""
    def square_(self) -> Self:
        """Each element times itself."""
    @overload
    def squeeze_(self) -> Self:
        """Removes dimensions of size 1: all, or those among dim."""
    @overload
    def squeeze_(self, dim: builtins.int) -> Self: ...
    @overload
    def squeeze_(self, dim: Sequence[builtins.int]) -> Self: ...
    @overload
    def squeeze_(self, *dim: builtins.int) -> Self: ...
    @overload
    def sub_(self, other: Tensor | Number) -> Self:
        """Difference of input and other, element by element."""
    @overload
    def sub_(self, other: Tensor | Number, *, alpha: Number = ...) -> Self: ...
    @overload
    def subtract_(self, other: Tensor | Number) -> Self:
        """Difference of input and other, element by element."""
    @overload
    def subtract_(self, other: Tensor | Number, *, alpha: Number = ...) -> Self: ...
    def swapaxes_(self, axis0: builtins.int, axis1: builtins.int) -> Self:
        """Exchanges two dimensions; another name of transpose."""
    def swapdims_(self, dim0: builtins.int, dim1: builtins.int) -> Self:
        """Exchanges two dimensions; another name of transpose."""
    def t_(self) -> Self:
        """The transpose of a matrix; vectors stay as they are."""
    def tan_(self) -> Self:
        """Tangent of each element, in radians."""
    def tanh_(self) -> Self:
        """Hyperbolic tangent of each element."""
    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> Self:
        """Exchanges two dimensions."""
    def tril_(self, diagonal: builtins.int = ...) -> Self:
        """Each matrix with zeros above a diagonal."""
    def triu_(self, diagonal: builtins.int = ...) -> Self:
        """Each matrix with zeros below a diagonal."""
    def true_divide_(self, other: Tensor | Number) -> Self:
        """Quotient of input and other, element by element."""
    def trunc_(self) -> Self:
        """Each element without its fraction."""
    def uniform_(self, from_: builtins.float = ..., to: builtins.float = ..., *, generator: Generator | None = ...) -> Self:
        """Numbers spread evenly over [from, to)."""
    def unsqueeze_(self, dim: builtins.int) -> Self:
        """Inserts a dimension of size 1."""
    def xlogy_(self, other: Tensor | Number) -> Self:
        """input * log(other), and 0 where input is 0."""
    def zero_(self) -> Self:
        """Sets every element to 0."""

class Generator:
    def __init__(self, device: Any = ...) -> None: ...
    def clone_state(self) -> Generator: ...
    device: _types.device
    def get_offset(self) -> builtins.int: ...
    def get_state(self) -> Tensor: ...
    def initial_seed(self) -> builtins.int: ...
    def manual_seed(self, seed: builtins.int) -> Generator: ...
    def seed(self) -> builtins.int: ...
    def set_offset(self, offset: builtins.int) -> Any: ...
    def set_state(self, state: Tensor) -> Generator: ...

class Node:
    def _sequence_nr(self) -> builtins.int: ...
    metadata: dict[Any, Any]
    def name(self) -> str: ...
    next_functions: tuple[tuple[Node | None, builtins.int], ...]
    def register_hook(self, hook: Callable[..., Any]) -> Any: ...
    def register_prehook(self, hook: Callable[..., Any]) -> Any: ...
    requires_grad: builtins.bool
    variable: Tensor | None

class _EventLog:
    def take(self) -> list[Any]: ...

class _FunctionBase:
    dirty_tensors: Any
    materialize_grads: Any
    def name(self, *args: Any, **kwargs: Any) -> Any: ...
    needs_input_grad: Any
    next_functions: Any
    non_differentiable: Any
    saved_for_forward: Any
    saved_tensors: Any
    to_save: Any

class _Graph:
    def __len__(self) -> builtins.int: ...
    def attributes(self, arg: builtins.int, /) -> list[Any]: ...
    def constant(self, arg: builtins.int, /) -> str | None: ...
    def dtype(self, index: builtins.int, /) -> _types.dtype: ...
    def error(self, arg: builtins.int, /) -> str | None: ...
    def find(self, arg: Any, /) -> builtins.int: ...
    def gradient_only(self, arg: builtins.int, /) -> list[builtins.bool]: ...
    def inputs(self, arg: builtins.int, /) -> list[builtins.int]: ...
    def is_leaf(self, arg: builtins.int, /) -> builtins.bool: ...
    def is_view(self, arg: builtins.int, /) -> builtins.bool: ...
    def number(self, arg: builtins.int, /) -> builtins.int: ...
    def op(self, arg: builtins.int, /) -> str: ...
    def place(self, arg: builtins.int, /) -> tuple[str, builtins.int, str] | None: ...
    def requires_grad(self, arg: builtins.int, /) -> builtins.bool: ...
    def roots(self) -> list[builtins.int]: ...
    def shape(self, index: builtins.int, /) -> _types.Size: ...
    def signature(self, arg: builtins.int, /) -> str: ...
    def state(self, arg: builtins.int, /) -> str: ...

class _Hub:
    def __init__(self, fn: Callable[..., Any], examples: Any, is_plain: builtins.bool, in_flight: builtins.int, expected: builtins.int | None) -> None: ...
    def begin(self) -> builtins.bool: ...
    def close_next(self) -> builtins.int | None: ...
    def failed(self) -> builtins.int | None: ...
    def finished(self) -> dict[builtins.int, Any]: ...
    def go_on(self) -> None: ...
    def results(self) -> list[Any]: ...
    def waiting(self) -> builtins.int: ...

class _TensorMeta:
    ...

def _add_method(arg0: Any, arg1: Any, /) -> None: ...
def _after_fork() -> None: ...
def _after_fork_in_child() -> None: ...
def _at_exit() -> None: ...
def _batch_gaps() -> list[tuple[Any, ...]]: ...
def _batch_sizes() -> list[tuple[Any, ...]]: ...
def _batching() -> builtins.bool: ...
def _before_fork() -> None: ...
def _close_report() -> None: ...
def _context(arg: builtins.int, /) -> tuple[Any, ...]: ...
def _copy_of_bytes(arg0: Any, arg1: Any, arg2: builtins.int, /) -> Any: ...
def _counters() -> dict[str, builtins.int]: ...
def _cpu_level() -> str: ...
def _current_walk(*args: Any, **kwargs: Any) -> Any: ...
def _disabled_torch_function_impl(*args: Any, **kwargs: Any) -> Any: ...
def _eager() -> builtins.bool: ...
def _edge_dtype(edge: Any) -> _types.dtype: ...
def _edge_shape(edge: Any) -> _types.Size: ...
def _empty_cache() -> None: ...
def _enter(arg0: str, arg1: str, /) -> builtins.int: ...
def _finish_kernels() -> None: ...
def _from_dlpack(arg: Any, /) -> Any: ...
def _function_begin(*args: Any, **kwargs: Any) -> Any: ...
def _function_end(*args: Any, **kwargs: Any) -> Any: ...
def _fused_ops() -> list[Any]: ...
def _fuses_from() -> builtins.int: ...
def _get_tracing_state(*args: Any, **kwargs: Any) -> Any: ...
def _gradient_edge(*args: Any, **kwargs: Any) -> Any: ...
def _graph(*tensors: Tensor) -> _Graph: ...
def _held_at_peak() -> list[tuple[Any, ...]]: ...
def _increment_version(*args: Any, **kwargs: Any) -> Any: ...
def _init_source(arg: str, /) -> None: ...
def _is_foreign_array(arg: Any | None, /) -> builtins.bool: ...
def _is_tracing(*args: Any, **kwargs: Any) -> Any: ...
def _is_watched() -> builtins.bool: ...
def _kernel_times() -> list[tuple[Any, ...]]: ...
def _laziness() -> tuple[builtins.int, builtins.int]: ...
def _leave(arg: builtins.int, /) -> None: ...
def _legacy_tensor(arg0: Any, arg1: tuple[Any, ...], /) -> Any: ...
def _let_kernels_fail(arg0: builtins.int, arg1: builtins.int, /) -> None: ...
def _live_nodes() -> builtins.int: ...
def _log_api_usage_once(*args: Any, **kwargs: Any) -> Any: ...
def _memory_stats() -> dict[str, builtins.int]: ...
class _nn:
    @staticmethod
    def adaptive_avg_pool2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> Tensor:
        """The mean of each window."""
    @staticmethod
    def adaptive_avg_pool3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> Tensor:
        """The mean of each window."""
    @staticmethod
    def adaptive_max_pool2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, ...]:
        """The largest element of each window, and its place in its plane."""
    @staticmethod
    def adaptive_max_pool3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, ...]:
        """The largest element of each window, and its place in its plane."""
    @staticmethod
    def avg_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., count_include_pad: builtins.bool = ..., divisor_override: builtins.int | None = ...) -> Tensor:
        """The mean of each window."""
    @staticmethod
    def avg_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., count_include_pad: builtins.bool = ..., divisor_override: builtins.int | None = ...) -> Tensor:
        """The mean of each window."""
    @staticmethod
    def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., reduce: builtins.bool | None = ..., reduction: str = ..., *, out: Any = None) -> Tensor:
        """The loss of probabilities against targets between 0 and 1."""
    @staticmethod
    def col2im(input: Tensor, output_size: builtins.int | Sequence[builtins.int], kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int], padding: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int]) -> Tensor:
        """Columns of windows added up to images of output_size."""
    @staticmethod
    def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., ignore_index: builtins.int = ..., reduce: builtins.bool | None = ..., reduction: str = ..., label_smoothing: builtins.float = ..., *, out: Any = None) -> Tensor:
        """The loss of unnormalised scores against class indices or class probabilities."""
    @staticmethod
    def elu(input: Tensor, alpha: Number = ..., *, out: Any = None) -> Tensor:
        """input where it is positive, alpha * (exp(input) - 1) elsewhere."""
    @overload
    @staticmethod
    def gelu(input: Tensor, *, out: Any = None) -> Tensor:
        """input times the normal distribution function of input."""
    @overload
    @staticmethod
    def gelu(input: Tensor, *, approximate: str, out: Any = None) -> Tensor: ...
    @staticmethod
    def glu(input: Tensor, dim: builtins.int = ..., *, out: Any = None) -> Tensor:
        """The first half of input along dim, times sigmoid of the second."""
    @staticmethod
    def hardsigmoid(input: Tensor, *, out: Any = None) -> Tensor:
        """Line through 1/2 with slope 1/6, held between 0 and 1."""
    @staticmethod
    def hardswish(input: Tensor, *, out: Any = None) -> Tensor:
        """input * hardsigmoid(input)."""
    @staticmethod
    def hardtanh(input: Tensor, min_val: Number = ..., max_val: Number = ..., *, out: Any = None) -> Tensor:
        """input, held between min_val and max_val."""
    @staticmethod
    def im2col(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int], padding: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int]) -> Tensor:
        """The windows of (N, C, H, W) or (C, H, W) as columns."""
    @staticmethod
    def leaky_relu(input: Tensor, negative_slope: Number = ..., *, out: Any = None) -> Tensor:
        """input where it is positive, negative_slope * input elsewhere."""
    @staticmethod
    def logsigmoid(input: Tensor, *, out: Any = None) -> Tensor:
        """log(sigmoid(input)), exact for very negative input."""
    @staticmethod
    def max_pool2d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ...) -> tuple[Tensor, ...]:
        """The largest element of each window, and its place in its plane."""
    @staticmethod
    def max_pool3d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ...) -> tuple[Tensor, ...]:
        """The largest element of each window, and its place in its plane."""
    @staticmethod
    def mish(input: Tensor, *, out: Any = None) -> Tensor:
        """input * tanh(softplus(input))."""
    @staticmethod
    def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = ..., size_average: builtins.bool | None = ..., ignore_index: builtins.int = ..., reduce: builtins.bool | None = ..., reduction: str = ..., *, out: Any = None) -> Tensor:
        """The loss of log-probabilities against class indices."""
    @staticmethod
    def one_hot(tensor: Tensor, num_classes: builtins.int = ..., *, out: Any = None) -> Tensor:
        """For each index a row of zeros with a one at its place."""
    @staticmethod
    def silu(input: Tensor, *, out: Any = None) -> Tensor:
        """input * sigmoid(input)."""
    @staticmethod
    def softplus(input: Tensor, beta: Number = ..., threshold: Number = ..., *, out: Any = None) -> Tensor:
        """log(1 + exp(beta * input)) / beta, and input itself beyond the threshold."""
    @staticmethod
    def softshrink(input: Tensor, lambd: Number = ..., *, out: Any = None) -> Tensor:
        """input moved by lambd towards 0, and 0 where it is smaller."""
    @staticmethod
    def elu_(input: Tensor, alpha: Number = ...) -> Tensor:
        """input where it is positive, alpha * (exp(input) - 1) elsewhere."""
    @staticmethod
    def hardsigmoid_(input: Tensor) -> Tensor:
        """Line through 1/2 with slope 1/6, held between 0 and 1."""
    @staticmethod
    def hardswish_(input: Tensor) -> Tensor:
        """input * hardsigmoid(input)."""
    @staticmethod
    def hardtanh_(input: Tensor, min_val: Number = ..., max_val: Number = ...) -> Tensor:
        """input, held between min_val and max_val."""
    @staticmethod
    def leaky_relu_(input: Tensor, negative_slope: Number = ...) -> Tensor:
        """input where it is positive, negative_slope * input elsewhere."""
    @staticmethod
    def mish_(input: Tensor) -> Tensor:
        """input * tanh(softplus(input))."""
    @staticmethod
    def silu_(input: Tensor) -> Tensor:
        """input * sigmoid(input)."""

def _op_table() -> list[dict[str, Any]]: ...
def _open_report() -> None: ...
def _pop_saved_tensors_hooks(*args: Any, **kwargs: Any) -> Any: ...
def _push_saved_tensors_hooks(*args: Any, **kwargs: Any) -> Any: ...
def _register(arg0: str, arg1: Any, /) -> None: ...
def _reset_peak_memory_stats() -> None: ...
def _run() -> None: ...
def _run_backward(*args: Any) -> tuple[Any, ...]: ...
def _set_anomaly_enabled(arg0: builtins.bool, arg1: builtins.bool, /) -> None: ...
def _set_batching(arg: builtins.bool, /) -> None: ...
def _set_default_dtype(arg: Any, /) -> None: ...
def _set_eager(arg: builtins.bool, /) -> None: ...
def _set_early_start(arg0: builtins.int, arg1: builtins.int, /) -> tuple[builtins.int, builtins.int]: ...
def _set_fuses_from(arg: builtins.int, /) -> None: ...
def _set_grad_enabled(arg: builtins.bool, /) -> None: ...
def _set_inference(arg: builtins.bool, /) -> None: ...
def _set_late_kinds_from(arg: builtins.int, /) -> builtins.int: ...
def _set_launches_from(arg: builtins.int, /) -> builtins.int: ...
def _set_laziness(arg0: builtins.int, arg1: builtins.int, /) -> None: ...
def _set_num_threads(arg: builtins.int, /) -> None: ...
def _set_taken_bytes(arg0: builtins.int, arg1: builtins.int, /) -> tuple[builtins.int, builtins.int]: ...
def _set_waiting_costs(arg0: builtins.int, arg1: builtins.int, /) -> tuple[builtins.int, builtins.int]: ...
def _set_watches_writes(arg: builtins.bool, /) -> builtins.bool: ...
def _settle() -> None: ...
def _shared_reads() -> list[Any]: ...
class _special:
    @staticmethod
    def airy_ai(input: Tensor, *, out: Any = None) -> Tensor:
        """Airy function, the solution of y'' = input * y that vanishes at infinity."""
    @staticmethod
    def bessel_j0(input: Tensor, *, out: Any = None) -> Tensor:
        """Bessel function of the first kind, of order 0."""
    @staticmethod
    def bessel_j1(input: Tensor, *, out: Any = None) -> Tensor:
        """Bessel function of the first kind, of order 1."""
    @staticmethod
    def bessel_y0(input: Tensor, *, out: Any = None) -> Tensor:
        """Bessel function of the second kind, of order 0."""
    @staticmethod
    def bessel_y1(input: Tensor, *, out: Any = None) -> Tensor:
        """Bessel function of the second kind, of order 1."""
    @overload
    @staticmethod
    def chebyshev_polynomial_t(input: Tensor, n: Tensor | Number, *, out: Any = None) -> Tensor:
        """Chebyshev polynomial of the first kind, of degree n."""
    @overload
    @staticmethod
    def chebyshev_polynomial_t(input: Number, n: Tensor, *, out: Any = None) -> Tensor: ...
    @overload
    @staticmethod
    def chebyshev_polynomial_u(input: Tensor, n: Tensor | Number, *, out: Any = None) -> Tensor:
        """Chebyshev polynomial of the second kind, of degree n."""
    @overload
    @staticmethod
    def chebyshev_polynomial_u(input: Number, n: Tensor, *, out: Any = None) -> Tensor: ...
    @overload
    @staticmethod
    def chebyshev_polynomial_v(input: Tensor, n: Tensor | Number, *, out: Any = None) -> Tensor:
        """Chebyshev polynomial of the third kind, of degree n."""
    @overload
    @staticmethod
    def chebyshev_polynomial_v(input: Number, n: Tensor, *, out: Any = None) -> Tensor: ...
    @overload
    @staticmethod
    def chebyshev_polynomial_w(input: Tensor, n: Tensor | Number, *, out: Any = None) -> Tensor:
        """Chebyshev polynomial of the fourth kind, of degree n."""
    @overload
    @staticmethod
    def chebyshev_polynomial_w(input: Number, n: Tensor, *, out: Any = None) -> Tensor: ...
    @staticmethod
    def entr(input: Tensor, *, out: Any = None) -> Tensor:
        """-input * log(input), 0 where input is 0 and -inf where it is negative."""
    @staticmethod
    def erfcx(input: Tensor, *, out: Any = None) -> Tensor:
        """exp(input**2) * erfc(input), without overflow for large input."""
    @overload
    @staticmethod
    def hermite_polynomial_h(input: Tensor, n: Tensor | Number, *, out: Any = None) -> Tensor:
        """The physicists' Hermite polynomial of degree n."""
    @overload
    @staticmethod
    def hermite_polynomial_h(input: Number, n: Tensor, *, out: Any = None) -> Tensor: ...
    @overload
    @staticmethod
    def hermite_polynomial_he(input: Tensor, n: Tensor | Number, *, out: Any = None) -> Tensor:
        """The statisticians' Hermite polynomial of degree n."""
    @overload
    @staticmethod
    def hermite_polynomial_he(input: Number, n: Tensor, *, out: Any = None) -> Tensor: ...
    @staticmethod
    def i0e(input: Tensor, *, out: Any = None) -> Tensor:
        """exp(-|input|) * i0(input)."""
    @staticmethod
    def i1(input: Tensor, *, out: Any = None) -> Tensor:
        """Modified Bessel function of the first kind, of order 1."""
    @staticmethod
    def i1e(input: Tensor, *, out: Any = None) -> Tensor:
        """exp(-|input|) * i1(input)."""
    @overload
    @staticmethod
    def laguerre_polynomial_l(input: Tensor, n: Tensor | Number, *, out: Any = None) -> Tensor:
        """Laguerre polynomial of degree n."""
    @overload
    @staticmethod
    def laguerre_polynomial_l(input: Number, n: Tensor, *, out: Any = None) -> Tensor: ...
    @overload
    @staticmethod
    def legendre_polynomial_p(input: Tensor, n: Tensor | Number, *, out: Any = None) -> Tensor:
        """Legendre polynomial of degree n."""
    @overload
    @staticmethod
    def legendre_polynomial_p(input: Number, n: Tensor, *, out: Any = None) -> Tensor: ...
    @staticmethod
    def log_ndtr(input: Tensor, *, out: Any = None) -> Tensor:
        """The logarithm of the normal distribution function, exact for very negative input."""
    @staticmethod
    def modified_bessel_i0(input: Tensor, *, out: Any = None) -> Tensor:
        """Modified Bessel function of the first kind, of order 0."""
    @staticmethod
    def modified_bessel_i1(input: Tensor, *, out: Any = None) -> Tensor:
        """Modified Bessel function of the first kind, of order 1."""
    @staticmethod
    def modified_bessel_k0(input: Tensor, *, out: Any = None) -> Tensor:
        """Modified Bessel function of the second kind, of order 0."""
    @staticmethod
    def modified_bessel_k1(input: Tensor, *, out: Any = None) -> Tensor:
        """Modified Bessel function of the second kind, of order 1."""
    @staticmethod
    def ndtr(input: Tensor, *, out: Any = None) -> Tensor:
        """The normal distribution function."""
    @staticmethod
    def ndtri(input: Tensor, *, out: Any = None) -> Tensor:
        """The number whose normal distribution function each element is."""
    @staticmethod
    def scaled_modified_bessel_k0(input: Tensor, *, out: Any = None) -> Tensor:
        """exp(input) * modified_bessel_k0(input)."""
    @staticmethod
    def scaled_modified_bessel_k1(input: Tensor, *, out: Any = None) -> Tensor:
        """exp(input) * modified_bessel_k1(input)."""
    @overload
    @staticmethod
    def shifted_chebyshev_polynomial_t(input: Tensor, n: Tensor | Number, *, out: Any = None) -> Tensor:
        """Chebyshev polynomial of the first kind, of 2 * input - 1."""
    @overload
    @staticmethod
    def shifted_chebyshev_polynomial_t(input: Number, n: Tensor, *, out: Any = None) -> Tensor: ...
    @overload
    @staticmethod
    def shifted_chebyshev_polynomial_u(input: Tensor, n: Tensor | Number, *, out: Any = None) -> Tensor:
        """Chebyshev polynomial of the second kind, of 2 * input - 1."""
    @overload
    @staticmethod
    def shifted_chebyshev_polynomial_u(input: Number, n: Tensor, *, out: Any = None) -> Tensor: ...
    @overload
    @staticmethod
    def shifted_chebyshev_polynomial_v(input: Tensor, n: Tensor | Number, *, out: Any = None) -> Tensor:
        """Chebyshev polynomial of the third kind, of 2 * input - 1."""
    @overload
    @staticmethod
    def shifted_chebyshev_polynomial_v(input: Number, n: Tensor, *, out: Any = None) -> Tensor: ...
    @overload
    @staticmethod
    def shifted_chebyshev_polynomial_w(input: Tensor, n: Tensor | Number, *, out: Any = None) -> Tensor:
        """Chebyshev polynomial of the fourth kind, of 2 * input - 1."""
    @overload
    @staticmethod
    def shifted_chebyshev_polynomial_w(input: Number, n: Tensor, *, out: Any = None) -> Tensor: ...
    @staticmethod
    def spherical_bessel_j0(input: Tensor, *, out: Any = None) -> Tensor:
        """Spherical Bessel function of order 0, sin(input) / input."""
    @overload
    @staticmethod
    def xlog1py(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
        """input * log1p(other), and 0 where input is 0."""
    @overload
    @staticmethod
    def xlog1py(input: Number, other: Tensor, *, out: Any = None) -> Tensor: ...
    @overload
    @staticmethod
    def zeta(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
        """Hurwitz' zeta function: the sum of (other + k)**-input over k = 0, 1, ..."""
    @overload
    @staticmethod
    def zeta(input: Number, other: Tensor, *, out: Any = None) -> Tensor: ...

def _tensor_over_buffer(memory: Any) -> Tensor: ...
def _tensor_over_bytes(arg0: Any, arg1: Any, arg2: builtins.int, arg3: builtins.int, /) -> Any: ...
def _time_spent() -> dict: ...
def _to_dlpack(arg0: Any, arg1: builtins.bool, /) -> Any: ...
def _value_reads() -> list[tuple[Any, ...]]: ...
def _watch_workers(arg: builtins.bool, /) -> builtins.bool: ...
def _worker_was_held_up() -> None: ...
def _yet_to_come(*args: Any, **kwargs: Any) -> Any: ...
def can_cast(*args: Any, **kwargs: Any) -> Any: ...
default_generator: Generator
def get_default_dtype() -> _types.dtype: ...
def get_num_threads() -> builtins.int: ...
def is_anomaly_check_nan_enabled() -> builtins.bool: ...
def is_anomaly_enabled() -> builtins.bool: ...
def is_grad_enabled() -> builtins.bool: ...
def is_inference_mode_enabled() -> builtins.bool: ...
def promote_types(*args: Any, **kwargs: Any) -> Any: ...
def result_type(*args: Any, **kwargs: Any) -> Any: ...
def set_flush_denormal(arg: builtins.bool, /) -> builtins.bool: ...
def tensor(data: Any, *, dtype: _types.dtype | None = None, device: _types.device | str | builtins.int | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor: ...

def _broadcast_tensors(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of the tensors, all of the sizes that they broadcast to."""
def _distinct(input: Tensor, dim: builtins.int | None, consecutive: builtins.bool) -> tuple[Tensor, ...]:
    """The distinct elements or slices, where each is among them, and how often it occurs."""
def _linalg_cholesky(input: Tensor) -> tuple[Tensor, ...]:
    """The lower Cholesky factor, and where it failed."""
def _linalg_cross(input: Tensor, other: Tensor, *, dim: builtins.int = ..., out: Any = None) -> Tensor:
    """Cross product of vectors of three elements, for wend.linalg."""
def _linalg_det(input: Tensor) -> Tensor:
    """The determinant of each matrix."""
def _linalg_eigh(input: Tensor) -> tuple[Tensor, ...]:
    """Eigenvalues and eigenvectors of symmetric matrices, and where it failed."""
def _linalg_ldl(input: Tensor) -> tuple[Tensor, ...]:
    """Both LDL factors in one matrix, pivots, and where it failed."""
def _linalg_ldl_solve(input: Tensor, other: Tensor, pivots: Tensor) -> tuple[Tensor, ...]:
    """The solution of a system by LDL factors."""
def _linalg_lu(input: Tensor) -> tuple[Tensor, ...]:
    """Both LU factors in one matrix, pivots, and where it failed."""
def _linalg_permutation(pivots: Tensor, rows: builtins.int) -> Tensor:
    """The rows in the order in which pivots take them."""
def _linalg_qr(input: Tensor, complete: builtins.bool) -> tuple[Tensor, ...]:
    """An orthogonal and a triangular factor."""
def _linalg_reflections(input: Tensor) -> tuple[Tensor, ...]:
    """A triangular factor with the vectors of reflections, and their factors."""
def _linalg_solve(input: Tensor, other: Tensor) -> tuple[Tensor, ...]:
    """The solution of a linear system, and where it failed."""
def _linalg_svd(input: Tensor, full: builtins.bool, vectors: builtins.bool) -> tuple[Tensor, ...]:
    """Left singular vectors, singular values, right ones, and where it failed."""
def _linalg_triangular(input: Tensor, other: Tensor, upper: builtins.bool, unit: builtins.bool) -> tuple[Tensor, ...]:
    """The solution of a triangular system."""
def _pad_from_self(input: Tensor, pad: Sequence[builtins.int], mode: str) -> Tensor:
    """A margin of the tensor's own elements: reflect, replicate or circular."""
def _vector_norm(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool, ord: builtins.float, dtype: _types.dtype | None = ...) -> Tensor:
    """The norm of order ord of the elements over some or all dimensions."""
def abs(input: Tensor, *, out: Any = None) -> Tensor:
    """Absolute value of each element."""
def absolute(input: Tensor, *, out: Any = None) -> Tensor:
    """Absolute value of each element."""
def acos(input: Tensor, *, out: Any = None) -> Tensor:
    """The angle whose cosine each element is."""
def acosh(input: Tensor, *, out: Any = None) -> Tensor:
    """Inverse hyperbolic cosine of each element."""
def adaptive_avg_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> Tensor:
    """The mean of each window."""
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, ...]:
    """The largest element of each window, and its place in its plane."""
@overload
def add(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Sum of input and other, element by element."""
@overload
def add(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = ..., out: Any = None) -> Tensor: ...
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = ..., alpha: Number = ..., out: Any = None) -> Tensor:
    """beta * input + alpha * the sum of batch1 @ batch2 over the batch."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = ..., out: Any = None) -> Tensor:
    """input + value * tensor1 / tensor2."""
@overload
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, out: Any = None) -> Tensor:
    """input + value * tensor1 * tensor2."""
@overload
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = ..., out: Any = None) -> Tensor: ...
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = ..., alpha: Number = ..., out: Any = None) -> Tensor:
    """beta * input + alpha * mat1 @ mat2, for matrices."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = ..., alpha: Number = ..., out: Any = None) -> Tensor:
    """beta * input + alpha * mat @ vec."""
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = ..., alpha: Number = ..., out: Any = None) -> Tensor:
    """beta * input + alpha * outer(vec1, vec2)."""
def adjoint(input: Tensor) -> Tensor:
    """Each matrix of a batch transposed."""
@overload
def all(input: Tensor, *, out: Any = None) -> Tensor:
    """Whether no element is zero."""
@overload
def all(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ..., *, out: Any = None) -> Tensor: ...
def alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool, *, out: Any = None) -> Tensor:
    """dropout that keeps mean and variance of what selu gives."""
def amax(input: Tensor, dim: builtins.int | Sequence[builtins.int] = ..., keepdim: builtins.bool = ..., *, out: Any = None) -> Tensor:
    """The largest elements over some or all dimensions; equal ones share the gradient."""
def amin(input: Tensor, dim: builtins.int | Sequence[builtins.int] = ..., keepdim: builtins.bool = ..., *, out: Any = None) -> Tensor:
    """The smallest elements over some or all dimensions; equal ones share the gradient."""
def aminmax(input: Tensor, *, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., out: Any = None) -> _aminmax_result:
    """The smallest and the largest elements."""
def angle(input: Tensor, *, out: Any = None) -> Tensor:
    """pi where input is negative, 0 elsewhere."""
@overload
def any(input: Tensor, *, out: Any = None) -> Tensor:
    """Whether any element is not zero."""
@overload
def any(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ..., *, out: Any = None) -> Tensor: ...
@overload
def arange(end: Number, *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor:
    """Numbers from start (0) up to, not including, end."""
@overload
def arange(start: Number, end: Number, step: Number = ..., *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor: ...
def arccos(input: Tensor, *, out: Any = None) -> Tensor:
    """The angle whose cosine each element is."""
def arccosh(input: Tensor, *, out: Any = None) -> Tensor:
    """Inverse hyperbolic cosine of each element."""
def arcsin(input: Tensor, *, out: Any = None) -> Tensor:
    """The angle whose sine each element is."""
def arcsinh(input: Tensor, *, out: Any = None) -> Tensor:
    """Inverse hyperbolic sine of each element."""
def arctan(input: Tensor, *, out: Any = None) -> Tensor:
    """The angle whose tangent each element is."""
def arctan2(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The angle of the point (other, input), from -pi to pi."""
def arctanh(input: Tensor, *, out: Any = None) -> Tensor:
    """Inverse hyperbolic tangent of each element."""
def argmax(input: Tensor, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, out: Any = None) -> Tensor:
    """Where the largest element is; of equal ones the first."""
def argmin(input: Tensor, dim: builtins.int | None = ..., keepdim: builtins.bool = ..., *, out: Any = None) -> Tensor:
    """Where the smallest element is; of equal ones the first."""
@overload
def argsort(input: Tensor, dim: builtins.int = ..., descending: builtins.bool = ...) -> Tensor:
    """Where the elements in order along a dimension are."""
@overload
def argsort(input: Tensor, *, stable: builtins.bool, dim: builtins.int = ..., descending: builtins.bool = ...) -> Tensor: ...
def argwhere(input: Tensor) -> Tensor:
    """The positions of the elements that are not zero, one in each row."""
def as_strided(input: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = ...) -> Tensor:
    """A view of the storage with the given sizes, strides and offset."""
def as_strided_scatter(input: Tensor, src: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = ...) -> Tensor:
    """A copy of input with the strided part replaced by src."""
def asin(input: Tensor, *, out: Any = None) -> Tensor:
    """The angle whose sine each element is."""
def asinh(input: Tensor, *, out: Any = None) -> Tensor:
    """Inverse hyperbolic sine of each element."""
def atan(input: Tensor, *, out: Any = None) -> Tensor:
    """The angle whose tangent each element is."""
def atan2(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The angle of the point (other, input), from -pi to pi."""
def atanh(input: Tensor, *, out: Any = None) -> Tensor:
    """Inverse hyperbolic tangent of each element."""
def avg_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ..., count_include_pad: builtins.bool = ...) -> Tensor:
    """The mean of each window."""
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = ..., alpha: Number = ..., out: Any = None) -> Tensor:
    """beta * input + alpha * batch1 @ batch2, for batches of matrices."""
@overload
def bernoulli(input: Tensor, *, generator: Generator | None = ..., out: Any = None) -> Tensor:
    """1 with the probability that the element of input says, else 0."""
@overload
def bernoulli(input: Tensor, p: builtins.float, *, generator: Generator | None = ...) -> Tensor: ...
def bincount(input: Tensor, weights: Tensor | None = ..., minlength: builtins.int = ...) -> Tensor:
    """How often each non-negative integer occurs, or the sum of its weights."""
@overload
def bitwise_and(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The bits that both have."""
@overload
def bitwise_and(input: Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_left_shift(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Bits moved to the left by other places."""
@overload
def bitwise_left_shift(input: Number, other: Tensor) -> Tensor: ...
def bitwise_not(input: Tensor, *, out: Any = None) -> Tensor:
    """The bits that input has not; of a bool, its opposite."""
@overload
def bitwise_or(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The bits that at least one has."""
@overload
def bitwise_or(input: Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_right_shift(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Bits moved to the right by other places, keeping the sign."""
@overload
def bitwise_right_shift(input: Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_xor(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The bits that exactly one has."""
@overload
def bitwise_xor(input: Number, other: Tensor) -> Tensor: ...
def bmm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Tensor:
    """Products of the matrices of two batches."""
@overload
def broadcast_to(input: Tensor, size: Sequence[builtins.int]) -> Tensor:
    """Repeats dimensions of size 1 without copying."""
@overload
def broadcast_to(input: Tensor, *size: builtins.int) -> Tensor: ...
def bucketize(input: Tensor | Number, boundaries: Tensor, *, out_int32: builtins.bool = ..., right: builtins.bool = ..., out: Any = None) -> Tensor:
    """The bucket between sorted boundaries that each element falls into."""
def cat(tensors: Sequence[Tensor], dim: builtins.int = ..., *, out: Any = None) -> Tensor:
    """Tensors side by side along a dimension."""
def cdist(x1: Tensor, x2: Tensor, p: builtins.float = ..., compute_mode: str = ...) -> Tensor:
    """The p-norms of the differences of all pairs of rows."""
def ceil(input: Tensor, *, out: Any = None) -> Tensor:
    """The smallest integer that is not below each element."""
def celu(input: Tensor, alpha: Number = ..., *, out: Any = None) -> Tensor:
    """input where it is positive, alpha * (exp(input / alpha) - 1) elsewhere."""
def chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]:
    """Views of at most that many parts of one size; the last may be smaller."""
@overload
def clamp(input: Tensor, min: Tensor | None = ..., max: Tensor | None = ..., *, out: Any = None) -> Tensor:
    """input, held between min and max."""
@overload
def clamp(input: Tensor, min: Number | None = ..., max: Number | None = ..., *, out: Any = None) -> Tensor: ...
def clamp_max(input: Tensor, max: Tensor | Number, *, out: Any = None) -> Tensor:
    """input, held at or below max."""
def clamp_min(input: Tensor, min: Tensor | Number, *, out: Any = None) -> Tensor:
    """input, held at or above min."""
@overload
def clip(input: Tensor, min: Tensor | None = ..., max: Tensor | None = ..., *, out: Any = None) -> Tensor:
    """input, held between min and max."""
@overload
def clip(input: Tensor, min: Number | None = ..., max: Number | None = ..., *, out: Any = None) -> Tensor: ...
def clone(input: Tensor, *, memory_format: _types.memory_format | None = ..., out: Any = None) -> Tensor:
    """A copy."""
def column_stack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """Vectors as the columns of a matrix."""
def concat(tensors: Sequence[Tensor], dim: builtins.int = ..., *, out: Any = None) -> Tensor:
    """Tensors side by side along a dimension; another name of cat."""
def concatenate(tensors: Sequence[Tensor], dim: builtins.int = ..., *, out: Any = None) -> Tensor:
    """Tensors side by side along a dimension; another name of cat."""
def conj(input: Tensor, *, out: Any = None) -> Tensor:
    """input itself, which is real."""
def conj_physical(input: Tensor, *, out: Any = None) -> Tensor:
    """input itself, which is real."""
def constant_pad_nd(input: Tensor, pad: Sequence[builtins.int], value: Number = ...) -> Tensor:
    """A margin of one value, wide as pad says from the last dimension on."""
@overload
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ...) -> Tensor:
    """Convolution of (N, C, L) or (C, L) with weight (O, C / groups, K)."""
@overload
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: str = ..., dilation: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ...) -> Tensor: ...
@overload
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ...) -> Tensor:
    """Convolution of (N, C, H, W) or (C, H, W) with weight (O, C / groups, KH, KW)."""
@overload
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: str = ..., dilation: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ...) -> Tensor: ...
@overload
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ...) -> Tensor:
    """Convolution of (N, C, D, H, W) or (C, D, H, W) with weight (O, C / groups, KD, KH, KW)."""
@overload
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: str = ..., dilation: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ...) -> Tensor: ...
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., output_padding: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ..., dilation: builtins.int | Sequence[builtins.int] = ...) -> Tensor:
    """Transposed convolution of (N, C, L) or (C, L) with weight (C, O / groups, K)."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., output_padding: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ..., dilation: builtins.int | Sequence[builtins.int] = ...) -> Tensor:
    """Transposed convolution of (N, C, H, W) or (C, H, W) with weight (C, O / groups, KH, KW)."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: builtins.int | Sequence[builtins.int] = ..., padding: builtins.int | Sequence[builtins.int] = ..., output_padding: builtins.int | Sequence[builtins.int] = ..., groups: builtins.int = ..., dilation: builtins.int | Sequence[builtins.int] = ...) -> Tensor:
    """Transposed convolution of (N, C, D, H, W) or (C, D, H, W) with weight (C, O / groups, KD, KH, KW)."""
def copysign(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The size of input with the sign of other."""
def cos(input: Tensor, *, out: Any = None) -> Tensor:
    """Cosine of each element, in radians."""
def cosh(input: Tensor, *, out: Any = None) -> Tensor:
    """Hyperbolic cosine of each element."""
def count_nonzero(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ...) -> Tensor:
    """How many elements are not zero."""
def cross(input: Tensor, other: Tensor, dim: builtins.int | None = ..., *, out: Any = None) -> Tensor:
    """Cross product of vectors of three elements."""
def cummax(input: Tensor, dim: builtins.int, *, out: Any = None) -> _cummax_result:
    """Running largest elements along a dimension, and where they are."""
def cummin(input: Tensor, dim: builtins.int, *, out: Any = None) -> _cummin_result:
    """Running smallest elements along a dimension, and where they are."""
def cumprod(input: Tensor, dim: builtins.int, *, dtype: _types.dtype | None = ..., out: Any = None) -> Tensor:
    """Running products along a dimension."""
def cumsum(input: Tensor, dim: builtins.int, *, dtype: _types.dtype | None = ..., out: Any = None) -> Tensor:
    """Running sums along a dimension."""
def deg2rad(input: Tensor, *, out: Any = None) -> Tensor:
    """Angles in degrees as radians."""
def diag(input: Tensor, diagonal: builtins.int = ..., *, out: Any = None) -> Tensor:
    """The matrix with a vector on its diagonal, or the diagonal of a matrix."""
def diag_embed(input: Tensor, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor:
    """Matrices with the last dimension of input on their diagonals."""
def diagflat(input: Tensor, offset: builtins.int = ...) -> Tensor:
    """The matrix with all elements on its diagonal."""
def diagonal(input: Tensor, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor:
    """A diagonal of each matrix that two dimensions make."""
def diagonal_scatter(input: Tensor, src: Tensor, offset: builtins.int = ..., dim1: builtins.int = ..., dim2: builtins.int = ...) -> Tensor:
    """A copy of input with a diagonal replaced by src."""
def digamma(input: Tensor, *, out: Any = None) -> Tensor:
    """Derivative of lgamma."""
def dist(input: Tensor, other: Tensor, p: builtins.float = ...) -> Tensor:
    """The norm of order p of the difference."""
@overload
def div(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Quotient of input and other, element by element."""
@overload
def div(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: str | None, out: Any = None) -> Tensor: ...
@overload
def divide(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Quotient of input and other, element by element."""
@overload
def divide(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: str | None, out: Any = None) -> Tensor: ...
def dot(input: Tensor, tensor: Tensor, *, out: Any = None) -> Tensor:
    """Inner product of two vectors."""
def dropout(input: Tensor, p: builtins.float, train: builtins.bool, *, out: Any = None) -> Tensor:
    """input with elements set to 0 with probability p, and the others scaled to make up."""
@overload
def dsplit(input: Tensor, sections: builtins.int) -> tuple[Tensor, ...]:
    """Views of equal parts in depth, or parted at the given indices."""
@overload
def dsplit(input: Tensor, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
@overload
def dsplit(input: Tensor, *indices: builtins.int) -> tuple[Tensor, ...]: ...
def dstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """Tensors one behind the other."""
def embedding(weight: Tensor, indices: Tensor, padding_idx: builtins.int = ..., scale_grad_by_freq: builtins.bool = ..., sparse: builtins.bool = ..., *, out: Any = None) -> Tensor:
    """The rows of weight that the indices name."""
@overload
def empty(size: Sequence[builtins.int], *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., memory_format: _types.memory_format | None = ..., out: Any = None) -> Tensor:
    """A tensor of unspecified numbers."""
@overload
def empty(*size: builtins.int, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., memory_format: _types.memory_format | None = ..., out: Any = None) -> Tensor: ...
def empty_like(input: Tensor, *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., memory_format: _types.memory_format | None = ...) -> Tensor:
    """Unspecified numbers with the sizes and dtype of input."""
@overload
def empty_strided(size: Sequence[builtins.int], stride: Sequence[builtins.int], *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ...) -> Tensor:
    """A tensor of unspecified numbers with the given strides."""
@overload
def empty_strided(size: Sequence[builtins.int], *stride: builtins.int, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ...) -> Tensor: ...
def eq(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """True where input and other are equal."""
def erf(input: Tensor, *, out: Any = None) -> Tensor:
    """The error function of each element."""
def erfc(input: Tensor, *, out: Any = None) -> Tensor:
    """1 - erf(input), exact for large input."""
def erfinv(input: Tensor, *, out: Any = None) -> Tensor:
    """The number whose error function each element is."""
def exp(input: Tensor, *, out: Any = None) -> Tensor:
    """e to the power of each element."""
def exp2(input: Tensor, *, out: Any = None) -> Tensor:
    """2 to the power of each element."""
def expm1(input: Tensor, *, out: Any = None) -> Tensor:
    """exp(input) - 1, exact for small input."""
@overload
def eye(n: builtins.int, *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
@overload
def eye(n: builtins.int, m: builtins.int, *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor: ...
def feature_alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool, *, out: Any = None) -> Tensor:
    """alpha_dropout of whole channels, the second dimension."""
def feature_dropout(input: Tensor, p: builtins.float, train: builtins.bool, *, out: Any = None) -> Tensor:
    """dropout of whole channels, the second dimension."""
def fill(input: Tensor, value: Tensor | Number, *, out: Any = None) -> Tensor:
    """A tensor like input with every element set to value."""
def fix(input: Tensor, *, out: Any = None) -> Tensor:
    """Each element without its fraction."""
def flatten(input: Tensor, start_dim: builtins.int = ..., end_dim: builtins.int = ...) -> Tensor:
    """Makes one dimension of those from start_dim to end_dim."""
@overload
def flip(input: Tensor, dims: Sequence[builtins.int]) -> Tensor:
    """The elements in the opposite order along each of the dims."""
@overload
def flip(input: Tensor, *dims: builtins.int) -> Tensor: ...
def fliplr(input: Tensor) -> Tensor:
    """The columns in the opposite order."""
def flipud(input: Tensor) -> Tensor:
    """The rows in the opposite order."""
@overload
def float_power(input: Tensor, exponent: Tensor | Number, *, out: Any = None) -> Tensor:
    """input to the power of exponent, in float64."""
@overload
def float_power(input: Number, exponent: Tensor, *, out: Any = None) -> Tensor: ...
def floor(input: Tensor, *, out: Any = None) -> Tensor:
    """The largest integer that is not above each element."""
def floor_divide(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Quotient rounded towards minus infinity, Python's //."""
def fmax(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The larger of input and other; a NaN loses against a number."""
def fmin(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The smaller of input and other; a NaN loses against a number."""
def fmod(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Remainder with the sign of the dividend, C's fmod."""
def frac(input: Tensor, *, out: Any = None) -> Tensor:
    """The fraction of each element, with its sign."""
def frexp(input: Tensor, *, out: Any = None) -> _frexp_result:
    """input as mantissa * 2**exponent, the mantissa being at least 0.5 and below 1."""
def full(size: Sequence[builtins.int], fill_value: Number, *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor:
    """A tensor filled with one number, whose type decides the dtype."""
def full_like(input: Tensor, fill_value: Number, *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., memory_format: _types.memory_format | None = ...) -> Tensor:
    """One number everywhere, with the sizes and dtype of input."""
def gather(input: Tensor, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = ..., out: Any = None) -> Tensor:
    """For each index the element of input at it along dim, and where it stands otherwise."""
def gcd(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Greatest common divisor."""
def ge(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """True where input is at least other."""
def ger(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    """Every element of a vector times every element of another; another name of outer."""
def greater(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """True where input is greater than other."""
def greater_equal(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """True where input is at least other."""
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = ..., b_hh: Tensor | None = ..., *, out: Any = None) -> Tensor:
    """One step of a GRU: the next hidden state."""
def gt(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """True where input is greater than other."""
def hardshrink(input: Tensor, lambd: Number = ..., *, out: Any = None) -> Tensor:
    """input, and 0 where its size is at most lambd."""
def heaviside(input: Tensor, values: Tensor, *, out: Any = None) -> Tensor:
    """0 where input is negative, values where it is 0, 1 where it is positive."""
def histc(input: Tensor, bins: builtins.int = ..., min: Number = ..., max: Number = ..., *, out: Any = None) -> Tensor:
    """How many elements fall into each of equal bins."""
@overload
def hsplit(input: Tensor, sections: builtins.int) -> tuple[Tensor, ...]:
    """Views of equal parts side by side, or parted at the given indices."""
@overload
def hsplit(input: Tensor, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
@overload
def hsplit(input: Tensor, *indices: builtins.int) -> tuple[Tensor, ...]: ...
def hstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """Tensors side by side."""
def hypot(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Length of the hypotenuse over the sides input and other."""
def i0(input: Tensor, *, out: Any = None) -> Tensor:
    """Modified Bessel function of the first kind, of order 0."""
def igamma(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The lower part of the gamma function of input, up to other, as a fraction of the whole."""
def igammac(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The upper part of the gamma function of input, from other, as a fraction of the whole."""
def index_add(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = ..., out: Any = None) -> Tensor:
    """A copy of input with alpha times each slice of source added where index says."""
def index_copy(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, out: Any = None) -> Tensor:
    """A copy of input with slices of source written where index says."""
def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: Tensor | Number) -> Tensor:
    """A copy of input with the slices that index names filled with value."""
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = ...) -> Tensor:
    """A copy of input with values written, or added, where the indices say."""
def index_reduce(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, reduce: str, *, include_self: builtins.bool = ..., out: Any = None) -> Tensor:
    """Slices of source reduced, by prod, mean, amax or amin, where index says along dim."""
def index_select(input: Tensor, dim: builtins.int, index: Tensor, *, out: Any = None) -> Tensor:
    """The slices of input that index names along dim."""
def inner(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Inner products of all pairs of rows."""
def isclose(input: Tensor, other: Tensor, rtol: builtins.float = ..., atol: builtins.float = ..., equal_nan: builtins.bool = ..., *, out: Any = None) -> Tensor:
    """True where |input - other| <= atol + rtol * |other|."""
def isfinite(input: Tensor, *, out: Any = None) -> Tensor:
    """True where input is neither infinite nor NaN."""
def isinf(input: Tensor, *, out: Any = None) -> Tensor:
    """True where input is infinite."""
def isnan(input: Tensor, *, out: Any = None) -> Tensor:
    """True where input is not a number."""
def isneginf(input: Tensor, *, out: Any = None) -> Tensor:
    """True where input is minus infinity."""
def isposinf(input: Tensor, *, out: Any = None) -> Tensor:
    """True where input is plus infinity."""
def isreal(input: Tensor, *, out: Any = None) -> Tensor:
    """True everywhere."""
def kron(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Kronecker product: every element of input times the whole of other."""
def kthvalue(input: Tensor, k: builtins.int, dim: builtins.int = ..., keepdim: builtins.bool = ..., *, out: Any = None) -> _kthvalue_result:
    """The k-th smallest elements along a dimension, and where they are."""
def layer_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None = ..., bias: Tensor | None = ..., eps: builtins.float = ..., cudnn_enable: builtins.bool = ..., *, out: Any = None) -> Tensor:
    """The last dimensions with mean 0 and variance 1, times weight, plus bias."""
def lcm(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Least common multiple."""
def ldexp(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """input * 2**other."""
def le(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """True where input is at most other."""
def lerp(input: Tensor, end: Tensor, weight: Tensor | Number, *, out: Any = None) -> Tensor:
    """The point between input (weight 0) and end (weight 1)."""
def less(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """True where input is less than other."""
def less_equal(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """True where input is at most other."""
def lgamma(input: Tensor, *, out: Any = None) -> Tensor:
    """Logarithm of the absolute value of the gamma function."""
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = ..., *, out: Any = None) -> Tensor:
    """The rows of input times the transposed weight, plus the bias."""
def linspace(start: Number, end: Number, steps: builtins.int, *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor:
    """Numbers evenly spread from start to end, both included."""
def log(input: Tensor, *, out: Any = None) -> Tensor:
    """Natural logarithm of each element."""
def log10(input: Tensor, *, out: Any = None) -> Tensor:
    """Logarithm to base 10 of each element."""
def log1p(input: Tensor, *, out: Any = None) -> Tensor:
    """log(1 + input), exact for small input."""
def log2(input: Tensor, *, out: Any = None) -> Tensor:
    """Logarithm to base 2 of each element."""
def log_softmax(input: Tensor, dim: builtins.int, dtype: _types.dtype | None = ..., *, out: Any = None) -> Tensor:
    """The logarithm of softmax, without overflow."""
def logaddexp(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """log(exp(input) + exp(other)), without overflow."""
def logaddexp2(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """log2(2**input + 2**other), without overflow."""
def logcumsumexp(input: Tensor, dim: builtins.int, *, out: Any = None) -> Tensor:
    """Logarithms of the running sums of exponentials along a dimension."""
def logical_and(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """True where both are not zero."""
def logical_not(input: Tensor, *, out: Any = None) -> Tensor:
    """True where input is zero."""
def logical_or(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """True where at least one is not zero."""
def logical_xor(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """True where exactly one is not zero."""
@overload
def logit(input: Tensor, *, out: Any = None) -> Tensor:
    """log(input / (1 - input)), the inverse of sigmoid."""
@overload
def logit(input: Tensor, eps: builtins.float | None, *, out: Any = None) -> Tensor: ...
def logspace(start: Number, end: Number, steps: builtins.int, base: builtins.float = ..., *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor:
    """Powers of base, the exponents evenly spread from start to end."""
def logsumexp(input: Tensor, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = ..., *, out: Any = None) -> Tensor:
    """Logarithm of the sum of exponentials, without overflow."""
def lstm_cell(input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = ..., b_hh: Tensor | None = ...) -> tuple[Tensor, ...]:
    """One step of an LSTM: the next hidden state and the next cell state."""
def lt(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """True where input is less than other."""
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """A copy of input with value where mask is true."""
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy of input with the elements of source, in order, where mask is true."""
def masked_select(input: Tensor, mask: Tensor, *, out: Any = None) -> Tensor:
    """A list of the elements where mask is true."""
def matmul(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Product of vectors, matrices or batches of matrices, which broadcast; Python's @."""
@overload
def max(input: Tensor, *, out: Any = None) -> Tensor:
    """The largest element; along a dimension, also where it is; of two tensors, the larger."""
@overload
def max(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor: ...
@overload
def max(input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, out: Any = None) -> _max_result: ...
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ...) -> Tensor:
    """The largest element of each window."""
def max_pool1d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ...) -> tuple[Tensor, ...]:
    """The largest element of each window, and its place in its plane."""
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ...) -> Tensor:
    """The largest element of each window."""
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = ..., padding: builtins.int | Sequence[builtins.int] = ..., dilation: builtins.int | Sequence[builtins.int] = ..., ceil_mode: builtins.bool = ...) -> Tensor:
    """The largest element of each window."""
def maximum(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The larger of input and other; NaN if either is."""
@overload
def mean(input: Tensor, *, dtype: _types.dtype | None = ..., out: Any = None) -> Tensor:
    """Mean of all elements, or over some dimensions."""
@overload
def mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ..., *, dtype: _types.dtype | None = ..., out: Any = None) -> Tensor: ...
@overload
def median(input: Tensor) -> Tensor:
    """The lower median of all elements; along a dimension, also where it is."""
@overload
def median(input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, out: Any = None) -> _median_result: ...
@overload
def min(input: Tensor, *, out: Any = None) -> Tensor:
    """The smallest element; along a dimension, also where it is; of two tensors, the smaller."""
@overload
def min(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor: ...
@overload
def min(input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, out: Any = None) -> _min_result: ...
def minimum(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The smaller of input and other; NaN if either is."""
def mm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Tensor:
    """Product of two matrices."""
def mode(input: Tensor, dim: builtins.int = ..., keepdim: builtins.bool = ..., *, out: Any = None) -> _mode_result:
    """The most frequent elements along a dimension, and where they are."""
@overload
def moveaxis(input: Tensor, source: builtins.int, destination: builtins.int) -> Tensor:
    """Moves dimensions to other positions; another name of movedim."""
@overload
def moveaxis(input: Tensor, source: Sequence[builtins.int], destination: Sequence[builtins.int]) -> Tensor: ...
@overload
def moveaxis(input: Tensor, source: Sequence[builtins.int], *destination: builtins.int) -> Tensor: ...
@overload
def movedim(input: Tensor, source: builtins.int, destination: builtins.int) -> Tensor:
    """Moves dimensions to other positions; the rest keep their order."""
@overload
def movedim(input: Tensor, source: Sequence[builtins.int], destination: Sequence[builtins.int]) -> Tensor: ...
@overload
def movedim(input: Tensor, source: Sequence[builtins.int], *destination: builtins.int) -> Tensor: ...
def msort(input: Tensor, *, out: Any = None) -> Tensor:
    """The elements in order along the first dimension."""
def mul(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Product of input and other, element by element."""
def multinomial(input: Tensor, num_samples: builtins.int, replacement: builtins.bool = ..., *, generator: Generator | None = ..., out: Any = None) -> Tensor:
    """Indices drawn with the probabilities that are proportional to each row of input."""
def multiply(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Product of input and other, element by element."""
def mv(input: Tensor, vec: Tensor, *, out: Any = None) -> Tensor:
    """Product of a matrix and a vector."""
def mvlgamma(input: Tensor, p: builtins.int, *, out: Any = None) -> Tensor:
    """Logarithm of the multivariate gamma function of dimension p."""
def nan_to_num(input: Tensor, nan: builtins.float | None = ..., posinf: builtins.float | None = ..., neginf: builtins.float | None = ..., *, out: Any = None) -> Tensor:
    """NaN and infinities replaced: by 0 and by the largest numbers unless given."""
def nanmean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _types.dtype | None = ..., out: Any = None) -> Tensor:
    """Mean of the elements that are not NaN."""
@overload
def nanmedian(input: Tensor) -> Tensor:
    """The lower median of the elements that are not NaN; along a dimension, also where it is."""
@overload
def nanmedian(input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, out: Any = None) -> _nanmedian_result: ...
def nansum(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., keepdim: builtins.bool = ..., *, dtype: _types.dtype | None = ..., out: Any = None) -> Tensor:
    """Sum in which NaN counts as zero."""
def narrow(input: Tensor, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor:
    """length elements of a dimension from start on."""
def ne(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """True where input and other differ."""
def neg(input: Tensor, *, out: Any = None) -> Tensor:
    """Each element with the opposite sign."""
def negative(input: Tensor, *, out: Any = None) -> Tensor:
    """Each element with the opposite sign."""
def nextafter(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The next number after input in the direction of other."""
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[False] = ..., out: Any = None) -> Tensor:
    """The positions of the elements that are not zero, one in each row."""
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True], out: Tensor | None = ...) -> tuple[Tensor, ...]: ...
@overload
def normal(mean: Tensor, std: Tensor, *, generator: Generator | None = ..., out: Any = None) -> Tensor:
    """Normally distributed numbers, each with its own mean and standard deviation."""
@overload
def normal(mean: Tensor, std: builtins.float = ..., *, generator: Generator | None = ..., out: Any = None) -> Tensor: ...
@overload
def normal(mean: builtins.float, std: Tensor, *, generator: Generator | None = ..., out: Any = None) -> Tensor: ...
@overload
def normal(mean: builtins.float, std: builtins.float, size: Sequence[builtins.int], *, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor: ...
@overload
def normal(mean: builtins.float, std: builtins.float, *size: builtins.int, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor: ...
def not_equal(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """True where input and other differ."""
@overload
def ones(size: Sequence[builtins.int], *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor:
    """A tensor of ones."""
@overload
def ones(*size: builtins.int, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor: ...
def ones_like(input: Tensor, *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., memory_format: _types.memory_format | None = ...) -> Tensor:
    """Ones with the sizes and dtype of input."""
def outer(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    """Every element of a vector times every element of another."""
@overload
def permute(input: Tensor, dims: Sequence[builtins.int]) -> Tensor:
    """Reorders the dimensions."""
@overload
def permute(input: Tensor, *dims: builtins.int) -> Tensor: ...
def poisson(input: Tensor, generator: Generator | None = ..., *, out: Any = None) -> Tensor:
    """Numbers of events, the elements of input being the rates."""
def polygamma(n: builtins.int, input: Tensor, *, out: Any = None) -> Tensor:
    """The nth derivative of digamma."""
def positive(input: Tensor, *, out: Any = None) -> Tensor:
    """input itself, +input."""
@overload
def pow(input: Tensor, exponent: Tensor | Number, *, out: Any = None) -> Tensor:
    """input to the power of exponent."""
@overload
def pow(input: Number, exponent: Tensor, *, out: Any = None) -> Tensor: ...
def prelu(input: Tensor, weight: Tensor, *, out: Any = None) -> Tensor:
    """leaky_relu whose slope is learnt: one, or one for each channel."""
@overload
def prod(input: Tensor, *, dtype: _types.dtype | None = ..., out: Any = None) -> Tensor:
    """Product of all elements, or along a dimension."""
@overload
def prod(input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, dtype: _types.dtype | None = ..., out: Any = None) -> Tensor: ...
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = ...) -> Tensor:
    """A copy of input, taken as one list, with source written where index says."""
def rad2deg(input: Tensor, *, out: Any = None) -> Tensor:
    """Angles in radians as degrees."""
@overload
def rand(size: Sequence[builtins.int], *, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor:
    """Numbers spread evenly over [0, 1)."""
@overload
def rand(*size: builtins.int, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor: ...
def rand_like(input: Tensor, *, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., memory_format: _types.memory_format | None = ...) -> Tensor:
    """Numbers spread evenly over [0, 1), with the sizes and dtype of input."""
@overload
def randint(high: builtins.int, size: Sequence[builtins.int], *, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor:
    """Integers from low (0) up to, not including, high."""
@overload
def randint(high: builtins.int, *size: builtins.int, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor: ...
@overload
def randint(low: builtins.int, high: builtins.int, size: Sequence[builtins.int], *, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor: ...
@overload
def randint(low: builtins.int, high: builtins.int, *size: builtins.int, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor: ...
@overload
def randint_like(input: Tensor, high: builtins.int, *, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., memory_format: _types.memory_format | None = ...) -> Tensor:
    """Integers from low (0) up to, not including, high, with the sizes and dtype of input."""
@overload
def randint_like(input: Tensor, low: builtins.int, high: builtins.int, *, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., memory_format: _types.memory_format | None = ...) -> Tensor: ...
@overload
def randn(size: Sequence[builtins.int], *, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor:
    """Numbers of the normal distribution with mean 0 and variance 1."""
@overload
def randn(*size: builtins.int, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor: ...
def randn_like(input: Tensor, *, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., memory_format: _types.memory_format | None = ...) -> Tensor:
    """Normally distributed numbers, with the sizes and dtype of input."""
def randperm(n: builtins.int, *, generator: Generator | None = ..., dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor:
    """The integers below n in random order."""
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension, as a view where possible."""
def real(input: Tensor, *, out: Any = None) -> Tensor:
    """input itself, which is real."""
def reciprocal(input: Tensor, *, out: Any = None) -> Tensor:
    """One divided by each element."""
def relu(input: Tensor, *, out: Any = None) -> Tensor:
    """The larger of 0 and each element."""
@overload
def remainder(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Remainder with the sign of the divisor, Python's %."""
@overload
def remainder(input: Number, other: Tensor) -> Tensor: ...
@overload
def repeat_interleave(input: Tensor, repeats: Tensor, dim: builtins.int | None = ..., *, output_size: builtins.int | None = ...) -> Tensor:
    """Each element, or slice along dim, repeats times in a row."""
@overload
def repeat_interleave(input: Tensor, repeats: builtins.int, dim: builtins.int | None = ..., *, output_size: builtins.int | None = ...) -> Tensor: ...
@overload
def repeat_interleave(repeats: Tensor, *, output_size: builtins.int | None = ...) -> Tensor: ...
@overload
def reshape(input: Tensor, shape: Sequence[builtins.int]) -> Tensor:
    """The same elements with other sizes, as a view where possible."""
@overload
def reshape(input: Tensor, *shape: builtins.int) -> Tensor: ...
def resolve_conj(input: Tensor, *, out: Any = None) -> Tensor:
    """input itself, which is real."""
def resolve_neg(input: Tensor, *, out: Any = None) -> Tensor:
    """input itself, which is real."""
def rms_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None = ..., eps: builtins.float | None = ..., *, out: Any = None) -> Tensor:
    """The last dimensions divided by the root of their mean square, times weight."""
def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = ..., b_hh: Tensor | None = ..., *, out: Any = None) -> Tensor:
    """One step of a simple recurrent network with relu: the next hidden state."""
def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = ..., b_hh: Tensor | None = ..., *, out: Any = None) -> Tensor:
    """One step of a simple recurrent network with tanh: the next hidden state."""
def roll(input: Tensor, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] = ...) -> Tensor:
    """Elements moved on by shifts along dims; those that fall off come in again."""
@overload
def rot90(input: Tensor, k: builtins.int = ..., dims: Sequence[builtins.int] = ...) -> Tensor:
    """k quarter turns from the first of the dims towards the second."""
@overload
def rot90(input: Tensor, k: builtins.int = ..., *dims: builtins.int) -> Tensor: ...
@overload
def round(input: Tensor, *, out: Any = None) -> Tensor:
    """The nearest integer; halves go to the even one."""
@overload
def round(input: Tensor, *, decimals: builtins.int, out: Any = None) -> Tensor: ...
def row_stack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """Tensors one below the other; another name of vstack."""
def rsqrt(input: Tensor, *, out: Any = None) -> Tensor:
    """One divided by the square root of each element."""
def rsub(input: Tensor, other: Tensor | Number, alpha: Number = ..., *, out: Any = None) -> Tensor:
    """other - alpha * input."""
def scalar_tensor(s: Number, *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor:
    """A 0-d tensor of the default dtype."""
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, out: Any = None) -> Tensor:
    """A copy of input with src written where index says along dim."""
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, value: Number, *, out: Any = None) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor | Number, *, reduce: str, out: Any = None) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, value: Tensor | Number, *, reduce: str, out: Any = None) -> Tensor: ...
def scatter_add(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, out: Any = None) -> Tensor:
    """A copy of input with src added where index says along dim."""
def scatter_reduce(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, reduce: str, *, include_self: builtins.bool = ..., out: Any = None) -> Tensor:
    """Elements of src reduced, by sum, prod, mean, amax or amin, where index says along dim."""
def searchsorted(sorted_sequence: Tensor, input: Tensor | Number, *, out_int32: builtins.bool = ..., right: builtins.bool = ..., side: str | None = ..., sorter: Tensor | None = ..., out: Any = None) -> Tensor:
    """Where values would go into sorted sequences."""
def select(input: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """The slice at one index of a dimension, without that dimension."""
def select_scatter(input: Tensor, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """A copy of input with the slice at one index replaced by src."""
def selu(input: Tensor, *, out: Any = None) -> Tensor:
    """elu, scaled so that it keeps mean 0 and variance 1."""
def sgn(input: Tensor, *, out: Any = None) -> Tensor:
    """The same as sign, for real numbers."""
def sigmoid(input: Tensor, *, out: Any = None) -> Tensor:
    """1 / (1 + exp(-input))."""
def sign(input: Tensor, *, out: Any = None) -> Tensor:
    """-1, 0 or 1, as each element is negative, zero or positive."""
def signbit(input: Tensor, *, out: Any = None) -> Tensor:
    """True where input has a minus sign, -0 too."""
def sin(input: Tensor, *, out: Any = None) -> Tensor:
    """Sine of each element, in radians."""
def sinc(input: Tensor, *, out: Any = None) -> Tensor:
    """sin(pi * input) / (pi * input), and 1 where input is 0."""
def sinh(input: Tensor, *, out: Any = None) -> Tensor:
    """Hyperbolic sine of each element."""
def slice_scatter(input: Tensor, src: Tensor, dim: builtins.int = ..., start: builtins.int | None = ..., end: builtins.int | None = ..., step: builtins.int = ...) -> Tensor:
    """A copy of input with every step-th element from start to end replaced by src."""
def softmax(input: Tensor, dim: builtins.int, dtype: _types.dtype | None = ..., *, out: Any = None) -> Tensor:
    """exp(input), scaled so that it sums to 1 along dim."""
@overload
def sort(input: Tensor, dim: builtins.int = ..., descending: builtins.bool = ..., *, out: Any = None) -> _sort_result:
    """The elements in order along a dimension, and where they were."""
@overload
def sort(input: Tensor, *, stable: builtins.bool | None, dim: builtins.int = ..., descending: builtins.bool = ..., out: Any = None) -> _sort_result: ...
@overload
def split(tensor: Tensor, split_size_or_sections: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]:
    """Views of parts of the given size, or sizes; the last may be smaller."""
@overload
def split(tensor: Tensor, split_size_or_sections: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: ...
def split_with_sizes(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]:
    """Views of parts of the given sizes."""
def sqrt(input: Tensor, *, out: Any = None) -> Tensor:
    """Square root of each element."""
def square(input: Tensor, *, out: Any = None) -> Tensor:
    """Each element times itself."""
@overload
def squeeze(input: Tensor) -> Tensor:
    """Removes dimensions of size 1: all, or those among dim."""
@overload
def squeeze(input: Tensor, dim: builtins.int) -> Tensor: ...
@overload
def squeeze(input: Tensor, dim: Sequence[builtins.int]) -> Tensor: ...
@overload
def squeeze(input: Tensor, *dim: builtins.int) -> Tensor: ...
def stack(tensors: Sequence[Tensor], dim: builtins.int = ..., *, out: Any = None) -> Tensor:
    """Tensors of one size one behind the other in a new dimension."""
@overload
def std(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = ..., keepdim: builtins.bool = ..., *, out: Any = None) -> Tensor:
    """Standard deviation of all elements, or over some dimensions."""
@overload
def std(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, correction: Number | None = ..., keepdim: builtins.bool = ..., out: Any = None) -> Tensor: ...
@overload
def std(input: Tensor, unbiased: builtins.bool = ...) -> Tensor: ...
@overload
def std_mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = ..., keepdim: builtins.bool = ...) -> tuple[Tensor, ...]:
    """Standard deviation and mean."""
@overload
def std_mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, correction: Number | None = ..., keepdim: builtins.bool = ...) -> tuple[Tensor, ...]: ...
@overload
def std_mean(input: Tensor, unbiased: builtins.bool = ...) -> tuple[Tensor, ...]: ...
@overload
def sub(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Difference of input and other, element by element."""
@overload
def sub(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = ..., out: Any = None) -> Tensor: ...
@overload
def subtract(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Difference of input and other, element by element."""
@overload
def subtract(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = ..., out: Any = None) -> Tensor: ...
@overload
def sum(input: Tensor, *, dtype: _types.dtype | None = ..., out: Any = None) -> Tensor:
    """Sum of all elements, or over some dimensions."""
@overload
def sum(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = ..., *, dtype: _types.dtype | None = ..., out: Any = None) -> Tensor: ...
def swapaxes(input: Tensor, axis0: builtins.int, axis1: builtins.int) -> Tensor:
    """Exchanges two dimensions; another name of transpose."""
def swapdims(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """Exchanges two dimensions; another name of transpose."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors stay as they are."""
def take(input: Tensor, index: Tensor, *, out: Any = None) -> Tensor:
    """The elements that index names in input taken as one list."""
def take_along_dim(input: Tensor, indices: Tensor, dim: builtins.int | None = ..., *, out: Any = None) -> Tensor:
    """gather with the sizes of input and indices broadcast together."""
def tan(input: Tensor, *, out: Any = None) -> Tensor:
    """Tangent of each element, in radians."""
def tanh(input: Tensor, *, out: Any = None) -> Tensor:
    """Hyperbolic tangent of each element."""
@overload
def tensor_split(input: Tensor, sections: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]:
    """Views of parts, as equal as can be, or parted at the given indices."""
@overload
def tensor_split(input: Tensor, indices: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]: ...
@overload
def tensor_split(input: Tensor, tensor_indices_or_sections: Tensor, dim: builtins.int = ...) -> tuple[Tensor, ...]: ...
def threshold(input: Tensor, threshold: Number, value: Number, *, out: Any = None) -> Tensor:
    """input where it is above threshold, value elsewhere."""
@overload
def tile(input: Tensor, dims: Sequence[builtins.int]) -> Tensor:
    """Copies of the tensor side by side; missing counts are 1."""
@overload
def tile(input: Tensor, *dims: builtins.int) -> Tensor: ...
def topk(input: Tensor, k: builtins.int, dim: builtins.int = ..., largest: builtins.bool = ..., sorted: builtins.bool = ..., *, out: Any = None) -> _topk_result:
    """The k largest elements along a dimension, and where they are."""
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal."""
def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """Exchanges two dimensions."""
def tril(input: Tensor, diagonal: builtins.int = ..., *, out: Any = None) -> Tensor:
    """Each matrix with zeros above a diagonal."""
def tril_indices(row: builtins.int, col: builtins.int, offset: builtins.int = ..., *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., pin_memory: builtins.bool = ...) -> Tensor:
    """Rows and columns of the elements that tril keeps."""
def triu(input: Tensor, diagonal: builtins.int = ..., *, out: Any = None) -> Tensor:
    """Each matrix with zeros below a diagonal."""
def triu_indices(row: builtins.int, col: builtins.int, offset: builtins.int = ..., *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., pin_memory: builtins.bool = ...) -> Tensor:
    """Rows and columns of the elements that triu keeps."""
def true_divide(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Quotient of input and other, element by element."""
def trunc(input: Tensor, *, out: Any = None) -> Tensor:
    """Each element without its fraction."""
def unbind(input: Tensor, dim: builtins.int = ...) -> tuple[Tensor, ...]:
    """Views of all slices along a dimension."""
@overload
def unflatten(input: Tensor, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
    """Makes several dimensions of one."""
@overload
def unflatten(input: Tensor, dim: builtins.int, *sizes: builtins.int) -> Tensor: ...
def unsafe_chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]:
    """Views of at most that many parts of one size; the last may be smaller."""
def unsafe_split(tensor: Tensor, split_size_or_sections: builtins.int, dim: builtins.int = ...) -> tuple[Tensor, ...]:
    """Views of parts of the given size, or sizes; the last may be smaller."""
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = ...) -> tuple[Tensor, ...]:
    """Views of parts of the given sizes."""
def unsqueeze(input: Tensor, dim: builtins.int) -> Tensor:
    """Inserts a dimension of size 1."""
@overload
def var(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = ..., keepdim: builtins.bool = ..., *, out: Any = None) -> Tensor:
    """Variance of all elements, or over some dimensions."""
@overload
def var(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, correction: Number | None = ..., keepdim: builtins.bool = ..., out: Any = None) -> Tensor: ...
@overload
def var(input: Tensor, unbiased: builtins.bool = ...) -> Tensor: ...
@overload
def var_mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = ..., keepdim: builtins.bool = ...) -> tuple[Tensor, ...]:
    """Variance and mean."""
@overload
def var_mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = ..., *, correction: Number | None = ..., keepdim: builtins.bool = ...) -> tuple[Tensor, ...]: ...
@overload
def var_mean(input: Tensor, unbiased: builtins.bool = ...) -> tuple[Tensor, ...]: ...
def vdot(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Inner product of two vectors."""
@overload
def vsplit(input: Tensor, sections: builtins.int) -> tuple[Tensor, ...]:
    """Views of equal parts one below the other, or parted at the given indices."""
@overload
def vsplit(input: Tensor, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
@overload
def vsplit(input: Tensor, *indices: builtins.int) -> tuple[Tensor, ...]: ...
def vstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """Tensors one below the other."""
@overload
def where(condition: Tensor, input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """input where condition holds, other elsewhere."""
@overload
def where(condition: Tensor, input: Tensor | Number, other: Tensor | Number) -> Tensor: ...
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def xlogy(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * log(other), and 0 where input is 0."""
@overload
def xlogy(input: Number, other: Tensor, *, out: Any = None) -> Tensor: ...
@overload
def zeros(size: Sequence[builtins.int], *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor:
    """A tensor of zeros."""
@overload
def zeros(*size: builtins.int, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., out: Any = None) -> Tensor: ...
def zeros_like(input: Tensor, *, dtype: _types.dtype | None = ..., layout: _types.layout | None = ..., device: _types.device | str | builtins.int | None = ..., requires_grad: builtins.bool = ..., pin_memory: builtins.bool = ..., memory_format: _types.memory_format | None = ...) -> Tensor:
    """Zeros with the sizes and dtype of input."""
def abs_(input: Tensor) -> Tensor:
    """Absolute value of each element."""
def absolute_(input: Tensor) -> Tensor:
    """Absolute value of each element."""
def acos_(input: Tensor) -> Tensor:
    """The angle whose cosine each element is."""
def acosh_(input: Tensor) -> Tensor:
    """Inverse hyperbolic cosine of each element."""
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Tensor:
    """beta * input + alpha * mat @ vec."""
def alpha_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """dropout that keeps mean and variance of what selu gives."""
def arccos_(input: Tensor) -> Tensor:
    """The angle whose cosine each element is."""
def arccosh_(input: Tensor) -> Tensor:
    """Inverse hyperbolic cosine of each element."""
def arcsin_(input: Tensor) -> Tensor:
    """The angle whose sine each element is."""
def arcsinh_(input: Tensor) -> Tensor:
    """Inverse hyperbolic sine of each element."""
def arctan_(input: Tensor) -> Tensor:
    """The angle whose tangent each element is."""
def arctanh_(input: Tensor) -> Tensor:
    """Inverse hyperbolic tangent of each element."""
def as_strided_(input: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = ...) -> Tensor:
    """A view of the storage with the given sizes, strides and offset."""
def asin_(input: Tensor) -> Tensor:
    """The angle whose sine each element is."""
def asinh_(input: Tensor) -> Tensor:
    """Inverse hyperbolic sine of each element."""
def atan_(input: Tensor) -> Tensor:
    """The angle whose tangent each element is."""
def atanh_(input: Tensor) -> Tensor:
    """Inverse hyperbolic tangent of each element."""
def bitwise_not_(input: Tensor) -> Tensor:
    """The bits that input has not; of a bool, its opposite."""
def ceil_(input: Tensor) -> Tensor:
    """The smallest integer that is not below each element."""
def celu_(input: Tensor, alpha: Number = ...) -> Tensor:
    """input where it is positive, alpha * (exp(input / alpha) - 1) elsewhere."""
@overload
def clamp_(input: Tensor, min: Tensor | None = ..., max: Tensor | None = ...) -> Tensor:
    """input, held between min and max."""
@overload
def clamp_(input: Tensor, min: Number | None = ..., max: Number | None = ...) -> Tensor: ...
def clamp_max_(input: Tensor, max: Tensor | Number) -> Tensor:
    """input, held at or below max."""
def clamp_min_(input: Tensor, min: Tensor | Number) -> Tensor:
    """input, held at or above min."""
@overload
def clip_(input: Tensor, min: Tensor | None = ..., max: Tensor | None = ...) -> Tensor:
    """input, held between min and max."""
@overload
def clip_(input: Tensor, min: Number | None = ..., max: Number | None = ...) -> Tensor: ...
def cos_(input: Tensor) -> Tensor:
    """Cosine of each element, in radians."""
def cosh_(input: Tensor) -> Tensor:
    """Hyperbolic cosine of each element."""
def deg2rad_(input: Tensor) -> Tensor:
    """Angles in degrees as radians."""
def digamma_(input: Tensor) -> Tensor:
    """Derivative of lgamma."""
def dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """input with elements set to 0 with probability p, and the others scaled to make up."""
def erf_(input: Tensor) -> Tensor:
    """The error function of each element."""
def erfc_(input: Tensor) -> Tensor:
    """1 - erf(input), exact for large input."""
def erfinv_(input: Tensor) -> Tensor:
    """The number whose error function each element is."""
def exp2_(input: Tensor) -> Tensor:
    """2 to the power of each element."""
def exp_(input: Tensor) -> Tensor:
    """e to the power of each element."""
def expm1_(input: Tensor) -> Tensor:
    """exp(input) - 1, exact for small input."""
def feature_alpha_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """alpha_dropout of whole channels, the second dimension."""
def feature_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """dropout of whole channels, the second dimension."""
def fill_(input: Tensor, value: Tensor | Number) -> Tensor:
    """Sets every element to value."""
def fix_(input: Tensor) -> Tensor:
    """Each element without its fraction."""
def floor_(input: Tensor) -> Tensor:
    """The largest integer that is not above each element."""
def frac_(input: Tensor) -> Tensor:
    """The fraction of each element, with its sign."""
def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """Greatest common divisor."""
def i0_(input: Tensor) -> Tensor:
    """Modified Bessel function of the first kind, of order 0."""
def index_put_(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = ...) -> Tensor:
    """A copy of input with values written, or added, where the indices say."""
def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """Least common multiple."""
def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """input * 2**other."""
def lgamma_(input: Tensor) -> Tensor:
    """Logarithm of the absolute value of the gamma function."""
def log10_(input: Tensor) -> Tensor:
    """Logarithm to base 10 of each element."""
def log1p_(input: Tensor) -> Tensor:
    """log(1 + input), exact for small input."""
def log2_(input: Tensor) -> Tensor:
    """Logarithm to base 2 of each element."""
def log_(input: Tensor) -> Tensor:
    """Natural logarithm of each element."""
def logical_not_(input: Tensor) -> Tensor:
    """True where input is zero."""
@overload
def logit_(input: Tensor) -> Tensor:
    """log(input / (1 - input)), the inverse of sigmoid."""
@overload
def logit_(input: Tensor, eps: builtins.float | None) -> Tensor: ...
def nan_to_num_(input: Tensor, nan: builtins.float | None = ..., posinf: builtins.float | None = ..., neginf: builtins.float | None = ...) -> Tensor:
    """NaN and infinities replaced: by 0 and by the largest numbers unless given."""
def neg_(input: Tensor) -> Tensor:
    """Each element with the opposite sign."""
def negative_(input: Tensor) -> Tensor:
    """Each element with the opposite sign."""
def rad2deg_(input: Tensor) -> Tensor:
    """Angles in radians as degrees."""
def reciprocal_(input: Tensor) -> Tensor:
    """One divided by each element."""
def relu_(input: Tensor) -> Tensor:
    """The larger of 0 and each element."""
@overload
def round_(input: Tensor) -> Tensor:
    """The nearest integer; halves go to the even one."""
@overload
def round_(input: Tensor, *, decimals: builtins.int) -> Tensor: ...
def rsqrt_(input: Tensor) -> Tensor:
    """One divided by the square root of each element."""
def selu_(input: Tensor) -> Tensor:
    """elu, scaled so that it keeps mean 0 and variance 1."""
def sgn_(input: Tensor) -> Tensor:
    """The same as sign, for real numbers."""
def sigmoid_(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
def sign_(input: Tensor) -> Tensor:
    """-1, 0 or 1, as each element is negative, zero or positive."""
def sin_(input: Tensor) -> Tensor:
    """Sine of each element, in radians."""
def sinc_(input: Tensor) -> Tensor:
    """sin(pi * input) / (pi * input), and 1 where input is 0."""
def sinh_(input: Tensor) -> Tensor:
    """Hyperbolic sine of each element."""
def sqrt_(input: Tensor) -> Tensor:
    """Square root of each element."""
def square_(input: Tensor) -> Tensor:
    """Each element times itself."""
def tan_(input: Tensor) -> Tensor:
    """Tangent of each element, in radians."""
def tanh_(input: Tensor) -> Tensor:
    """Hyperbolic tangent of each element."""
def threshold_(input: Tensor, threshold: Number, value: Number) -> Tensor:
    """input where it is above threshold, value elsewhere."""
def trunc_(input: Tensor) -> Tensor:
    """Each element without its fraction."""
def xlogy_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input * log(other), and 0 where input is 0."""
def zero_(input: Tensor) -> Tensor:
    """Sets every element to 0."""
