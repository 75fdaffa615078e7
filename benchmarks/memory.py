"""Measures the most memory that a step takes, beyond what it finds: of the process, and of tensors.

What the step does is the workload's.
"""

import gc
import re
from pathlib import Path
from typing import Any

from benchmarks.workload import Step

STATUS = Path("/proc/self/status")
FORGET_PEAK = Path("/proc/self/clear_refs")


def status(field: str) -> int:
    """A size in /proc/self/status, in bytes."""
    found = re.search(rf"^{field}:\s+(\d+) kB", STATUS.read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


def resident_peak(step: Step) -> int:
    """Growth of the process in its first two steps, the libraries that they load included."""
    gc.collect()
    FORGET_PEAK.write_text("5")
    before = status("VmRSS")
    step()
    step()
    return status("VmHWM") - before


def torch_tensor_peak(torch: Any, step: Step) -> int:
    """By the profiler, which notes what each allocation adds and each release of one that it saw.

    So the step before is under it as well.
    """
    profiler = torch.profiler
    with profiler.profile(
        activities=[profiler.ProfilerActivity.CPU], profile_memory=True, acc_events=True
    ) as profile:
        step()
        with profiler.record_function("measured"):
            step()
    now = before = highest = 0
    events = profile.profiler.kineto_results.events()
    for event in sorted(events, key=lambda event: event.start_ns()):
        if event.name() == "measured":
            before = highest = now
        elif event.name() == "[memory]":
            now += event.nbytes()
            highest = max(highest, now)
    return int(highest - before)


def wend_tensor_peak(wend: Any, step: Step) -> int:
    """After as many steps as PyTorch has done, so that what follows can be compared."""
    step()
    before = wend.memory_stats()["allocated_bytes"]
    wend.reset_peak_memory_stats()
    step()
    return int(wend.memory_stats()["peak_bytes"] - before)


def peaks(module: Any, step: Step) -> dict[str, float]:
    """In megabytes, of a step that finds gradients of the step before."""
    resident = resident_peak(step)
    gc.collect()
    by_name = {"torch": torch_tensor_peak, "wend": wend_tensor_peak}
    return {"resident": resident / 1e6, "tensors": by_name[module.__name__](module, step) / 1e6}
