"""Calling a module with other parameters and buffers than its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from wend._C import Tensor

__all__ = ["functional_call"]


def _tied(module: Any, given: dict[str, Tensor]) -> dict[str, Tensor]:
    """What is given, under all names that a tensor of the module has."""
    both = (*module.named_parameters(remove_duplicate=False),)
    both += (*module.named_buffers(remove_duplicate=False),)
    groups: dict[int, list[str]] = {}
    for name, tensor in both:
        groups.setdefault(id(tensor), []).append(name)
    result = dict(given)
    for names in groups.values():
        found = {id(given[name]): given[name] for name in names if name in given}
        if len(found) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. "
                "Consider using tie_weights=False"
            )
        for tensor in found.values():
            result |= dict.fromkeys(names, tensor)
    return result


def _check_names(module: Any, given: dict[str, Tensor]) -> None:
    own = {name for name, _ in module.named_parameters(remove_duplicate=False)}
    own |= {name for name, _ in module.named_buffers(remove_duplicate=False)}
    problems = []
    for problem, names in (("Unexpected", set(given) - own), ("Missing", own - set(given))):
        if names:
            problems.append(f"{problem} key(s): {', '.join(map(repr, sorted(names)))}.")
    if problems:
        lines = "\n\t".join(problems)
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{lines}")


@contextmanager
def _replaced(module: Any, given: dict[str, Tensor]) -> Iterator[None]:
    """Put tensors in the place of the module's within a block."""
    before: list[tuple[Any, str, Any]] = []
    try:
        for path, tensor in given.items():
            prefix, _, name = path.rpartition(".")
            owner = module.get_submodule(prefix)
            for members in (owner._parameters, owner._buffers):
                if name in members:
                    before.append((members, name, members[name]))
                    members[name] = tensor
                    break
            else:
                raise KeyError(path)
        yield
    finally:
        for members, name, tensor in reversed(before):
            members[name] = tensor


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Mapping[str, Tensor] | Sequence[Mapping[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with the given tensors in the place of its own of those names.

    >>> m = wend.nn.Linear(2, 1, bias=False)
    >>> wend.func.functional_call(m, {"weight": wend.ones(1, 2)}, wend.ones(1, 2))
    tensor([[2.]])
    """
    given: dict[str, Tensor] = {}
    if isinstance(parameter_and_buffer_dicts, Mapping):
        given = dict(parameter_and_buffer_dicts)
    else:
        for each in parameter_and_buffer_dicts:
            repeated = given.keys() & each.keys()
            if repeated:
                raise ValueError(f"{sorted(repeated)} appeared in multiple dictionaries")
            given |= each
    if tie_weights:
        given = _tied(module, given)
    if strict:
        _check_names(module, given)
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    with _replaced(module, given):
        return module(*args, **(kwargs or {}))
