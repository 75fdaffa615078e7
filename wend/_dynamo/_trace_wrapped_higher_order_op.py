"""A mode of PyTorch's tracer in which tensors index as they always do here."""

from __future__ import annotations


class TransformGetItemToIndex:
    """A block in which a tensor may be indexed by numbers of examples; here it always may."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass
