"""Examples in docstrings print what they show, in every module that is written in Python."""

import doctest
import importlib
import pkgutil

import pytest

import wend

PACKAGES = (
    "wend._aten",
    "wend._aten_native",
    "wend._aten_recurrent",
    "wend._branches",
    "wend._copies",
    "wend._counting",
    "wend._memory",
    "wend._lookup",
    "wend._made_tensors",
    "wend._norms",
    "wend._report",
    "wend._symbols",
    "wend._tensor_old",
    "wend.distributions",
    "wend.fft",
    "wend.masked",
    "wend.optim",
    "wend.serialization",
    "wend.signal",
    "wend.storage",
    "wend.utils.checkpoint",
    "wend.utils.data",
    "wend.utils.safetensors",
)


def modules() -> list[str]:
    names = []
    for package in PACKAGES:
        found = importlib.import_module(package)
        names.append(package)
        if hasattr(found, "__path__"):
            names += [each.name for each in pkgutil.walk_packages(found.__path__, f"{package}.")]
    return names


@pytest.mark.parametrize("name", modules())
def test_examples_print_what_they_show(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, extraglobs={"wend": wend})
    assert not failed
