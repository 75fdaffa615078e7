"""Building blocks of networks: modules, parameters, and what they are made with.

Functions are in wend.nn.functional, ways to fill parameters in wend.nn.init.
"""

from wend.nn import (
    attention,
    conditional,
    functional,
    grow,
    init,
    modules,
    parallel,
    parameter,
    utils,
)
from wend.nn.modules import *  # noqa: F403
from wend.nn.parallel import DataParallel
from wend.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer",
    "DataParallel",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "attention",
    "conditional",
    "functional",
    "grow",
    "init",
    "modules",
    "parallel",
    "parameter",
    "utils",
]
__all__ += modules.__all__
