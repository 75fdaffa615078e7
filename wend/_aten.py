"""Functions of the package that nn.functional has with friendlier arguments.

Their arguments are those of PyTorch's operators. A reduction is a number: 0, which is the default,
for each element by itself, 1 for the mean, 2 for the sum. What nn.functional checks beforehand is
not checked here, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wend
from wend import _C
from wend._C import Tensor
from wend.nn import _losses, _normalization, _sampling
from wend.nn import functional as F

_REDUCTIONS = {1: "mean", 2: "sum"}


def _reduction(function: str, number: int) -> str:
    """What a number means: 0 and all others are no reduction."""
    if isinstance(number, bool) or not isinstance(number, int):
        kind = type(number).__name__
        raise TypeError(f"{function}(): argument 'reduction' must be int, not {kind}")
    return _REDUCTIONS.get(number, "none")


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int = 0,
) -> Tensor:
    """nn.functional.binary_cross_entropy_with_logits.

    >>> wend.binary_cross_entropy_with_logits(wend.zeros(1), wend.ones(1))
    tensor([0.6931])
    """
    how = _reduction("binary_cross_entropy_with_logits", reduction)
    return _losses.reduced(_losses.of_logits(input, target, weight, pos_weight), how)


def kl_div(
    input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False
) -> Tensor:
    """nn.functional.kl_div; its mean is over all elements.

    >>> wend.kl_div(wend.zeros(2), wend.ones(2), 2)
    tensor(0.)
    """
    how = _reduction("kl_div", reduction)
    return _losses.reduced(_losses.divergence(input, target, log_target), how)


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0
) -> Tensor:
    """nn.functional.hinge_embedding_loss.

    >>> wend.hinge_embedding_loss(wend.tensor([0.2, 0.4]), wend.tensor([1, -1]))
    tensor([0.2000, 0.6000])
    """
    how = _reduction("hinge_embedding_loss", reduction)
    return F.hinge_embedding_loss(input, target, margin, reduction=how)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """nn.functional.margin_ranking_loss.

    >>> wend.margin_ranking_loss(wend.ones(1), wend.full((1,), 3.0), wend.ones(1))
    tensor([2.])
    """
    how = _reduction("margin_ranking_loss", reduction)
    return _losses.reduced(_losses.of_ranks(input1, input2, target, margin), how)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """nn.functional.cosine_embedding_loss.

    >>> x = wend.tensor([[1.0, 0.0]])
    >>> wend.cosine_embedding_loss(x, x, wend.tensor([-1]))
    tensor([1.])
    """
    how = _reduction("cosine_embedding_loss", reduction)
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=how)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 0,
) -> Tensor:
    """nn.functional.triplet_margin_loss, by any margin.

    >>> x = wend.zeros(1, 2)
    >>> wend.triplet_margin_loss(x, x, x)
    tensor([1.])
    """
    how = _reduction("triplet_margin_loss", reduction)
    loss = _losses.of_triplets(anchor, positive, negative, margin, p, eps, swap)
    return _losses.reduced(loss, how)


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    """nn.functional.poisson_nll_loss.

    >>> wend.poisson_nll_loss(wend.zeros(1), wend.tensor([2.0]), True, False, 1e-8, 1)
    tensor(1.)
    """
    how = _reduction("poisson_nll_loss", reduction)
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=how)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Tensor:
    """nn.functional.ctc_loss.

    >>> p = wend.full((2, 1, 2), 0.5).log()
    >>> wend.ctc_loss(p, wend.tensor([[1]]), [2], [1])
    tensor([0.2877])
    """
    how = _reduction("ctc_loss", reduction)
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, how, zero_infinity)


def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """nn.functional.batch_norm, of single values too.

    >>> x = wend.tensor([[1.0], [3.0]])
    >>> wend.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    parameters = (running_mean, running_var, weight, bias)
    return _normalization.over_batch(input, *parameters, training, momentum, eps)


def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """nn.functional.instance_norm, of single values too.

    >>> x = wend.tensor([[[1.0, 3.0]]])
    >>> wend.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[[-1.0000,  1.0000]]])
    """
    parameters = (running_mean, running_var, weight, bias)
    if not use_input_stats:
        return F.instance_norm(input, *parameters, False, momentum, eps)
    return _normalization.over_instances(input, *parameters, momentum, eps)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """nn.functional.group_norm, of single values too.

    >>> wend.group_norm(wend.tensor([[1.0, 3.0]]), 1)
    tensor([[-1.0000,  1.0000]])
    """
    return _normalization.over_groups(input, num_groups, weight, bias, eps)


_BAGS = ("sum", "mean", "max")


def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """nn.functional.embedding_bag, with each index's bag, the bags' sizes, the maxima's places.

    mode: 0 adds up, 1 is the mean, 2 the maximum.

    >>> w = wend.tensor([[1.0], [2.0], [4.0]])
    >>> wend.embedding_bag(w, wend.tensor([0, 2]), wend.tensor([0]))[0]
    tensor([[5.]])
    """
    if mode not in (0, 1, 2):
        raise RuntimeError("`mode` must be sum, mean, or max.")
    if per_sample_weights is not None and mode != 0:
        raise RuntimeError("embedding_bag: per_sample_weights only supported with mode='sum'")
    if indices.dim() == 2:
        indices = indices.reshape(-1)
    result = F.embedding_bag(
        indices,
        weight,
        offsets,
        scale_grad_by_freq=scale_grad_by_freq,
        mode=_BAGS[mode],
        sparse=sparse,
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
        padding_idx=padding_idx,
    )
    return result, *_members_of_bags(result, weight, indices, offsets, mode, padding_idx)


def _members_of_bags(
    result: Tensor,
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    mode: int,
    padding_idx: int | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """For each index its bag; for each bag how many count; the index of each maximum."""
    bags = result.size(0)
    number = _C.bucketize(_C.arange(indices.numel()), offsets, right=True) - 1
    number = number.clamp_max(bags - 1)
    counts = indices != (-1 if padding_idx is None else padding_idx % weight.size(0))
    sizes = _C.zeros(bags, dtype=wend.long).index_add(0, number, counts.long())
    if mode != 2:
        return number, sizes, sizes.clone()
    rows = weight.detach()[indices]
    found = (rows == result.detach()[number]) & counts.unsqueeze(1)
    last = indices.numel()
    places = _C.where(found, _C.arange(last).unsqueeze(1), last)
    where = number.unsqueeze(1).expand(rows.shape)
    first = _C.full(result.shape, last, dtype=wend.long).scatter_reduce(0, where, places, "amin")
    return number, sizes, _C.cat([indices, indices.new_zeros(1)])[first]


def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Shorten, in place, the rows that the indices name and that are longer than max_norm.

    >>> wend.embedding_renorm_(wend.tensor([[3.0, 4.0]]), wend.tensor([0]), 1.0, 2.0)
    tensor([[0.6000, 0.8000]])
    """
    F.renormalize(input, indices, max_norm, norm_type)
    return input


_INTERPOLATION = ("bilinear", "nearest", "bicubic")
_PADDING = ("zeros", "border", "reflection")


def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """nn.functional.grid_sample.

    interpolation_mode: 0 bilinear, 1 nearest, 2 bicubic. padding_mode: 0 zeros, 1 the border's
    values, 2 reflection.

    >>> x = wend.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> wend.grid_sampler(x, wend.zeros(1, 1, 1, 2), 0, 0, False)
    tensor([[[[2.5000]]]])
    """
    for name, given, known in (
        ("interpolation_mode", interpolation_mode, _INTERPOLATION),
        ("padding_mode", padding_mode, _PADDING),
    ):
        if given not in range(len(known)):
            raise ValueError(f"grid_sampler(): {name} is a number from 0 to 2, but got {given!r}")
    mode, padding = _INTERPOLATION[interpolation_mode], _PADDING[padding_mode]
    return F.grid_sample(input, grid, mode, padding, bool(align_corners))


grid_sampler_2d = grid_sampler_3d = grid_sampler


def affine_grid_generator(theta: Tensor, size: Sequence[int], align_corners: bool) -> Tensor:
    """nn.functional.affine_grid.

    >>> theta = wend.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> wend.affine_grid_generator(theta, (1, 1, 1, 2), False)
    tensor([[[[-0.5000,  0.0000],
              [ 0.5000,  0.0000]]]])
    """
    if len(size) not in (4, 5):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    return _sampling.grid_of(theta, size, bool(align_corners))


conv_tbc = F.conv_tbc


def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """conv1d, conv2d and conv3d, or their transposes: the weight's dimensions say which.

    >>> x, w = wend.ones(1, 1, 3), wend.ones(1, 1, 2)
    >>> wend.convolution(x, w, None, [1], [0], [1], False, [0], 1)
    tensor([[[2., 2.]]])
    """
    n = weight.dim() - 2
    if n not in (1, 2, 3):
        raise RuntimeError(f"weight should have at least three dimensions, but got {n + 2}")
    forth: tuple[Any, ...] = (_C.conv1d, _C.conv2d, _C.conv3d)
    back: tuple[Any, ...] = (_C.conv_transpose1d, _C.conv_transpose2d, _C.conv_transpose3d)
    if transposed:
        given = (stride, padding, output_padding, groups, dilation)
        result: Tensor = back[n - 1](input, weight, bias, *given)
        return result
    result = forth[n - 1](input, weight, bias, stride, padding, dilation, groups)
    return result  # noqa: RET504
