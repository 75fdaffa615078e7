"""Mixed precision: contexts and the scaler of PyTorch, which on a CPU do nothing unless asked.

Choosing 16-bit kernels for a whole block is refused; models can be converted with `.to(dtype)`.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import wend
from wend._C import Tensor

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]


def is_autocast_available(device_type: str) -> bool:
    """Return False: no device has it.

    >>> wend.amp.is_autocast_available("cpu")
    False
    """
    return False


class autocast:  # noqa: N801
    """A block in which PyTorch would compute in 16 bits; here it may only be switched off.

    >>> with wend.autocast("cuda", enabled=False):
    ...     print((wend.ones(2) * 2).dtype)
    torch.float32
    """

    def __init__(
        self,
        device_type: str,
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if enabled and device_type == "cuda":
            warnings.warn(
                "CUDA is not available or torch_xla is imported. Disabling autocast.",
                stacklevel=2,
            )
            enabled = False
        if enabled:
            raise RuntimeError(
                f"wend has no autocast for device_type '{device_type}': "
                "convert the model and its inputs with .to(torch.bfloat16), or pass enabled=False"
            )
        self.device = device_type
        self.fast_dtype = dtype

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, called within the block."""

        @functools.wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return within


class GradScaler:
    """Scales losses so that 16-bit gradients do not vanish; without a GPU it leaves them alone.

    >>> scaler = wend.amp.GradScaler("cuda", enabled=False)
    >>> scaler.scale(wend.tensor(2.0)), scaler.get_scale()
    (tensor(2.), 1.0)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and device != "cuda":
            raise RuntimeError("wend scales no gradients: pass enabled=False")
        if enabled:
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                stacklevel=2,
            )

    def is_enabled(self) -> bool:
        """Return False."""
        return False

    def scale(self, outputs: Any) -> Any:
        """Return the losses as they are."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Leave the gradients as they are."""

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Call the optimizer's step."""
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Do nothing: the scale is 1."""

    def get_scale(self) -> float:
        """Return 1."""
        return 1.0

    def state_dict(self) -> dict[str, Any]:
        """Return nothing: there is no state."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Do nothing: there is no state."""


def custom_fwd(
    fwd: Any = None, *, device_type: str = "cuda", cast_inputs: Any = None
) -> Callable[..., Any]:
    """Return the forward of an `autograd.Function` as it is: nothing is cast outside autocast."""
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    result: Callable[..., Any] = fwd
    return result


def custom_bwd(bwd: Any = None, *, device_type: str = "cuda") -> Callable[..., Any]:
    """Return the backward of an `autograd.Function` as it is."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    result: Callable[..., Any] = bwd
    return result


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Return False: there is no autocast.

    >>> wend.is_autocast_enabled()
    False
    """
    return False


def get_autocast_dtype(device_type: str) -> Any:
    """Return the dtype that autocast would use.

    >>> wend.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    return wend.bfloat16 if device_type == "cpu" else wend.float16


def is_autocast_cpu_enabled() -> bool:
    """Return False."""
    return False


def get_autocast_cpu_dtype() -> Any:
    """Return what `autocast("cpu")` would compute in."""
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> Any:
    """Return what `autocast("cuda")` would compute in."""
    return get_autocast_dtype("cuda")
