"""Lets `import torch` find wend: every `torch.x` is the very module `wend.x`.

What wend lacks gives the usual errors, which say so and name what is nearest.
"""

from __future__ import annotations

import difflib
import dis
import importlib
import sys
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn

from wend._absent import absent_names
from wend._absent_parts import PARTS

# The PyTorch whose names wend speaks, and what programs are told.
VERSION = "2.13.0"

_IMPORT_FROM = dis.opmap["IMPORT_FROM"]

# How like two names must be for one to be offered in place of the other.
_NEAR = 0.75


def install() -> None:
    """From now on `torch` is wend, in this process and those that it starts."""
    import wend

    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if "torch" in sys.modules:
        raise RuntimeError("torch is imported already: wend cannot take its place any more")
    sys.meta_path.insert(0, _Finder())
    wend.__version__ = f"{VERSION}+wend{wend.__version__}"
    # Programs tell by it what kind of array they were given.
    wend.Tensor.__module__ = "torch"
    # As in PyTorch, torch.torch is torch.
    vars(wend)["torch"] = importlib.import_module("torch")
    _install_in_children()


class _Installer:
    """Unpickled in another process, it installs wend there."""

    def __reduce__(self) -> Any:
        return install, ()


def _install_in_children() -> None:
    """Let processes that multiprocessing spawns find wend too.

    What they are told first, before they import the program, carries an installer along.
    """
    from multiprocessing import spawn

    tell: Any = spawn.get_preparation_data
    vars(spawn)["get_preparation_data"] = lambda name: {"wend": _Installer(), **tell(name)}


class _Finder(MetaPathFinder, Loader):
    """Finds `torch` and what is in it, and loads wend."""

    def __init__(self) -> None:
        self._specs: dict[str, Any] = {}

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Answer for torch and its parts."""
        if fullname.partition(".")[0] != "torch":
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return wend's module of that name, or what stands for a part that wend lacks."""
        if spec.name.removeprefix("torch.") in PARTS:
            return _absent_part(spec.name)
        name = "wend" + spec.name.removeprefix("torch")
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
            raise _no_module(spec.name) from None
        _share_loaded()
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing but let the module keep what it knows of itself: it is loaded already."""
        spec = self._specs.get(module.__name__)
        if spec is not None:
            module.__spec__ = spec


def _share_loaded() -> None:
    """Let all modules of wend that are loaded be found as torch's, and be called so.

    A module that a function of the same name hides, such as torch.autograd.gradcheck, must be found
    without the import system, which would put the module in the function's place.
    """
    for own, module in list(sys.modules.items()):
        if own.partition(".")[0] != "wend" or own == "wend.__main__":
            continue
        if getattr(module.__spec__, "_initializing", False):
            continue  # what it is about to define belongs to wend
        name = "torch" + own.removeprefix("wend")
        if name not in sys.modules or module.__name__ != name:
            module.__name__ = name
            # Parts that a module lacks are asked of the finder, which says so.
            module.__dict__.setdefault("__path__", [])
            sys.modules.setdefault(name, module)
            _say_what_lacks(module, name)


def _absent_part(name: str) -> ModuleType:
    """A module with the names that a part of PyTorch has, which raise when they are used."""
    names, instead = PARTS[name.removeprefix("torch.")]
    part = ModuleType(name, f"A part of PyTorch that wend does not have: {instead}.")
    part.__dict__.update(absent_names(name, names, instead))
    _say_what_lacks(part, name)
    return part


def _no_module(name: str) -> ModuleNotFoundError:
    parent, _, last = name.rpartition(".")
    near = _nearest(last, _names(sys.modules[parent]))
    return ModuleNotFoundError(
        f"No module named '{name}': wend has no such part of PyTorch.{near}", name=name
    )


def _names(module: ModuleType) -> list[str]:
    """What a module has, or would load."""
    held = module.__dict__
    lazy = {*held.get("_MODULES", ()), *held.get("_NAMES", ())}
    return sorted({name for name in {*dir(module), *lazy} if not name.startswith("_")})


def _nearest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, 5, _NEAR)
    by_lower = {each.lower(): each for each in known}
    lower = difflib.get_close_matches(name.lower(), by_lower, 5, _NEAR)
    shown = list(dict.fromkeys([*close, *(by_lower[each] for each in lower)]))[:5]
    return f" Nearest: {', '.join(shown)}." if shown else ""


def _say_what_lacks(module: ModuleType, name: str) -> None:
    """Let a module say that wend lacks a name, and which ones are near."""
    before: Callable[[str], Any] | None = module.__dict__.get("__getattr__")
    if getattr(before, "_says_what_lacks", False):
        return

    def lookup(attribute: str) -> Any:
        if before is not None:
            try:
                found = before(attribute)
            except AttributeError:
                pass
            else:
                _share_loaded()
                return found
        path = f"{name}.{attribute}"
        if path.removeprefix("torch.") in PARTS:
            return importlib.import_module(path)
        if attribute.startswith("__"):
            raise AttributeError(f"module '{name}' has no attribute '{attribute}'")
        _raise_missing(module, name, attribute)

    lookup._says_what_lacks = True  # type: ignore[attr-defined]
    module.__dict__["__getattr__"] = lookup


def _raise_missing(module: ModuleType, name: str, attribute: str) -> NoReturn:
    near = _nearest(attribute, _names(module))
    frame = sys._getframe(2)
    # `from torch import x` puts a message of its own in place of an AttributeError's.
    if frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM:
        raise ImportError(
            f"cannot import name '{attribute}' from '{name}': wend does not have it.{near}",
            name=name,
        )
    raise AttributeError(
        f"module '{name}' has no attribute '{attribute}': wend does not have it.{near}"
    )
