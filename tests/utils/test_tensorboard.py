"""What SummaryWriter writes is what TensorBoard reads."""

from pathlib import Path
from typing import Any

import pytest
from both import wend

pytest.importorskip("tensorboard")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def events(folder: Path) -> Any:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    read = EventAccumulator(str(folder), size_guidance={"tensors": 0})
    read.Reload()
    return read


def test_what_is_written_is_read(tmp_path: Path) -> None:
    with wend.utils.tensorboard.SummaryWriter(tmp_path) as writer:
        for step in range(3):
            writer.add_scalar("loss", wend.tensor(1.5) / (step + 1), step)
        writer.add_scalar("precise", 0.1, 0, double_precision=True)
        writer.add_histogram("weights", wend.arange(100.0), 1)
        writer.add_image("picture", wend.rand(3, 4, 5), 2)
        writer.add_images("pictures", wend.rand(2, 1, 4, 5), 2)
        writer.add_text("note", "**hello**", 0)
        writer.add_scalars("both", {"a": 1.0, "b": 2.0}, 0)
        assert writer.get_logdir() == str(tmp_path)
    read = events(tmp_path)
    losses = [(event.step, event.value) for event in read.Scalars("loss")]
    assert losses == [(0, 1.5), (1, 0.75), (2, 0.5)]
    (weights,) = read.Histograms("weights")
    assert weights.histogram_value.num == 100
    assert weights.histogram_value.sum == 4950
    assert sum(weights.histogram_value.bucket) == 100
    picture, pictures = read.Images("picture")[0], read.Images("pictures")[0]
    assert (picture.width, picture.height) == (5, 4)
    assert (pictures.width, pictures.height) == (10, 4)
    assert picture.encoded_image_string.startswith(b"\x89PNG")
    (note,) = read.Tensors("note/text_summary")
    assert note.tensor_proto.string_val[0] == b"**hello**"
    assert [e.value for e in events(tmp_path / "both_b").Scalars("both")] == [2.0]


def test_images_are_read_by_others(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    import io

    pixels = wend.tensor([[[255, 0], [0, 128]]], dtype=wend.uint8)
    with wend.utils.tensorboard.SummaryWriter(tmp_path) as writer:
        writer.add_image("gray", pixels)
        with pytest.raises(ValueError, match="input format are different"):
            writer.add_image("gray", pixels, dataformats="HW")
    shown = image.open(io.BytesIO(events(tmp_path).Images("gray")[0].encoded_image_string))
    assert list(shown.getdata()) == [255, 0, 0, 128]
