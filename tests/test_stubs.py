"""The type stubs in the package are those that its op table gives."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import wend
from wend import _stubs

PACKAGE = Path(wend.__file__).parent


@pytest.mark.parametrize("name", list(_stubs.stubs()))
def test_the_stubs_are_up_to_date(name: str) -> None:
    written = (PACKAGE / name).read_text()
    assert written == _stubs.stubs()[name], "run ./dev stubs"


def names_in(stub: str) -> set[str]:
    tree = ast.parse((PACKAGE / stub).read_text())
    named = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.alias)}
    return named | {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}


def test_every_public_name_is_in_the_package_stub() -> None:
    assert {n for n in dir(wend) if not n.startswith("_")} <= names_in("__init__.pyi")


def test_every_method_of_tensor_is_declared_with_types() -> None:
    tree = ast.parse((PACKAGE / "_C.pyi").read_text())
    tensor = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Tensor")
    untyped = {
        node.name
        for node in tensor.body
        if isinstance(node, ast.FunctionDef) and node.args.vararg and node.args.kwarg
    }
    assert untyped - {"__new__"} <= {name for name in vars(wend.Tensor) if name.startswith("_")}


PROGRAM = """
import wend

x: wend.Tensor = wend.ones(2, 3, dtype=wend.float64, requires_grad=True)
y: wend.Tensor = (x.exp_() + 2).sum(dim=1, keepdim=True).clamp_min(0.5)
n: int = y.size(0) + len(y.shape)
z = wend.add(1, 2, 3, 4)
w: int = x.view(3, 2)
"""


def test_a_type_checker_understands_a_program(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", str(program)]
    environment = {"MYPYPATH": str(PACKAGE.parent), "PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    wrong = [line.partition(": error: ")[0] for line in done.stdout.splitlines() if "error" in line]
    assert [line.rpartition(":")[2] for line in wrong if "program" in line] == ["7", "8"], (
        done.stdout
    )
