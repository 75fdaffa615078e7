"""Each part of the core knows only those that come before it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
KNOWS = {
    "base": set(),
    "kernels": {"base"},
    "graph": {"base", "kernels"},
    "ops": {"base", "kernels", "graph"},
    "tensor": {"base", "kernels", "graph", "ops"},
    "autograd": {"base", "kernels", "graph", "ops", "tensor"},
    "exec": {"base", "kernels", "graph", "ops"},
}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def included(path: Path) -> list[str]:
    return INCLUDE.findall(path.read_text())


def files_of(part: str) -> list[Path]:
    return [path for path in (ROOT / "core" / part).rglob("*") if path.is_file()]


@pytest.mark.parametrize("part", KNOWS)
def test_a_part_of_the_core_includes_only_parts_before_it(part: str) -> None:
    files = files_of(part)
    assert files
    known = KNOWS[part] | {part}
    wrong = [
        f"{path.relative_to(ROOT)} includes {name}"
        for path in files
        for name in included(path)
        if "/" in name and name.split("/")[0] not in known
    ]
    assert not wrong


def test_every_folder_of_the_core_is_a_part() -> None:
    assert {path.name for path in (ROOT / "core").iterdir() if path.is_dir()} == set(KNOWS)


def test_the_core_knows_nothing_of_python() -> None:
    files = [path for part in KNOWS for path in files_of(part)]
    assert not [path for path in files if "Python.h" in path.read_text()]
