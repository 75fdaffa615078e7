"""`Tensor.view(dtype)`: the same memory, read as elements of another dtype.

Both tensors see each other's writes, so the memory counts as shared with the outside.
"""

from __future__ import annotations

from typing import Any

from wend import _C, _types
from wend._C import Tensor
from wend._interop import _short


def view_dtype(tensor: Tensor, dtype: _types.dtype) -> Tensor:
    """Return a tensor of another dtype over the same memory."""
    if dtype is tensor.dtype:
        same: Tensor = tensor.detach()
        return same
    size, stride, offset = _geometry(tensor, dtype)
    plain = tensor.detach()
    count = plain._storage_bytes() // plain.itemsize
    memory = memoryview(plain.as_strided((count,), (1,), 0)._expose())
    content = memory.cast("B") if memory.nbytes else bytearray()
    row: Tensor = _C._tensor_over_bytes(content, dtype, memory.nbytes // dtype.itemsize, 0)
    viewed: Tensor = row.as_strided(size, stride, offset)
    return viewed


def _geometry(tensor: Tensor, dtype: _types.dtype) -> tuple[Any, Any, int]:
    """The sizes, strides and offset of the same bytes in elements of another dtype."""
    old, new = tensor.itemsize, dtype.itemsize
    size, stride, offset = list(tensor.shape), list(tensor.stride()), tensor.storage_offset()
    if old == new:
        return size, stride, offset
    how = f"to view {_short(tensor.dtype)} as {_short(dtype)} (different element sizes)"
    if not size:
        raise RuntimeError(f"self.dim() cannot be 0 {how}")
    if stride[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {how}, but got {stride[-1]}")
    if old > new:
        ratio = old // new
        stride = [each * ratio for each in stride[:-1]] + [1]
        return [*size[:-1], size[-1] * ratio], stride, offset * ratio
    ratio = new // old
    if size[-1] % ratio:
        raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {how}, but got {size[-1]}")
    if offset % ratio:
        raise RuntimeError(
            f"self.storage_offset() must be divisible by {ratio} {how}, but got {offset}"
        )
    for i, each in enumerate(stride[:-1]):
        if each % ratio:
            raise RuntimeError(
                f"self.stride({i}) must be divisible by {ratio} {how}, but got {each}"
            )
    stride = [each // ratio for each in stride[:-1]] + [1]
    return [*size[:-1], size[-1] // ratio], stride, offset // ratio
