"""Dropout of nn.functional: elements, channels, and the kind that fits selu.

The ops are the core's, ops/dropout; here are PyTorch's checks and its rules of batch dimensions.
"""

from __future__ import annotations

import warnings

from wend import _C
from wend._C import Tensor


def _check(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements set to 0 with probability p while training, the others scaled to make up.

    >>> wend.nn.functional.dropout(wend.tensor([1.0, 2.0]), training=False)
    tensor([1., 2.])
    """
    if p < 0.0 or p > 1.0:
        _check(p)
    return _C.dropout_(input, p, training) if inplace else _C.dropout(input, p, training)


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Dropout that keeps mean and variance of what selu gives.

    >>> wend.nn.functional.alpha_dropout(wend.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    _check(p)
    return (_C.alpha_dropout_ if inplace else _C.alpha_dropout)(input, p, training)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """alpha_dropout of whole channels, the second dimension.

    >>> wend.nn.functional.feature_alpha_dropout(wend.ones(1, 2))
    tensor([[1., 1.]])
    """
    _check(p)
    return (_C.feature_alpha_dropout_ if inplace else _C.feature_alpha_dropout)(input, p, training)


def _channels(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    return (_C.feature_dropout_ if inplace else _C.feature_dropout)(input, p, training)


def _unbatched_channels(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """The same for an input whose channels are its first dimension."""
    batch = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = _channels(batch, p, training, inplace)
    return result.squeeze_(0) if inplace else result.squeeze(0)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Dropout of whole channels of (N, C, L) or (C, L).

    >>> wend.nn.functional.dropout1d(wend.ones(1, 2), training=False)
    tensor([[1., 1.]])
    """
    _check(p)
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. "
            "Note that dropout1d exists to provide channel-wise dropout on inputs with 1 "
            "spatial dimension, a channel dimension, and an optional batch dimension "
            "(i.e. 2D or 3D inputs)."
        )
    drop = _channels if input.dim() == 3 else _unbatched_channels
    return drop(input, p, training, inplace)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Dropout of whole channels of (N, C, H, W).

    >>> wend.nn.functional.dropout2d(wend.ones(1, 1, 1, 2), training=False)
    tensor([[[[1., 1.]]]])
    """
    _check(p)
    if input.dim() not in (3, 4):
        warnings.warn(
            f"dropout2d: Received a {input.dim()}-D input to dropout2d, which is deprecated and "
            "will result in an error in a future release. To retain the behavior and silence this "
            "warning, please use dropout instead. Note that dropout2d exists to provide "
            "channel-wise dropout on inputs with 2 spatial dimensions, a channel dimension, and "
            "an optional batch dimension (i.e. 3D or 4D inputs).",
            stacklevel=2,
        )
    if input.dim() == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D "
            "dropout behavior is desired - input is interpreted as shape (N, C, L), where C is "
            "the channel dim. This behavior will change in a future release to interpret the "
            "input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
            "channel-wise dropout behavior, please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return _channels(input, p, training, inplace)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W).

    >>> wend.nn.functional.dropout3d(wend.ones(1, 1, 1, 2), training=False)
    tensor([[[[1., 1.]]]])
    """
    _check(p)
    if input.dim() not in (4, 5):
        warnings.warn(
            f"dropout3d: Received a {input.dim()}-D input to dropout3d, which is deprecated and "
            "will result in an error in a future release. To retain the behavior and silence this "
            "warning, please use dropout instead. Note that dropout3d exists to provide "
            "channel-wise dropout on inputs with 3 spatial dimensions, a channel dimension, and "
            "an optional batch dimension (i.e. 4D or 5D inputs).",
            stacklevel=2,
        )
    drop = _channels if input.dim() == 5 else _unbatched_channels
    return drop(input, p, training, inplace)
