"""The parameters, buffers and submodules of a module: dicts that keep its attributes in step.

What may be registered, and under which name, is decided by Module.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

__all__ = ["KINDS", "Members"]

# The attributes of a module that hold its members.
KINDS = ("_parameters", "_buffers", "_modules")
_ABSENT = object()


class Members(dict[str, Any]):
    """A dict of members whose values are plain attributes of the module at the same time.

    Attribute access is then native. The module is held weakly: it is freed without a collector.
    """

    __slots__ = ("_owner",)

    def __init__(self, owner: Any, members: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._owner = weakref.ref(owner)
        if members:
            self.update(members)

    def _attributes(self) -> dict[str, Any]:
        owner = self._owner()
        return {} if owner is None else owner.__dict__

    def __setitem__(self, name: str, member: Any) -> None:
        super().__setitem__(name, member)
        self._attributes()[name] = member

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        self._attributes().pop(name, None)

    def pop(self, name: str, default: Any = _ABSENT) -> Any:
        """Remove a member and return it, or the default."""
        if name not in self and default is not _ABSENT:
            return default
        member = self[name]
        del self[name]
        return member

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the member that was added last."""
        name, member = super().popitem()
        self._attributes().pop(name, None)
        return name, member

    def clear(self) -> None:
        """Remove all members."""
        for name in list(self):
            del self[name]

    def update(self, *others: Any, **named: Any) -> None:
        """Add or replace members."""
        for name, member in dict(*others, **named).items():
            self[name] = member

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return the member, which is the default if there was none."""
        if name not in self:
            self[name] = default
        return self[name]

    def __ior__(self, other: Any) -> Members:  # type: ignore[misc, override]
        self.update(other)
        return self

    def __reduce__(self) -> Any:
        return dict, (dict(self),)
