"""Loads a program of examples/ as it is, or with another library, such as `torch`, for `wend`.

What PyTorch lacks, wend's own layers that choose and grow, is loaded in the same way.
Models can be given parameters that do not depend on the library.
"""

import importlib
import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OWN = ("nn.conditional", "nn.grow")


def _run(path: Path, name: str, library: str) -> ModuleType:
    module = ModuleType(name)
    sys.modules[name] = module
    source = path.read_text().replace("wend", library)
    exec(compile(source, str(path), "exec"), module.__dict__)
    return module


def _lend(library: str) -> None:
    """Give a library that lacks them the parts of wend that the examples use."""
    for part in OWN:
        name = f"{library}.{part}"
        if name not in sys.modules and importlib.util.find_spec(name) is None:
            path = ROOT / "wend" / f"{part.replace('.', '/')}.py"
            owner, _, last = name.rpartition(".")
            setattr(sys.modules[owner], last, _run(path, name, library))


def load(name: str, library: str = "wend") -> Any:
    """The program as a module, in which every `wend` is the library of that name."""
    if str(ROOT / "examples") not in sys.path:
        sys.path.append(str(ROOT / "examples"))
    importlib.import_module(f"{library}.nn")
    _lend(library)
    return _run(ROOT / "examples" / f"{name}.py", f"{name}_with_{library}", library)


def same_start(T: Any, model: Any) -> None:
    """Give parameters values that do not depend on the library's random numbers."""
    chance = random.Random(0)
    with T.no_grad():
        for parameter in model.parameters():
            bound = parameter.shape[-1] ** -0.5
            drawn = [chance.uniform(-bound, bound) for _ in range(parameter.numel())]
            parameter.copy_(T.tensor(drawn).reshape(parameter.shape))
