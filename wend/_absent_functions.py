"""Names of the package itself that can be mentioned: complex, sparse, quantized, TorchScript.

Each raises when it is called.
"""

from wend._absent import absent_names

COMPLEX = (
    "complex istft polar stft view_as_complex view_as_complex_copy view_as_real view_as_real_copy"
)
SCRIPT = "DeviceObjType ScriptClass ScriptFunction ScriptModule ScriptObject"
SYMBOLIC = "SymBool SymFloat SymInt"
DEVICES = "Event Stream"
SPARSE = (
    "ccol_indices_copy col_indices_copy crow_indices_copy dsmm hsmm hspmm indices_copy"
    " resize_as_sparse_ row_indices_copy saddmm smm sparse_bsc_tensor sparse_bsr_tensor"
    " sparse_compressed_tensor sparse_csc_tensor sparse_csr_tensor sspaddmm values_copy"
)
QUANTIZED = (
    "dequantize empty_quantized fake_quantize_per_channel_affine fake_quantize_per_tensor_affine"
    " int_repr per_channel_affine per_channel_affine_float_qparams per_channel_symmetric"
    " per_tensor_affine per_tensor_symmetric q_per_channel_axis q_per_channel_scales"
    " q_per_channel_zero_points q_scale q_zero_point qscheme quantize_per_channel"
    " quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru"
    " quantized_lstm quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d"
)
FILES = "PyTorchFileReader PyTorchFileWriter"

globals().update(
    absent_names(
        "torch",
        COMPLEX,
        "wend has no complex numbers; keep real and imaginary parts as two tensors",
    )
    | absent_names("torch", SCRIPT, "a program runs as written")
    | absent_names("torch", SYMBOLIC, "sizes are ordinary integers")
    | absent_names("torch", DEVICES, "wend runs on the CPU, where work is in order")
    | absent_names(
        "torch",
        SPARSE,
        "use torch.sparse_coo_tensor, which gives the same results and holds every element",
    )
    | absent_names("torch", QUANTIZED, "wend has no quantized tensors")
    | absent_names("torch", "native_norm", "use torch.linalg.vector_norm")
    | absent_names("torch", FILES, "use torch.save and torch.load")
)
