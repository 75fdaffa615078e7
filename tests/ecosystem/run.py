"""Runs one small use of a package, and writes what it returns as NumPy arrays to a file.

`python run.py NAME FILE` runs it with PyTorch, `wend run run.py NAME FILE` with wend.
"""

import importlib
import pickle
import sys
from typing import Any

import numpy as np


def arrays(value: Any, path: str = "") -> dict[str, Any]:
    """A nest of tensors and numbers, flat, by where each stands."""
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, (list, tuple)):
        parts = enumerate(value)
    else:
        value = value.detach().numpy() if hasattr(value, "detach") else value
        return {path: np.asarray(value)}
    return {k: v for name, each in parts for k, v in arrays(each, f"{path}.{name}").items()}


if __name__ == "__main__":
    module = importlib.import_module(f"use_{sys.argv[1]}")
    with open(sys.argv[2], "wb") as file:
        pickle.dump(arrays(module.use()), file)
