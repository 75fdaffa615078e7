"""What `import wend` leaves until it is first looked at, so that it is quick.

A module with methods attaches them to Tensor when it is loaded; until then stand-ins are there.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from wend import _C

MODULES = {
    "_VF",
    "__config__",
    "_dynamo",
    "_utils",
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
    "functional",
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
    "return_types",
    "serialization",
    "signal",
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
    " ScriptFunction ScriptModule ScriptObject Stream SymBool SymFloat SymInt ccol_indices_copy"
    " col_indices_copy"
    " complex crow_indices_copy dequantize dsmm empty_quantized fake_quantize_per_channel_affine"
    " fake_quantize_per_tensor_affine hsmm hspmm indices_copy int_repr istft native_norm"
    " per_channel_affine per_channel_affine_float_qparams per_channel_symmetric"
    " per_tensor_affine per_tensor_symmetric polar q_per_channel_axis q_per_channel_scales"
    " q_per_channel_zero_points q_scale q_zero_point qscheme quantize_per_channel"
    " quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru"
    " quantized_lstm quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d"
    " resize_as_sparse_ row_indices_copy saddmm smm sparse_bsc_tensor sparse_bsr_tensor"
    " sparse_compressed_tensor sparse_csc_tensor sparse_csr_tensor sspaddmm stft values_copy"
    " view_as_complex view_as_complex_copy view_as_real view_as_real_copy",
    "_aten": "affine_grid_generator batch_norm binary_cross_entropy_with_logits conv_tbc"
    " convolution cosine_embedding_loss ctc_loss embedding_bag embedding_renorm_ grid_sampler"
    " grid_sampler_2d"
    " grid_sampler_3d group_norm hinge_embedding_loss instance_norm kl_div margin_ranking_loss"
    " poisson_nll_loss triplet_margin_loss",
    "_aten_native": "native_batch_norm native_dropout native_group_norm native_layer_norm",
    "_aten_recurrent": "gru lstm rnn_relu rnn_tanh",
    "_branches": "cond while_loop",
    "_claims": "_assert _assert_async _check _check_index _check_is_size _check_not_implemented"
    " _check_tensor_all _check_type _check_value _check_with",
    "_copies": "alias_copy as_strided_copy detach_copy diagonal_copy expand_copy narrow_copy"
    " permute_copy select_copy slice_copy split_copy split_with_sizes_copy squeeze_copy t_copy"
    " transpose_copy unbind_copy unfold_copy unsqueeze_copy view_copy",
    "_counting": "histogram histogramdd",
    "_einsum": "einsum",
    "_graph": "graph",
    "_info": "compiled_with_cxx11_abi finfo get_device_module get_file_path iinfo typename",
    "_lookup": "nonzero_static unravel_index",
    "_lowrank": "pca_lowrank svd_lowrank",
    "_map": "map",
    "_matrix_functions": "cholesky cholesky_inverse cholesky_solve det inverse logdet lu lu_solve"
    " lu_unpack orgqr pinverse qr slogdet svd triangular_solve",
    "_memory": "empty_cache memory_stats reset_peak_memory_stats",
    "_norms": "frobenius_norm norm norm_except_dim nuclear_norm",
    "_printing": "get_printoptions printoptions set_printoptions",
    "_products": "chain_matmul matrix_exp matrix_power tensordot",
    "_ranges": "range vander",
    "_reductions": "corrcoef cov cumulative_trapezoid diff gradient nanquantile quantile renorm"
    " trapezoid trapz unique unique_consecutive",
    "_reflections": "geqrf ormqr",
    "_removed": "eig lstsq matrix_rank solve symeig",
    "_report": "batching eager fusion laziness report",
    "_sets": "isin",
    "_shapes": "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors"
    " cartesian_prod combinations meshgrid",
    "_storage": "UntypedStorage",
    "_windows": "bartlett_window blackman_window hamming_window hann_window kaiser_window",
    "_symbols": "sym_float sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum",
    "accelerator": "AcceleratorError OutOfMemoryError",
    "amp": "GradScaler autocast autocast_decrement_nesting autocast_increment_nesting"
    " clear_autocast_cache get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype"
    " is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled"
    " set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled"
    " set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype",
    "compiler": "compile",
    "distributions.binomial": "binomial",
    "func": "vmap",
    "futures": "Future",
    "nn.functional": "bilinear channel_shuffle cosine_similarity pairwise_distance pdist"
    " pixel_shuffle pixel_unshuffle rrelu rrelu_",
    "serialization": "load save",
    "sparse": "sparse_coo_tensor spmm",
    "storage": "BFloat16Storage BoolStorage ByteStorage CharStorage DoubleStorage FloatStorage"
    " HalfStorage IntStorage LongStorage ShortStorage Storage TypedStorage is_storage",
    "utils.dlpack": "to_dlpack",
}
NAMES = {name: module for module, names in _MEMBERS.items() for name in names.split()}
# Those that Tensor has as methods too.
_WITH_METHOD = (
    "cholesky cholesky_inverse cholesky_solve corrcoef cov det diff eig geqrf histogram inverse"
    " logdet lstsq lu lu_solve matrix_exp matrix_power nanquantile narrow_copy nonzero_static norm"
    " orgqr ormqr pinverse qr quantile renorm slogdet solve svd symeig triangular_solve unique"
    " unique_consecutive"
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
