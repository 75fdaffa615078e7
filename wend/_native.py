"""Functions that those of nn.functional are made of in PyTorch, by the signatures they have there.

Programs call them where they write layers of their own. A reduction is a number here: 0 for each
element by itself, which is what PyTorch takes where none is given, 1 for the mean, 2 for the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wend
from wend import _C
from wend._C import Tensor
from wend._tensor import _function
from wend.nn import functional as F

Maybe = Tensor | None

_REDUCTIONS = ("none", "mean", "sum")
_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


def _how(reduction: int) -> str:
    """The name of a reduction; other numbers leave each element by itself, as in PyTorch."""
    return _REDUCTIONS[reduction] if reduction in (1, 2) else "none"


def batch_norm(
    input: Tensor,
    weight: Maybe,
    bias: Maybe,
    running_mean: Maybe,
    running_var: Maybe,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """`nn.functional.batch_norm` in another order.

    >>> x, none = wend.tensor([[1.0], [3.0]]), [None] * 4
    >>> wend.batch_norm(x, *none, True, 0.1, 0.0001, False)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input: Tensor,
    weight: Maybe,
    bias: Maybe,
    running_mean: Maybe,
    running_var: Maybe,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """`nn.functional.instance_norm` in another order."""
    return F.instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Maybe = None,
    bias: Maybe = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """`nn.functional.group_norm`.

    >>> wend.group_norm(wend.tensor([[1.0, 3.0]]), 1)
    tensor([[-1.0000,  1.0000]])
    """
    return F.group_norm(input, num_groups, weight, bias, eps)


def _mean_and_rstd(rows: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Of each row: its mean, and 1 over its standard deviation."""
    var, mean = _C.var_mean(rows, -1, correction=0)
    return mean, (var + eps).rsqrt()


def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Maybe, bias: Maybe, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """`nn.functional.layer_norm`, the means, and 1 over the standard deviations.

    >>> wend.native_layer_norm(wend.tensor([[1.0, 3.0]]), [2], None, None, 0.0)[1]
    tensor([[2.]])
    """
    out = F.layer_norm(input, list(normalized_shape), weight, bias, eps)
    kept = input.dim() - len(normalized_shape)
    # Only those of group_norm have gradients in PyTorch.
    mean, rstd = _mean_and_rstd(input.detach().flatten(kept), eps)
    shape = (*input.shape[:kept], *[1] * len(normalized_shape))
    return out, mean.reshape(shape), rstd.reshape(shape)


def native_group_norm(
    input: Tensor,
    weight: Maybe,
    bias: Maybe,
    N: int,  # noqa: N803
    C: int,  # noqa: N803
    HxW: int,  # noqa: N803
    group: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """`nn.functional.group_norm`, the means, and 1 over the standard deviations."""
    out = F.group_norm(input, group, weight, bias, eps)
    return out, *_mean_and_rstd(input.reshape(N, group, C // max(group, 1) * HxW), eps)


def native_batch_norm(
    input: Tensor,
    weight: Maybe,
    bias: Maybe,
    running_mean: Maybe,
    running_var: Maybe,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """`nn.functional.batch_norm`; in training the means, and 1 over the standard deviations."""
    out = F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    if not training:
        return out, input.new_empty(0), input.new_empty(0)
    return out, *_mean_and_rstd(input.detach().transpose(0, 1).flatten(1), eps)


def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """`dropout`, and which elements were kept."""
    if train is False or p == 0:
        return input.clone(), _C.ones_like(input, dtype=wend.bool)
    kept = _C.rand_like(input) >= p
    return input * kept * (1 / (1 - p) if p < 1 else 0.0), kept


def kl_div(
    input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False
) -> Tensor:
    """`nn.functional.kl_div` with a number for the reduction."""
    return F.kl_div(input, target, reduction=_how(reduction), log_target=log_target)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Tensor:
    """`nn.functional.ctc_loss` with a number for the reduction."""
    how = _how(reduction)
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, how, zero_infinity)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Maybe = None,
    pos_weight: Maybe = None,
    reduction: int = 0,
) -> Tensor:
    """`nn.functional.binary_cross_entropy_with_logits` with a number for the reduction.

    >>> wend.binary_cross_entropy_with_logits(wend.zeros(2), wend.ones(2), reduction=2)
    tensor(1.3863)
    """
    return F.binary_cross_entropy_with_logits(
        input, target, weight, reduction=_how(reduction), pos_weight=pos_weight
    )


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0
) -> Tensor:
    """`nn.functional.hinge_embedding_loss` with a number for the reduction."""
    return F.hinge_embedding_loss(input, target, margin, reduction=_how(reduction))


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """`nn.functional.cosine_embedding_loss` with a number for the reduction."""
    how = _how(reduction)
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=how)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """`nn.functional.margin_ranking_loss` with a number for the reduction."""
    how = _how(reduction)
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=how)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 0,
) -> Tensor:
    """`nn.functional.triplet_margin_loss` with a number for the reduction."""
    how = _how(reduction)
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=how)


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    """`nn.functional.poisson_nll_loss` with a number for the reduction."""
    how = _how(reduction)
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=how)


def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`nn.functional.grid_sample` with numbers for the modes.

    interpolation_mode: 0 bilinear, 1 nearest, 2 bicubic. padding_mode: 0 zeros, 1 border,
    2 reflection.

    >>> image = wend.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> wend.grid_sampler(image, wend.zeros(1, 1, 1, 2), 0, 0, False)
    tensor([[[[2.5000]]]])
    """
    for name, given in (("interpolation", interpolation_mode), ("padding", padding_mode)):
        if given not in (0, 1, 2):
            raise RuntimeError(f"grid_sampler(): {name}_mode must be 0, 1 or 2, but got {given}")
    mode, padding = _MODES[interpolation_mode], _PADDINGS[padding_mode]
    return F.grid_sample(input, grid, mode, padding, align_corners)


grid_sampler_2d = grid_sampler_3d = grid_sampler


def affine_grid_generator(theta: Tensor, size: Sequence[int], align_corners: bool) -> Tensor:
    """`nn.functional.affine_grid`."""
    return F.affine_grid(theta, list(size), align_corners)


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """A convolution of (time, batch, channels) with a weight (width, channels, out channels).

    >>> wend.conv_tbc(wend.ones(3, 1, 2), wend.ones(2, 2, 1), wend.zeros(1)).flatten()
    tensor([4., 4.])
    """
    lines = F.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return lines.permute(2, 0, 1)


def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Maybe,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """A convolution, or a transposed one, in as many dimensions as the weight has."""
    ndim = weight.dim() - 2
    if not 1 <= ndim <= 3:
        raise RuntimeError("weight should have at least three dimensions")
    if not transposed:
        plain: Callable[..., Tensor] = getattr(F, f"conv{ndim}d")
        return plain(input, weight, bias, stride, padding, dilation, groups)
    back: Callable[..., Tensor] = getattr(F, f"conv_transpose{ndim}d")
    return back(input, weight, bias, stride, padding, output_padding, groups, dilation)


def frobenius_norm(input: Tensor, dim: Any, keepdim: bool = False, *, out: Maybe = None) -> Tensor:
    """The root of the sum of squares over one or two dimensions."""
    return wend.linalg.vector_norm(input, 2, dim, keepdim, out=out)


def nuclear_norm(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Maybe = None
) -> Tensor:
    """The sum of the singular values."""
    if isinstance(dim, bool):
        dim, keepdim = None, dim
    return wend.linalg.matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, out=out)


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but one, which are kept with size 1.

    >>> wend.norm_except_dim(wend.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5.],
            [1.]])
    """
    if dim == -1:
        return wend.norm(v, pow)
    if not -v.dim() <= dim < v.dim():
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-v.dim()}, {v.dim() - 1}], "
            f"but got {dim})"
        )
    others = [d for d in range(v.dim()) if d != dim % v.dim()]
    return wend.linalg.vector_norm(v, pow, others, keepdim=True)


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1, out: Maybe = None) -> Tensor:
    """The first `size` places of elements other than 0, filled up with fill_value.

    >>> wend.nonzero_static(wend.tensor([0, 3, 5]), size=3).flatten()
    tensor([ 1,  2, -1])
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = _C.nonzero(input)[:size]
    missing = _C.full((size - len(found), found.size(1)), fill_value, dtype=found.dtype)
    result = _C.cat([found, missing])
    return result if out is None else _C.clone(result, out=out)


def binomial(count: Tensor, prob: Tensor, generator: Any = None) -> Tensor:
    """How often of `count` times something happens that has this probability."""
    most = int(count.max()) if count.numel() else 0
    times = _C.arange(most).reshape(most, *[1] * count.dim())
    happens = _C.rand((most, *count.shape), generator=generator) < prob
    return (happens & (times < count)).sum(0).to(count.dtype)


def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()
) -> Any:
    """Call one of two functions, by a truth; an `if` does the same.

    >>> wend.cond(wend.tensor(True), lambda x: x + 1, lambda x: x - 1, (wend.ones(2),))
    tensor([2., 2.])
    """
    return (true_fn if bool(pred) else false_fn)(*operands)


def get_device_module(device: Any = None) -> Any:
    """Return `wend.cpu`, whatever the device is called: there is no other."""
    kind = str(device).partition(":")[0] if device is not None else "cpu"
    return getattr(wend, kind) if kind in ("cpu", "cuda", "mps", "xpu") else wend.cpu


def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`chunk`: writing to its parts is always safe here."""
    return input.chunk(chunks, dim)


def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`split`: writing to its parts is always safe here."""
    return tensor.split(split_size, dim)


def unsafe_split_with_sizes(
    input: Tensor, split_sizes: Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """`split_with_sizes`: writing to its parts is always safe here."""
    return input.split(list(split_sizes), dim)


def narrow_copy(input: Tensor, dim: int, start: int, length: int, *, out: Maybe = None) -> Tensor:
    """What `narrow` gives, in memory of its own."""
    found = input.narrow(dim, start, length)
    return found.clone() if out is None else _C.clone(found, out=out)


def _copying(name: str) -> Callable[..., Any]:
    """What a function that gives views gives, in memory of its own."""
    view = getattr(Tensor, name)

    def copy(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        found = view(input, *args, **kwargs)
        if not isinstance(found, Tensor):
            parts = [part.clone() for part in found]
            return parts if out is None else [a.copy_(b) for a, b in zip(out, parts, strict=True)]
        return found.clone() if out is None else _C.clone(found, out=out)

    copy.__name__ = copy.__qualname__ = f"{name}_copy"
    copy.__doc__ = f"What `{name}` gives, in memory of its own."
    return copy


as_strided_copy = _copying("as_strided")
detach_copy = _copying("detach")
diagonal_copy = _copying("diagonal")
expand_copy = _copying("expand")
permute_copy = _copying("permute")
select_copy = _copying("select")
split_copy = _copying("split")
split_with_sizes_copy = _copying("split_with_sizes")
squeeze_copy = _copying("squeeze")
t_copy = _copying("t")
transpose_copy = _copying("transpose")
unbind_copy = _copying("unbind")
unfold_copy = _copying("unfold")
unsqueeze_copy = _copying("unsqueeze")
view_copy = _copying("view")

addmv_ = _function("addmv_")
as_strided_ = _function("as_strided_")
detach_ = _function("detach_")
fill_ = _function("fill_")
index_put_ = _function("index_put_")
resize_as_ = _function("resize_as_")
zero_ = _function("zero_")

for _method in (
    narrow_copy,
    nonzero_static,
    unsafe_chunk,
    unsafe_split,
    unsafe_split_with_sizes,
):
    _C._add_method(_method.__name__, _method)


def _removed(name: str, instead: str) -> Callable[..., Any]:
    """What PyTorch had once: calling it says what to call."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            f"This function was deprecated since version 1.9 and is now removed. {instead}"
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raise: {instead}"
    return refuse


_REVERSED = "`torch.{0}` is deprecated in favor of `torch.linalg.{0}`; its arguments are reversed."
solve = _removed("solve", _REVERSED.format("solve"))
lstsq = _removed("lstsq", _REVERSED.format("lstsq"))
symeig = _removed("symeig", "Use torch.linalg.eigh or torch.linalg.eigvalsh.")
eig = _removed("eig", "Use torch.linalg.eigh for symmetric matrices; wend has no complex numbers.")
matrix_rank = _removed("matrix_rank", "Please use the `torch.linalg.matrix_rank` function instead.")


def is_autocast_cpu_enabled() -> bool:
    """Return False: there is no autocast."""
    return False


def is_autocast_cache_enabled() -> bool:
    """Return True, as PyTorch does where nobody changed it."""
    return True


def get_autocast_cpu_dtype() -> Any:
    """Return the dtype that autocast would choose on a CPU."""
    return wend.bfloat16


def get_autocast_gpu_dtype() -> Any:
    """Return the dtype that autocast would choose on a GPU."""
    return wend.float16


def clear_autocast_cache() -> None:
    """Do nothing: there is no autocast."""


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch `autograd.detect_anomaly` on or off."""
    _C._set_anomaly_enabled(enabled, check_nan)


def sym_int(a: Any) -> int:
    """Return `int`: sizes are ordinary integers."""
    return int(a)


def sym_float(a: Any) -> float:
    """Return `float`: sizes are ordinary integers."""
    return float(a)


def sym_not(a: Any) -> bool:
    """Return `not a`."""
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """Return the larger one, as a float if one of them is one."""
    return float(max(a, b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)


def sym_min(a: Any, b: Any) -> Any:
    """Return the smaller one, as a float if one of them is one."""
    return float(min(a, b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """Return `t if b else f`."""
    return t if b else f


def sym_sum(args: Any) -> Any:
    """Return `sum(args)`."""
    return sum(args)
