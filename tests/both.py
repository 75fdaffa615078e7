"""Runs one program on PyTorch and on wend, and compares what it returns or raises.

With WEND_STANDIN=torch PyTorch takes wend's place, which checks the programs themselves.
"""

import importlib
import importlib.util
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")
STANDIN = os.environ.get("WEND_STANDIN")
wend = importlib.import_module(STANDIN or "wend")

Program = Callable[..., Any]
ROOT = Path(__file__).resolve().parent.parent


def both(program: Program, *parts: str) -> None:
    """Require that the program returns the same on PyTorch as on wend.

    It is called with the package, and with those of its modules that `parts` names.
    """
    theirs, ours = _sides(parts)
    expected = program(*theirs)
    assert expected is not None, "the program returns nothing to compare"
    compare(expected, program(*ours))


def both_raise(program: Program, error: type[Exception], *parts: str) -> None:
    """Require that the program fails on wend with PyTorch's exception and first line."""
    theirs, ours = _sides(parts)
    with pytest.raises(error) as expected:
        program(*theirs)
    with pytest.raises(error) as got:
        program(*ours)
    ours_said, theirs_said = described(got.value), described(expected.value)
    assert ours_said == theirs_said, f"{ours_said!r} against {theirs_said!r}"


def alike(program: Program) -> Callable[[], None]:
    """Make a test of a program: it must return the same on both."""
    return _as_test(program, lambda: both(program))


def raises_alike(error: type[Exception]) -> Callable[[Program], Callable[[], None]]:
    """Make a test of a program: it must fail on both in the same way."""
    return lambda program: _as_test(program, lambda: both_raise(program, error))


# The deliberate differences from PyTorch: a test that exempts itself names one of them.
DELIBERATE = {
    "saved values are private": "a write between forward and backward does not reach the values"
    " saved for backward, where PyTorch gives another number or raises",
}


def differs(name: str, gives: list[Any]) -> Callable[[Program], Callable[[], None]]:
    """Make a test of a program that returns a tensor of `gives` on wend, and not on PyTorch."""
    assert name in DELIBERATE

    def make(program: Program) -> Callable[[], None]:
        def run() -> None:
            try:
                theirs = program(torch).tolist()
            except RuntimeError as error:
                theirs = str(error)
                assert "modified by an inplace operation" in theirs
            assert theirs != gives, f"PyTorch agrees: no need to exempt {name!r}"
            if not STANDIN:
                assert program(wend).tolist() == pytest.approx(gives)

        return _as_test(program, run)

    return make


def _sides(parts: tuple[str, ...]) -> tuple[list[Any], list[Any]]:
    theirs = [importlib.import_module(f"torch.{name}") for name in parts]
    return [torch, *theirs], [wend, *(part(name) for name in parts)]


def _as_test(program: Program, run: Callable[[], None]) -> Callable[[], None]:
    # Not functools.wraps: pytest would follow it and take the parameter for a fixture.
    def test() -> None:
        run()

    test.__name__ = test.__qualname__ = program.__name__
    test.__module__ = program.__module__
    test.__doc__ = program.__doc__
    return test


def error_of(call: Callable[[], Any]) -> str:
    """Return the type and first line of what the call raises, for a program to return."""
    try:
        call()
    except Exception as error:
        return described(error)
    pytest.fail("nothing was raised")


def described(error: BaseException) -> str:
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0].strip() if lines else ''}"


def compare(expected: Any, got: Any, path: str = "result", tolerance: float = 0.0) -> None:
    """Require two nests to be equal, tensors and floats up to rounding, or to `tolerance`."""
    if isinstance(expected, torch.Tensor):
        _compare_tensors(expected, got, path, tolerance)
    elif isinstance(expected, torch.dtype):
        assert str(got) == str(expected), f"{path}: {got} against {expected}"
    elif isinstance(expected, dict):
        assert list(got) == list(expected), f"{path}: {list(got)} against {list(expected)}"
        for key, member in expected.items():
            compare(member, got[key], f"{path}[{key!r}]", tolerance)
    elif isinstance(expected, (list, tuple)):
        assert type(got).__name__ == type(expected).__name__, f"{path}: {type(got)}"
        assert len(got) == len(expected), f"{path}: {got} against {expected}"
        for i, (a, b) in enumerate(zip(expected, got, strict=True)):
            compare(a, b, f"{path}[{i}]", tolerance)
    elif isinstance(expected, float):
        assert isinstance(got, float), f"{path}: {got!r} against {expected!r}"
        assert _close(expected, got, 1e-6), f"{path}: {got} against {expected}"
    else:
        assert isinstance(expected, (bool, int, str, type(None))), f"{path}: {type(expected)}"
        assert type(got) is type(expected), f"{path}: {got!r} against {expected!r}"
        assert got == expected, f"{path}: {got!r} against {expected!r}"


TOLERANCE = {"float64": 1e-9, "float32": 1e-5, "bfloat16": 2e-2, "float16": 2e-3}


def _compare_tensors(expected: Any, got: Any, path: str, least: float) -> None:
    assert isinstance(got, wend.Tensor), f"{path}: {type(got)} is no tensor"
    for name in ("dtype", "shape", "requires_grad"):
        a, b = str(getattr(expected, name)), str(getattr(got, name))
        assert a == b, f"{path}.{name}: {b} against {a}"
    tolerance = max(least, TOLERANCE.get(str(expected.dtype).removeprefix("torch."), 0.0))
    a, b = (t.detach().reshape(-1).tolist() for t in (expected, got))
    assert len(a) == len(b), path
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        assert _close(x, y, tolerance), f"{path}, element {i}: {y} against {x}"


def _close(a: Any, b: Any, tolerance: float) -> bool:
    if isinstance(a, float) and math.isnan(a):
        return math.isnan(b)
    return a == b or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


def part(name: str) -> ModuleType:
    """Return the module `wend.<name>`, from wend's own file even when PyTorch stands in."""
    if not STANDIN:
        return importlib.import_module(f"wend.{name}")
    sys.modules["wend"] = wend
    path = ROOT / "wend" / f"{name.replace('.', '/')}.py"
    spec = importlib.util.spec_from_file_location(f"wend_{name.replace('.', '_')}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module
