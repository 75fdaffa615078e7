"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

import wend
from wend._C import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return all elements of the parameters in a row.

    >>> wend.nn.utils.parameters_to_vector([wend.ones(2), wend.zeros(1, 1)])
    tensor([1., 1., 0.])
    """
    return wend.cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give the parameters the elements of a vector, whose memory they share from then on.

    >>> p = wend.nn.Parameter(wend.zeros(1, 2))
    >>> wend.nn.utils.vector_to_parameters(wend.tensor([3.0, 4.0]), [p])
    >>> p.data
    tensor([[3., 4.]])
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec)}")
    at = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.data = vec[at : at + count].view(parameter.shape).data
        at += count
