"""The function pad: which modes suit which sizes. Padding itself is the extension module's.

It becomes `wend.nn.functional.pad`.
"""

from __future__ import annotations

from collections.abc import Sequence

from wend import _C
from wend._C import Tensor


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """A tensor with a margin, or without one where `pad` is negative.

    `pad` has the margins before and after the last dimension, then of the one before it, and so on.
    `mode` is "constant" (filled with `value`), "reflect", "replicate" or "circular".

    >>> wend.nn.functional.pad(wend.ones(2), (1, 2), value=5.0)
    tensor([5., 1., 1., 5., 5.])
    """
    margins = [*pad]
    if len(margins) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(margins) > 2 * input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(margins)} and input of dimension {input.ndim}"
        )
    if mode == "constant":
        return _C.constant_pad_nd(input, margins, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    _check_sizes(input, margins, mode)
    return _C._pad_from_self(input, margins, mode)


def _check_sizes(input: Tensor, margins: list[int], mode: str) -> None:
    """Refuse what PyTorch refuses: to pad other dimensions than the last one to three."""
    padded = len(margins) // 2
    if not 1 <= padded <= 3 or input.ndim not in (padded + 1, padded + 2):
        raise NotImplementedError(
            f"Padding size {len(margins)} is not supported for {input.ndim}D input tensor."
        )
    shape = list(input.shape)
    for size in shape[-padded - 1 :]:
        if size == 0 and mode != "circular":
            raise RuntimeError(
                f"Expected {padded + 1}D or {padded + 2}D (batch mode) tensor with possibly 0 "
                f"batch size and other non-zero dimensions for input, but got: {shape}"
            )
    for i in range(padded):
        _check_margins(shape, input.ndim - 1 - i, margins[2 * i], margins[2 * i + 1], mode)


def _check_margins(shape: list[int], dim: int, before: int, after: int, mode: str) -> None:
    size = shape[dim]
    if mode == "reflect" and (before >= size or after >= size):
        raise RuntimeError(
            "Argument #4: Padding size should be less than the corresponding input dimension, "
            f"but got: padding ({before}, {after}) at dimension {dim} of input {shape}"
        )
    if mode == "circular" and (before > size or after > size):
        raise RuntimeError("Padding value causes wrapping around more than once.")
    total = size + before + after
    name = "WHD"[len(shape) - 1 - dim]
    if total < 0 or (total == 0 and mode != "circular"):
        raise RuntimeError(
            f"input ({name}: {size}) is too small. Calculated output {name}: {total}"
        )
