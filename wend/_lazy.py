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
    "fft",
    "func",
    "futures",
    "fx",
    "hub",
    "jit",
    "library",
    "linalg",
    "masked",
    "mps",
    "multiprocessing",
    "nn",
    "onnx",
    "ops",
    "optim",
    "overrides",
    "profiler",
    "serialization",
    "signal",
    "sparse",
    "special",
    "testing",
    "types",
    "utils",
    "version",
    "xpu",
}

_MEMBERS = {
    "_absent_functions": "Event PyTorchFileReader PyTorchFileWriter ScriptClass ScriptFunction"
    " ScriptModule ScriptObject Stream SymBool SymFloat SymInt complex istft polar stft"
    " view_as_complex view_as_real",
    "_counting": "histogram histogramdd",
    "_einsum": "einsum",
    "_graph": "graph",
    "_info": "finfo iinfo typename",
    "_lookup": "unravel_index",
    "_lowrank": "pca_lowrank svd_lowrank",
    "_map": "map",
    "_matrix_functions": "cholesky cholesky_inverse cholesky_solve det inverse logdet lu lu_solve"
    " lu_unpack orgqr pinverse qr slogdet svd triangular_solve",
    "_memory": "empty_cache memory_stats reset_peak_memory_stats",
    "_native": "addmv_ affine_grid_generator as_strided_ as_strided_copy batch_norm"
    " binary_cross_entropy_with_logits binomial clear_autocast_cache cond conv_tbc convolution"
    " cosine_embedding_loss ctc_loss detach_ detach_copy diagonal_copy eig expand_copy fill_"
    " frobenius_norm get_autocast_cpu_dtype get_autocast_gpu_dtype get_device_module"
    " grid_sampler grid_sampler_2d grid_sampler_3d group_norm hinge_embedding_loss index_put_"
    " instance_norm is_autocast_cache_enabled is_autocast_cpu_enabled kl_div lstsq"
    " margin_ranking_loss matrix_rank narrow_copy native_batch_norm native_dropout"
    " native_group_norm native_layer_norm nonzero_static norm_except_dim nuclear_norm"
    " permute_copy poisson_nll_loss resize_as_ select_copy set_anomaly_enabled solve split_copy"
    " split_with_sizes_copy squeeze_copy sym_float sym_int sym_ite sym_max sym_min sym_not"
    " sym_sum symeig t_copy transpose_copy triplet_margin_loss unbind_copy unfold_copy"
    " unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze_copy view_copy zero_",
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
    "amp": "GradScaler autocast get_autocast_dtype is_autocast_enabled",
    "compiler": "compile",
    "cuda": "OutOfMemoryError",
    "func": "vmap",
    "futures": "Future",
    "nn.functional": "bilinear channel_shuffle cosine_similarity pairwise_distance pdist"
    " pixel_shuffle pixel_unshuffle rrelu rrelu_",
    "serialization": "load save",
    "sparse": "sparse_coo_tensor spmm",
    "utils.dlpack": "to_dlpack",
}
NAMES = {name: module for module, names in _MEMBERS.items() for name in names.split()}
# Those that Tensor has as methods too.
_WITH_METHOD = (
    "cholesky cholesky_inverse cholesky_solve corrcoef cov det diff geqrf histogram inverse"
    " logdet lu lu_solve matrix_exp matrix_power nanquantile narrow_copy nonzero_static norm orgqr"
    " ormqr pinverse qr quantile renorm slogdet svd triangular_solve unique unique_consecutive"
    " unsafe_chunk unsafe_split unsafe_split_with_sizes"
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
