"""`import wend` loads little; the rest comes when it is first looked at."""

import subprocess
import sys

import pytest

import wend
from wend import _lazy


def printed_by(program: str) -> str:
    return subprocess.check_output([sys.executable, "-c", program], text=True).strip()


def test_importing_wend_loads_few_modules_and_no_numpy() -> None:
    names = printed_by("import sys, wend; print(*sys.modules)").split()
    assert "numpy" not in names
    ours = {name.removeprefix("wend.") for name in names if name.startswith("wend.")}
    assert not ours & (set(_lazy.NAMES.values()) | _lazy.MODULES - {"utils"})


@pytest.mark.parametrize("name", _lazy.METHODS)
def test_a_method_is_there_before_its_module_is_loaded(name: str) -> None:
    program = f"import wend; print(wend.Tensor.{name}.__name__, wend.ones(2, 2).{name}.__name__)"
    names = printed_by(program).split()
    assert names[0] == names[1]
    assert names[0].strip("_").removesuffix("_method") == name


def test_a_subclass_finds_a_method_before_its_module_is_loaded() -> None:
    program = "import wend\nclass T(wend.Tensor): pass\nprint(T.det(wend.eye(2)).item())"
    assert printed_by(program) == "1.0"


@pytest.mark.parametrize("name", sorted({*_lazy.NAMES, *_lazy.MODULES}))
def test_every_name_is_there_when_it_is_looked_at(name: str) -> None:
    assert getattr(wend, name) is not None
    assert name in dir(wend)


def test_a_star_import_brings_every_name() -> None:
    space: dict[str, object] = {}
    exec("from wend import *", space)
    assert {name for name in _lazy.NAMES if not name.startswith("_")} <= set(space)
    assert space["einsum"] is wend.einsum
