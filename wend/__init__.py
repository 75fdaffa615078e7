"""wend: a define-by-run deep-learning framework that records, runs and differentiates.

It speaks PyTorch: names, signatures, defaults and errors are PyTorch's wherever it has the feature.
"""

import os as _os
from math import e, inf, nan, pi

from wend import _C

__version__ = "0.1.0"
newaxis = None

_C._init_source(_os.path.dirname(__file__) + _os.sep)
# A fork waits for the run in flight, so that the child finds every node whole.
_os.register_at_fork(
    before=_C._take_turn, after_in_parent=_C._give_turn, after_in_child=_C._give_turn
)

from wend import _types  # noqa: E402
from wend._C import *  # noqa: E402, F403
from wend._C import Tensor  # noqa: E402
from wend._einsum import einsum  # noqa: E402
from wend._graph import graph  # noqa: E402
from wend._info import finfo, iinfo  # noqa: E402
from wend._interop import (  # noqa: E402
    as_tensor,
    asarray,
    from_dlpack,
    from_numpy,
    frombuffer,
)
from wend._lookup import unravel_index  # noqa: E402
from wend._matrix_functions import (  # noqa: E402
    cholesky,
    cholesky_inverse,
    cholesky_solve,
    det,
    inverse,
    logdet,
    lu,
    lu_solve,
    lu_unpack,
    orgqr,
    pinverse,
    qr,
    slogdet,
    svd,
    triangular_solve,
)
from wend._norms import torch_norm as norm  # noqa: E402
from wend._products import chain_matmul, matrix_exp, matrix_power, tensordot  # noqa: E402
from wend._reflections import ormqr  # noqa: E402
from wend._reductions import (  # noqa: E402
    corrcoef,
    cov,
    cumulative_trapezoid,
    diff,
    gradient,
    nanquantile,
    quantile,
    renorm,
    trapezoid,
    trapz,
    unique,
    unique_consecutive,
)
from wend._report import batching, eager, fusion, laziness, report  # noqa: E402
from wend._sets import isin  # noqa: E402
from wend._settings import (  # noqa: E402
    are_deterministic_algorithms_enabled,
    get_default_device,
    get_float32_matmul_precision,
    get_num_interop_threads,
    set_default_device,
    set_default_dtype,
    set_default_tensor_type,
    set_float32_matmul_precision,
    set_num_interop_threads,
    set_num_threads,
    use_deterministic_algorithms,
)
from wend._shapes import (  # noqa: E402
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block_diag,
    broadcast_shapes,
    broadcast_tensors,
    cartesian_prod,
    combinations,
    meshgrid,
)
from wend._tensor import (  # noqa: E402
    allclose,
    equal,
    imag,
    is_complex,
    is_floating_point,
    is_inference,
    is_nonzero,
    is_same_size,
    is_tensor,
    numel,
)
from wend._types import (  # noqa: E402
    Size,
    bfloat16,
    bool,
    channels_last,
    channels_last_3d,
    contiguous_format,
    device,
    double,
    dtype,
    float,
    float16,
    float32,
    float64,
    half,
    int,
    int8,
    int16,
    int32,
    int64,
    layout,
    long,
    memory_format,
    preserve_format,
    short,
    strided,
    uint8,
)
from wend.utils import hooks as _hooks  # noqa: E402
from wend import autograd, special  # noqa: E402
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

# Parts that are loaded when they are first looked at, so that `import wend` is quick.
_MODULES = {
    "accelerator",
    "backends",
    "cuda",
    "distributions",
    "func",
    "linalg",
    "mps",
    "nn",
    "optim",
    "serialization",
    "special",
    "utils",
    "version",
    "xpu",
}
_NAMES = {
    "cosine_similarity": "nn.functional",
    "get_printoptions": "_printing",
    "load": "serialization",
    "map": "_map",
    "typename": "_info",
    "pairwise_distance": "nn.functional",
    "printoptions": "_printing",
    "save": "serialization",
    "set_printoptions": "_printing",
    "UntypedStorage": "_storage",
}


def __getattr__(name):
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"wend.{name}")
    if name in _NAMES:
        found = globals()[name] = getattr(import_module(f"wend.{_NAMES[name]}"), name)
    elif name.endswith("Tensor"):
        found = import_module("wend._legacy").types.get(name)
    else:
        found = None
    if found is None:
        raise AttributeError(f"module 'wend' has no attribute '{name}'")
    return found


def __dir__():
    return sorted({*globals(), *_MODULES, *_NAMES})
