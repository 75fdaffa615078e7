"""torch.nn: building blocks of networks.

Functions are in wend.nn.functional.
"""

from wend.nn import functional
