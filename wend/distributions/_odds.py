"""What distributions share whose parameter is the probability of a success, or its log odds."""

from __future__ import annotations

from wend import Size, Tensor
from wend.distributions.distribution import Distribution
from wend.distributions.utils import lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Odds"]


class Odds(Distribution):
    """Keeps the parameter as it was given, and finds the other form of it when asked."""

    _param: Tensor

    def _keep(self, param: Tensor, *, is_probs: bool) -> None:
        self._param = param
        self.__dict__["probs" if is_probs else "logits"] = param

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of success."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.shape
