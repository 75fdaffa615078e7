"""Normalisation by statistics of the batch, which are followed for evaluation.

The computing is nn.functional's; instancenorm has the same parameters and buffers.
"""

from __future__ import annotations

from typing import Any, NoReturn

import wend
from wend._C import Tensor
from wend.nn import functional as F
from wend.nn import init
from wend.nn.modules._build import add_parameter
from wend.nn.modules.lazy import LazyModuleMixin
from wend.nn.modules.module import Module
from wend.nn.parameter import UninitializedBuffer, UninitializedParameter

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]


def _check_dims(input: Tensor, *allowed: int) -> None:
    if input.dim() not in allowed:
        wanted = " or ".join(f"{n}D" for n in allowed)
        raise ValueError(f"expected {wanted} input (got {input.dim()}D input)")


class _NormBase(Module):
    """Weight, bias and running statistics of each channel."""

    _version = 2
    _dims: tuple[int, ...] = ()
    weight: Tensor | None
    bias: Tensor | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        factory = {"device": device, "dtype": dtype}
        add_parameter(self, "weight", affine, num_features, **factory)
        add_parameter(self, "bias", affine and bias, num_features, **factory)
        tracked = track_running_stats
        self.register_buffer(
            "running_mean", wend.zeros(num_features, **factory) if tracked else None
        )
        self.register_buffer("running_var", wend.ones(num_features, **factory) if tracked else None)
        count = wend.tensor(0, dtype=wend.long) if tracked else None
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget what was seen: mean 0, variance 1, no batches."""
        if self.track_running_stats:
            for buffer, value in (
                (self.running_mean, 0),
                (self.running_var, 1),
                (self.num_batches_tracked, 0),
            ):
                assert buffer is not None
                buffer.fill_(value)

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0, and forget what was seen."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        _check_dims(input, *self._dims)

    def extra_repr(self) -> str:
        """Return the settings."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        # State of before version 2 does not count batches.
        key = prefix + "num_batches_tracked"
        old = (local_metadata.get("version") or 0) < 2
        if old and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        """Return the input with each channel normal over the batch, or by what was seen."""
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        followed = not self.training or self.track_running_stats
        of_batch = self.training or (self.running_mean is None and self.running_var is None)
        return F.batch_norm(
            input,
            self.running_mean if followed else None,
            self.running_var if followed else None,
            self.weight,
            self.bias,
            of_batch,
            factor,
            self.eps,
        )


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """Normalisation that does not know its number of channels yet."""

    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__(0, eps, momentum, False, False, **factory, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(**factory)
            if bias:
                self.bias = UninitializedParameter(**factory)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**factory)
            self.running_var = UninitializedBuffer(**factory)
            self.num_batches_tracked = wend.tensor(0, dtype=wend.long)

    def reset_parameters(self) -> None:
        """Set the parameters to what they are at first, if they have shapes."""
        if self.num_features != 0 and not self.has_uninitialized_params():
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the number of channels from the input."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        for each in (self.weight, self.bias, self.running_mean, self.running_var):
            if each is not None:
                each.materialize((self.num_features,))
        self.reset_parameters()


class BatchNorm1d(_BatchNorm):
    """Channels of (N, C) or (N, C, L) with mean 0 and variance 1 over the batch.

    >>> wend.nn.BatchNorm1d(1, affine=False)(wend.tensor([[1.0], [3.0]]))
    tensor([[-1.0000],
            [ 1.0000]])
    """

    _dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Channels of (N, C, H, W) with mean 0 and variance 1 over the batch.

    >>> wend.nn.BatchNorm2d(3)(wend.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    _dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Channels of (N, C, D, H, W) with mean 0 and variance 1 over the batch.

    >>> wend.nn.BatchNorm3d(3)(wend.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    _dims = (5,)


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """BatchNorm1d whose num_features is the first input's.

    >>> wend.nn.LazyBatchNorm1d()(wend.ones(2, 3)).shape
    torch.Size([2, 3])
    """

    cls_to_become = BatchNorm1d
    _dims = (2, 3)


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """BatchNorm2d whose num_features is the first input's.

    >>> wend.nn.LazyBatchNorm2d()(wend.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    cls_to_become = BatchNorm2d
    _dims = (4,)


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """BatchNorm3d whose num_features is the first input's.

    >>> wend.nn.LazyBatchNorm3d()(wend.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    cls_to_become = BatchNorm3d
    _dims = (5,)


class SyncBatchNorm(_BatchNorm):
    """Refused: batch statistics are not shared between processes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "SyncBatchNorm: wend does not share batch statistics between processes; use "
            "BatchNorm1d, BatchNorm2d or BatchNorm3d"
        )

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> NoReturn:
        """Raise: batch statistics are not shared between processes."""
        cls()
        raise AssertionError("unreachable")
