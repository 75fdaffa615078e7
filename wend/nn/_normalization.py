"""Normalisation of nn.functional over batches, instances, groups and neighbouring channels.

layer_norm and rms_norm are ops of the core; instances and groups are rows for the same kernel.
"""

from __future__ import annotations

import wend
from wend import _C
from wend._C import Tensor


def layer_norm(
    input: Tensor,
    normalized_shape: list[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """The last dimensions with mean 0 and variance 1, times weight, plus bias.

    >>> wend.nn.functional.layer_norm(wend.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]])
    """
    return _C.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(
    input: Tensor,
    normalized_shape: list[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """The last dimensions divided by the root of their mean square, times weight.

    >>> wend.nn.functional.rms_norm(wend.tensor([[1.0, 2.0]]), (2,))
    tensor([[0.6325, 1.2649]])
    """
    return _C.rms_norm(input, normalized_shape, weight, eps)


def _check_more_than_one(sizes: list[int], shown: object) -> None:
    values = sizes[0]
    for size in sizes[2:]:
        values *= size
    if values == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {shown}"
        )


def _check_channels(channels: int, **named: Tensor | None) -> None:
    for name, tensor in named.items():
        if tensor is not None and tensor.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {tensor.numel()}")


def _check_dtypes(input: Tensor, *parameters: Tensor | None) -> None:
    """Parameters have the dtype of the input, or float32 beside 16 bits."""
    dtypes = {tensor.dtype for tensor in parameters if tensor is not None}
    if dtypes <= {input.dtype}:
        return
    if dtypes != {wend.float32}:
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if input.dtype not in (wend.float16, wend.bfloat16):
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def _by_channel(tensor: Tensor, ndim: int) -> Tensor:
    """A value for each channel, so that it broadcasts over (N, C, ...)."""
    return tensor.reshape((1, -1) + (1,) * (ndim - 2))


def _affine(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    if weight is not None:
        x = x * _by_channel(weight, x.dim())
    if bias is not None:
        x = x + _by_channel(bias, x.dim())
    return x


def _follow(running: Tensor | None, now: Tensor, momentum: float) -> None:
    """Moves a running statistic, in place and without history, towards what it is now."""
    if running is not None:
        with wend.no_grad():
            running.lerp_(now.detach().to(running.dtype), momentum)


def _half_in_float(x: Tensor) -> Tensor:
    return x.float() if x.dtype in (wend.float16, wend.bfloat16) else x


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel with mean 0 and variance 1 over the batch, or by the running statistics.

    >>> wend.nn.functional.batch_norm(wend.tensor([[1.0], [3.0]]), None, None, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    if training:
        _check_more_than_one(list(input.shape), input.size())
        if eps <= 0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return over_batch(input, running_mean, running_var, weight, bias, training, momentum, eps)


def over_batch(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """batch_norm, of single values too."""
    if input.dim() == 1 and input.numel() == 0:  # a batch of no channels
        _check_channels(
            0, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
        )
        return input.clone()
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions, got {input.dim()}")
    _check_channels(
        input.size(1), running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
    )
    _check_dtypes(input, running_mean, running_var, weight, bias)
    x = _half_in_float(input)
    if not x.numel():  # an empty batch teaches nothing
        return _affine(x, weight, bias).to(input.dtype)
    if training:
        dims = [0, *range(2, x.dim())]
        mean = x.mean(dims, keepdim=True)
        centred = x - mean
        var = centred.square().mean(dims, keepdim=True)
        _follow(running_mean, mean.reshape(-1), momentum)
        count = x.numel() // x.size(1)
        _follow(running_var, var.reshape(-1) * (count / max(1, count - 1)), momentum)
    elif running_mean is None or running_var is None:
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when training=False"
        )
    else:
        centred = x - _by_channel(running_mean, x.dim())
        var = _by_channel(running_var, x.dim())
    scale = (var + eps).rsqrt()
    if weight is not None:
        scale = scale * _by_channel(weight, x.dim())
    return _affine(centred * scale, None, bias).to(input.dtype)


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel of each example with mean 0 and variance 1, or by the running statistics.

    >>> wend.nn.functional.instance_norm(wend.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.0000,  1.0000]]])
    """
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError(
                "Expected running_mean and running_var to be defined when use_input_stats is false"
            )
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    spatial = list(input.shape[2:])
    size = 1
    for each in spatial:
        size *= each
    if size == 1:
        raise ValueError(
            f"Expected more than 1 spatial element when training, got input size {input.size()}"
        )
    return over_instances(input, running_mean, running_var, weight, bias, momentum, eps)


def over_instances(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    momentum: float,
    eps: float,
) -> Tensor:
    """instance_norm by the input's own statistics, of single values too."""
    _check_channels(
        input.size(1), running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
    )
    _check_dtypes(input, running_mean, running_var, weight, bias)
    if running_mean is not None or running_var is not None:
        with wend.no_grad():
            flat = _half_in_float(input.detach()).flatten(2)
            _follow(running_mean, flat.mean((0, 2)), momentum)
            _follow(running_var, flat.var(2).mean(0), momentum)
    normal = _C.layer_norm(input, list(input.shape[2:]), None, None, eps)
    return _affine(normal, weight, bias).to(input.dtype)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Groups of channels of each example with mean 0 and variance 1.

    >>> wend.nn.functional.group_norm(wend.tensor([[1.0, 3.0], [2.0, 4.0]]), 1)
    tensor([[-1.0000,  1.0000],
            [-1.0000,  1.0000]])
    """
    if input.dim() > 1 and num_groups > 0:
        sizes = [input.size(0) * input.size(1) // num_groups, num_groups, *input.shape[2:]]
        _check_more_than_one(sizes, sizes)
    return over_groups(input, num_groups, weight, bias, eps)


def over_groups(
    input: Tensor, num_groups: int, weight: Tensor | None, bias: Tensor | None, eps: float
) -> Tensor:
    """group_norm, of single values too."""
    if input.dim() < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {input.dim()}"
        )
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    batch, channels = input.size(0), input.size(1)
    if channels % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input "
            f"of shape {list(input.shape)} and num_groups={num_groups}"
        )
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and (tensor.dim() != 1 or tensor.numel() != channels):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in "
                f"input, but got {name} of shape {list(tensor.shape)} and input of shape "
                f"{list(input.shape)}"
            )
    _check_dtypes(input, weight, bias)
    length = input.numel() // max(1, batch * num_groups)
    groups = input.reshape(batch, num_groups, length)
    normal = _C.layer_norm(groups, (length,), None, None, eps).reshape(input.shape)
    return _affine(normal, weight, bias).to(input.dtype)


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Each element divided by (k + alpha * mean square of `size` neighbouring channels) ** beta.

    >>> wend.nn.functional.local_response_norm(wend.ones(1, 1, 1), 1, alpha=3.0, beta=0.5)
    tensor([[[0.5000]]])
    """
    if input.dim() < 3:
        raise ValueError(
            "Expected 3D or higher dimensionality                          "
            f"input (got {input.dim()} dimensions)"
        )
    if input.numel() == 0:
        return input
    if size <= 0:
        raise RuntimeError(
            f"kernel size should be greater than zero, but got kT: {size} kH: 1 kW: 1"
        )
    squares, channels = input.square(), input.size(1)
    total = squares
    for step in range(1, channels):
        # Channel c has size // 2 neighbours below it and (size - 1) // 2 above.
        if step <= size // 2:
            total = total + _C.cat((_C.zeros_like(squares[:, :step]), squares[:, :-step]), 1)
        if step <= (size - 1) // 2:
            total = total + _C.cat((squares[:, step:], _C.zeros_like(squares[:, :step])), 1)
    return input / (total * (alpha / size) + k).pow(beta)
