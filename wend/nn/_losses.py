"""Losses of nn.functional that are plain arithmetic on tensors.

cross_entropy, nll_loss and binary_cross_entropy are ops of the core.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import wend
from wend import _C
from wend._C import Tensor, _nn
from wend._types import int64
from wend.nn._distances import pairwise_distance

binary_cross_entropy = _nn.binary_cross_entropy
cross_entropy = _nn.cross_entropy
nll_loss = _nn.nll_loss


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """The mean or the sum of a loss, or the loss itself."""
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    if reduction == "none":
        return loss
    raise ValueError(f"{reduction} is not a valid value for reduction")


def _chosen(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, on which the older arguments have a say where they are given."""
    if size_average is None and reduce is None:
        if reduction not in ("none", "mean", "sum", "batchmean"):
            raise ValueError(f"{reduction} is not a valid value for reduction")
        return reduction
    if reduce is False:
        reduction = "none"
    else:
        reduction = "sum" if size_average is False else "mean"
    warnings.warn(
        "size_average and reduce args will be deprecated, "
        f"please use reduction='{reduction}' instead.",
        stacklevel=3,
    )
    return reduction


def _warn_of_sizes(input: Tensor, target: Tensor) -> None:
    warnings.warn(
        f"Using a target size ({target.size()}) that is different to the input size "
        f"({input.size()}). This will likely lead to incorrect results due to broadcasting. "
        "Please ensure they have the same size.",
        stacklevel=3,
    )


def _difference(input: Tensor, target: Tensor, name: str) -> Tensor:
    """Of floats: differences of integers wrap around."""
    if not input.is_floating_point() and not target.is_floating_point():
        kind = input.type().removeprefix("torch.").removesuffix("Tensor")
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{kind}'")
    return input - target


def _weighted(loss: Tensor, input: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """The reduced loss of weighted elements; its mean is by the sum of the weights."""
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(
            f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'."
        )
    if reduction == "mean":
        return (loss * weight).sum() / weight.sum()
    return reduced(loss * weight, reduction)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Squared error of each element.

    >>> wend.nn.functional.mse_loss(wend.tensor([1.0, 2.0]), wend.tensor([1.0, 4.0]))
    tensor(2.)
    """
    if target.shape != input.shape:
        _warn_of_sizes(input, target)
    reduction = _chosen(size_average, reduce, reduction)
    loss = _difference(input, target, "mse").square()
    if weight is not None:
        return _weighted(loss, input, weight, reduction)
    return reduced(loss, reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Absolute error of each element.

    >>> wend.nn.functional.l1_loss(wend.tensor([1.0, 2.0]), wend.tensor([1.0, 4.0]))
    tensor(1.)
    """
    if target.shape != input.shape:
        _warn_of_sizes(input, target)
    reduction = _chosen(size_average, reduce, reduction)
    loss = (input - target).abs()
    if weight is not None:
        return _weighted(loss, input, weight, reduction)
    return reduced(loss, reduction)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Squared error below beta, over 2 beta; absolute error less beta / 2 above.

    >>> wend.nn.functional.smooth_l1_loss(wend.tensor([1.0, 2.0]), wend.tensor([1.0, 4.0]))
    tensor(0.7500)
    """
    if target.shape != input.shape:
        _warn_of_sizes(input, target)
    if not beta >= 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    reduction = _chosen(size_average, reduce, reduction)
    error = _difference(input, target, "smooth_l1")
    if beta == 0:
        return reduced(error.abs(), reduction)
    near = _nn.hardtanh(error, -beta, beta)  # as far as the square goes
    return reduced(near / beta * (error - 0.5 * near), reduction)


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Half the squared error up to delta, delta times the absolute error less delta / 2 above.

    >>> wend.nn.functional.huber_loss(wend.tensor([1.0, 2.0]), wend.tensor([1.0, 4.0]))
    tensor(0.7500)
    """
    if target.shape != input.shape:
        _warn_of_sizes(input, target)
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    error = _difference(input, target, "huber")
    near = error.clamp(-delta, delta)  # as far as the square goes
    loss = near * (error - 0.5 * near)
    if weight is not None:
        if weight.size() != input.size():
            raise ValueError("Weights and input must have the same size.")
        loss = loss * weight
    return reduced(loss, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """binary_cross_entropy of sigmoid(input), without overflow.

    pos_weight: multiplies the loss of positive targets.

    >>> wend.nn.functional.binary_cross_entropy_with_logits(wend.tensor([0.0]), wend.tensor([1.0]))
    tensor(0.6931)
    """
    reduction = _chosen(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    return reduced(of_logits(input, target, weight, pos_weight), reduction)


def of_logits(
    input: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None
) -> Tensor:
    """binary_cross_entropy_with_logits of each element."""
    log_p = _nn.logsigmoid(input)
    if pos_weight is not None:
        log_p = log_p * ((pos_weight - 1) * target + 1)
    loss = (1 - target) * input - log_p
    return loss if weight is None else loss * weight


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Divergence of the log-probabilities `input` from target, term by term.

    >>> wend.nn.functional.kl_div(wend.zeros(2), wend.ones(2), reduction="batchmean")
    tensor(0.)
    """
    older = size_average is not None or reduce is not None
    reduction = _chosen(size_average, reduce, reduction)
    if reduction == "mean" and not older:
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support "
            "size.'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next "
            "major release.",
            stacklevel=2,
        )
    loss = divergence(input, target, log_target)
    if reduction != "batchmean":
        return reduced(loss, reduction)
    return loss.sum() / input.size(0) if input.dim() else loss.sum()


def divergence(input: Tensor, target: Tensor, log_target: bool) -> Tensor:
    """kl_div of each element."""
    if log_target:
        return target.exp() * (target - input)
    return target.xlogy(target) - target * input


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The loss of the mean of a Poisson distribution, or of its logarithm, against counts.

    full: adds Stirling's approximation of log(target!).

    >>> wend.nn.functional.poisson_nll_loss(wend.tensor([0.0]), wend.tensor([2.0]))
    tensor(1.)
    """
    reduction = _chosen(size_average, reduce, reduction)
    if log_input:
        loss = input.exp() - target * input
    else:
        loss = input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + _C.where(target > 1, stirling, 0)
    return reduced(loss, reduction)


def _fitting_variance(var: Tensor, input: Tensor) -> Tensor:
    """The variance in a shape that broadcasts over one dimension of the input at most."""
    if var.shape == input.shape:
        return var
    if input.shape[:-1] == var.shape:
        return var.unsqueeze(-1)
    if input.ndim == var.ndim:
        differing = [b for a, b in zip(input.shape, var.shape, strict=True) if a != b]
        if sum(differing) == 1:
            return var
    raise ValueError("var is of incorrect size")


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """The loss of mean and variance of a normal distribution against samples.

    full: adds the constant log(2 pi) / 2; eps: the variance is held at or above it.

    >>> wend.nn.functional.gaussian_nll_loss(wend.zeros(1), wend.ones(1), wend.ones(1))
    tensor(0.5000)
    """
    if not isinstance(var, Tensor):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = _C.full_like(input, var)
    elif (var < 0).any():
        raise ValueError("var has negative entry/entries")
    var = _fitting_variance(var, input)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    # Below eps the gradient goes to the variance as it was given.
    held = var.clone()
    with wend.no_grad():
        held.clamp_(min=eps)
    loss = 0.5 * (held.log() + (input - target).square() / held)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The distance itself where target is 1, what it lacks to the margin where target is -1.

    >>> wend.nn.functional.hinge_embedding_loss(wend.tensor([0.2, 0.4]), wend.tensor([1, -1]))
    tensor(0.4000)
    """
    reduction = _chosen(size_average, reduce, reduction)
    apart = _C.where(target != 1, (margin - input).clamp_min(0), 0)
    return reduced(apart + _C.where(target != -1, input, 0), reduction)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """By how much input1 is not above input2 (target 1), or not below it (-1), by the margin.

    >>> ones = wend.ones(1)
    >>> wend.nn.functional.margin_ranking_loss(ones, 3 * ones, ones)
    tensor(2.)
    """
    reduction = _chosen(size_average, reduce, reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return reduced(of_ranks(input1, input2, target, margin), reduction)


def of_ranks(input1: Tensor, input2: Tensor, target: Tensor, margin: float) -> Tensor:
    """margin_ranking_loss of each element; sizes broadcast."""
    return (-target * (input1 - input2) + float(margin)).clamp_min(0)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(-target * input)), for targets 1 and -1.

    >>> wend.nn.functional.soft_margin_loss(wend.tensor([0.0]), wend.tensor([1.0]))
    tensor(0.6931)
    """
    reduction = _chosen(size_average, reduce, reduction)
    return reduced((-target * input).exp().log1p(), reduction)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Binary cross entropy of each label, averaged over the labels.

    >>> wend.nn.functional.multilabel_soft_margin_loss(wend.zeros(1, 2), wend.ones(1, 2))
    tensor(0.6931)
    """
    reduction = _chosen(size_average, reduce, reduction)
    loss = -(target * _nn.logsigmoid(input) + (1 - target) * _nn.logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return reduced(loss.mean(-1), reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """By how much each class comes within the margin of the target class, to the power p.

    >>> wend.nn.functional.multi_margin_loss(wend.tensor([[0.1, 0.2]]), wend.tensor([1]))
    tensor(0.4500)
    """
    reduction = _chosen(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    rows, classes = _rows_of_scores(input), _targets_of_rows(input, target)
    if weight is not None and weight.size(0) != rows.size(1):
        raise RuntimeError(
            f"inconsistent weight size, expected {rows.size(1)} but got {list(weight.shape)}"
        )
    if classes.dtype != int64:
        raise RuntimeError(f"expected scalar type Long but found {_kind(classes)}")
    if not rows.is_floating_point():
        kind = _kind(rows)
        raise NotImplementedError(f"\"multi_margin_loss_cpu_kernel\" not implemented for '{kind}'")
    right = rows.gather(1, classes.unsqueeze(1))
    loss = _positive(margin - right + rows)
    if p == 2:
        loss = loss.square()
    if weight is not None:
        loss = loss * weight[classes].unsqueeze(1)
    loss = loss.scatter(1, classes.unsqueeze(1), 0).mean(1)
    return reduced(loss if input.dim() == 2 else loss.reshape(target.shape), reduction)


def _kind(x: Tensor) -> str:
    """The name of a dtype as PyTorch's messages have it, such as Float."""
    return str(x.type()).removeprefix("torch.").removesuffix("Tensor")


def _positive(x: Tensor) -> Tensor:
    """What is above 0; anything else, NaN too, is 0 and has no gradient."""
    return _C.where(x > 0, x, 0)


def _rows_of_scores(input: Tensor) -> Tensor:
    """(N, C) scores, of (C,) or a single one too."""
    if input.dim() > 2 or (input.dim() > 0 and input.size(-1) == 0):
        raise RuntimeError(
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(input.shape)}"
        )
    return input if input.dim() == 2 else input.reshape(1, -1)


def _targets_of_rows(input: Tensor, target: Tensor) -> Tensor:
    """One class for each row of scores."""
    rows = input.size(0) if input.dim() == 2 else 1
    if target.dim() > 1 or target.numel() != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
            f"samples (batch size). Expected target size [{rows}], but got {list(target.shape)}. "
            f"Input has shape {list(input.shape)}."
        )
    return target.reshape(-1)


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """By how much each class comes within 1 of each target class; targets end at the first -1.

    >>> scores, labels = wend.tensor([[0.1, 0.2, 0.4]]), wend.tensor([[2, -1, 1]])
    >>> wend.nn.functional.multilabel_margin_loss(scores, labels)
    tensor(0.5000)
    """
    reduction = _chosen(size_average, reduce, reduction)
    rows = _rows_of_scores(input)
    if target.shape != input.shape:
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}"
        )
    labels = target.reshape(rows.shape)
    if ((labels < -1) | (labels >= rows.size(1))).any():
        raise RuntimeError("argument #2 'target' is out of range")
    valid = (labels < 0).cumsum(1) == 0
    places = _C.where(valid, labels, 0)
    is_label = _C.zeros_like(rows).scatter_add(1, places, valid.to(rows.dtype)) > 0
    right = rows.gather(1, places)
    short = _positive(1 - (right.unsqueeze(2) - rows.unsqueeze(1)))
    counted = valid.unsqueeze(2) & ~is_label.unsqueeze(1)
    loss = _C.where(counted, short, 0).sum((1, 2)) / rows.size(1)
    return reduced(loss if input.dim() == 2 else loss.reshape(()), reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 less the cosine where target is 1, the cosine beyond the margin where it is -1.

    >>> x = wend.tensor([[1.0, 0.0]])
    >>> wend.nn.functional.cosine_embedding_loss(x, x, wend.tensor([-1]))
    tensor(1.)
    """
    reduction = _chosen(size_average, reduce, reduction)
    _check_cosine_sizes(input1, input2, target)
    dim = target.dim()
    lengths = (input1.square().sum(dim) + 1e-12) * (input2.square().sum(dim) + 1e-12)
    cosine = (input1 * input2).sum(dim) / lengths.sqrt()
    apart = _C.where(target == -1, (cosine - margin).clamp_min(0), 0)
    return reduced(_C.where(target == 1, 1 - cosine, 0) + apart, reduction)


def _check_cosine_sizes(input1: Tensor, input2: Tensor, target: Tensor) -> None:
    dim = target.dim()
    if dim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.dim() != dim + 1 or input2.dim() != dim + 1:
        raise RuntimeError(
            f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """By how much negative is not further from the anchor than positive is, by the margin.

    swap: takes the distance from positive to negative if it is the smaller one.

    >>> x = wend.zeros(1, 2)
    >>> wend.nn.functional.triplet_margin_loss(x, x, x)
    tensor(1.)
    """
    reduction = _chosen(size_average, reduce, reduction)
    _check_margin(margin)
    return reduced(of_triplets(anchor, positive, negative, margin, p, eps, swap), reduction)


def of_triplets(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float,
    p: float,
    eps: float,
    swap: bool,
) -> Tensor:
    """triplet_margin_loss of each triplet, by any margin."""

    def distance(x: Tensor, y: Tensor) -> Tensor:
        return pairwise_distance(x, y, p, eps)

    return _by_distance(distance, anchor, positive, negative, margin, swap)


def _check_margin(margin: float) -> None:
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")


def _by_distance(
    distance: Callable[[Tensor, Tensor], Tensor],
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float,
    swap: bool,
) -> Tensor:
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
            f"{negative.ndim}D inputs"
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = _C.minimum(far, distance(positive, negative))
    return (margin + near - far).clamp_min(0)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """triplet_margin_loss with any distance; pairwise_distance unless given.

    >>> x = wend.zeros(1, 2)
    >>> wend.nn.functional.triplet_margin_with_distance_loss(x, x, x, margin=2.0)
    tensor(2.)
    """
    _check_margin(margin)
    distance = distance_function or pairwise_distance
    return reduced(_by_distance(distance, anchor, positive, negative, margin, swap), reduction)
