"""Reads a pickle that can build plain containers and what it is explicitly allowed, nothing else.

It is a machine for the pickle's instructions, written out so that none of them can import, call
or change anything that is not on its list. What is on it is wend/serialization.py's.
"""

from __future__ import annotations

import pickle
import struct
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from wend._types import device, dtype

Allowed = dict[tuple[str, str], Any]

# Keys are hashed, and the hash of a tuple follows every reference in it, however deep, and as often
# as there are ways to it.
_KEY_DEPTH = 8
_KEY_SIZE = 1000
_KEYS = (str, int, float, complex, bytes, type(None), dtype, device)
# Different keys of one hash are compared with each other, so that many take quadratic time. Whoever
# writes a file can choose such numbers, but not such texts.
_KEYS_OF_A_HASH = 64
# How often each byte of a pickle may be copied: a call is short to write, whatever it copies.
_COPIES = 2

Step = Callable[["_Machine"], None]
Fill = Callable[["_Machine", Any, list[Any]], None]


def refuse(reason: str) -> pickle.UnpicklingError:
    """Return the error for a pickle that may not be loaded."""
    return pickle.UnpicklingError(reason)


class AbsentError(pickle.UnpicklingError):
    """A pickle names what there is no way to have here."""


def require_key(key: Any) -> Any:
    """Return a key of a dict or member of a set, if it is plain and not large."""
    if isinstance(key, _KEYS):
        return key
    level, seen = [key], 0
    for depth in range(_KEY_DEPTH + 1):
        seen += len(level)
        deeper: list[Any] = []
        for each in level:
            if isinstance(each, tuple) and depth < _KEY_DEPTH:
                if seen + len(deeper) + len(each) > _KEY_SIZE:
                    raise refuse(f"a key has more than {_KEY_SIZE} members")
                deeper += each
            elif not isinstance(each, _KEYS):
                raise refuse(f"a {type(each).__name__} cannot be a key")
        level = deeper
    return key


class _Keys:
    """Keys that a pickle uses, few of which may have the same hash."""

    def __init__(self) -> None:
        self._first: dict[int, Any] = {}
        self._others: dict[int, list[Any]] = {}

    def accept(self, key: Any) -> Any:
        """Return a key that may be used."""
        require_key(key)
        if isinstance(key, (str, bytes)) or self._first.setdefault(hash(key), key) == key:
            return key
        alike = self._others.setdefault(hash(key), [])
        if key not in alike:
            alike.append(key)
        if len(alike) > _KEYS_OF_A_HASH:
            raise refuse(f"more than {_KEYS_OF_A_HASH} keys have the same hash")
        return key


def _pairs(items: Any) -> list[tuple[Any, Any]]:
    if not isinstance(items, list) or not all(
        isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in items
    ):
        raise refuse("expected a list of pairs")
    keys = _Keys()
    return [(keys.accept(key), value) for key, value in items]


def _ordered_dict(items: Any = ()) -> OrderedDict[Any, Any]:
    return OrderedDict(_pairs(items) if items else ())


def _counter(counts: Any = None) -> Counter[Any]:
    if not isinstance(counts or {}, dict):
        raise refuse("expected a dict of counts")
    return Counter(counts or {})


def _set(members: Any = ()) -> set[Any]:
    if not isinstance(members, (list, tuple)):
        raise refuse("expected a list of members")
    keys = _Keys()
    return {keys.accept(member) for member in members}


def _encode(text: Any, encoding: Any = "latin1") -> bytes:
    if not isinstance(text, str) or encoding != "latin1":
        raise refuse("expected a string in latin1")
    return text.encode("latin1")


def _bytearray(content: Any = b"", encoding: Any = "latin1") -> bytearray:
    if isinstance(content, str):
        content = _encode(content, encoding)
    if not isinstance(content, bytes):
        raise refuse("expected bytes")
    return bytearray(content)


def _complex(real: Any, imag: Any = 0.0) -> complex:
    if not all(isinstance(part, (int, float)) for part in (real, imag)):
        raise refuse("expected two numbers")
    return complex(real, imag)


PLAIN: Allowed = {
    ("collections", "OrderedDict"): _ordered_dict,
    ("collections", "Counter"): _counter,
    ("_codecs", "encode"): _encode,
    **{
        (module, name): build
        for module in ("builtins", "__builtin__")
        for name, build in {"set": _set, "bytearray": _bytearray, "complex": _complex}.items()
    },
}


class _Machine:
    """One run over a pickle."""

    def __init__(
        self,
        content: bytes,
        allowed: Allowed,
        trusted: Allowed,
        persistent: Callable[[Any], Any],
        absent: Callable[[str, str], str | None],
    ) -> None:
        self.content, self.at = content, 0
        self.allowed, self.trusted, self.persistent = allowed, trusted, persistent
        self.absent = absent
        self.stack: list[Any] = []
        self.marks: list[int] = []  # how much lay on the stack when each was set
        self.memo: dict[int, Any] = {}
        self.keys = _Keys()
        self.copies_left = _COPIES * len(content)

    def run(self) -> Any:
        """Carry out the instructions up to the end, and return what they built."""
        while True:
            code = self.take(1)
            if code == b".":
                return self.pop()
            step = _STEPS.get(code)
            if step is None:
                raise refuse(f"Unsupported operand {code[0]}")
            step(self)

    def take(self, count: int) -> bytes:
        """The next bytes of the pickle."""
        begin, self.at = self.at, self.at + count
        if count < 0 or self.at > len(self.content):
            raise EOFError("Ran out of input")
        return self.content[begin : self.at]

    def skip(self, read: Callable[..., Any], *args: Any) -> None:
        """Read what is of no use."""
        read(*args)

    def number(self, count: int, signed: bool = False) -> int:
        """The next number, of so many bytes."""
        return int.from_bytes(self.take(count), "little", signed=signed)

    def line(self) -> str:
        """The text up to the next end of line."""
        end = self.content.find(b"\n", self.at)
        if end < 0:
            raise EOFError("Ran out of input")
        return self.take(end + 1 - self.at)[:-1].decode()

    def require(self, count: int) -> None:
        """Raise unless so much lies on the stack, above the last mark."""
        floor = self.marks[-1] if self.marks else 0
        if len(self.stack) - floor < count:
            raise refuse("unexpected MARK found" if self.marks else "the stack is empty")

    def top(self) -> Any:
        """What lies on top of the stack."""
        self.require(1)
        return self.stack[-1]

    def pop(self) -> Any:
        """Take what lies on top of the stack."""
        self.require(1)
        return self.stack.pop()

    def last(self, count: int) -> list[Any]:
        """Take so much from the top of the stack."""
        self.require(count)
        taken = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return taken

    def mark(self) -> None:
        self.marks.append(len(self.stack))

    def after_mark(self) -> list[Any]:
        """Take from the stack all that lies above the last mark, and the mark."""
        if not self.marks:
            raise refuse("a mark is missing")
        return self.last(len(self.stack) - self.marks.pop())

    def drop(self) -> None:
        """Forget what lies on top, which may be a mark."""
        if self.marks and self.marks[-1] == len(self.stack):
            self.marks.pop()
        else:
            self.pop()

    def found(self, module: str, name: str) -> Any:
        """What a name of the pickle stands for."""
        key = (module, name)
        if key in self.trusted:
            return self.trusted[key]
        if key not in self.allowed:
            if (reason := self.absent(module, name)) is not None:
                raise AbsentError(reason)
            raise refuse(
                f"Unsupported global: GLOBAL {module}.{name} was not an allowed global by default. "
                f"Please use `torch.serialization.add_safe_globals([{module}.{name}])` or the "
                f"`torch.serialization.safe_globals([{module}.{name}])` context manager to "
                "allowlist this global if you trust this class/function."
            )
        return self.allowed[key]

    def is_trusted(self, what: Any) -> bool:
        return any(what is each for each in self.trusted.values())

    def pay(self, *copied: Any) -> None:
        """Count what is about to be copied, and refuse to copy the same again and again."""
        plain = (tuple, list, dict, set, str, bytes, bytearray)
        self.copies_left -= sum(len(each) for each in copied if isinstance(each, plain))
        if self.copies_left < 0:
            raise refuse("the same members are copied again and again")

    def reduce(self) -> None:
        """Call what may be called."""
        args, function = self.pop(), self.pop()
        trusted = self.is_trusted(function)
        known = trusted or any(function is f for f in self.allowed.values())
        # A class is named to say of what type something is, not to be called.
        if isinstance(function, type) and not trusted:
            known = False
        if not known or not callable(function) or not isinstance(args, tuple):
            raise refuse("Trying to call reduce for unrecognized function")
        if not trusted:
            self.pay(*args)
        self.stack.append(function(*args))

    def new(self) -> None:
        """Make an object of a class."""
        args, kind = self.pop(), self.pop()
        if not isinstance(args, tuple):
            raise refuse("the arguments of a class are no tuple")
        if kind is _ordered_dict or kind is _counter or kind is _set:
            self.pay(*args)
            self.stack.append(kind(*args))
        elif self.is_trusted(kind):
            self.stack.append(kind.__new__(kind, *args))
        else:
            raise refuse("Trying to create new object for unrecognized class")

    def build(self) -> None:
        """Give an object its state."""
        state, made = self.pop(), self.top()
        if self.is_trusted(type(made)):
            if hasattr(made, "__setstate__"):
                made.__setstate__(state)
            else:
                made.__dict__.update(state)
        elif type(made) in (OrderedDict, Counter):
            self.pay(state)
            give_attributes(made, state)
        else:
            raise refuse(f"Can not build a {type(made).__name__}")

    def put_items(self, target: Any, items: list[Any]) -> None:
        if not isinstance(target, dict) or len(items) % 2:
            raise refuse("items are set in what is no dict")
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[self.keys.accept(key)] = value

    def extend(self, target: Any, items: list[Any]) -> None:
        if type(target) is not list:
            raise refuse(f"Can only append to lists, but got {type(target)}")
        target.extend(items)

    def add(self, target: Any, items: list[Any]) -> None:
        if type(target) is not set:
            raise refuse("members are added to what is no set")
        target.update(map(self.keys.accept, items))

    def remembered(self, at: int) -> Any:
        if at not in self.memo:
            raise refuse(f"Memo value not found at index {at}")
        return self.memo[at]


def give_attributes(made: Any, state: Any) -> None:
    """Set attributes of an object, none of which may hide one that its class has."""
    if not isinstance(state, dict):
        raise refuse("expected a dict of attributes")
    for name, value in state.items():
        if not isinstance(name, str) or hasattr(type(made), name):
            raise refuse(f"{name!r} cannot be an attribute of a {type(made).__name__}")
        made.__dict__[name] = value


def _proto(m: _Machine) -> None:
    protocol = m.number(1)
    if protocol > pickle.HIGHEST_PROTOCOL:
        raise refuse(f"unsupported pickle protocol: {protocol}")


def _push(read: Callable[[_Machine], Any]) -> Step:
    return lambda m: m.stack.append(read(m))


def _put(read: Callable[[_Machine], int]) -> Step:
    def step(m: _Machine) -> None:
        m.memo[read(m)] = m.top()

    return step


def _tuple(count: int) -> Step:
    def step(m: _Machine) -> None:
        m.stack.append(tuple(m.last(count)))

    return step


def _one(fill: Fill, count: int) -> Step:
    def step(m: _Machine) -> None:
        items = m.last(count)
        fill(m, m.top(), items)

    return step


def _many(fill: Fill) -> Step:
    def step(m: _Machine) -> None:
        items = m.after_mark()
        fill(m, m.top(), items)

    return step


def _stack_global(m: _Machine) -> None:
    name, module = m.pop(), m.pop()
    if not (isinstance(name, str) and isinstance(module, str)):
        raise refuse("a name is no string")
    m.stack.append(m.found(module, name))


_STEPS: dict[bytes, Step] = {
    pickle.PROTO: _proto,
    pickle.FRAME: lambda m: m.skip(m.number, 8),
    pickle.MARK: _Machine.mark,
    pickle.POP: _Machine.drop,
    pickle.POP_MARK: lambda m: m.skip(m.after_mark),
    pickle.DUP: _push(_Machine.top),
    pickle.NONE: _push(lambda m: None),
    pickle.NEWTRUE: _push(lambda m: True),
    pickle.NEWFALSE: _push(lambda m: False),
    pickle.BININT: _push(lambda m: m.number(4, signed=True)),
    pickle.BININT1: _push(lambda m: m.number(1)),
    pickle.BININT2: _push(lambda m: m.number(2)),
    pickle.LONG1: _push(lambda m: m.number(m.number(1), signed=True)),
    pickle.BINFLOAT: _push(lambda m: struct.unpack(">d", m.take(8))[0]),
    pickle.BINUNICODE: _push(lambda m: m.take(m.number(4)).decode("utf-8", "surrogatepass")),
    pickle.SHORT_BINUNICODE: _push(lambda m: m.take(m.number(1)).decode("utf-8", "surrogatepass")),
    pickle.BINBYTES: _push(lambda m: m.take(m.number(4))),
    pickle.SHORT_BINBYTES: _push(lambda m: m.take(m.number(1))),
    pickle.EMPTY_TUPLE: _push(lambda m: ()),
    pickle.TUPLE: _push(lambda m: tuple(m.after_mark())),
    pickle.TUPLE1: _tuple(1),
    pickle.TUPLE2: _tuple(2),
    pickle.TUPLE3: _tuple(3),
    pickle.EMPTY_LIST: _push(lambda m: []),
    pickle.APPEND: _one(_Machine.extend, 1),
    pickle.APPENDS: _many(_Machine.extend),
    pickle.EMPTY_DICT: _push(lambda m: {}),
    pickle.SETITEM: _one(_Machine.put_items, 2),
    pickle.SETITEMS: _many(_Machine.put_items),
    pickle.EMPTY_SET: _push(lambda m: set()),
    pickle.ADDITEMS: _many(_Machine.add),
    pickle.GLOBAL: _push(lambda m: m.found(m.line(), m.line())),
    pickle.STACK_GLOBAL: _stack_global,
    pickle.REDUCE: _Machine.reduce,
    pickle.NEWOBJ: _Machine.new,
    pickle.BUILD: _Machine.build,
    pickle.BINGET: _push(lambda m: m.remembered(m.number(1))),
    pickle.LONG_BINGET: _push(lambda m: m.remembered(m.number(4))),
    pickle.BINPUT: _put(lambda m: m.number(1)),
    pickle.LONG_BINPUT: _put(lambda m: m.number(4)),
    pickle.MEMOIZE: _put(lambda m: len(m.memo)),
    pickle.BINPERSID: _push(lambda m: m.persistent(m.pop())),
}


def loads(
    content: bytes,
    allowed: Allowed,
    trusted: Allowed,
    persistent: Callable[[Any], Any],
    absent: Callable[[str, str], str | None] = lambda module, name: None,
) -> Any:
    """Return what a pickle builds with plain containers and the functions and objects allowed.

    allowed: by module and name; they check their own arguments.
    trusted: what the user vouches for; classes among it may be given any state.
    absent: why a name cannot be there, whoever vouches for it.
    """
    machine = _Machine(content, {**PLAIN, **allowed}, trusted, persistent, absent)
    try:
        return machine.run()
    except (pickle.UnpicklingError, EOFError, MemoryError, RuntimeError):
        raise
    except Exception as error:
        raise refuse(f"the pickle is corrupt: {type(error).__name__}: {error}") from error
