"""safetensors: weights go to a file and come back, also into a model."""

import tempfile
from pathlib import Path
from typing import Any

import torch
from common import fill, numbers, train
from safetensors.torch import load, load_file, load_model, save, save_file, save_model


def use() -> Any:
    model = fill(torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1)))
    x = numbers(5, 4)
    learnt = train(model.parameters(), lambda: model(x).square().mean())
    mixed = {
        "half": numbers(3).half(),
        "bfloat16": numbers(2, 2),
        "whole": torch.arange(5),
        "truth": numbers(4) > 0,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "mixed.safetensors")
        save_file(mixed, path, {"format": "pt"})
        back = load_file(path)
        save_model(model, path)
        other = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
        load_model(other, path)
    loaded = [dict(sorted(each.items())) for each in (back, load(save(mixed)))]
    return {**learnt, "loaded": loaded, "other": other(x)}
