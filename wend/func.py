"""Functions of functions: calling modules with parameters of the caller's."""

from wend.nn.utils.stateless import functional_call

__all__ = ["functional_call"]
