"""LinearCrossEntropyOptions: how PyTorch would go through the batch of a linear cross entropy.

wend computes all of it at once, whatever they say; results are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from wend import _types


@dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """Options of `linear_cross_entropy`, which are checked and change nothing.

    >>> wend.nn.LinearCrossEntropyOptions(batch_chunk_size=8).batch_chunk_size
    8
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: _types.dtype | None = None

    def __post_init__(self) -> None:
        if self.acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, _, factor = str(self.chunking_method).partition(":")
            if name != "aspect_ratio" or not (factor or "1").isdigit() or int(factor or 1) < 1:
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        kinds = (_types.float16, _types.bfloat16, _types.float32, _types.float64)
        if self.acc_dtype is not None and self.acc_dtype not in kinds:
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, "
                f"torch.float64}}, got {self.acc_dtype!r}. Pass acc_dtype=None to let the op pick "
                "automatically."
            )
