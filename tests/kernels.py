"""Kernels that ran, by the names that ops have in the table; a report says what users call them."""

from typing import Any

from wend._report import Work, _summed


def kernels(report: Any) -> dict[str, Work]:
    """The work of each op while the report was open."""
    report._look()
    return {work.name: work for work in _summed(report._kernels, lambda key: key.op)}
