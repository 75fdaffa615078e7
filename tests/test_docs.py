"""What README, CONTRIBUTING and the docs say is so: programs print what they show, files exist."""

import contextlib
import io
import re
from pathlib import Path

import pytest

import wend

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@pytest.mark.parametrize("name", ["README.md", "docs/batching.md"])
def test_programs_print_what_is_shown(name: str) -> None:
    """The programs of a page follow each other, each with its output behind it."""
    found = re.findall(r"```python\n(.*?)```\n```\n(.*?)```", (ROOT / name).read_text(), re.S)
    assert found
    names = {"__name__": "__main__"}
    for program, shown in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, name, "exec"), names)
        assert printed.getvalue() == shown


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_programs_in_the_docs_run_and_print_what_they_show(page: Path) -> None:
    names = {"__name__": "__main__", "wend": wend}
    blocks = re.findall(r"```python\n(.*?)```\n(?:```\n(.*?)```)?", page.read_text(), re.S)
    for program, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, page.name, "exec"), names)
        if shown:
            assert printed.getvalue() == shown


@every_page
def test_files_that_are_named_exist(page: Path) -> None:
    text = page.read_text()
    named = re.findall(r"`((?:core|bind|wend|tests|examples|benchmarks)/[\w./]+\.\w+)`", text)
    linked = [link for link in re.findall(r"\]\((?!https?:)([^)#]+)", text) if link]
    missing = [n for n in named if "wN_" not in n and not (ROOT / n).exists()]
    missing += [link for link in linked if not (page.parent / link).exists()]
    assert not missing


@every_page
def test_lines_are_short_outside_programs_and_tables(page: Path) -> None:
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    long = [line for line in prose.splitlines() if len(line) > 110 and not line.startswith("|")]
    assert not long


def test_names_in_the_tour_are_those_of_the_code() -> None:
    named = set(
        re.findall(
            r"`(?:wend\.|Batch::|Fusion::)?([a-z_]\w+)`", (ROOT / "docs/tour.md").read_text(), re.I
        )
    )
    files = [f for top in ("core", "bind", "wend") for f in (ROOT / top).rglob("*.[chp]*")]
    sources = [f.read_text() for f in files if f.suffix in (".cpp", ".hpp", ".py", ".pyi")]
    words = {word for source in sources for word in re.findall(r"\w+", source)}
    assert named
    assert not named - words
