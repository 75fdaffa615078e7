"""Weight normalisation by a hook, the older way; parametrizations.weight_norm is the newer one."""

from __future__ import annotations

import warnings
from typing import Any

from wend._C import Tensor
from wend._norms import norm_except_dim
from wend.nn.parameter import Parameter, is_lazy

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


class WeightNorm:
    """Computes a weight of its length and direction before each call of its module."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Tensor:
        """Return the weight."""
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        result: Tensor = v * (g / norm_except_dim(v, 2, self.dim))
        return result

    def remove(self, module: Any) -> None:
        """Make the weight a parameter again."""
        weight = self.compute_weight(module).detach()
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Train length and direction of a weight apart.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     m = wend.nn.utils.weight_norm(wend.nn.Linear(2, 3))
    >>> [name for name, _ in m.named_parameters()]
    ['bias', 'weight_g', 'weight_v']
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, WeightNorm) and hook.name == name:
            raise RuntimeError(
                f"Cannot register two weight_norm hooks on the same parameter {name}"
            )
    weight = getattr(module, name)
    if is_lazy(weight):
        raise ValueError(
            "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to "
            "run the dummy forward before applying weight normalization"
        )
    norm = WeightNorm(name, dim)
    del module._parameters[name]
    length = norm_except_dim(weight.detach(), 2, norm.dim)
    module.register_parameter(name + "_g", Parameter(length))
    module.register_parameter(name + "_v", Parameter(weight.detach()))
    setattr(module, name, norm.compute_weight(module))
    module.register_forward_pre_hook(norm)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Make a normalised weight an ordinary parameter again."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
