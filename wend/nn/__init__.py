"""Building blocks of models."""

from wend.nn.parameter import Buffer, Parameter

__all__ = ["Buffer", "Parameter"]
