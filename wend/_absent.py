"""Names of PyTorch that can be mentioned, asked about and inherited from, but not used.

Each is a class that nothing is an instance of; calling it raises, and says what to do instead.
"""

from __future__ import annotations

from typing import Any, NoReturn


class Absent:
    """The base of names that cannot be used."""

    _path: str
    _instead: str

    def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"wend does not have {cls._path}: {cls._instead}")


def absent(path: str, instead: str, *bases: type) -> Any:
    """Return what stands for a dotted name of PyTorch; `instead` says what to do."""
    module, _, name = path.rpartition(".")
    doc = f"{path} of PyTorch, which wend does not have: {instead}."
    space = {"__module__": module, "__doc__": doc, "_instead": instead, "_path": path}
    return type(name, (Absent, *bases), space)


def absent_names(module: str, names: str, instead: str) -> dict[str, Any]:
    """Return what stands for several names of a part of PyTorch."""
    return {name: absent(f"{module}.{name}", instead) for name in names.split()}
