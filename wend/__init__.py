"""wend: a define-by-run deep-learning framework that records, runs and differentiates.

It speaks PyTorch: names, signatures, defaults and errors are PyTorch's wherever it has the feature.
"""

import atexit as _atexit
import os as _os
from math import e, inf, nan, pi

from wend import _C

__version__ = "0.1.0"
newaxis = None
has_lapack = True
has_mkl = has_openmp = has_spectral = False

_C._init_source(_os.path.dirname(__file__) + _os.sep)
# A fork waits for the kernels in flight, so that the child finds every node whole.
_os.register_at_fork(
    before=_C._before_fork,
    after_in_parent=_C._after_fork,
    after_in_child=_C._after_fork_in_child,
)
_atexit.register(_C._at_exit)

from wend import _lazy, _types  # noqa: E402
from wend._C import *  # noqa: E402, F403
from wend._C import Tensor  # noqa: E402
from wend._interop import (  # noqa: E402
    SharedMemoryWarning,
    as_tensor,
    asarray,
    from_dlpack,
    from_file,
    from_numpy,
    frombuffer,
)
from wend._lazy import MODULES as _MODULES, NAMES as _NAMES  # noqa: E402
from wend._settings import (  # noqa: E402
    are_deterministic_algorithms_enabled,
    get_default_device,
    get_deterministic_debug_mode,
    get_float32_matmul_precision,
    get_num_interop_threads,
    is_deterministic_algorithms_warn_only_enabled,
    is_warn_always_enabled,
    set_default_device,
    set_default_dtype,
    set_default_tensor_type,
    set_deterministic_debug_mode,
    set_float32_matmul_precision,
    set_num_interop_threads,
    set_num_threads,
    set_warn_always,
    use_deterministic_algorithms,
)
from wend import _tensor_old  # noqa: E402, F401
from wend._tensor import (  # noqa: E402
    allclose,
    conj_physical_,
    detach,
    detach_,
    equal,
    get_device,
    imag,
    is_complex,
    is_conj,
    is_floating_point,
    is_inference,
    is_neg,
    is_nonzero,
    is_same_size,
    is_signed,
    is_tensor,
    numel,
    resize_as_,
)
from wend._types import (  # noqa: E402
    Size,
    bfloat16,
    bit,
    bits16,
    bits1x8,
    bits2x4,
    bits4x2,
    bits8,
    bool,
    cdouble,
    cfloat,
    chalf,
    channels_last,
    channels_last_3d,
    complex128,
    complex32,
    complex64,
    contiguous_format,
    device,
    double,
    dtype,
    float,
    float16,
    float32,
    float4_e2m1fn_x2,
    float64,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    half,
    int,
    int1,
    int16,
    int2,
    int3,
    int32,
    int4,
    int5,
    int6,
    int64,
    int7,
    int8,
    jagged,
    layout,
    legacy_contiguous_format,
    long,
    memory_format,
    preserve_format,
    qint32,
    qint8,
    quint2x4,
    quint4x2,
    quint8,
    short,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
    uint1,
    uint16,
    uint2,
    uint3,
    uint32,
    uint4,
    uint5,
    uint6,
    uint64,
    uint7,
    uint8,
)
from wend.utils import hooks as _hooks  # noqa: E402
from wend import autograd  # noqa: E402
from wend.autograd.anomaly_mode import set_anomaly_enabled  # noqa: E402
from wend.autograd.grad_mode import (  # noqa: E402
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)
from wend.random import (  # noqa: E402
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = sorted(name for name in {*globals(), *_NAMES} if not name.startswith("_"))


def __getattr__(name):
    if name in _MODULES:
        return _lazy.module(name)
    if name in _NAMES:
        found = globals()[name] = _lazy.name(name)
    elif name.endswith("Tensor"):
        found = _lazy.module("_legacy").types.get(name)
    elif name.startswith("_foreach_"):
        found = _lazy.module("_foreach").FUNCTIONS.get(name)
    else:
        found = None
    if found is None:
        raise AttributeError(f"module 'wend' has no attribute '{name}'")
    return found


def __dir__():
    return sorted({*globals(), *_MODULES, *_NAMES})
