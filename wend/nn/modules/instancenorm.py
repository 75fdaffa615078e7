"""Normalisation of each channel of each example; the computing is nn.functional's."""

from __future__ import annotations

import warnings
from typing import Any

from wend._C import Tensor
from wend.nn import functional as F
from wend.nn.modules.batchnorm import _LazyNormBase, _NormBase

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    """`_dims` are the numbers of dimensions without and with a batch."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, **factory, bias=bias
        )

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        if local_metadata.get("version") is None and not self.track_running_stats:
            names = [prefix + name for name in ("running_mean", "running_var")]
            found = [name for name in names if name in state_dict]
            if found:
                listed = " and ".join(f'"{name}"' for name in found)
                kind = self.__class__.__name__
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {listed} for {kind} with "
                    "track_running_stats=False. If state_dict is a checkpoint saved before 0.4.0, "
                    f"this may be expected because {kind} does not track running stats by default "
                    "since 0.4.0. Please remove these keys from state_dict. If the running stats "
                    f"are actually needed, instead set track_running_stats=True in {kind} to "
                    f"enable them. See the documentation of {kind} for details."
                )
                for name in found:
                    state_dict.pop(name)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def _normalized(self, input: Tensor) -> Tensor:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with each channel of each example normal."""
        self._check_input_dim(input)
        unbatched = self._dims[0]
        at = input.dim() - unbatched
        if input.size(at) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={at} to match num_features "
                    f"({self.num_features}), but got: {input.size(at)}."
                )
            warnings.warn(
                f"input's size at dim={at} does not match num_features. You can silence this "
                "warning by not passing in num_features, which is not used because affine=False",
                stacklevel=3,
            )
        if input.dim() == unbatched:
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        return self._normalized(input)


class InstanceNorm1d(_InstanceNorm):
    """Channels of each example of (N, C, L) or (C, L) with mean 0 and variance 1.

    >>> wend.nn.InstanceNorm1d(1)(wend.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.0000,  1.0000]]])
    """

    _dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Channels of each example of (N, C, H, W) or (C, H, W) with mean 0 and variance 1.

    >>> wend.nn.InstanceNorm2d(3)(wend.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    _dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Channels of each example of (N, C, D, H, W) or (C, D, H, W) with mean 0 and variance 1.

    >>> wend.nn.InstanceNorm3d(3)(wend.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    _dims = (4, 5)


class _LazyInstanceNorm(_LazyNormBase, _InstanceNorm):
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
        super().__init__(eps, momentum, affine, track_running_stats, device, dtype, bias=bias)


class LazyInstanceNorm1d(_LazyInstanceNorm):
    """InstanceNorm1d whose num_features is the first input's.

    >>> wend.nn.LazyInstanceNorm1d()(wend.ones(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    cls_to_become = InstanceNorm1d
    _dims = (2, 3)


class LazyInstanceNorm2d(_LazyInstanceNorm):
    """InstanceNorm2d whose num_features is the first input's.

    >>> wend.nn.LazyInstanceNorm2d()(wend.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    cls_to_become = InstanceNorm2d
    _dims = (3, 4)


class LazyInstanceNorm3d(_LazyInstanceNorm):
    """InstanceNorm3d whose num_features is the first input's.

    >>> wend.nn.LazyInstanceNorm3d()(wend.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    cls_to_become = InstanceNorm3d
    _dims = (4, 5)
