"""torch._VF: the functions of the package, as copies of PyTorch's layers call them."""  # noqa: N999

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    import wend

    try:
        return getattr(wend, name)
    except AttributeError:
        raise AttributeError(f"module 'wend._VF' has no attribute '{name}'") from None
