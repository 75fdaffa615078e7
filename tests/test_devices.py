"""Programs that ask for accelerators are told what PyTorch without them tells."""

from typing import Any

from both import alike, error_of


@alike
def test_no_accelerator_is_there(torch: Any) -> Any:
    import importlib

    for name in ("accelerator", "mps", "xpu", "backends"):
        importlib.import_module(f"{torch.__name__}.{name}")
    return [
        torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.is_initialized(),
        torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated(),
        torch.cuda.get_rng_state_all(), torch.cuda.get_arch_list(), torch.cuda.is_bf16_supported(),
        torch.accelerator.is_available(), torch.accelerator.device_count(),
        torch.accelerator.current_accelerator(), torch.mps.is_available()
        if hasattr(torch.mps, "is_available") else False, torch.mps.device_count(),
        torch.xpu.is_available(), torch.xpu.device_count(),
        torch.backends.mps.is_available(), torch.backends.mps.is_built(),
        torch.backends.cuda.is_built(), torch.backends.cuda.matmul.allow_tf32,
        torch.backends.cudnn.is_available(), torch.backends.cudnn.version(),
        torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark,
        torch.backends.cudnn.deterministic, torch.version.cuda, torch.version.hip,
    ]  # fmt: skip


@alike
def test_using_one_is_refused(torch: Any) -> Any:
    return [
        error_of(lambda: torch.cuda.current_device()),
        error_of(lambda: torch.cuda.get_device_name(0)),
        error_of(lambda: torch.cuda.synchronize()),
        error_of(lambda: torch.cuda.get_device_capability()),
        error_of(lambda: torch.cuda.Stream()),
        error_of(lambda: torch.cuda.Event()),
        error_of(lambda: torch.ones(1).cuda()),
        error_of(lambda: torch.ones(1, device="cuda")),
        error_of(lambda: torch.accelerator.synchronize()),
    ]


@alike
def test_switches_are_kept(torch: Any) -> Any:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    after = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(before)
    torch.use_deterministic_algorithms(True)
    deterministic = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(False)
    return before, after, deterministic, torch.are_deterministic_algorithms_enabled()
