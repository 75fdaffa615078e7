"""A model's weights go to and from PyTorch by file, and give equal outputs there."""

import io
from typing import Any

import pytest
from both import torch, wend


def model_of(package: Any) -> Any:
    nn = package.nn
    package.manual_seed(0)
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(16, 12),
        nn.BatchNorm1d(12),
        nn.ReLU(),
        nn.Linear(12, 8),
        nn.LayerNorm(8),
        nn.Tanh(),
        nn.Linear(8, 3),
    )


@pytest.mark.parametrize(("writer", "reader"), [(torch, wend), (wend, torch)])
def test_checkpoints_give_equal_outputs(writer: Any, reader: Any) -> None:
    trained, file = model_of(writer), io.BytesIO()
    values = [[(7 * i + 3 * j) % 5 - 2.0 for i in range(16)] for j in range(6)]
    inputs = writer.tensor(values).reshape(6, 1, 4, 4)
    optimizer = writer.optim.AdamW(trained.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        trained(inputs).square().sum().backward()
        optimizer.step()
    writer.save({"model": trained.state_dict(), "optimizer": optimizer.state_dict()}, file)
    file.seek(0)
    loaded = reader.load(file)
    model = model_of(reader)
    model.load_state_dict(loaded["model"])
    reader.optim.AdamW(model.parameters()).load_state_dict(loaded["optimizer"])
    expected = trained.eval()(inputs).reshape(-1).tolist()
    got = model.eval()(reader.tensor(values).reshape(6, 1, 4, 4)).reshape(-1).tolist()
    assert got == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_whole_models_are_saved_for_those_who_trust_the_file() -> None:
    model, file = model_of(wend), io.BytesIO()
    wend.save(model, file)
    file.seek(0)
    loaded = wend.load(file, weights_only=False)
    inputs = wend.ones(1, 1, 4, 4)
    assert loaded.eval()(inputs).tolist() == model.eval()(inputs).tolist()
