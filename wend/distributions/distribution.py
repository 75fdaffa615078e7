"""The base of distributions: shapes, validation, and what follows from what subclasses give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import wend
from wend import Size, Tensor
from wend.distributions import constraints

__all__ = ["Distribution"]


class Distribution:
    """A distribution of `event_shape` things, one for each place of `batch_shape`.

    Subclasses name in `_fields` the tensors that they are made of, so that they can be expanded.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__
    _fields: ClassVar[tuple[str, ...]] = ()
    _kept: ClassVar[tuple[str, ...]] = ()
    arg_constraints: ClassVar[Mapping[str, constraints.Constraint]]

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Say whether arguments are checked unless `validate_args` is given."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: Iterable[int] = (),
        event_shape: Iterable[int] = (),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._require_valid_arguments()

    def _require_valid_arguments(self) -> None:
        for name, constraint in getattr(self, "arg_constraints", {}).items():
            # Of the ways to give the same parameter, one is there; the others are computed.
            if constraints.is_dependent(constraint) or name not in self.__dict__:
                continue
            value = getattr(self, name)
            valid = constraint.check(value)
            if not bool(valid.all() if isinstance(valid, Tensor) else valid):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:\n{value}"
                )

    def expand(self, batch_shape: Iterable[int], _instance: Any = None) -> Self:
        """Return the distribution for a larger batch, without copying."""
        shape = Size(batch_shape)
        new: Self = type(self).__new__(type(self)) if _instance is None else _instance
        for name in self._fields:
            if name in self.__dict__:
                value = self.__dict__[name]
                own = value.shape[len(self._batch_shape) :]
                new.__dict__[name] = value.expand(shape + own)
        for name in self._kept:
            new.__dict__[name] = self.__dict__[name]
        self._finish_expanding(new, shape)
        Distribution.__init__(new, shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """Return an instance to fill, for subclasses with an `expand` of their own."""
        if _instance is None and type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ "
                "method must also define a custom .expand() method."
            )
        return type(self).__new__(type(self)) if _instance is None else _instance

    def _finish_expanding(self, new: Any, batch_shape: Size) -> None:
        """Make what is neither a field nor kept; for subclasses."""

    @property
    def batch_shape(self) -> Size:
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one value."""
        return self._event_shape

    @property
    def support(self) -> Any:
        """Where values lie."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Return values, `sample_shape` of them for each distribution of the batch."""
        with wend.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Return values through which gradients reach the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """Return n values."""
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the log of the density or probability of values."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of what is not above values."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """Return the values that probabilities are not above of."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values of a discrete distribution."""
        raise NotImplementedError

    def _enumerated(self, values: Tensor, expand: bool) -> Tensor:
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def entropy(self) -> Tensor:
        """Return the entropy."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """Return the exponential of the entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Iterable[int] = ()) -> Size:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Any) -> None:
        """Raise unless a value can have come from the distribution."""
        if not self._validate_args:
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = value.dim() - len(self._event_shape)
        if value.shape[max(start, 0) :] != self._event_shape or start < 0:
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{value.size()} vs {self._event_shape}."
            )
        expected = self._batch_shape + self._event_shape
        for i, j in zip(reversed(value.shape), reversed(expected), strict=False):
            if i not in (1, j) and j != 1:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: "
                    f"{value.size()} vs {expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            return
        valid = support.check(value)
        if not bool(valid.all()):
            raise ValueError(
                "Expected value argument "
                f"({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        names = [name for name in getattr(self, "arg_constraints", {}) if name in self.__dict__]
        shown = []
        for name in names:
            value = self.__dict__[name]
            shown.append(f"{name}: {value if value.numel() == 1 else value.size()}")
        return f"{self.__class__.__name__}({', '.join(shown)})"
