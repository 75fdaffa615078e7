"""Which kernel computes attention: wend has one, which serves for any that PyTorch would choose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(IntEnum):
    """PyTorch's kernels for `scaled_dot_product_attention`."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(
    backends: Sequence[SDPBackend] | SDPBackend, set_priority: bool = False
) -> Iterator[None]:
    """Within the block, attention is computed by one of these; results do not depend on which.

    >>> x = wend.ones(1, 2, 4)
    >>> with wend.nn.attention.sdpa_kernel(wend.nn.attention.SDPBackend.MATH):
    ...     wend.nn.functional.scaled_dot_product_attention(x, x, x).shape
    torch.Size([1, 2, 4])
    """
    chosen = list(backends) if isinstance(backends, (list, tuple)) else [backends]
    if not all(isinstance(each, SDPBackend) for each in chosen):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, "
            f"got {type(backends).__name__}"
        )
    yield
