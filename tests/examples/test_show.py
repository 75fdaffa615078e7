"""Examples end with a picture, or with a sentence where matplotlib is not installed."""

import sys
from pathlib import Path

import pytest
import show


def test_a_picture_is_written_and_its_path_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "curve.png"
    show.save(str(path), show.curve([3.0, 2.0, 1.0], "loss"))
    assert path.read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out == f"Picture: {path}\n"


def test_without_matplotlib_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    path = tmp_path / "curve.png"
    show.save(str(path), show.curve([1.0], "loss"))
    assert not path.exists()
    assert "matplotlib is not installed" in capsys.readouterr().out


def test_held_out_data_is_apart_from_the_rest() -> None:
    seen, unseen = show.split(range(50), held_out=0.2, seed=1)
    assert len(unseen) == 10
    assert sorted(seen + unseen) == list(range(50))
