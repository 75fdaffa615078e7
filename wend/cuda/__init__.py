"""What programs ask before they use a GPU: there is none, wend runs on the CPU."""

from __future__ import annotations

from typing import Any, NoReturn

from wend import Tensor
from wend._absent import absent_names
from wend.accelerator import AcceleratorError as AcceleratorError
from wend.accelerator import OutOfMemoryError as OutOfMemoryError


def is_available() -> bool:
    """Return False.

    >>> wend.cuda.is_available()
    False
    """
    return False


def device_count() -> int:
    """Return 0."""
    return 0


def is_initialized() -> bool:
    """Return False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return False."""
    return False


def manual_seed(seed: int) -> None:
    """Do nothing: there is no GPU whose generator could be seeded."""


manual_seed_all = manual_seed


def empty_cache() -> None:
    """Do nothing: there is no GPU memory."""


def memory_allocated(device: Any = None) -> int:
    """Return 0: there is no GPU memory."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


def get_rng_state_all() -> list[Tensor]:
    """Return no states: there is no GPU."""
    return []


def set_rng_state_all(new_states: Any) -> None:
    """Restore no states: there is no GPU."""


def get_arch_list() -> list[str]:
    """Return no architectures."""
    return []


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise: there is no GPU."""
    raise AssertionError("Torch not compiled with CUDA enabled")


current_device = get_device_name = get_device_properties = get_device_capability = _refuse
set_device = synchronize = mem_get_info = init = current_stream = get_rng_state = _refuse
reset_peak_memory_stats = set_per_process_memory_fraction = _refuse


class Stream:
    """Raises: there is no GPU to queue work for."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("torch.cuda.Stream requires CUDA support")


class Event:
    """Raises: there is no GPU to wait for."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class Event")


class device:  # noqa: N801
    """A context that programs choose a GPU with; it does nothing unless one is there."""

    def __init__(self, device: Any) -> None:
        self.idx = device

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


class StreamContext:
    """A block whose work goes to a stream, of which there is none: it does nothing."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


stream = StreamContext
device_of = device


def is_current_stream_capturing() -> bool:
    """Return False: there is no GPU whose work could be captured."""
    return False


is_tf32_supported = is_current_stream_capturing


def memory_stats(device: Any = None) -> dict[str, Any]:
    """Return nothing: there is no GPU memory."""
    return {}


default_generators: tuple[Any, ...] = ()
has_half = has_magma = False
ipc_collect = empty_cache
seed_all = seed = empty_cache
memory_cached = max_memory_cached = memory_allocated
default_stream = get_sync_debug_mode = initial_seed = set_stream = set_rng_state = _refuse
reset_max_memory_allocated = reset_max_memory_cached = memory_summary = _refuse
memory_snapshot = list_gpu_processes = utilization = temperature = power_draw = _refuse
clock_rate = can_device_access_peer = set_sync_debug_mode = cudart = _refuse
globals().update(
    absent_names(
        "torch.cuda",
        "CUDAGraph CUDAPluggableAllocator CudaError DeferredCudaCallError ExternalStream MemPool"
        " graph graph_pool_handle make_graphed_callables use_mem_pool",
        "there is no GPU; wend runs on the CPU",
    )
)


def __getattr__(name: str) -> Any:
    if name == "amp":
        from importlib import import_module

        return import_module("wend.cuda.amp")
    raise AttributeError(f"module 'torch.cuda' has no attribute '{name}'")
