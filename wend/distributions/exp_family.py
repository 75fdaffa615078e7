"""Families of distributions whose log density is linear in some statistics of the value."""

from __future__ import annotations

from typing import Any

import wend
from wend import Tensor
from wend.distributions.distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """The base of such distributions: subclasses give natural parameters and the log normalizer."""

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        raise NotImplementedError

    def entropy(self) -> Any:
        """Return the entropy, by the gradient of the log normalizer."""
        natural = [each.detach().requires_grad_() for each in self._natural_params]
        normalizer = self._log_normalizer(*natural)
        gradients = wend.autograd.grad(normalizer.sum(), natural, create_graph=True)
        result: Any = normalizer - self._mean_carrier_measure
        for each, gradient in zip(natural, gradients, strict=True):
            own = (each * gradient).reshape((*self._batch_shape, -1))
            result = result - own.sum(-1)
        return result
