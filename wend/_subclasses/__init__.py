"""Tensors without values, which PyTorch's tracer makes: there are none."""

from wend._subclasses.fake_tensor import FakeTensor, FakeTensorMode

__all__ = ["FakeTensor", "FakeTensorMode"]
