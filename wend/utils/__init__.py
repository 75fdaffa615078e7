"""Tools around training: hooks, data loading, checkpoints.

Each lives in a module of its own, loaded when it is first looked at.
"""

from importlib import import_module
from types import ModuleType
from typing import Any

_MODULES = {"checkpoint", "data", "dlpack", "hooks", "model_zoo", "safetensors", "tensorboard"}


def __getattr__(name: str) -> ModuleType:
    if name in _MODULES:
        return import_module(f"wend.utils.{name}")
    raise AttributeError(f"module 'wend.utils' has no attribute '{name}'")


def set_module(obj: Any, mod: str) -> None:
    """Set the module that an object says it is from.

    >>> def f(): ...
    >>> wend.utils.set_module(f, "my.library")
    >>> f.__module__
    'my.library'
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod
