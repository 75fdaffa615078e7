"""Tensors without values, which PyTorch's tracer makes: nothing is one."""

from __future__ import annotations

from typing import Any

from wend._absent import absent

_INSTEAD = "shapes are known as soon as an op is called, and nothing is computed until it is read"
FakeTensor = absent("torch._subclasses.fake_tensor.FakeTensor", _INSTEAD)
FakeTensorMode = absent("torch._subclasses.fake_tensor.FakeTensorMode", _INSTEAD)


def is_fake(x: Any) -> bool:
    """Return False: every tensor has values."""
    return False
