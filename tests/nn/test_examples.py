"""The examples in the docstrings of wend.nn print what they show, and what is public has one."""

import doctest
import importlib
import inspect
import pkgutil
from types import ModuleType

import pytest

import wend
import wend.nn

MODULES = ["wend.nn", "wend.func"] + [
    found.name for found in pkgutil.walk_packages(wend.nn.__path__, "wend.nn.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_show(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, extraglobs={"wend": wend})
    assert failed == 0


def public(module: ModuleType) -> list[str]:
    names = getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")])
    return [n for n in names if not isinstance(getattr(module, n), ModuleType)]


# What is abstract, refused, or another name of something that has an example.
WITHOUT = {"NLLLoss2d", "RNNBase", "RNNCellBase", "SyncBatchNorm"}


@pytest.mark.parametrize("name", sorted(set(public(wend.nn)) - WITHOUT))
def test_every_module_has_an_example(name: str) -> None:
    doc = inspect.getdoc(getattr(wend.nn, name)) or ""
    assert ">>>" in doc
    assert len(doc.splitlines()[0]) <= 96
