"""Errors of PyTorch's compiler, for programs to except; they are never raised."""


class TorchDynamoException(RuntimeError):  # noqa: N818
    """The base of the compiler's errors."""


class Unsupported(TorchDynamoException):
    """What PyTorch's compiler cannot compile."""


class InternalTorchDynamoError(TorchDynamoException):
    """A defect of PyTorch's compiler."""


class BackendCompilerFailed(TorchDynamoException):
    """What a backend of PyTorch's compiler cannot compile."""


class RecompileError(TorchDynamoException):
    """A function that had to be compiled again."""
