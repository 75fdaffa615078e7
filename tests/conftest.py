"""Marks the tests of what wend does not do yet: their names stand in known_gaps.txt.

A test leaves the list when what it says holds; nothing else is ever put on it.
"""

from pathlib import Path

import pytest

GAPS = Path(__file__).with_name("known_gaps.txt")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    gaps = set(GAPS.read_text().splitlines())
    for item in items:
        if item.nodeid in gaps:
            item.add_marker(pytest.mark.xfail(reason="a known gap", strict=False))
