"""Networks that change while they train: layers wider, deeper, narrower or replaced.

Parameters stay the same objects, so that an optimizer goes on with them; what it keeps for each is
changed along. What a step does with it is left to the optimizer.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import wend
from wend import Tensor
from wend.nn import init
from wend.nn.modules.activation import ReLU, ReLU6
from wend.nn.modules.batchnorm import _NormBase
from wend.nn.modules.container import Sequential
from wend.nn.modules.conv import _ConvNd
from wend.nn.modules.linear import Linear
from wend.nn.modules.module import Module
from wend.nn.modules.normalization import GroupNorm, LayerNorm, LocalResponseNorm, RMSNorm

__all__ = ["Residual", "deepen_", "prune_", "replace_", "widen_"]

Layer = Linear | _ConvNd
# They mix units, so that one more or less changes what the others give.
_MIXING = (LayerNorm, GroupNorm, RMSNorm, LocalResponseNorm)


def _out_dim(layer: Layer) -> int:
    return 1 if isinstance(layer, _ConvNd) and layer.transposed else 0


def _units(layer: Layer) -> int:
    return layer.out_features if isinstance(layer, Linear) else layer.out_channels


def _inputs(layer: Layer) -> int:
    return layer.in_features if isinstance(layer, Linear) else layer.in_channels


def _check(layer: Any, into: Sequence[Any], between: Sequence[Module]) -> None:
    for each in (layer, *into):
        if not isinstance(each, (Linear, _ConvNd)):
            raise TypeError(f"can only grow and prune linear and convolution layers, not {each}")
        if isinstance(each, _ConvNd) and each.groups != 1:
            raise ValueError(f"cannot change the units of a layer with groups: {each}")
    for module in between:
        if isinstance(module, _MIXING):
            raise ValueError(
                f"{module} mixes units, so that their number cannot change without changing what "
                "the network computes"
            )
    for each in into:
        if _inputs(each) % _units(layer):
            raise ValueError(
                f"{each} has {_inputs(each)} inputs, which are not those of {_units(layer)} units"
            )


def _change(tensor: Any, dim: int, kept: Tensor, new: Tensor | None, optimizer: Any) -> None:
    """Keep some places of a tensor along a dimension, and put new ones behind them.

    What the optimizer keeps in the tensor's shape is changed alike, with zeros for the new.
    """

    def changed(old: Tensor, more: Tensor | None) -> Tensor:
        rest = old.index_select(dim, kept)
        return rest if more is None else wend.cat([rest, more.to(rest.dtype)], dim)

    with wend.no_grad():
        shape = tensor.shape
        state = {} if optimizer is None else optimizer.state.get(tensor, {})
        for key, value in state.items():
            if isinstance(value, Tensor) and value.shape == shape and value.dim():
                state[key] = changed(value, None if new is None else wend.zeros_like(new))
        if tensor.grad is not None:
            grad = changed(tensor.grad, None if new is None else wend.zeros_like(new))
            tensor.grad = None
            tensor.data = changed(tensor.detach(), new)
            tensor.grad = grad
        else:
            tensor.data = changed(tensor.detach(), new)


def _columns(kept: Tensor, each: int) -> Tensor:
    """The inputs that belong to units, `each` of them to one, as after Flatten."""
    if each == 1:
        return kept
    return (kept.unsqueeze(1) * each + wend.arange(each)).reshape(-1)


def _set_units(layer: Layer, units: int) -> None:
    if isinstance(layer, Linear):
        layer.out_features = units
    else:
        layer.out_channels = units


def _set_inputs(layer: Layer, inputs: int) -> None:
    if isinstance(layer, Linear):
        layer.in_features = inputs
    else:
        layer.in_channels = inputs


def _change_between(module: Any, units: int, kept: Tensor, more: int, optimizer: Any) -> None:
    """Change a module that holds something for each unit, such as BatchNorm or PReLU."""
    for name, tensor in (*module._parameters.items(), *module._buffers.items()):
        if tensor is None or tensor.dim() != 1 or tensor.size(0) != units or units == 1:
            continue
        fill = 0.0 if name in ("bias", "running_mean") else 1.0
        if name == "weight" and not isinstance(module, _NormBase):
            fill = float(tensor.detach().mean())
        new = wend.full((more,), fill, dtype=tensor.dtype) if more else None
        _change(tensor, 0, kept, new, optimizer)
    for name in ("num_features", "num_parameters"):
        if getattr(module, name, None) == units and units != 1:
            setattr(module, name, kept.numel() + more)


def _listed(into: Any) -> list[Any]:
    return [into] if isinstance(into, Module) else list(into)


def widen_(
    layer: Any,
    width: int,
    into: Any,
    *,
    between: Iterable[Module] = (),
    optimizer: Any = None,
) -> None:
    """Give a layer more units, without changing what the network computes.

    The new units have weights as at first, and those who read them weigh them with 0.
    into: the layer, or layers, that read this one's output. between: what lies between them.

    >>> a, b = wend.nn.Linear(2, 3), wend.nn.Linear(3, 1)
    >>> before = b(a(wend.ones(1, 2)).relu())
    >>> wend.nn.grow.widen_(a, 8, into=b)
    >>> wend.allclose(b(a(wend.ones(1, 2)).relu()), before)
    True
    """
    readers, modules = _listed(into), list(between)
    _check(layer, readers, modules)
    units = _units(layer)
    more = width - units
    if more < 0:
        raise ValueError(f"the layer has {units} units already, more than {width}; see prune_")
    kept = wend.arange(units)
    fresh = copy.deepcopy(layer)
    _set_units(fresh, width)
    dim = _out_dim(layer)
    shape = list(layer.weight.shape)
    shape[dim] = width
    fresh.weight.data = wend.empty(shape, dtype=layer.weight.dtype)
    if fresh.bias is not None:
        fresh.bias.data = wend.empty(width, dtype=layer.weight.dtype)
    fresh.reset_parameters()
    for name in ("weight", "bias"):
        tensor = getattr(layer, name)
        if tensor is not None:
            at = dim if name == "weight" else 0
            new = getattr(fresh, name).detach().narrow(at, units, more)
            _change(tensor, at, kept, new, optimizer)
    _set_units(layer, width)
    for module in modules:
        _change_between(module, units, kept, more, optimizer)
    for reader in readers:
        each = _inputs(reader) // units
        at = 1 - _out_dim(reader)
        sizes = list(reader.weight.shape)
        sizes[at] = more * each
        nothing = wend.zeros(sizes, dtype=reader.weight.dtype)
        _change(reader.weight, at, wend.arange(units * each), nothing, optimizer)
        _set_inputs(reader, width * each)


def prune_(
    layer: Any,
    units: int | Sequence[int],
    into: Any,
    *,
    between: Iterable[Module] = (),
    optimizer: Any = None,
) -> list[int]:
    """Remove units of a layer, and return which ones were kept.

    units: which ones, or how many: those that matter least, by their weights in and out. Units
    that nobody weighs go without a change of what the network computes.

    >>> a, b = wend.nn.Linear(2, 3), wend.nn.Linear(3, 1)
    >>> wend.nn.grow.prune_(a, [1], into=b)
    [0, 2]
    >>> a
    Linear(in_features=2, out_features=2, bias=True)
    """
    readers, modules = _listed(into), list(between)
    _check(layer, readers, modules)
    count = _units(layer)
    gone = _least_important(layer, readers, units) if isinstance(units, int) else list(units)
    if not all(-count <= unit < count for unit in gone):
        raise IndexError(f"the layer has {count} units, there are none of the numbers {gone}")
    left = [unit for unit in range(count) if unit not in {each % count for each in gone}]
    if not left:
        raise ValueError("a layer must keep at least one unit")
    kept = wend.tensor(left)
    _change(layer.weight, _out_dim(layer), kept, None, optimizer)
    if layer.bias is not None:
        _change(layer.bias, 0, kept, None, optimizer)
    _set_units(layer, len(left))
    for module in modules:
        _change_between(module, count, kept, 0, optimizer)
    for reader in readers:
        each = _inputs(reader) // count
        _change(reader.weight, 1 - _out_dim(reader), _columns(kept, each), None, optimizer)
        _set_inputs(reader, len(left) * each)
    return left


def _least_important(layer: Layer, readers: list[Any], count: int) -> list[int]:
    units = _units(layer)
    if not 0 <= count < units:
        raise ValueError(f"cannot remove {count} of {units} units")
    with wend.no_grad():
        rows = layer.weight.detach().movedim(_out_dim(layer), 0).reshape(units, -1)
        size = rows.square().sum(1)
        if layer.bias is not None:
            size = size + layer.bias.detach().square()
        weighed = wend.zeros(units, dtype=size.dtype)
        for reader in readers:
            columns = reader.weight.detach().movedim(1 - _out_dim(reader), 0)
            weighed = weighed + columns.reshape(units, -1).square().sum(1)
        order: list[int] = (size * weighed).argsort().tolist()
    return order[:count]


class Residual(Module):
    """x + module(x).

    >>> wend.nn.grow.Residual(wend.nn.Identity())(wend.ones(2))
    tensor([2., 2.])
    """

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: Tensor) -> Tensor:
        """Return the input with what the module makes of it added."""
        return x + self.module(x)  # type: ignore[no-any-return]


def _like(layer: Any, zero: bool) -> Module:
    """A layer from as many units to as many: the identity, or zero."""
    made: Any
    factory = {"bias": True, "dtype": layer.weight.dtype}
    if isinstance(layer, Linear):
        made = Linear(layer.out_features, layer.out_features, **factory)
        (init.zeros_ if zero else init.eye_)(made.weight)
    else:
        size = tuple(k + 1 - k % 2 for k in layer.kernel_size)
        channels = layer.out_channels
        kind: Any = type(layer)
        if layer.transposed:
            raise ValueError("cannot make a transposed convolution the identity: give the module")
        made = kind(channels, channels, size, padding=tuple(k // 2 for k in size), **factory)
        (init.zeros_ if zero else init.dirac_)(made.weight)
    init.zeros_(made.bias)
    return made  # type: ignore[no-any-return]


def _train(optimizer: Any, module: Module, group: int) -> None:
    if optimizer is not None:
        known = {id(p) for g in optimizer.param_groups for p in g["params"]}
        new = [p for p in module.parameters() if id(p) not in known]
        optimizer.param_groups[group]["params"].extend(new)


def deepen_(
    model: Sequential,
    index: int,
    module: Module | None = None,
    *,
    optimizer: Any = None,
    group: int = 0,
) -> Any:
    """Put a new layer behind the one at an index of a Sequential, and return it.

    Unless a module is given, what the network computes does not change: behind a linear layer or
    a relu it is the identity, elsewhere one that adds zero. group: the optimizer's group for it.

    >>> model = wend.nn.Sequential(wend.nn.Linear(2, 3), wend.nn.ReLU())
    >>> before = model(wend.ones(1, 2))
    >>> _ = wend.nn.grow.deepen_(model, 1)
    >>> wend.allclose(model(wend.ones(1, 2)), before)
    True
    """
    index = range(len(model))[index]
    if module is None:
        layers = [m for m in list(model)[: index + 1] if isinstance(m, (Linear, _ConvNd))]
        if not layers:
            raise ValueError("no layer before it says how many units there are: give the module")
        last: Any = model[index]
        if isinstance(last, (Linear, _ConvNd)):
            module = _like(layers[-1], zero=False)
        elif isinstance(last, (ReLU, ReLU6)):
            module = Sequential(_like(layers[-1], zero=False), copy.deepcopy(last))
        else:
            module = Residual(_like(layers[-1], zero=True))
    module.train(model.training)
    model.insert(index + 1, module)
    _train(optimizer, module, group)
    return module


def replace_(
    model: Module, target: str, module: Module, *, optimizer: Any = None, group: int = 0
) -> Module:
    """Put a module in the place of a submodule, and return the one that was there.

    The optimizer forgets parameters that the model no longer has, and takes on the new ones.

    >>> model = wend.nn.Sequential(wend.nn.Linear(2, 3), wend.nn.ReLU())
    >>> wend.nn.grow.replace_(model, "1", wend.nn.Tanh())
    ReLU()
    """
    before = model.get_submodule(target)
    module.train(before.training)
    model.set_submodule(target, module, strict=True)
    if optimizer is not None:
        gone = {id(p) for p in before.parameters()} - {id(p) for p in model.parameters()}
        for each in optimizer.param_groups:
            each["params"][:] = [p for p in each["params"] if id(p) not in gone]
        for parameter in before.parameters():
            if id(parameter) in gone:
                optimizer.state.pop(parameter, None)
        _train(optimizer, module, group)
    return before
