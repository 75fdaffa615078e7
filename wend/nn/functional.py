"""torch.nn.functional: the functions that modules are made of.

Families are in modules of their own; here they come together, with the few that have none.
"""

from __future__ import annotations

import math

import wend
from wend import _C
from wend._C import Tensor, _nn
from wend._padding import pad
from wend.nn._activations import (
    celu,
    celu_,
    elu,
    elu_,
    gelu,
    glu,
    gumbel_softmax,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    relu_,
    rrelu,
    rrelu_,
    selu,
    selu_,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    threshold,
    threshold_,
)
from wend.nn._attention import scaled_dot_product_attention
from wend.nn._bags import embedding_bag
from wend.nn._ctc import ctc_loss
from wend.nn._distances import cosine_similarity, normalize, pairwise_distance, pdist
from wend.nn._dropout import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from wend.nn._linear_cross_entropy import linear_cross_entropy
from wend.nn._losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    cross_entropy,
    gaussian_nll_loss,
    hinge_embedding_loss,
    huber_loss,
    kl_div,
    l1_loss,
    margin_ranking_loss,
    mse_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    nll_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from wend.nn._multihead import multi_head_attention_forward
from wend.nn._normalization import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    rms_norm,
)
from wend.nn._pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    fractional_max_pool2d,
    fractional_max_pool2d_with_indices,
    fractional_max_pool3d,
    fractional_max_pool3d_with_indices,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from wend.nn._rearrange import (
    channel_shuffle,
    fold,
    native_channel_shuffle,
    pixel_shuffle,
    pixel_unshuffle,
    unfold,
)
from wend.nn._sampling import (
    affine_grid,
    grid_sample,
    interpolate,
    upsample,
    upsample_bilinear,
    upsample_nearest,
)

one_hot = _nn.one_hot
conv1d = _C.conv1d
conv2d = _C.conv2d
conv3d = _C.conv3d
conv_transpose1d = _C.conv_transpose1d
conv_transpose2d = _C.conv_transpose2d
conv_transpose3d = _C.conv_transpose3d


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:  # noqa: F811
    """A convolution over time of (time, batch, channels) by weights (width, channels, outputs).

    >>> x, w = wend.ones(3, 1, 2), wend.ones(2, 2, 1)
    >>> wend.nn.functional.conv_tbc(x, w, wend.zeros(1)).flatten()
    tensor([4., 4.])
    """
    if input.dim() != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.dim() != 3:
        raise RuntimeError(
            "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels."
        )
    if bias.dim() != 1:
        raise RuntimeError("Bias must be 1-D")
    if input.size(2) != weight.size(1):
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if weight.size(2) != bias.size(0):
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    return _C.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(
        2, 0, 1
    )


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias.

    >>> wend.nn.functional.linear(wend.ones(1, 3), wend.ones(2, 3))
    tensor([[3., 3.]])
    """
    return _C.linear(input, weight, bias)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input1 @ weight[k] @ input2 for each output feature k, plus bias.

    >>> wend.nn.functional.bilinear(wend.ones(1, 2), wend.ones(1, 3), wend.ones(4, 2, 3))
    tensor([[6., 6., 6., 6.]])
    """
    _check_bilinear(input1, input2, weight, bias)
    outputs, left, right = weight.shape
    count = math.prod(input1.shape[:-1])
    halfway = input1.reshape(count, left) @ weight.transpose(0, 1).reshape(left, outputs * right)
    product = halfway.reshape(count, outputs, right) @ input2.reshape(count, right, 1)
    result = product.reshape(*input1.shape[:-1], outputs)
    return result if bias is None else result + bias


def _check_bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    if input1.dim() != input2.dim():
        raise RuntimeError(
            f"bilinear(): input dimensions do not match: got {input1.dim()} and {input2.dim()}"
        )
    for d in range(input1.dim() - 1):
        if input1.size(d) != input2.size(d):
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {d}: "
                f"got {input1.size(d)} and {input2.size(d)}"
            )
    for n, x in enumerate((input1, input2), 1):
        if x.size(-1) != weight.size(n):
            raise RuntimeError(
                f"bilinear(): input{n} size does not match weight size: "
                f"got {x.size(-1)} but expected {weight.size(n)}"
            )
    if bias is not None and bias.size(0) != weight.size(0):
        raise RuntimeError(
            "bilinear(): bias size does not match weight size: "
            f"got {bias.size(0)} but expected {weight.size(0)}"
        )


_rows = _C.embedding


def renormalize(weight: Tensor, rows: Tensor, max_norm: float, norm_type: float) -> None:
    """Shortens the rows that are longer than max_norm, in place and without history."""
    with wend.no_grad():
        used = weight[rows.reshape(-1)]
        length = used.norm(norm_type, -1, keepdim=True)
        factor = _C.where(length > max_norm, max_norm / (length + 1e-7), 1)
        weight[rows.reshape(-1)] = used * factor


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of weight that the indices name.

    padding_idx: a row that gets no gradient.
    max_norm: rows that are used and longer than it are shortened in place first.
    scale_grad_by_freq: the gradient of a row is divided by how often it was used.

    >>> wend.nn.functional.embedding(wend.tensor([1, 0]), wend.tensor([[1.0], [2.0]]))
    tensor([[2.],
            [1.]])
    """
    # The usual call, which is in the innermost loop of those who go by single examples.
    plain = scale_grad_by_freq is False and sparse is False
    if padding_idx is None and max_norm is None and plain:
        return _rows(weight, input)
    if padding_idx is None:
        padding_idx = -1
    else:
        rows = weight.size(0)
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if max_norm is not None:
        renormalize(weight, input, max_norm, norm_type)
    return _C.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
