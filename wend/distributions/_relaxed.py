"""What continuous relaxations share: their parameters are those of the distribution inside."""

from __future__ import annotations

from typing import Any

from wend import Tensor
from wend.distributions.transformed_distribution import TransformedDistribution

__all__ = ["Relaxed"]


class Relaxed(TransformedDistribution):
    """Near one of the discrete outcomes, the nearer the lower the temperature."""

    base_dist: Any

    @property
    def temperature(self) -> Tensor:
        """How far from the outcomes values may be."""
        found: Tensor = self.base_dist.temperature
        return found

    @property
    def logits(self) -> Tensor:
        """The parameter as log odds, or as logs of probabilities."""
        found: Tensor = self.base_dist.logits
        return found

    @property
    def probs(self) -> Tensor:
        """The parameter as probabilities."""
        found: Tensor = self.base_dist.probs
        return found
