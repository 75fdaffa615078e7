"""How wend was built and how many threads it uses, in words."""

from __future__ import annotations


def show() -> str:
    """Return how wend was built.

    >>> wend.__config__.show().startswith("wend built with:")
    True
    """
    from wend import _C

    lines = ["wend built with:", "- C++20, OpenBLAS", f"- CPU capability: {_C._cpu_level()}"]
    return "".join(f"{line}\n" for line in lines)


def parallel_info() -> str:
    """Return how many threads work at once."""
    import os

    from wend import _C

    return (
        f"at::get_num_threads() : {_C.get_num_threads()}\n"
        f"std::thread::hardware_concurrency() : {os.cpu_count()}\n"
    )
