"""What users call ops that have names of their own: a report speaks of `matmul`, not of `rows_nn`.

Which ops there are is the table's; those that are not here are known by the names they have.
"""

from __future__ import annotations

# Public functions, and the ops that they record for themselves.
_PARTS = """
abs: flat
adaptive_avg_pool1d: adaptive_avg_pool1d_means
adaptive_avg_pool2d: adaptive_avg_pool2d_means
adaptive_avg_pool3d: adaptive_avg_pool3d_means
adaptive_max_pool1d: adaptive_max_pool1d_values
adaptive_max_pool2d: adaptive_max_pool2d_values
adaptive_max_pool3d: adaptive_max_pool3d_values
add: add_scaled
arange: counted
as_strided: storage_sum with_layout
autograd.Function: function function_output
avg_pool1d: avg_pool1d_means
avg_pool2d: avg_pool2d_means
avg_pool3d: avg_pool3d_means
bernoulli: draw_bernoulli draw_bernoulli_of draw_bernoulli_over
bincount: bincount_of
binary_cross_entropy: binary_cross_entropy_terms check_probabilities
broadcast_tensors: _broadcast_tensors
cat: joined
cauchy_: draw_cauchy cauchy
cdist: distances
cholesky: cholesky_row _linalg_cholesky
clone: clone_of snapshot
contiguous: contiguous_copy
conv2d: convolution_result
copy_: rebind copy_slices copy
cross: cross_product _linalg_cross
cummax: cummax_values running_max_at
cummin: cummin_values running_min_at
cumprod: running_prod
cumsum: running_sum reversed_running_sum
detach: detached held
div: div_floor div_trunc
dropout: dropped
eigh: eigh_row _linalg_eigh
embedding: embedding_rows
empty: uninitialized
exponential_: draw_exponential exponential
eye: identity
fold: columns_to_image col2im
frexp: mantissa binary_exponent
full: filled
gelu: gelu_tanh
geometric_: draw_geometric geometric
geqrf: reflections_row _linalg_reflections
getitem: slice alias index
histc: bin_counts
index_add: index_add_slices
index_put: index_put_at index_add_at
kthvalue: kth_place kthvalue_values
layer_norm: native_layer_norm
ldexp: times_power_of_two
ldl_factor: ldl_row _linalg_ldl
ldl_solve: ldl_solution _linalg_ldl_solve
linear: affine
linspace: spaced
log_normal_: draw_log_normal log_normal
logcumsumexp: running_logsumexp recurrence reversed_recurrence shifted
logspace: log_spaced
lu_factor: lu_row _linalg_lu _linalg_permutation
masked_fill: masked_filled
matmul: rows_nn rows_nt rows_tn rows_tn_onto general_product rows_vector linear_in
max: max_values
max_pool1d: max_pool1d_values
max_pool2d: max_pool2d_values max_pool_places
max_pool3d: max_pool3d_values
median: median_place median_values
min: min_values
mode: mode_place mode_values
multinomial: draw_categories
nanmedian: nanmedian_place nanmedian_values
nonzero: nonzero_places
nll_loss: nll_loss_forward
norm: _vector_norm
normal: draw_normal draw_normal_of draw_normal_of_mean draw_normal_of_std
one_hot: one_hot_rows
pad: _pad_from_self
poisson: draw_poisson
put_: put_at put_adding
qr: qr_row _linalg_qr
randint: draw_integers
randperm: draw_permutation
repeat: repeated
rms_norm: native_rms_norm
roll: rolled
scatter: scatter_number
scatter_add: scatter_add_number
scatter_reduce: scatter_mul scatter_amax scatter_amin scatter_reduced
searchsorted: positions
solve: solution_row _linalg_solve
solve_triangular: triangular_solution _linalg_triangular
sort: sorted_places sort_values
split: split_part split_sizes_part
stack: stacked
std: deviation
sub: sub_scaled
svd: svd_row _linalg_svd
take: take_at
tensor: data computed leaf
to: cast
topk: top_places topk_values
unbind: unbind_part
unfold: windows_to_columns im2col
uniform_: draw_uniform uniform
unique: _distinct distinct_of
var: variance
zero_: zero
"""

# Public functions, and the ops that only their way back records.
_GRADIENTS = """
avg_pool2d: spread_means
cdist: weighted_differences
conv2d: convolution_image convolution_weight
det: cofactors _linalg_det
elu: elu_slope
embedding: embedding_dense_backward embedding_dense_backward_onto
getitem: placed add_parts
layer_norm: native_layer_norm_backward
log_ndtr: log_ndtr_slope
scatter_reduce: reduced_slope
softplus: softplus_slope
"""

# What wend does for itself to run nodes as one.
_PHRASES = {
    "gathered": "copies into batches",
    "assembled": "copies into batches",
    "batch_rows": "views of batches",
    "batch_view": "views of batches",
}


def _read(text: str, form: str) -> dict[str, str]:
    lines = [line.split(": ") for line in text.split("\n") if line]
    return {op: form.format(name) for name, ops in lines for op in ops.split()}


_CALLED = _read(_PARTS, "{}") | _read(_GRADIENTS, "gradient of {}") | _PHRASES


def called(op: str) -> str:
    """Return the public name of the function that records the op.

    >>> called("rows_nn"), called("exp"), called("tanh_backward")
    ('matmul', 'exp', 'gradient of tanh')
    """
    if op in _CALLED:
        return _CALLED[op]
    if op.endswith("_backward"):
        return f"gradient of {called(op.removesuffix('_backward'))}"
    return op
