"""Layers, losses and containers, by kind; wend.nn has all of them.

What a kind exports is the `__all__` of its file.
"""

from wend.nn.modules import (
    activation,
    adaptive,
    batchnorm,
    channelshuffle,
    container,
    conv,
    distance,
    dropout,
    flatten,
    fold,
    instancenorm,
    linear,
    loss,
    normalization,
    padding,
    pixelshuffle,
    pooling,
    rnn,
    sparse,
    transformer,
    upsampling,
)
from wend.nn.modules.activation import *  # noqa: F403
from wend.nn.modules.adaptive import *  # noqa: F403
from wend.nn.modules.batchnorm import *  # noqa: F403
from wend.nn.modules.channelshuffle import *  # noqa: F403
from wend.nn.modules.container import *  # noqa: F403
from wend.nn.modules.conv import *  # noqa: F403
from wend.nn.modules.distance import *  # noqa: F403
from wend.nn.modules.dropout import *  # noqa: F403
from wend.nn.modules.flatten import *  # noqa: F403
from wend.nn.modules.fold import *  # noqa: F403
from wend.nn.modules.instancenorm import *  # noqa: F403
from wend.nn.modules.linear import *  # noqa: F403
from wend.nn.modules.loss import *  # noqa: F403
from wend.nn.modules.module import Module
from wend.nn.modules.normalization import *  # noqa: F403
from wend.nn.modules.padding import *  # noqa: F403
from wend.nn.modules.pixelshuffle import *  # noqa: F403
from wend.nn.modules.pooling import *  # noqa: F403
from wend.nn.modules.rnn import *  # noqa: F403
from wend.nn.modules.sparse import *  # noqa: F403
from wend.nn.modules.transformer import *  # noqa: F403
from wend.nn.modules.upsampling import *  # noqa: F403

__all__ = ["Module"]
__all__ += activation.__all__
__all__ += adaptive.__all__
__all__ += batchnorm.__all__
__all__ += channelshuffle.__all__
__all__ += container.__all__
__all__ += conv.__all__
__all__ += distance.__all__
__all__ += dropout.__all__
__all__ += flatten.__all__
__all__ += fold.__all__
__all__ += instancenorm.__all__
__all__ += linear.__all__
__all__ += loss.__all__
__all__ += normalization.__all__
__all__ += padding.__all__
__all__ += pixelshuffle.__all__
__all__ += pooling.__all__
__all__ += rnn.__all__
__all__ += sparse.__all__
__all__ += transformer.__all__
__all__ += upsampling.__all__
