"""Export to ONNX, which wend does not have yet: models may ask whether it goes on."""

from __future__ import annotations

from wend._absent import absent_names

__all__ = ["is_in_onnx_export"]


def is_in_onnx_export() -> bool:
    """Return False.

    >>> wend.onnx.is_in_onnx_export()
    False
    """
    return False


globals().update(
    absent_names(
        "torch.onnx",
        "ExportableModule InputObserver ONNXProgram OnnxExporterError export",
        "save the weights with torch.save",
    )
)
