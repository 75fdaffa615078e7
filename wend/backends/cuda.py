"""NVIDIA's GPUs: not there. Programs set these switches whether they are or not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


class _Matmul:
    """How exact matrix products on a GPU would be."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


matmul = _Matmul()


def is_built() -> bool:
    """Return False."""
    return False


def flash_sdp_enabled() -> bool:
    """Return True, as without a GPU."""
    return True


mem_efficient_sdp_enabled = math_sdp_enabled = flash_sdp_enabled


def enable_flash_sdp(enabled: bool) -> None:
    """Do nothing: attention is computed in one way."""


enable_mem_efficient_sdp = enable_math_sdp = enable_flash_sdp


@contextlib.contextmanager
def sdp_kernel(
    enable_flash: bool = True,
    enable_math: bool = True,
    enable_mem_efficient: bool = True,
    enable_cudnn: bool = True,
) -> Iterator[None]:
    """Do nothing: attention is computed in one way."""
    yield
