"""Building blocks of networks: modules, parameters, and what they are made with.

Functions are in wend.nn.functional, ways to fill parameters in wend.nn.init.
"""

from wend.nn import _reduction as _reduction
from wend.nn import attention as attention
from wend.nn import conditional as conditional
from wend.nn import functional as functional
from wend.nn import grad as grad
from wend.nn import grow as grow
from wend.nn import init as init
from wend.nn import modules as modules
from wend.nn import parallel as parallel
from wend.nn import parameter as parameter
from wend.nn import utils as utils
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
from wend.nn.modules.linear_cross_entropy_options import (
    LinearCrossEntropyOptions as LinearCrossEntropyOptions,
)
from wend.nn.modules.loss import *  # noqa: F403
from wend.nn.modules.module import Module as Module
from wend.nn.modules.normalization import *  # noqa: F403
from wend.nn.modules.padding import *  # noqa: F403
from wend.nn.modules.pixelshuffle import *  # noqa: F403
from wend.nn.modules.pooling import *  # noqa: F403
from wend.nn.modules.rnn import *  # noqa: F403
from wend.nn.modules.sparse import *  # noqa: F403
from wend.nn.modules.transformer import *  # noqa: F403
from wend.nn.modules.upsampling import *  # noqa: F403
from wend.nn.parallel import DataParallel as DataParallel
from wend.nn.parameter import Buffer as Buffer
from wend.nn.parameter import Parameter as Parameter
from wend.nn.parameter import UninitializedBuffer as UninitializedBuffer
from wend.nn.parameter import UninitializedParameter as UninitializedParameter
