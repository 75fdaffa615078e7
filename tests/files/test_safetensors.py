"""Safetensors files go to and from the safetensors package."""

from pathlib import Path
from typing import Any

import pytest
from both import compare, torch, wend

from wend.utils import safetensors

package = pytest.importorskip("safetensors.torch")
DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]


def tensors(of: Any) -> dict[str, Any]:
    every = {name: of.arange(3).to(getattr(of, name)) for name in DTYPES}
    return {**every, "matrix": of.arange(6.0).reshape(2, 3), "scalar": of.tensor(2.5),
            "empty": of.zeros(0, 3)}  # fmt: skip


def test_the_package_reads_what_wend_writes(tmp_path: Path) -> None:
    safetensors.save_file(tensors(wend), tmp_path / "x.safetensors", {"made": "here"})
    loaded = package.load_file(tmp_path / "x.safetensors")
    assert sorted(loaded) == sorted(tensors(wend))
    compare({name: loaded[name] for name in tensors(wend)}, tensors(wend))


def test_wend_reads_what_the_package_writes(tmp_path: Path) -> None:
    package.save_file(tensors(torch), tmp_path / "x.safetensors", {"made": "there"})
    loaded = safetensors.load_file(tmp_path / "x.safetensors")
    compare(tensors(torch), {name: loaded[name] for name in tensors(torch)})


def test_views_are_written_as_they_look() -> None:
    x = wend.arange(6.0).reshape(2, 3)
    loaded = package.load(safetensors.save({"t": x.t()}))
    assert loaded["t"].tolist() == x.t().tolist()


def test_what_cannot_be_written_is_refused() -> None:
    x = wend.ones(4)
    with pytest.raises(RuntimeError, match="share memory"):
        safetensors.save({"a": x, "b": x[1:]})
    with pytest.raises(ValueError, match="Key `a` is invalid"):
        safetensors.save({"a": [1]})
    with pytest.raises(ValueError, match="Expected a dict"):
        safetensors.save([x])
    with pytest.raises(safetensors.SafetensorError, match="metadata"):
        safetensors.save({"a": x}, {"n": 1})


def test_loaded_tensors_can_be_written_to() -> None:
    loaded = safetensors.load(safetensors.save({"a": wend.zeros(2)}))["a"]
    loaded.add_(1)
    assert loaded.tolist() == [1, 1]
