"""The older names of PyTorch's profiler: labels do nothing, profiling is `wend.report`."""

from __future__ import annotations

from wend._absent import absent_names
from wend.profiler import _INSTEAD, record_function

__all__ = ["record_function"]

globals().update(
    absent_names(
        "torch.autograd.profiler",
        "profile emit_itt emit_nvtx load_nvprof EventList FunctionEvent KinetoStepTracker",
        _INSTEAD,
    )
)
