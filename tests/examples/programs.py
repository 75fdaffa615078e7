"""What the tests of the programs in examples/ share."""

import os
from typing import Any

import wend
from benchmarks.programs import load

__all__ = ["load", "same_start"]

os.environ["TQDM_DISABLE"] = "1"


def same_start(model: Any, like: Any) -> None:
    """Give wend's model the parameters of PyTorch's."""
    state = {key: wend.tensor(value.numpy()) for key, value in like.state_dict().items()}
    model.load_state_dict(state)
