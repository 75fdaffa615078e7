"""What `import wend` leaves until it is first looked at, so that it is quick.

A module with methods attaches them to Tensor when it is loaded; until then stand-ins are there.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from wend import _C

MODULES = {
    "__config__",
    "_dynamo",
    "accelerator",
    "amp",
    "backends",
    "compiler",
    "cpu",
    "cuda",
    "distributed",
    "distributions",
    "func",
    "futures",
    "functional",
    "fx",
    "hub",
    "jit",
    "library",
    "linalg",
    "mps",
    "multiprocessing",
    "nn",
    "onnx",
    "ops",
    "optim",
    "overrides",
    "profiler",
    "return_types",
    "serialization",
    "sparse",
    "special",
    "storage",
    "testing",
    "types",
    "utils",
    "version",
    "xpu",
}

_MEMBERS = {
    "_absent_functions": "DeviceObjType Event PyTorchFileReader PyTorchFileWriter ScriptClass"
    " ScriptFunction ScriptModule ScriptObject Stream SymBool SymFloat SymInt complex istft polar"
    " stft view_as_complex view_as_real",
    "_claims": "_assert _assert_async _check sym_float sym_int sym_max sym_min sym_not",
    "_counting": "histogram",
    "_einsum": "einsum",
    "_graph": "graph",
    "_info": "finfo iinfo typename",
    "_lookup": "unravel_index",
    "_lowrank": "pca_lowrank svd_lowrank",
    "_map": "map",
    "_matrix_functions": "cholesky cholesky_inverse cholesky_solve det inverse logdet lu lu_solve"
    " lu_unpack orgqr pinverse qr slogdet svd triangular_solve",
    "_memory": "empty_cache memory_stats reset_peak_memory_stats",
    "_norms": "norm",
    "_printing": "get_printoptions printoptions set_printoptions",
    "_products": "chain_matmul matrix_exp matrix_power tensordot",
    "_ranges": "range vander",
    "_reductions": "corrcoef cov cumulative_trapezoid diff gradient nanquantile quantile renorm"
    " trapezoid trapz unique unique_consecutive",
    "_reflections": "geqrf ormqr",
    "_report": "batching eager fusion laziness report",
    "_sets": "isin",
    "_shapes": "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors"
    " cartesian_prod combinations meshgrid",
    "_storage": "UntypedStorage",
    "_windows": "bartlett_window blackman_window hamming_window hann_window kaiser_window",
    "amp": "autocast get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype"
    " is_autocast_cpu_enabled is_autocast_enabled",
    "compiler": "compile",
    "cuda": "OutOfMemoryError",
    "func": "vmap",
    "futures": "Future",
    "nn.functional": "bilinear channel_shuffle cosine_similarity pairwise_distance pdist"
    " pixel_shuffle pixel_unshuffle rrelu rrelu_",
    "serialization": "load save",
    "sparse": "sparse_coo_tensor spmm",
}
NAMES = {name: module for module, names in _MEMBERS.items() for name in names.split()}
# Those that Tensor has as methods too.
_WITH_METHOD = (
    "cholesky cholesky_inverse cholesky_solve corrcoef cov det diff geqrf histogram inverse"
    " logdet lu lu_solve matrix_exp matrix_power nanquantile norm orgqr ormqr pinverse qr"
    " quantile renorm slogdet svd triangular_solve unique unique_consecutive"
)
METHODS = _WITH_METHOD.split()


def module(name: str) -> ModuleType:
    return import_module(f"wend.{name}")


def name(name: str) -> Any:
    return getattr(module(NAMES[name]), name)


class _Method:
    """Stands in Tensor for a method, until its module puts the method in its place."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: Any, owner: type) -> Any:
        module(NAMES[self.name])
        return getattr(owner if tensor is None else tensor, self.name)


for _name in METHODS:
    _C._add_method(_name, _Method(_name))
