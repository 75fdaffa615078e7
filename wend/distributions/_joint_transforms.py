"""Transforms of the parts of a dimension, each by its own function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wend
from wend import Tensor
from wend.distributions import constraints
from wend.distributions._transform import Transform
from wend.distributions.utils import sum_rightmost


class _Parts(Transform):
    """What stacked and concatenated parts have in common: subclasses divide and join."""

    def __init__(self, tseq: Sequence[Transform], dim: int, cache_size: int) -> None:
        if not all(isinstance(each, Transform) for each in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size)
        self.transforms = (
            [each.with_cache(cache_size) for each in tseq] if cache_size else list(tseq)
        )
        self.dim = dim

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all parts have an inverse."""
        return all(each.bijective for each in self.transforms)

    def _divided(self, x: Tensor) -> Any:
        raise NotImplementedError

    def _joined(self, parts: list[Tensor]) -> Tensor:
        raise NotImplementedError

    def _call(self, x: Any) -> Any:
        pairs = zip(self.transforms, self._divided(x), strict=True)
        return self._joined([each(part) for each, part in pairs])

    def _inverse(self, y: Any) -> Any:
        pairs = zip(self.transforms, self._divided(y), strict=True)
        return self._joined([each._inv_call(part) for each, part in pairs])


class CatTransform(_Parts):
    """Functions of consecutive stretches of a dimension; lengths: 1 each unless given."""

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError("lengths must have one entry for each transform")

    @property
    def event_dim(self) -> int:
        """The most dimensions that an event of a part has."""
        return max(int(each.codomain.event_dim) for each in self.transforms)

    @property
    def length(self) -> int:
        """How long all stretches are together."""
        return sum(self.lengths)

    @property
    def domain(self) -> Any:
        """Where arguments lie."""
        return constraints.cat([each.domain for each in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self) -> Any:
        """Where values lie."""
        return constraints.cat([each.codomain for each in self.transforms], self.dim, self.lengths)

    def _divided(self, x: Tensor) -> Any:
        if x.size(self.dim) != self.length:
            raise AssertionError(f"dimension {self.dim} must have {self.length} elements")
        return x.split(self.lengths, self.dim)

    def _joined(self, parts: list[Tensor]) -> Tensor:
        return wend.cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        parts = zip(self.transforms, self._divided(x), self._divided(y), strict=True)
        found = []
        for each, a, b in parts:
            own = each.log_abs_det_jacobian(a, b)
            found.append(sum_rightmost(own, self.event_dim - each.domain.event_dim))
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        if dim < 0:
            return wend.cat(found, dim)
        total: Any = sum(found)
        return total


class StackTransform(_Parts):
    """Functions of the members of a dimension."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    @property
    def domain(self) -> Any:
        """Where arguments lie."""
        return constraints.stack([each.domain for each in self.transforms], self.dim)

    @property
    def codomain(self) -> Any:
        """Where values lie."""
        return constraints.stack([each.codomain for each in self.transforms], self.dim)

    def _divided(self, x: Tensor) -> Any:
        if x.size(self.dim) != len(self.transforms):
            raise AssertionError(f"dimension {self.dim} must have {len(self.transforms)} elements")
        return x.unbind(self.dim)

    def _joined(self, parts: list[Tensor]) -> Tensor:
        return wend.stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        parts = zip(self.transforms, self._divided(x), self._divided(y), strict=True)
        return self._joined([each.log_abs_det_jacobian(a, b) for each, a, b in parts])
