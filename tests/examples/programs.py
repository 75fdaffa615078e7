"""Loads a program of examples/ as it is, or with `torch` in the place of `wend`."""

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import wend

os.environ["TQDM_DISABLE"] = "1"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def load(name: str, library: str = "wend") -> Any:
    """The program as a module, in which every `wend` is the library of that name."""
    path = EXAMPLES / f"{name}.py"
    program = ModuleType(f"{name}_with_{library}")
    sys.modules[program.__name__] = program
    source = path.read_text().replace("wend", library)
    exec(compile(source, str(path), "exec"), program.__dict__)
    return program


def same_start(model: Any, like: Any) -> None:
    """Give wend's model the parameters of PyTorch's."""
    state = {key: wend.tensor(value.numpy()) for key, value in like.state_dict().items()}
    model.load_state_dict(state)
