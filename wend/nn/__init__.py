"""Building blocks of networks.

Functions are in wend.nn.functional.
"""

from wend.nn import functional
from wend.nn.parameter import Buffer, Parameter

__all__ = ["Buffer", "Parameter", "functional"]
