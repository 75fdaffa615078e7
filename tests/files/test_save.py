"""Files written by wend are read by PyTorch and the other way round; a crash harms no file."""

import io
import os
import pickle
import stat
import subprocess
import sys
import time
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from both import STANDIN, alike, compare, error_of, raises_alike, torch, wend

from wend.utils.safetensors import save_file

DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]


def everything(package: Any) -> dict[str, Any]:
    x = package.arange(6.0).reshape(2, 3)
    state = OrderedDict(weight=x, bias=x[1])
    state._metadata = OrderedDict(version=1)  # type: ignore[attr-defined]
    return {
        **{name: package.ones(3).to(getattr(package, name)) for name in DTYPES},
        "state": state,
        "transposed": x.t(),
        "every other": x[:, ::2],
        "expanded": package.ones(1).expand(3),
        "empty": package.empty(0, 2),
        "scalar": package.tensor(3),
        "parameter": package.nn.Parameter(package.ones(2)),
        "leaf": package.ones(2, requires_grad=True),
        "plain": [1, -1, 2**40, 2**70, 1.5, None, True, "text", (1, (2,))],
        "keys": {1: "a", "b": 2, (1, 2): 3, None: 4, 1.5: 5},
    }


def odd(package: Any) -> list[Any]:
    return [
        {1, 2},
        Counter("aab"),
        package.Size([1, 2]),
        package.device("cpu"),
        1j,
        bytearray(b"x"),
        b"y",
    ]


def written(package: Any, value: Any) -> io.BytesIO:
    file = io.BytesIO()
    package.save(value, file)
    file.seek(0)
    return file


@pytest.mark.parametrize(("writer", "reader"), [(wend, torch), (torch, wend), (wend, wend)])
@pytest.mark.parametrize("weights_only", [True, False])
def test_what_one_writes_the_other_reads(writer: Any, reader: Any, weights_only: bool) -> None:
    file = written(writer, everything(writer))
    loaded = reader.load(file, weights_only=weights_only)
    theirs, ours = (loaded, everything(wend)) if reader is torch else (everything(torch), loaded)
    compare(theirs, ours)
    assert loaded["state"]._metadata == OrderedDict(version=1)
    assert isinstance(loaded["parameter"], reader.nn.Parameter)
    assert loaded["transposed"].stride() == (1, 3)


@pytest.mark.parametrize(("writer", "reader"), [(wend, torch), (torch, wend)])
def test_small_types_are_read_too(writer: Any, reader: Any) -> None:
    loaded = reader.load(written(writer, [*odd(writer), *(getattr(writer, d) for d in DTYPES)]))
    assert loaded == [*odd(reader), *(getattr(reader, d) for d in DTYPES)]


@pytest.mark.parametrize("reader", [wend, torch])
def test_aliases_stay_aliases(reader: Any) -> None:
    writer = torch if reader is wend else wend
    x = writer.zeros(2, 3)
    base, row, again = reader.load(written(writer, [x, x[1], x]))
    row.fill_(1)
    assert base.tolist() == [[0, 0, 0], [1, 1, 1]]
    assert again is base


def test_a_view_brings_its_whole_storage_as_in_pytorch() -> None:
    sizes = [
        len(written(package, package.zeros(10000)[:1]).getvalue()) for package in (torch, wend)
    ]
    assert all(40000 < size < 43000 for size in sizes)


def test_optimizer_and_scheduler_states_go_both_ways() -> None:
    def trained(package: Any) -> Any:
        x = package.ones(3, requires_grad=True)
        optimizer = package.optim.Adam([x], lr=0.1)
        scheduler = package.optim.lr_scheduler.MultiStepLR(optimizer, [1, 2])
        for _ in range(3):
            optimizer.zero_grad()
            (x**3).sum().backward()
            optimizer.step()
            scheduler.step()
        return x, optimizer, scheduler

    for writer, reader in ((wend, torch), (torch, wend)):
        x, optimizer, scheduler = trained(writer)
        states = [optimizer.state_dict(), scheduler.state_dict(), x]
        loaded = reader.load(written(writer, states))
        y, other, schedule = trained(reader)
        other.load_state_dict(loaded[0])
        schedule.load_state_dict(loaded[1])
        with reader.no_grad():
            y.copy_(loaded[2])
        for tensor, used in ((x, optimizer), (y, other)):
            used.zero_grad()
            (tensor**3).sum().backward()
            used.step()
        assert y.tolist() == pytest.approx(x.tolist())


def test_storages_begin_on_a_boundary(tmp_path: Path) -> None:
    wend.save([wend.ones(3), wend.zeros(5)], tmp_path / "a.pt")
    mapped = torch.load(tmp_path / "a.pt", mmap=True)
    assert [x.data_ptr() % 64 for x in mapped] == [0, 0]
    assert mapped[0].tolist() == [1, 1, 1]


def test_the_same_object_gives_the_same_bytes() -> None:
    assert written(wend, everything(wend)).getvalue() == written(wend, everything(wend)).getvalue()


@pytest.mark.parametrize("kind", [str, Path])
def test_paths_of_both_kinds(tmp_path: Path, kind: Any) -> None:
    path = kind(tmp_path / "model.pt")
    wend.save({"x": wend.ones(2)}, path)
    compare(torch.load(path), wend.load(path, mmap=True, map_location="cpu"))


def test_a_failed_save_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    wend.save(wend.ones(2), path)
    before = path.read_bytes()

    class Broken:
        def __reduce__(self) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wend.save([wend.zeros(1000), Broken()], path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.pt"]


def test_a_crash_in_the_middle_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.pt"
    wend.save(wend.ones(2), path)
    before = path.read_bytes()

    def crash(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", crash)
    with pytest.raises(OSError, match="disk is full"):
        wend.save(wend.zeros(1000), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.pt"]


def test_saving_keeps_links_and_permissions(tmp_path: Path) -> None:
    path, link = tmp_path / "model.pt", tmp_path / "latest.pt"
    wend.save(1, path)
    path.chmod(0o640)
    link.symlink_to(path)
    wend.save(2, link)
    assert link.is_symlink()
    assert wend.load(path) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_stream_that_can_only_be_written_is_enough() -> None:
    class Stream:
        def __init__(self) -> None:
            self.parts: list[bytes] = []

        def write(self, part: bytes) -> int:
            self.parts.append(bytes(part))
            return len(part)

    stream = Stream()
    wend.save(wend.ones(3), stream)
    assert torch.load(io.BytesIO(b"".join(stream.parts))).tolist() == [1, 1, 1]


class Plain:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and self.value == other.value


def test_other_objects_need_trust() -> None:
    file = written(wend, {"object": Plain(3), "x": wend.ones(2)})
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL .*Plain was not an allowed global"):
        wend.load(file)
    assert wend.load(file, weights_only=False)["object"] == Plain(3)
    with wend.serialization.safe_globals([Plain]):
        assert wend.load(file)["object"] == Plain(3)
    assert wend.serialization.get_safe_globals() == []


def test_modules_of_pytorch_are_named_in_the_error() -> None:
    file = written(torch, torch.nn.Linear(1, 1))
    with pytest.raises(pickle.UnpicklingError, match=r"torch\.nn\.modules\.linear\.Linear"):
        wend.load(file)
    with pytest.raises(pickle.UnpicklingError, match="state_dict"):
        wend.load(file, weights_only=False)


def test_dtypes_that_wend_lacks_are_named() -> None:
    with pytest.raises(pickle.UnpicklingError, match="complex numbers"):
        wend.load(written(torch, torch.ones(2, dtype=torch.complex64)))


def test_files_from_other_devices_need_a_map_location() -> None:
    content = written(torch, torch.ones(2)).getvalue()
    assert content.count(b"X\x03\x00\x00\x00cpu") == 1
    from_cuda = _with_location(content, b"cuda:0")
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
        wend.load(io.BytesIO(from_cuda))
    for where in ("cpu", wend.device("cpu"), {"cuda:0": "cpu"}, lambda storage, location: storage):
        assert wend.load(io.BytesIO(from_cuda), map_location=where).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="CUDA"):
        wend.load(io.BytesIO(content), map_location="cuda")


def test_a_memory_map_needs_a_path() -> None:
    with pytest.raises(ValueError, match="f must be a file path in order to use the mmap argument"):
        wend.load(written(wend, 1), mmap=True)


def _with_location(content: bytes, location: bytes) -> bytes:
    """The file with a tensor that says it was on another device."""
    import zipfile

    old, new = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    with zipfile.ZipFile(new, "w") as archive:
        for info in old.infolist():
            text = old.read(info)
            if info.filename.endswith("data.pkl"):
                size = len(location).to_bytes(4, "little")
                text = text.replace(b"X\x03\x00\x00\x00cpu", b"X" + size + location)
            archive.writestr(zipfile.ZipInfo(info.filename), text)
    return new.getvalue()


def test_big_endian_files_are_read() -> None:
    import zipfile

    content = written(torch, torch.tensor([1, 2, 3], dtype=torch.int32)).getvalue()
    old, new = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    with zipfile.ZipFile(new, "w") as archive:
        for name in old.namelist():
            text = old.read(name)
            if name.endswith("byteorder"):
                text = b"big"
            elif "/data/" in name:
                text = b"".join(text[i : i + 4][::-1] for i in range(0, len(text), 4))
            archive.writestr(zipfile.ZipInfo(name), text)
    assert wend.load(new).tolist() == [1, 2, 3]


@alike
def test_bad_arguments_are_refused(torch: Any) -> Any:
    return [
        error_of(lambda: torch.save(1, 3)),
        error_of(lambda: torch.save(1, "/no/such/folder/x.pt")),
        error_of(lambda: torch.load("/no/such/file.pt")),
        error_of(lambda: torch.load(3)),
        error_of(lambda: torch.load(io.BytesIO(b"x"), weights_only=True, pickle_module=pickle)),
    ]


@raises_alike(EOFError)
def test_an_empty_file_has_nothing_to_read(torch: Any) -> None:
    try:
        torch.load(io.BytesIO())
    except EOFError:
        raise EOFError from None


# Disks that are full, and processes that are killed

SAVE = """
import sys, wend
from wend.utils import safetensors
big = {"a": wend.ones(300, 300), "b": wend.ones(300, 300)}
"""


def run(program: str, *args: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", SAVE + program, *args]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.skipif(STANDIN is not None, reason="of wend's own")
@pytest.mark.parametrize("room", [100, 3000, 370_000])
@pytest.mark.parametrize(
    "how",
    [
        "wend.save(big, path)",
        "safetensors.save_file(big, path)",
        "file = open(path + '.2', 'wb', 0); wend.save(big, file)",
    ],
)
def test_a_full_disk_is_told_once_and_harms_no_file(tmp_path: Path, how: str, room: int) -> None:
    path = tmp_path / "x.pt"
    path.write_bytes(b"before")
    done = run(
        f"""
import gc, resource
path = sys.argv[1]
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, -1))
try:
    {how}
except OSError as error:
    print(error.errno)
gc.collect()
""",
        str(path),
    )
    assert (done.stdout, done.stderr) == ("27\n", "")
    assert path.read_bytes() == b"before"
    assert not [each for each in os.listdir(tmp_path) if "tmp" in each]


@pytest.mark.skipif(STANDIN is not None, reason="of wend's own")
def test_a_killed_writer_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    program = SAVE + "print(flush=True)\nwhile True: wend.save(big, sys.argv[1])"
    path = tmp_path / "x.pt"
    wend.save({"a": wend.ones(300, 300)}, path)
    for i in range(6):
        command = [sys.executable, "-c", program, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(0.01 * i)
            child.kill()
        assert wend.load(path)["a"].sum().item() == 90_000
        if hasattr(os, "O_TMPFILE"):
            assert os.listdir(tmp_path) == ["x.pt"]


@pytest.mark.skipif(STANDIN is not None, reason="of wend's own")
def test_without_nameless_files_the_next_writer_takes_away_what_was_left(tmp_path: Path) -> None:
    path, name = str(tmp_path / "x.pt"), "x.pt.0123abcd.wend-tmp"
    (tmp_path / name).write_bytes(b"left by a process that was killed")
    others = ["x.pt.0123abcd.tmp", "y.pt.0123abcd.wend-tmp", "x.pt.wend-tmp"]
    for each in others:
        (tmp_path / each).write_bytes(b"not ours")
    done = run(
        """
import os
if hasattr(os, "O_TMPFILE"):
    del os.O_TMPFILE
from wend._replacing import replacing
with replacing(sys.argv[1]) as file:
    held = {name for name in os.listdir(os.path.dirname(sys.argv[1]))}
    wend.save(big, sys.argv[1])  # by another writer, who leaves alone what is being written
    assert held <= set(os.listdir(os.path.dirname(sys.argv[1])))
    file.write(b"the last one")
""",
        path,
    )
    assert done.stderr == ""
    assert Path(path).read_bytes() == b"the last one"
    assert sorted(os.listdir(tmp_path)) == sorted(["x.pt", *others])


class Stream:
    """Takes what is written as a simple object does: so much at a time."""

    def __init__(self, most: int, answer: Any = None) -> None:
        self.content, self.most, self.answer = b"", most, answer

    def write(self, content: Any) -> Any:
        taken = content[: self.most]
        self.content += taken
        return len(taken) if self.answer is None else self.answer[0]


@pytest.mark.parametrize("stream", [Stream(1000), Stream(7), Stream(10**9, [None])])
def test_streams_may_take_a_part_at_a_time_or_say_nothing(stream: Stream) -> None:
    wend.save({"a": wend.arange(500)}, stream)
    assert wend.load(io.BytesIO(stream.content))["a"].tolist() == list(range(500))


def test_a_stream_that_takes_no_more_ends_the_save() -> None:
    with pytest.raises(OSError, match="takes no more"):
        wend.save([1], Stream(0))


@pytest.mark.parametrize(("writer", "reader"), [(wend, torch), (torch, wend), (wend, wend)])
def test_a_file_may_begin_with_something_else(writer: Any, reader: Any) -> None:
    file = io.BytesIO(b"x" * 100)
    file.seek(100)
    writer.save({"a": 1}, file)
    file.seek(100)
    assert reader.load(file) == {"a": 1}


@pytest.mark.skipif(STANDIN is not None, reason="PyTorch gives the first one of two")
def test_two_archives_in_one_file_are_not_mixed_up() -> None:
    file = io.BytesIO()
    wend.save(1, file)
    wend.save(2, file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="something else lies before"):
        wend.load(file)


@pytest.mark.parametrize("name", ["é.pt", "\udcff.pt", "a\nb.pt", "a" * 250 + ".pt", ".pt", "-"])
def test_any_name_that_a_file_may_have(tmp_path: Path, name: str) -> None:
    for _ in range(2):
        wend.save([1], tmp_path / name)
    assert wend.load(tmp_path / name) == torch.load(tmp_path / name) == [1]
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("save", [wend.save, lambda _, f: save_file({}, f)])
def test_what_cannot_be_a_file_is_not_replaced(tmp_path: Path, save: Any) -> None:
    os.symlink("loop", tmp_path / "loop")
    os.mkdir(tmp_path / "folder")
    for path in ("", f"{tmp_path}/loop", f"{tmp_path}/folder", f"{tmp_path}/new/"):
        with pytest.raises(OSError, match="Errno"):
            save([1], path)
    assert sorted(os.listdir(tmp_path)) == ["folder", "loop"]


@pytest.mark.skipif(STANDIN is not None, reason="of wend's own")
@pytest.mark.skipif(os.name != "posix", reason="needs users")
def test_a_file_that_may_not_be_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "x.pt"
    path.parent.mkdir()
    wend.save([1], path)
    path.chmod(0o444)
    if os.getuid() == 0:
        for each in (*path.parents[:2], path):
            os.chown(each, 65534, 65534)
    done = run(
        """
import os
os.getuid() == 0 and os.setresuid(65534, 65534, 65534)
os.chdir(sys.argv[1])
wend.save([2], "x.pt")
""",
        str(path.parent),
    )
    assert "PermissionError: [Errno 13] Permission denied" in done.stderr
    assert wend.load(path) == [1]


# What PyTorch's files hold that wend has not


class Doubled(torch.nn.Module):
    def forward(self, x: Any) -> Any:
        return x * 2


FOREIGN = {
    "sparse": (lambda f: torch.save({"a": torch.eye(3).to_sparse()}, f), "to_dense"),
    "sparse rows": (lambda f: torch.save(torch.eye(3).to_sparse_csr(), f), "to_dense"),
    "complex": (lambda f: torch.save(torch.ones(2, dtype=torch.complex64), f), "view_as_real"),
    "quantized": (
        lambda f: torch.save(torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8), f),
        "dequantize",
    ),
    "nested": (lambda f: torch.save(torch.nested.nested_tensor([torch.ones(2)]), f), "unbind"),
    "without values": (lambda f: torch.save(torch.ones(2, device="meta"), f), "no values"),
    "a model": (lambda f: torch.save(torch.nn.Linear(1, 1), f), "state_dict"),
    "TorchScript": (
        lambda f: torch.jit.save(torch.jit.trace(Doubled(), torch.ones(1)), f),
        "torch.jit.load",
    ),
    "before 1.6": (
        lambda f: torch.save(torch.ones(2), f, _use_new_zipfile_serialization=False),
        "torch.save it again",
    ),
    "a pickle": (lambda f: pickle.dump({"a": 1}, f), "pickle.load"),
    "an array": (lambda f: np.save(f, np.ones(2)), "numpy.load"),
    "arrays": (lambda f: np.savez(f, a=np.ones(2)), "numpy.load"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(STANDIN is not None, reason="of wend's own")
@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("kind", FOREIGN)
def test_what_wend_cannot_load_gets_advice_that_fits(kind: str, weights_only: bool) -> None:
    write, advice = FOREIGN[kind]
    file = io.BytesIO()
    write(file)
    file.seek(0)
    with pytest.raises((RuntimeError, pickle.UnpicklingError)) as caught:
        wend.load(file, weights_only=weights_only)
    assert advice in str(caught.value)
    assert "weights_only" not in str(caught.value)
    assert "corrupt" not in str(caught.value)


def test_safetensors_are_told_from_files_of_save() -> None:
    from wend.utils import safetensors

    with pytest.raises(RuntimeError, match=r"safetensors\.load_file"):
        wend.load(io.BytesIO(safetensors.save({"a": wend.ones(2)})))
