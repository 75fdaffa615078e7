"""Names of PyTorch that can be mentioned, asked about and inherited from, but not used.

Each is a class that nothing is an instance of; calling it raises a sentence with what to do instead.
"""

from __future__ import annotations

from typing import Any, NoReturn


class _Absent(type):
    """The type of names that cannot be used."""

    _instead: str

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"wend does not have {_path(cls)}: {cls._instead}")

    def __getattr__(cls, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        raise AttributeError(f"wend does not have {_path(cls)}, nor its {name}: {cls._instead}")


def _path(cls: type) -> str:
    """The dotted name of what is absent, which a subclass inherits from it."""
    return str(next(vars(each)["_path"] for each in cls.__mro__ if "_path" in vars(each)))


def absent(path: str, instead: str) -> Any:
    """Return what stands for a dotted name of PyTorch; `instead` says what to do."""
    module, _, name = path.rpartition(".")
    doc = f"{path} of PyTorch, which wend does not have: {instead}."
    space = {"__module__": module, "__doc__": doc, "_instead": instead, "_path": path}
    return _Absent(name, (), space)


def absent_names(module: str, names: str, instead: str) -> dict[str, Any]:
    """Return what stands for several names of a part of PyTorch."""
    return {name: absent(f"{module}.{name}", instead) for name in names.split()}
