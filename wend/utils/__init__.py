"""Tools around training: hooks, data loading, checkpoints.

Each lives in a module of its own, loaded when it is first looked at.
"""

from importlib import import_module
from types import ModuleType

_MODULES = {"checkpoint", "data", "dlpack", "hooks", "model_zoo", "safetensors", "tensorboard"}


def __getattr__(name: str) -> ModuleType:
    if name in _MODULES:
        return import_module(f"wend.utils.{name}")
    raise AttributeError(f"module 'wend.utils' has no attribute '{name}'")
