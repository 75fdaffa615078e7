"""What is compiled for one instruction set stays within its own object file."""

import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(__file__).resolve().parent.parent / "build"
# ThreadSanitizer's own, which nobody ships, refer to the handler of exceptions weakly.
OBJECTS = sorted(
    path
    for path in BUILD.glob("**/wend_level_*.dir/**/*.o")
    if path.relative_to(BUILD).parts[0] != "thread"
)


@pytest.mark.skipif(not OBJECTS, reason="the package was not built here")
@pytest.mark.skipif(not shutil.which("nm"), reason="needs nm")
@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: str(path.relative_to(BUILD)))
def test_level_objects_define_no_weak_symbols(path: Path) -> None:
    """The linker keeps one copy of a weak function, perhaps one that an older CPU cannot run."""
    listing = subprocess.check_output(["nm", "--defined-only", "--demangle", path], text=True)
    weak = [line for line in listing.splitlines() if line.split()[1] in "VvWwu"]
    assert listing
    assert not weak
