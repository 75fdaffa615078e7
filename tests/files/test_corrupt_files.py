"""Corrupt and hostile files of both formats give an error, and nothing else happens."""

import io
import json
import os
import pickle
import random
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from both import torch, wend

from wend.utils import safetensors

ERRORS = (RuntimeError, pickle.UnpicklingError, EOFError)
ROOT = "archive"


def good() -> bytes:
    file = io.BytesIO()
    wend.save({"a": wend.arange(6.0).reshape(2, 3), "b": [wend.ones(3), 1, "x"]}, file)
    return file.getvalue()


def refused(content: bytes) -> None:
    with pytest.raises(ERRORS):
        wend.load(io.BytesIO(content))


def test_a_file_that_is_cut_off_anywhere_is_refused() -> None:
    content = good()
    for end in range(0, len(content), 17):
        refused(content[:end])
    refused(content[:-1])


def test_a_flipped_byte_in_a_record_is_noticed() -> None:
    content, chosen = good(), random.Random(0)
    infos = zipfile.ZipFile(io.BytesIO(content)).infolist()
    names = [f"{ROOT}/{n}" for n in ("data.pkl", "data/0", "data/1", "version", "byteorder")]
    for info in infos:
        if info.filename not in names:
            continue
        header = info.header_offset
        name, extra = struct.unpack("<HH", content[header + 26 : header + 30])
        begin = header + 30 + name + extra
        for _ in range(30):
            at = begin + chosen.randrange(info.file_size)
            flipped = bytes([content[at] ^ 1 << chosen.randrange(8)])
            refused(content[:at] + flipped + content[at + 1 :])


def test_bytes_flipped_anywhere_give_an_error_or_the_same_object() -> None:
    content, chosen = good(), random.Random(1)
    outcomes = set()
    for _ in range(400):
        changed = bytearray(content)
        for _ in range(chosen.randrange(1, 4)):
            changed[chosen.randrange(len(content))] = chosen.randrange(256)
        try:
            loaded = wend.load(io.BytesIO(bytes(changed)))
        except ERRORS:
            outcomes.add("refused")
        else:
            assert loaded["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
            outcomes.add("unharmed")
    assert outcomes == {"refused", "unharmed"}


def archive(records: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as made:
        for name, content in records.items():
            made.writestr(f"{ROOT}/{name}", content)
    return file.getvalue()


def pickled(instructions: bytes, **records: bytes) -> bytes:
    """A file whose pickle is given, with one storage of four floats."""
    content = {"data.pkl": b"\x80\x02" + instructions + b".", "version": b"3\n"}
    content["data/0"] = struct.pack("<4f", 1, 2, 3, 4)
    return archive({**content, **{name.replace("__", "/"): r for name, r in records.items()}})


def text(value: str) -> bytes:
    return b"X" + len(value.encode()).to_bytes(4, "little") + value.encode()


def integer(value: int) -> bytes:
    content = value.to_bytes(16, "little", signed=True)
    return b"\x8a" + bytes([len(content)]) + content


def number(value: float) -> bytes:
    return b"G" + struct.pack(">d", value)


def numbers(*values: int) -> bytes:
    return b"(" + b"".join(map(integer, values)) + b"t"


def storage(kind: str = "FloatStorage", key: str = "0", count: int = 4) -> bytes:
    named = text("storage") + f"ctorch\n{kind}\n".encode() + text(key) + text("cpu")
    return b"(" + named + integer(count) + b"tQ"


def tensor(where: bytes, offset: int, size: bytes, stride: bytes) -> bytes:
    arguments = where + integer(offset) + size + stride + b"\x89ccollections\nOrderedDict\n)R"
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + arguments + b"tR"


def test_a_tensor_written_by_hand_is_read() -> None:
    loaded = wend.load(io.BytesIO(pickled(tensor(storage(), 0, numbers(2, 2), numbers(2, 1)))))
    assert loaded.tolist() == [[1, 2], [3, 4]]


# Each tuple holds the one before 64 times: little to read, and more to walk than there is time for.
WIDE = b")" + b"".join(b"q%c(" % i + b"h%c" % i * 64 + b"t" for i in range(7))

COLLIDING = [k * (2**61 - 1) for k in range(1, 20_000)]
COPIED = b"K\x01" * 50_000
NAMES = b"".join(b"M" + i.to_bytes(2, "little") for i in range(50_000))


def again_and_again(function: str, argument: bytes) -> bytes:
    """A pickle that calls a function with the same argument 50,000 times."""
    return f"c{function}\n".encode() + b"q\x00" + argument + b"\x85q\x01" + b"h\x00h\x01R0" * 50_000


LIE = {
    "too many elements": tensor(storage(), 0, numbers(5), numbers(1)),
    "an offset beyond the end": tensor(storage(), 4, numbers(1), numbers(1)),
    "a negative offset": tensor(storage(), -1, numbers(1), numbers(1)),
    "a negative size": tensor(storage(), 0, numbers(-1), numbers(1)),
    "a negative stride": tensor(storage(), 3, numbers(2), numbers(-1)),
    "a stride that overflows": tensor(storage(), 0, numbers(3), numbers(2**62)),
    "sizes that overflow": tensor(storage(), 0, numbers(2**40, 2**40), numbers(0, 0)),
    "a size beyond 64 bits": tensor(storage(), 0, numbers(2**80), numbers(0)),
    "strides that are missing": tensor(storage(), 0, numbers(2, 2), numbers(1)),
    "a storage larger than its record": tensor(storage(count=5), 0, numbers(5), numbers(1)),
    "a huge storage": tensor(storage(count=2**60), 0, numbers(1), numbers(1)),
    "a negative storage": tensor(storage(count=-4), 0, numbers(1), numbers(1)),
    "a storage of another dtype": tensor(storage("DoubleStorage"), 0, numbers(4), numbers(1)),
    "a storage that is not there": tensor(storage(key="7"), 0, numbers(1), numbers(1)),
    "a storage on another path": tensor(storage(key="../version"), 0, numbers(1), numbers(1)),
    "an unknown storage": tensor(storage("StrangeStorage"), 0, numbers(1), numbers(1)),
    "no storage": tensor(b"N", 0, numbers(1), numbers(1)),
    "a tensor of lists": tensor(b"]", 0, b"]", b"]"),
    "two dtypes for one storage": b"("
    + tensor(storage(), 0, numbers(1), numbers(1))
    + tensor(storage("IntStorage"), 0, numbers(1), numbers(1))
    + b"t",
    "a class that is called": b"ctorch\nTensor\n" + numbers(2**40) + b"R",
    "a parameter that is called": b"ctorch.nn.parameter\nParameter\n)R",
    "a dtype that is called": b"ctorch\nfloat32\n)R",
    "a dtype with attributes": b"ctorch\nfloat32\n}" + text("itemsize") + b"K\x01sb",
    "a class with attributes": b"ctorch\nTensor\n}" + text("x") + b"K\x01sb",
    "a function with attributes": b"ccollections\nOrderedDict\nN}"
    + text("__defaults__")
    + b"Ns\x86b",
    "a dict that hides its methods": b"ccollections\nOrderedDict\n)R}" + text("items") + b"Nsb",
    "a list as key": b"}]Ns",
    "a dict as key": b"}}Ns",
    "a deep tuple as key": b"})" + b"\x85" * 100_000 + b"Ns",
    "a deep tuple in a set": b"cbuiltins\nset\n])" + b"\x85" * 100_000 + b"a\x85R",
    "a tuple of tuples as key": b"}" + WIDE + b"Ns",
    "a tuple of tuples in a set": b"cbuiltins\nset\n]" + WIDE + b"a\x85R",
    "a tuple of tuples in an ordered dict": b"ccollections\nOrderedDict\n]("
    + WIDE
    + b"N\x86a\x85R",
    "a tuple of tuples as device": b"("
    + text("storage")
    + b"ctorch\nFloatStorage\n"
    + text("0")
    + WIDE
    + integer(4)
    + b"tQ",
    "a tuple of tuples as attribute": b"ccollections\nOrderedDict\n)R}" + WIDE + b"Nsb",
    "keys of the same hash": b"}(" + b"".join(integer(k) + b"N" for k in COLLIDING) + b"u",
    "complex keys of the same hash": b"}("
    + b"".join(
        b"cbuiltins\ncomplex\n" + b"".join(map(number, (-1000003.0 * k, k))) + b"\x86RN"
        for k in range(1, 20_000)
    )
    + b"u",
    "tuples of the same hash": b"}(" + b"".join(integer(k) + b"\x85N" for k in COLLIDING) + b"u",
    "members of the same hash": b"cbuiltins\nset\n]("
    + b"".join(map(integer, COLLIDING))
    + b"e\x85R",
    "ordered keys of the same hash": b"ccollections\nOrderedDict\n]("
    + b"".join(integer(k) + b"N\x86" for k in COLLIDING)
    + b"e\x85R",
    "one dict of many copies": again_and_again(
        "collections\nOrderedDict", b"](" + NAMES.replace(b"M", b"N\x86M")[2:] + b"N\x86e"
    ),
    "one counter of many copies": again_and_again(
        "collections\nCounter", b"}(" + NAMES.replace(b"M", b"K\x01M")[2:] + b"K\x01u"
    ),
    "one set of many copies": again_and_again("builtins\nset", b"](" + NAMES + b"e"),
    "one size of many copies": again_and_again("torch\nSize", b"(" + COPIED + b"t"),
    "many attributes of many copies": b"ccollections\nOrderedDict\nq\x00}("
    + b"".join(text(f"a{i}") + b"N" for i in range(5000))
    + b"uq\x010"
    + b"h\x00)Rh\x01b0" * 50_000,
    "a tensor of many large sizes": integer(2**100)
    + b"q\x000"
    + tensor(storage(), 0, b"(" + b"h\x00" * 100_000 + b"t", b"(" + b"K\x00" * 100_000 + b"t"),
    "a shape that is a dict": tensor(storage(), 0, b"}", b"}"),
    "a new object of many": b"ccollections\nOrderedDict\nN\x81",
    "just a mark": b"(",
    "a mark above a value": b"N(",
    "a mark in a list": b"](a",
    "a mark as value": b"}K\x01(s",
    "a mark as key": b"}(K\x01s",
    "a mark in a tuple": b"(\x85",
    "a mark in a pair": b"N(\x86",
    "a mark twice": b"(2",
    "a mark that is remembered": b"(\x94",
    "a mark as argument": b"ctorch\nSize\n(R",
    "a mark as state": b"ccollections\nOrderedDict\n)R(b",
    "a mark as id": b"(Q",
    "a mark as name": text("torch") + b"(\x93",
    "no pickle": b"\xff" * 10,
    "an empty stack": b"",
    "a missing mark": b"NNt",
    "a missing memo": b"h\x05",
    "a string beyond the end": b"X\xff\xff\xff\x7fabc",
    "a negative number of bytes": b"\x8a\xff",
    "text that is no text": b"X\x02\x00\x00\x00\xff\xfe",
    "a new object": b"cbuiltins\nobject\n)\x81",
    "a counter of lists": b"ccollections\nCounter\n]NaN\x86R",
    "an encoding": b"c_codecs\nencode\n(" + text("x") + text("rot13") + b"tR",
    "a size of text": b"ctorch\nSize\n(" + text("x") + b"t\x85R",
    "a device of nothing": b"ctorch\ndevice\nN\x85R",
    "a storage of another kind": b"(" + text("module") + b"NNNNtQ",
    "an id that is no tuple": b"NQ",
}


@pytest.mark.parametrize("name", LIE)
def test_pickles_that_lie_are_refused(name: str) -> None:
    refused(pickled(LIE[name]))


def test_marks_are_no_values_but_may_be_dropped() -> None:
    assert wend.load(io.BytesIO(pickled(b"N(0"))) is None
    assert wend.load(io.BytesIO(pickled(b"(K\x07"))) == 7
    assert wend.load(io.BytesIO(pickled(b"(K\x07K\x08t"))) == (7, 8)


def test_keys_that_are_nested_tuples_are_read() -> None:
    key = (1, (2, ("a", (None, 2.5))), b"c")
    file = io.BytesIO()
    wend.save({key: 1, (): 2}, file)
    assert wend.load(file) == {key: 1, (): 2}


def test_many_keys_and_small_members_are_read() -> None:
    steps = OrderedDict((k, {-1, -2, k}) for k in range(-3, 3000))
    whole = {**steps, **{float(k) / 2: (k, -k) for k in range(100)}, "x": [steps] * 100}
    file = io.BytesIO()
    wend.save(whole, file)
    assert wend.load(file) == whole


DANGEROUS = [
    ("os", "system"), ("posix", "system"), ("nt", "system"), ("subprocess", "Popen"),
    ("builtins", "eval"), ("builtins", "exec"), ("__builtin__", "eval"), ("builtins", "getattr"),
    ("builtins", "__import__"), ("builtins", "open"), ("builtins", "compile"), ("io", "open"),
    ("importlib", "import_module"), ("runpy", "run_path"), ("shutil", "rmtree"),
    ("pickle", "loads"), ("torch", "load"), ("torch.serialization", "load"), ("wend", "load"),
    ("wend", "save"), ("wend.serialization", "add_safe_globals"), ("ctypes", "CDLL"),
    ("functools", "partial"), ("operator", "attrgetter"), ("types", "FunctionType"),
    ("sys", "exit"), ("os", "unlink"), ("webbrowser", "open"), ("code", "interact"),
    ("torch.hub", "load"), ("wend._C", "_set_eager"), ("collections", "OrderedDict.__init__"),
]  # fmt: skip


@pytest.mark.parametrize(("module", "name"), DANGEROUS)
def test_no_name_but_the_known_ones_is_ever_called(tmp_path: Path, module: str, name: str) -> None:
    sentinel = tmp_path / "ran"
    argument = text(f"touch {sentinel}") + b"\x85"
    by_line = f"c{module}\n{name}\n".encode() + argument + b"R"
    by_stack = text(module) + text(name) + b"\x93" + argument + b"R"
    as_object = f"c{module}\n{name}\n".encode() + argument + b"\x81"
    as_instance = b"(" + text(f"touch {sentinel}") + f"i{module}\n{name}\n".encode()
    for attack in (by_line, by_stack, as_object, as_instance):
        with pytest.raises(pickle.UnpicklingError):
            wend.load(io.BytesIO(pickled(attack)))
    assert not sentinel.exists()


def overlapping() -> bytes:
    """Two names for the same bytes, as bombs have them."""
    content = bytearray(pickled(b"N"))
    infos = zipfile.ZipFile(io.BytesIO(bytes(content))).infolist()
    at = content.rindex(b"PK\x01\x02")
    content[at + 42 : at + 46] = infos[0].header_offset.to_bytes(4, "little")
    return bytes(content)


def archives() -> Iterator[tuple[str, bytes]]:
    whole = {"data.pkl": b"\x80\x02N.", "version": b"3\n"}
    yield "compressed", archive(whole, zipfile.ZIP_DEFLATED)
    bomb = {**whole, "data/0": bytes(10**7)}
    yield "a bomb", archive(bomb, zipfile.ZIP_DEFLATED)
    yield "overlapping", overlapping()
    yield "no version", archive({"data.pkl": b"\x80\x02N."})
    yield "no pickle", archive({"version": b"3\n"})
    for version in (b"0", b"11", b"999999999999", b"-1", b"x", b"", b"3.5"):
        yield f"version {version!r}", archive({**whole, "version": version})
    yield "byte order", archive({**whole, "byteorder": b"middle"})
    yield "a program", archive({**whole, "constants.pkl": b"", "code/x.py": b"import os"})
    yield "no folder", archive({})
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("../../etc/data.pkl", b"\x80\x02N.")
        made.writestr("/etc/version", b"3\n")
    yield "paths", file.getvalue()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("a/data.pkl", b"\x80\x02N.")
        made.writestr("b/version", b"3\n")
    yield "two folders", file.getvalue()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("a/data.pkl", b"\x80\x02N.")
        made.writestr("a/Data.pkl", b"\x80\x02N.")
        made.writestr("a/version", b"3\n")
    yield "twice the same name", file.getvalue().replace(b"a/Data.pkl", b"a/data.pkl")
    encrypted = bytearray(archive(whole))
    for at in (encrypted.index(b"PK\x03\x04") + 6, encrypted.index(b"PK\x01\x02") + 8):
        encrypted[at] |= 1
    yield "encrypted", bytes(encrypted)
    for name, at in (("size", 24), ("compressed size", 20), ("offset", 42)):
        huge = bytearray(archive(whole))
        begin = huge.rindex(b"PK\x01\x02") + at
        huge[begin : begin + 4] = b"\xfe\xff\xff\x7f"
        yield f"a huge {name}", bytes(huge)
    yield "text", b"PK\x03\x04 and then nothing"
    yield "a script", b"#!/bin/sh\ntouch /tmp/x\n"
    yield "zeros", bytes(1000)


ARCHIVES = dict(archives())


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_that_lie_are_refused(name: str) -> None:
    refused(ARCHIVES[name])


def test_older_formats_are_named() -> None:
    file = io.BytesIO()
    torch.save(torch.ones(2), file, _use_new_zipfile_serialization=False)
    for content in (file.getvalue(), bytes(257) + b"ustar" + bytes(512)):
        with pytest.raises(RuntimeError, match=r"before 1\.6"):
            wend.load(io.BytesIO(content))


def test_a_newer_version_is_named() -> None:
    content = archive({"data.pkl": b"\x80\x02N.", "version": b"12\n"})
    with pytest.raises(RuntimeError, match="version 12, but the maximum supported version"):
        wend.load(io.BytesIO(content))


def header(value: Any, body: bytes = bytes(16)) -> bytes:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return len(content).to_bytes(8, "little") + content + body


def entry(dtype: Any = "F32", shape: Any = (4,), offsets: Any = (0, 16), **more: Any) -> Any:
    listed = list(shape) if isinstance(shape, tuple) else shape
    begins = list(offsets) if isinstance(offsets, tuple) else offsets
    return {"dtype": dtype, "shape": listed, "data_offsets": begins, **more}


HEADERS = {
    "an unknown dtype": {"x": entry("F8_E4M3")},
    "a dtype that is no text": {"x": entry([])},
    "a negative size": {"x": entry(shape=(-4,))},
    "a size that is no number": {"x": entry(shape=("4",))},
    "a float as size": {"x": entry(shape=(4.0,))},
    "a bool as size": {"x": entry(shape=(True, 4))},
    "a size that overflows": {"x": entry(shape=(2**62, 4))},
    "sizes that overflow": {"x": entry(shape=(2**40, 2**40))},
    "sizes beside a zero that overflow": {"x": entry(shape=(0, 2**61, 2**61), offsets=(0, 0))},
    "too many dimensions": {"x": entry(shape=(4,) + (1,) * 99)},
    "many large sizes": {"x": entry(shape=(2**61,) * 200_000)},
    "a shape that is no list": {"x": entry(shape=4)},
    "too large a shape": {"x": entry(shape=(5,))},
    "too small a shape": {"x": entry(shape=(3,))},
    "an offset beyond the end": {"x": entry(offsets=(16, 32))},
    "offsets in the wrong order": {"x": entry(offsets=(16, 0))},
    "a negative offset": {"x": entry(offsets=(-16, 0))},
    "three offsets": {"x": entry(offsets=(0, 8, 16))},
    "no offsets": {"x": {"dtype": "F32", "shape": [4]}},
    "more than there should be": {"x": entry(more=1)},
    "overlapping tensors": {"x": entry(), "y": entry()},
    "a gap": {"x": entry(shape=(1,), offsets=(0, 4)), "y": entry(shape=(2,), offsets=(8, 16))},
    "bytes left over": {"x": entry(shape=(2,), offsets=(0, 8))},
    "an entry that is no dict": {"x": 3},
    "metadata that is no dict": {"__metadata__": 3, "x": entry()},
    "metadata of numbers": {"__metadata__": {"a": 1}, "x": entry()},
    "a list": [1],
    "nothing": b"",
    "no JSON": b"{x}",
    "half of the JSON": b'{"x": {"dtype": "F32"',
    "twice the same name": b'{"x": {"dtype":"F32","shape":[4],"data_offsets":[0,16]},'
    b'"x": {"dtype":"F32","shape":[4],"data_offsets":[0,16]}}',
    "a deep nest": b'{"x":' + b"[" * 100_000,
    "text that is no text": b'{"\xff\xfe": 1}',
    "a number of many digits": b'{"x":' + b"9" * 5000 + b"}",
    "a constant that is no JSON": b'{"x": NaN}',
    "a space first": b" {}",
}


@pytest.mark.parametrize("name", HEADERS)
def test_safetensors_headers_that_lie_are_refused(name: str) -> None:
    with pytest.raises(safetensors.SafetensorError):
        safetensors.load(header(HEADERS[name], b"" if "zero" in name else bytes(16)))


def test_safetensors_that_are_cut_off_anywhere_are_refused(tmp_path: Path) -> None:
    content = safetensors.save({"a": wend.arange(6.0), "b": wend.ones(3)})
    assert len(content) > 100
    for end in range(len(content)):
        with pytest.raises(safetensors.SafetensorError):
            safetensors.load(content[:end])
    for length in (2**63, 2**64 - 1, 10**9, len(content)):
        (tmp_path / "x").write_bytes(length.to_bytes(8, "little") + content[8:])
        with pytest.raises(safetensors.SafetensorError):
            safetensors.load_file(tmp_path / "x")


def test_flipped_bytes_in_safetensors_never_harm() -> None:
    content, chosen = safetensors.save({"a": wend.arange(6.0), "b": wend.ones(3)}), random.Random(2)
    for _ in range(300):
        changed = bytearray(content)
        changed[chosen.randrange(len(content))] = chosen.randrange(256)
        try:
            loaded = safetensors.load(bytes(changed))
        except safetensors.SafetensorError:
            continue
        assert sum(x.numel() for x in loaded.values()) <= 36
    assert os.path.exists(__file__)
