"""Writes the type stubs: `_C.pyi` from the op table, `__init__.pyi` from what the package holds.

`python -m wend._stubs` writes them anew; a test compares. What the op table does not tell, the
signatures of the few functions and methods that are no ops, stands in this file.
"""

from __future__ import annotations

import inspect
import keyword
import math
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import wend
from wend import _C, _lazy
from wend._signature import Parameter, Signature, parse

TYPES = {
    "Tensor": "Tensor",
    "Operand": "Tensor | Number",
    "Scalar": "Number",
    "Tensor[]": "Sequence[Tensor]",
    "Number": "Number",
    "int": "builtins.int",
    "int[]": "Sequence[builtins.int]",
    "int[1]": "builtins.int | Sequence[builtins.int]",
    "float": "builtins.float",
    "float[]": "Sequence[builtins.float]",
    "float[1]": "builtins.float | Sequence[builtins.float]",
    "bool": "builtins.bool",
    "True": "Literal[True]",
    "False": "Literal[False]",
    "dtype": "_types.dtype",
    "str": "str",
    "Generator": "Generator",
    "device": "_types.device | str | builtins.int",
    "layout": "_types.layout",
    "memory_format": "_types.memory_format",
    "requires_grad": "builtins.bool",
    "pin_memory": "builtins.bool",
}

ATTRIBUTES = {
    "shape": "_types.Size",
    "dtype": "_types.dtype",
    "device": "_types.device",
    "layout": "_types.layout",
    "ndim": "builtins.int",
    "itemsize": "builtins.int",
    "nbytes": "builtins.int",
    "requires_grad": "builtins.bool",
    "is_leaf": "builtins.bool",
    "grad": "Tensor | None",
    "grad_fn": "Node | None",
    "data": "Tensor",
    "_version": "builtins.int",
    "_base": "Tensor | None",
    "_backward_hooks": "Any",
    "is_cuda": "builtins.bool",
    "is_sparse": "builtins.bool",
    "is_quantized": "builtins.bool",
    "is_meta": "builtins.bool",
    "is_nested": "builtins.bool",
    "output_nr": "builtins.int",
    "retains_grad": "builtins.bool",
    "H": "Tensor",
    "T": "Tensor",
    "mH": "Tensor",
    "mT": "Tensor",
}

METHODS = {
    "size": ["() -> _types.Size", "(dim: builtins.int) -> builtins.int"],
    "stride": ["() -> tuple[builtins.int, ...]", "(dim: builtins.int) -> builtins.int"],
    "dim": ["() -> builtins.int"],
    "ndimension": ["() -> builtins.int"],
    "numel": ["() -> builtins.int"],
    "nelement": ["() -> builtins.int"],
    "element_size": ["() -> builtins.int"],
    "storage_offset": ["() -> builtins.int"],
    "is_contiguous": ["(memory_format: _types.memory_format = ...) -> builtins.bool"],
    "is_floating_point": ["() -> builtins.bool"],
    "is_inference": ["() -> builtins.bool"],
    "item": ["() -> Any"],
    "tolist": ["() -> Any"],
    "data_ptr": ["() -> builtins.int"],
    "detach": ["() -> Tensor"],
    "detach_": ["() -> Tensor"],
    "requires_grad_": ["(requires_grad: builtins.bool = True) -> Tensor"],
    "register_hook": ["(hook: Callable[[Tensor], Any]) -> Any"],
    "register_post_accumulate_grad_hook": ["(hook: Callable[[Tensor], None]) -> Any"],
    "retain_grad": ["() -> None"],
    "as_subclass": ["(cls: type) -> Any"],
    "resize_": ["(size: Sequence[builtins.int]) -> Self", "(*size: builtins.int) -> Self"],
    "resize_as_": ["(other: Tensor) -> Self"],
    "set_": [
        "(source: Tensor, storage_offset: builtins.int = 0, "
        "size: Sequence[builtins.int] | None = None, "
        "stride: Sequence[builtins.int] | None = None) -> Self"
    ],
    "cuda": [
        "(device: Any = None, non_blocking: builtins.bool = False, memory_format: Any = None) "
        "-> NoReturn"
    ],
    "backward": [
        "(gradient: Tensor | None = None, retain_graph: builtins.bool | None = None, "
        "create_graph: builtins.bool = False, inputs: Sequence[Tensor] | Tensor | None = None) "
        "-> None"
    ],
    "__new__": ["(cls, *args: Any, **kwargs: Any) -> Self"],
    "__hash__": ["() -> builtins.int"],
    "__iter__": ["() -> Iterator[Tensor]"],
    "__bool__": ["() -> builtins.bool"],
    "__int__": ["() -> builtins.int"],
    "__float__": ["() -> builtins.float"],
    "__index__": ["() -> builtins.int"],
    "__len__": ["() -> builtins.int"],
    "__getitem__": ["(index: Any) -> Tensor"],
    "__setitem__": ["(index: Any, value: Any) -> None"],
    "__delitem__": ["(index: Any) -> NoReturn"],
}

UNARY = {"__neg__", "__pos__", "__abs__", "__invert__"}
# Inherited from object, or of no interest to a type checker.
UNTYPED = {"__getattribute__", "__setattr__", "__delattr__", "__doc__", "__dict__", "__module__"}

FUNCTIONS = {
    "tensor": [
        "(data: Any, *, dtype: _types.dtype | None = None, "
        "device: _types.device | str | builtins.int | None = None, "
        "requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor"
    ],
    "get_default_dtype": ["() -> _types.dtype"],
    "_memory_stats": ["() -> dict[str, builtins.int]"],
    "_counters": ["() -> dict[str, builtins.int]"],
    "_op_table": ["() -> list[dict[str, Any]]"],
    "_graph": ["(*tensors: Tensor) -> _Graph"],
    "_kernel_times": ["() -> list[tuple[Any, ...]]"],
    "_held_at_peak": ["() -> list[tuple[Any, ...]]"],
    "_batch_sizes": ["() -> list[tuple[Any, ...]]"],
    "_batch_gaps": ["() -> list[tuple[Any, ...]]"],
    "_value_reads": ["() -> list[tuple[Any, ...]]"],
    "_tensor_over_buffer": ["(memory: Any) -> Tensor"],
    "_edge_shape": ["(edge: Any) -> _types.Size"],
    "_edge_dtype": ["(edge: Any) -> _types.dtype"],
    "_run_backward": ["(*args: Any) -> tuple[Any, ...]"],
}

CLASSES = {
    "Generator": {
        "__init__": "(device: Any = ...) -> None",
        "device": "_types.device",
        "manual_seed": "(seed: builtins.int) -> Generator",
        "seed": "() -> builtins.int",
        "initial_seed": "() -> builtins.int",
        "get_offset": "() -> builtins.int",
        "set_offset": "(offset: builtins.int) -> Any",
        "get_state": "() -> Tensor",
        "set_state": "(state: Tensor) -> Generator",
        "clone_state": "() -> Generator",
    },
    "_Hub": {
        "__init__": "(fn: Callable[..., Any], examples: Any, is_plain: builtins.bool, "
        "in_flight: builtins.int, expected: builtins.int | None) -> None",
        "finished": "() -> dict[builtins.int, Any]",
    },
    "_Graph": {
        "shape": "(index: builtins.int, /) -> _types.Size",
        "dtype": "(index: builtins.int, /) -> _types.dtype",
    },
    "Node": {
        "name": "() -> str",
        "next_functions": "tuple[tuple[Node | None, builtins.int], ...]",
        "variable": "Tensor | None",
        "metadata": "dict[Any, Any]",
        "requires_grad": "builtins.bool",
        "_sequence_nr": "() -> builtins.int",
        "register_hook": "(hook: Callable[..., Any]) -> Any",
        "register_prehook": "(hook: Callable[..., Any]) -> Any",
    },
}

HEADER = '''"""Written by `python -m wend._stubs` (./dev stubs) from the op table; do not edit."""
'''

# Overloads follow PyTorch's, which a type checker finds to overlap; those of a method differ from
# object's, as == does.
C_HEADER = (
    HEADER
    + """# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, misc"

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, NoReturn, Self, TypeAlias, overload

from wend import _types

Number: TypeAlias = builtins.float | builtins.int | builtins.bool
"""
)

# Inside class Tensor these names are its methods and attributes.
SHADOWED = re.compile(r"(?<![\w.])(int|float|bool|type)\b")
SMALL_TYPES = re.compile(r"(?<![\w.])(dtype|device|layout|memory_format|Size)\b")


def declaration(name: str, signatures: list[str], prefix: str = "", doc: str = "") -> list[str]:
    """Lines that declare a function, with overloads if it has several signatures."""
    lines = []
    for i, signature in enumerate(dict.fromkeys(signatures)):
        if len(dict.fromkeys(signatures)) > 1:
            lines.append("@overload")
        lines += [prefix] if prefix else []
        body = f'\n    """{doc}"""' if doc and i == 0 else " ..."
        lines += f"def {name}{signature}:{body}".splitlines()
    return lines


def parameter_text(p: Parameter) -> str:
    annotation = TYPES[p.type] + (" | None" if p.optional or p.default == "None" else "")
    name = p.name + "_" if keyword.iskeyword(p.name) else p.name
    return f"{name}: {annotation}" + ("" if p.default is None else " = ...")


def return_text(name: str, signature: Signature) -> str:
    if signature.fields:
        return f"_{name}_result"
    return {"Tensor[]": "tuple[Tensor, ...]"}.get(signature.returns, TYPES[signature.returns])


class Form(NamedTuple):
    """A way in which an op is bound, and the fact in its entry that says so."""

    fact: str
    is_method: bool
    in_place: bool


FUNCTION = Form("function", False, False)
METHOD = Form("method", True, False)
IN_PLACE = Form("inplace", True, True)
IN_PLACE_FUNCTION = Form("inplace_function", False, True)


def signature_in(facts: dict[str, Any], form: Form) -> Signature:
    return parse(facts["method_signature" if form.is_method else "signature"])


def takes_out(facts: dict[str, Any], form: Form) -> bool:
    gives_list = facts["signature"].endswith("[]")
    written = form.in_place or form.is_method or facts["view"]
    return facts["out"] and not written and not gives_list


def op_signatures(facts: dict[str, Any], form: Form) -> Iterator[str]:
    """The Python signatures of an op in one of its forms."""
    name, signature = facts["name"], signature_in(facts, form)
    parameters = list(signature.parameters)
    first = ["self"] if form.is_method else []
    if first:
        parameters = parameters[1:]
    positional = [p for p in parameters if not p.keyword_only]
    named = [parameter_text(p) for p in parameters if p.keyword_only]
    given = any(text.startswith("out:") for text in named)
    if takes_out(facts, form) and not given:
        named.append("out: Any = None")
    own = "Self" if form.is_method else "Tensor"
    returns = own if form.in_place else return_text(name, signature)
    texts = [parameter_text(p) for p in positional]
    star = ["*"] if named else []
    yield f"({', '.join([*first, *texts, *star, *named])}) -> {returns}"
    # Sizes may be given one by one.
    if positional and positional[-1].type == "int[]":
        sizes = [*texts[:-1], f"*{positional[-1].name}: builtins.int"]
        yield f"({', '.join([*first, *sizes, *named])}) -> {returns}"


def is_bound(facts: dict[str, Any], form: Form) -> bool:
    # A module of its own holds functions only, in place too where the op can.
    if facts["module"]:
        return facts["inplace"] if form.in_place else True
    return bool(facts[form.fact])


def op_groups(form: Form, module: str | None = None) -> dict[str, list[dict[str, Any]]]:
    """The entries that are bound in a form, by every name that they have."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for facts in _C._op_table():
        if facts["hidden"] or facts["module"] != module or not is_bound(facts, form):
            continue
        for name in (facts["name"], *facts["aliases"].split()):
            groups.setdefault(name + "_" * form.in_place, []).append(facts)
    return groups


def op_lines(form: Form, module: str | None = None, prefix: str = "") -> list[str]:
    """The declarations of every op that is bound in a form."""
    lines = []
    for name, entries in sorted(op_groups(form, module).items()):
        signatures = [line for facts in entries for line in op_signatures(facts, form)]
        lines += declaration(name, signatures, prefix, entries[0]["doc"])
    return lines


def result_classes() -> list[str]:
    """The named tuples that ops return."""
    lines = []
    for facts in _C._op_table():
        if facts["hidden"] or not parse(facts["signature"]).fields:
            continue
        lines.append(f"class _{facts['name']}_result(NamedTuple):")
        lines += [f"    {field}: Tensor" for field in parse(facts["signature"]).fields]
    return lines


def with_self(signature: str) -> str:
    return signature if signature.startswith("(cls") else with_first("self", signature)


def with_first(name: str, signature: str) -> str:
    separator = "" if signature.startswith("()") else ", "
    return f"({name}{separator}{signature[1:]}"


def method_signatures(name: str, member: Any) -> list[str]:
    """The signatures of a method of Tensor that is no op."""
    if name in METHODS:
        return [with_self(signature) for signature in METHODS[name]]
    if inspect.isfunction(member):
        return [python_signature(member)]
    if name in UNARY:
        return ["(self) -> Tensor"]
    if re.fullmatch(r"__\w+__", name):
        return ["(self, other: Any) -> Tensor"]
    return ["(self, *args: Any, **kwargs: Any) -> Any"]


def python_signature(function: Any) -> str:
    """The signature of a function that is written in Python."""
    shown = []
    seen_star = False
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.KEYWORD_ONLY and not seen_star:
            shown.append("*")
        seen_star = seen_star or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        star = "*" * (p.kind is p.VAR_POSITIONAL) + "**" * (p.kind is p.VAR_KEYWORD)
        plain = p.name == "self" or p.annotation is p.empty
        annotation = "" if plain else f": {qualified(p.annotation)}"
        shown.append(f"{star}{p.name}{annotation}" + ("" if p.default is p.empty else " = ..."))
    returns = inspect.signature(function).return_annotation
    given = "Any" if returns is inspect.Signature.empty else qualified(returns)
    return f"({', '.join(shown)}) -> {given}"


def qualified(annotation: Any) -> str:
    """An annotation with names that mean the same inside class Tensor."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = text.replace("wend.Tensor", "Tensor").replace("_C.", "")
    text = re.sub(r"\bwend\.(?=dtype|device|layout|Size|memory_format)", "_types.", text)
    return SMALL_TYPES.sub(r"_types.\1", SHADOWED.sub(r"builtins.\1", text))


def tensor_lines() -> list[str]:
    lines = [f"{name}: {type}" for name, type in ATTRIBUTES.items() if name in vars(_C.Tensor)]
    ops = {**op_groups(METHOD), **op_groups(IN_PLACE)}
    for name in _lazy.METHODS:
        getattr(_C.Tensor, name)  # brings in the real one
    for name, member in sorted(vars(_C.Tensor).items()):
        if name in ops or name in ATTRIBUTES or name in UNTYPED:
            continue
        if isinstance(member, property):
            lines += ["@property", *declaration(name, [python_signature(member.fget)])]
        elif isinstance(member, staticmethod | classmethod):
            prefix = f"@{type(member).__name__}"
            shown = "(*args: Any, **kwargs: Any) -> Any"
            if inspect.isfunction(member.__func__):
                shown = python_signature(member.__func__)
            lines += declaration(name, [shown], prefix)
        else:
            lines += declaration(name, method_signatures(name, member))
    return lines + op_lines(METHOD) + op_lines(IN_PLACE)


def indented(lines: Iterable[str]) -> list[str]:
    return ["    " + line for line in lines]


def bound_signature(function: Any) -> str:
    """The signature that nanobind writes into a docstring."""
    text = (function.__doc__ or "\n").splitlines()[0]
    found = re.fullmatch(r"\w+(\(.*\) -> .*)", text)
    if not found or not type(function).__name__.startswith("nb_"):
        return "(*args: Any, **kwargs: Any) -> Any"
    signature = re.sub(r"(?<=[(, ])(arg\d*|\*args)(?=[,)])", r"\1: Any", found[1])
    signature = re.sub(r"\b(list|tuple)\b(?!\[)", r"\1[Any, ...]", signature)
    signature = signature.replace("list[Any, ...]", "list[Any]").replace("object", "Any")
    return qualified(signature.replace("wend._C.", "").replace("collections.abc.", ""))


def class_lines(name: str, cls: Any) -> list[str]:
    """A class of the extension module that is not Tensor."""
    lines = []
    known = CLASSES.get(name, {})
    for member, value in sorted({**vars(cls), **known}.items()):
        if member.startswith("__") and member not in ("__len__", *known):
            continue
        text = known.get(member)
        if text is None:
            text = bound_signature(value) if callable(value) else "Any"
        if text.startswith("("):
            text = text if text.startswith("(self") else with_first("self", text)
            lines += declaration(member, [text])
        else:
            lines.append(f"{member}: {text}")
    return [f"class {name}:", *indented(lines or ["..."])]


def extension_stub() -> str:
    """The text of `_C.pyi`."""
    functions = {**op_groups(FUNCTION), **op_groups(IN_PLACE_FUNCTION)}
    lines = [C_HEADER, *result_classes(), "", "class Tensor:", *indented(tensor_lines()), ""]
    for name, value in sorted(vars(_C).items()):
        if name in functions or name == "Tensor" or re.fullmatch(r"__\w+__", name):
            continue
        if isinstance(value, type):
            lines += [*class_lines(name, value), ""]
        elif isinstance(value, ModuleType):
            members = op_lines(FUNCTION, name, "@staticmethod")
            members += op_lines(IN_PLACE_FUNCTION, name, "@staticmethod")
            lines += [f"class {name}:", *indented(members or ["..."]), ""]
        elif callable(value):
            lines += declaration(name, FUNCTIONS.get(name, [bound_signature(value)]))
        else:
            lines.append(f"{name}: {type(value).__name__}")
    lines += ["", *op_lines(FUNCTION), *op_lines(IN_PLACE_FUNCTION)]
    return "\n".join(lines) + "\n"


def public_names() -> list[str]:
    """What `wend` holds for its users, or loads when they look at it."""
    held = {name for name in dir(wend) if not name.startswith("_")}
    return sorted(held | _lazy.MODULES | set(_lazy.NAMES))


def home_of(name: str) -> str:
    """The module that a public name is to be imported from."""
    if name in _lazy.NAMES:
        return f"wend.{_lazy.NAMES[name]}"
    value = getattr(wend, name)
    if isinstance(value, ModuleType):
        return value.__name__.rpartition(".")[0]
    if getattr(math, name, None) is value:
        return "math"
    if hasattr(_C, name) and getattr(_C, name) is value:
        return "wend._C"
    for module in (value.__class__.__module__, getattr(value, "__module__", "")):
        known = sys.modules.get(module)
        if module.startswith("wend.") and getattr(known, name, None) is value:
            return module
    return "wend._types"


def package_stub() -> str:
    """The text of `__init__.pyi`: every public name and where it comes from."""
    names = [name for name in public_names() if getattr(wend, name) is not None]
    lines = [f"from {home_of(name)} import {name} as {name}" for name in names]
    return "\n".join([HEADER, *sorted(lines), "", "__version__: str", "newaxis: None"]) + "\n"


def stubs() -> dict[str, str]:
    """The stub files by name."""
    return {"_C.pyi": extension_stub(), "__init__.pyi": package_stub()}


def main() -> None:
    for name, text in stubs().items():
        (Path(wend.__file__).parent / name).write_text(text)


if __name__ == "__main__":
    main()
