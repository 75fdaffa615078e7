"""Ops by namespace and name: those that `library.custom_op` made, as `ops.namespace.name`.

PyTorch's own, such as `ops.aten.add.Tensor`, can be mentioned, for example as keys of a dict.
"""

from __future__ import annotations

from typing import Any, NoReturn

from wend._absent import absent


class _Namespace:
    """The custom ops of one namespace, as attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        from wend.library import _OPS

        found = None if name.startswith("__") else _OPS.get(f"{self._name}::{name}")
        if found is None:
            raise AttributeError(
                f"'_OpNamespace' '{self._name}' object has no attribute '{name}': wend has the "
                "custom ops that torch.library.custom_op made"
            )
        return found


class _Aten:
    """PyTorch's own ops: each, and each overload of it, is one object."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}'")
        made = _Op(name)
        setattr(self, name, made)
        return made


class _Op:
    """One of PyTorch's ops."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, overload: str) -> Any:
        if overload.startswith("__"):
            raise AttributeError(f"the op 'aten::{self._name}' has no attribute '{overload}'")
        made = absent(f"torch.ops.aten.{self._name}.{overload}", f"call torch.{self._name}")
        setattr(self, overload, made)
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"wend does not have torch.ops.aten.{self._name}: call torch.{self._name}"
        )


aten = _Aten()


def load_library(path: str) -> NoReturn:
    """Raise: wend loads no extensions of PyTorch."""
    raise NotImplementedError("wend loads no extensions of PyTorch: write the op in Python")


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'wend.ops' has no attribute '{name}'")
    return _Namespace(name)
