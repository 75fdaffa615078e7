"""Runs a script or a module as Python does: as `__main__`, with tracebacks that begin in it.

Command lines are wend/_cli.py's.
"""

from __future__ import annotations

import builtins
import importlib.util
import os
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any

# Files of the frames below those of the program.
_BEFORE_PROGRAM = (__file__, "<frozen ")


class NotFoundError(Exception):
    """There is no such program."""


def run_script(path: str, arguments: list[str]) -> None:
    """Run a file, or the `__main__` of a folder or zip archive, as the main program.

    A path `-` is a program that comes by standard input.
    """
    sys.argv = [path, *arguments]
    if path == "-":
        sys.path.insert(0, "")
        _run(
            lambda: compile(sys.stdin.buffer.read(), "<stdin>", "exec"),
            {"__spec__": None, "__loader__": None},
        )
        return
    if os.path.isdir(path) or path.endswith((".zip", ".pyz", ".egg", ".whl")):
        sys.path.insert(0, os.path.abspath(path))
        _run_found(lambda: _spec_inside(path))
        return
    path = os.path.abspath(path)
    loader = SourceFileLoader("__main__", path)
    try:
        source = loader.get_data(path)
    except OSError as error:
        reason = f"[Errno {error.errno}] {error.strerror}"
        raise NotFoundError(f"can't open file '{path}': {reason}") from None
    sys.path.insert(0, os.path.dirname(path))
    facts = {"__file__": path, "__cached__": None, "__spec__": None, "__loader__": loader}
    _run(lambda: loader.source_to_code(source, path), facts)


def run_module(name: str, arguments: list[str]) -> None:
    """Run a module, or the `__main__` of a package, as the main program."""
    sys.argv = ["-m", *arguments]
    sys.path.insert(0, os.getcwd())

    def find() -> ModuleSpec:
        spec = _spec_named(name)
        sys.argv[0] = spec.origin or name
        return spec

    _run_found(find)


def _run_found(find: Callable[[], ModuleSpec]) -> None:
    """Run a module; to look for one may run programs, too, such as those of packages."""
    facts: dict[str, Any] = {}

    def code() -> CodeType:
        spec = find()
        facts.update(_facts_of(spec))
        return _code_of(spec)

    _run(code, facts)


def _spec_inside(path: str) -> ModuleSpec:
    """The program that a folder or an archive holds."""
    spec = PathFinder.find_spec("__main__", [os.path.abspath(path)])
    if spec is None:
        raise NotFoundError(f"can't find '__main__' module in '{path}'")
    return spec


def _spec_named(name: str) -> ModuleSpec:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        spec = None
    except ValueError:  # such as '__main__', which has none
        spec = None
    if spec is None:
        raise NotFoundError(f"No module named {name}")
    if spec.submodule_search_locations is not None:
        if name.endswith(".__main__"):
            raise NotFoundError("Cannot use package as __main__ module")
        try:
            return _spec_named(f"{name}.__main__")
        except NotFoundError as error:
            raise NotFoundError(
                f"{error}; '{name}' is a package and cannot be directly executed"
            ) from None
    return spec


def _code_of(spec: ModuleSpec) -> CodeType:
    loader: Any = spec.loader
    code = loader.get_code(spec.name) if hasattr(loader, "get_code") else None
    if code is None:
        raise NotFoundError(f"No code object available for {spec.name}")
    return code  # type: ignore[no-any-return]


def _facts_of(spec: ModuleSpec) -> dict[str, Any]:
    """What a program knows about itself."""
    return {
        "__file__": spec.origin,
        "__cached__": spec.cached,
        "__spec__": spec,
        "__loader__": spec.loader,
        "__package__": spec.parent,
    }


def _run(code: Callable[[], CodeType], facts: dict[str, Any]) -> None:
    """Run code as `__main__`, which stays: threads and what runs at exit look for it."""
    main = ModuleType("__main__")
    try:
        program = code()
        main.__dict__.update(__builtins__=builtins, __annotations__={}, **facts)
        sys.modules["__main__"] = main
        _execute(program, main.__dict__)
    except (SystemExit, NotFoundError):
        raise
    except BaseException as error:
        _begin_in_program(error)
        raise


def _execute(code: CodeType, names: dict[str, Any]) -> None:
    exec(code, names)


def _begin_in_program(error: BaseException) -> None:
    """Let whatever shows the error at the end of the process see no frame of ours."""
    at: TracebackType | None = error.__traceback__
    while at is not None and at.tb_frame.f_code.co_filename.startswith(_BEFORE_PROGRAM):
        at = at.tb_next
    shown = sys.excepthook

    def show(kind: type[BaseException], value: BaseException, trace: Any) -> None:
        is_it = value is error
        shown(kind, value.with_traceback(at) if is_it else value, at if is_it else trace)

    sys.excepthook = show
