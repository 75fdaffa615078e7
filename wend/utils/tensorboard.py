"""SummaryWriter: what a training reports, in files that TensorBoard shows.

The format and the writing are the `tensorboard` package's, which must be installed.
"""

from __future__ import annotations

import importlib
import io
import os
import struct
import time
import zlib
from collections.abc import Mapping
from typing import Any

import wend
from wend import Tensor

__all__ = ["SummaryWriter"]


def _package(name: str) -> Any:
    try:
        return importlib.import_module(f"tensorboard.{name}")
    except ImportError as error:
        raise ModuleNotFoundError(
            "wend.utils.tensorboard needs the tensorboard package: pip install tensorboard"
        ) from error


def _array(values: Any) -> Any:
    """Values as an array of NumPy."""
    import numpy

    if isinstance(values, Tensor):
        values = values.detach()
        return (values.float() if values.dtype is wend.bfloat16 else values).numpy()
    return numpy.asarray(values)


def _bytes(image: Any) -> Any:
    """An image as bytes: numbers with a point are parts of 1."""
    import numpy

    if image.dtype == numpy.uint8:
        return image
    return (image.astype(numpy.float64) * 255).clip(0, 255).astype(numpy.uint8)


def _png(image: Any) -> bytes:
    """An image of (rows, columns, channels) bytes as a PNG file."""
    rows, columns, channels = image.shape
    kinds = {1: 0, 2: 4, 3: 2, 4: 6}
    if channels not in kinds:
        raise ValueError(f"an image has 1 to 4 channels, not {channels}")

    def chunk(name: bytes, content: bytes) -> bytes:
        check = zlib.crc32(name + content)
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)

    lines = b"".join(b"\0" + image[i].tobytes() for i in range(rows))
    header = struct.pack(">IIBBBBB", columns, rows, 8, kinds[channels], 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(lines)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


class SummaryWriter:
    """Writes scalars, histograms, images and texts by name and step into a directory.

    log_dir: `runs/` and the time and host, unless it is given.
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        if log_dir is None:
            import socket

            moment = time.strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{moment}_{socket.gethostname()}{comment}")
        self.log_dir: str = os.fspath(log_dir)
        self.purge_step = purge_step
        self._options = (max_queue, flush_secs, filename_suffix)
        self._proto = _package("compat.proto.summary_pb2")
        self._events = _package("compat.proto.event_pb2")
        self._files: dict[str, Any] = {}
        first = self._file(self.log_dir)
        if purge_step is not None:
            session = self._events.SessionLog(status=self._events.SessionLog.START)
            event = self._events.Event(wall_time=time.time(), step=purge_step)
            event.session_log.CopyFrom(session)
            first.add_event(event)

    def _file(self, folder: str) -> Any:
        if folder not in self._files:
            module = _package("summary.writer.event_file_writer")
            size, seconds, suffix = self._options
            self._files[folder] = module.EventFileWriter(folder, size, seconds, suffix)
        return self._files[folder]

    def _add(
        self, value: Any, step: Any, walltime: float | None = None, folder: str | None = None
    ) -> None:
        event = self._events.Event(wall_time=time.time() if walltime is None else walltime)
        if step is not None:
            event.step = int(step)
        event.summary.value.append(value)
        self._file(folder or self.log_dir).add_event(event)

    def get_logdir(self) -> str:
        """Return the directory."""
        return self.log_dir

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Add a number."""
        number = float(scalar_value)
        value = self._proto.Summary.Value(tag=tag, simple_value=number)
        if new_style or double_precision:
            dtype = wend.float64 if double_precision else wend.float32
            tensor = self._tensor([number], "DT_DOUBLE" if double_precision else "DT_FLOAT", dtype)
            value = self._proto.Summary.Value(tag=tag, tensor=tensor)
            value.metadata.plugin_data.plugin_name = "scalars"
        self._add(value, global_step, walltime)

    def _tensor(self, values: list[Any], kind: str, dtype: Any = None) -> Any:
        types = _package("compat.proto.types_pb2")
        made = _package("compat.proto.tensor_pb2").TensorProto(dtype=getattr(types, kind))
        if dtype is None:
            made.string_val.extend(values)
            made.tensor_shape.dim.add().size = len(values)
        else:
            made.tensor_content = wend.tensor(values, dtype=dtype)._storage_content()
        return made

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Add several numbers that are shown in one plot."""
        for name, number in tag_scalar_dict.items():
            folder = f"{self.log_dir}/{main_tag.replace('/', '_')}_{name}"
            value = self._proto.Summary.Value(tag=main_tag, simple_value=float(number))
            self._add(value, global_step, walltime, folder)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Any = "auto",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Add how values are distributed."""
        import numpy

        flat = _array(values).astype(numpy.float64).reshape(-1)
        if flat.size == 0:
            raise ValueError("The input has no element.")
        counts, edges = numpy.histogram(flat, bins="auto" if bins == "tensorflow" else bins)
        if max_bins is not None and len(counts) > max_bins:
            counts, edges = numpy.histogram(flat, bins=max_bins)
        made = self._proto.HistogramProto(
            min=flat.min(),
            max=flat.max(),
            num=flat.size,
            sum=flat.sum(),
            sum_squares=flat.dot(flat),
            bucket_limit=edges[1:].tolist(),
            bucket=counts.tolist(),
        )
        self._add(self._proto.Summary.Value(tag=tag, histo=made), global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Add an image, whose dimensions are named by letters: channels, height, width."""
        image = _bytes(_array(img_tensor))
        order = dataformats.upper()
        if (
            len(order) != image.ndim
            or not set(order) <= set("CHW")
            or len(set(order)) != len(order)
        ):
            raise ValueError(
                f"size of input tensor and input format are different. "
                f"tensor shape: {image.shape}, input_format: {dataformats}"
            )
        if "C" not in order:
            image, order = image[..., None], order + "C"
        image = image.transpose([order.index(letter) for letter in "HWC"])
        self._add_png(tag, image, global_step, walltime)

    def _add_png(self, tag: str, image: Any, step: Any, walltime: float | None) -> None:
        rows, columns, channels = image.shape
        made = self._proto.Summary.Image(
            height=rows, width=columns, colorspace=channels, encoded_image_string=_png(image)
        )
        self._add(self._proto.Summary.Value(tag=tag, image=made), step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Add images side by side."""
        import numpy

        order = dataformats.upper()
        images = _bytes(_array(img_tensor))
        if sorted(order) != sorted("NCHW"[: len(order)] if len(order) == 4 else "NHW"):
            raise ValueError(f"dataformats must name N, C, H and W, got {dataformats}")
        if "C" not in order:
            images, order = images[..., None], order + "C"
        images = images.transpose([order.index(letter) for letter in "NHWC"])
        self._add_png(tag, numpy.concatenate(list(images), 1), global_step, walltime)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: int | None = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """Add a figure of Matplotlib."""
        file = io.BytesIO()
        figure.savefig(file, format="png")
        width, height = (int(size) for size in figure.canvas.get_width_height())
        made = self._proto.Summary.Image(
            height=height, width=width, colorspace=4, encoded_image_string=file.getvalue()
        )
        self._add(self._proto.Summary.Value(tag=tag, image=made), global_step, walltime)
        if close:
            importlib.import_module("matplotlib.pyplot").close(figure)

    def add_text(
        self,
        tag: str,
        text_string: str,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Add a text, in Markdown."""
        tensor = self._tensor([text_string.encode()], "DT_STRING")
        value = self._proto.Summary.Value(tag=f"{tag}/text_summary", tensor=tensor)
        value.metadata.plugin_data.plugin_name = "text"
        self._add(value, global_step, walltime)

    def flush(self) -> None:
        """Write all that was added."""
        for file in self._files.values():
            file.flush()

    def close(self) -> None:
        """Write all that was added, and let the files go."""
        for file in self._files.values():
            file.flush()
            file.close()
        self._files = {}

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
