"""A DLPack capsule is looked at before it is believed: what cannot be true is refused."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import wend

CPU, FLOAT = 1, 2
M = 2**63 - 1


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class Element(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Described(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", Element),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [
        ("tensor", Described),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


@contextmanager
def capsule(**fields: Any) -> Iterator[Any]:
    """A capsule over six floats, with some of its fields changed."""
    memory = (ctypes.c_float * 6)(*range(6))
    lists = {}
    for name in ("shape", "strides"):
        numbers = fields.pop(name, [6] if name == "shape" else [1])
        lists[name] = None if numbers is None else (ctypes.c_int64 * len(numbers))(*numbers)
    managed = Managed()
    tensor = managed.tensor
    tensor.data = ctypes.addressof(memory)
    tensor.device, tensor.dtype = Device(CPU, 0), Element(FLOAT, 32, 1)
    tensor.ndim = 1 if lists["shape"] is None else len(lists["shape"])
    for name, numbers in lists.items():
        if numbers is not None:
            setattr(tensor, name, ctypes.cast(numbers, ctypes.POINTER(ctypes.c_int64)))
    for name, value in fields.items():
        setattr(tensor, name, value)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
    yield make(ctypes.addressof(managed), _NAME, None)
    del memory, lists, managed


_TEXT = ctypes.create_string_buffer(b"dltensor")
_NAME = ctypes.addressof(_TEXT)


def test_a_true_capsule_is_a_tensor_over_its_memory() -> None:
    with capsule(shape=[2, 2], strides=[3, 1], byte_offset=4) as true:
        assert wend.utils.dlpack.from_dlpack(true).tolist() == [[1, 2], [4, 5]]


def test_a_capsule_without_elements_needs_no_memory() -> None:
    with capsule(shape=[0, 3], strides=None, data=None) as empty:
        assert wend.utils.dlpack.from_dlpack(empty).shape == (0, 3)


@pytest.mark.parametrize(
    "fields",
    [
        {"shape": [-1]},
        {"shape": [-M - 1]},
        {"shape": [2, -3], "strides": [1, 1]},
        {"shape": [0, -3], "strides": [1, 1]},
        {"shape": [M]},
        {"shape": [2**62], "strides": [0]},
        {"shape": [2**32, 2**32], "strides": [1, 1]},
        {"shape": [2**32, 2**32], "strides": None},
        {"strides": [-1]},
        {"strides": [M]},
        {"strides": [2**60]},
        {"strides": [2**58]},
        {"data": None},
        {"shape": None},
        {"ndim": -1},
        {"ndim": 65},
        {"ndim": 2**31 - 1},
        {"byte_offset": 2**64 - 8},
        {"byte_offset": 2**64 - 1},
        {"byte_offset": 1},
    ],
)
def test_a_capsule_that_cannot_be_true_is_refused(fields: dict[str, Any]) -> None:
    with capsule(**fields) as wrong:
        for _ in range(2):  # it stays the producer's, to be given up or mended
            with pytest.raises((BufferError, RuntimeError)) as refused:
                wend.utils.dlpack.from_dlpack(wrong)
            assert "only be consumed once" not in str(refused.value)
            assert "invalid capsule" not in str(refused.value)
