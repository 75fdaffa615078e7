"""Automatic differentiation: `backward` and `grad`, modes, functions of one's own, the graph.

The arguments are checked here; the walk back is the engine's.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import wend
from wend import _C
from wend.autograd import functional, graph
from wend.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from wend.autograd.function import Function
from wend.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from wend.autograd.gradcheck import gradcheck, gradgradcheck
from wend.autograd.graph import GradientEdge
from wend.autograd.variable import Variable

__all__ = [
    "Function",
    "GradientEdge",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


def __getattr__(name: str) -> Any:
    if name != "profiler":
        raise AttributeError(f"module 'wend.autograd' has no attribute '{name}'")
    from importlib import import_module

    return import_module("wend.autograd.profiler")


Tensors: TypeAlias = "wend.Tensor | GradientEdge | Sequence[wend.Tensor | GradientEdge]"
Gradients: TypeAlias = "wend.Tensor | Sequence[wend.Tensor | None] | None"


def backward(
    tensors: Tensors,
    grad_tensors: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Gradients = None,
    inputs: Tensors | dict[str, wend.Tensor] | None = None,
) -> None:
    """Add the gradients of the tensors to `.grad` of the leaves they were computed from.

    inputs: only these get their gradient, leaves or not.

    >>> import wend
    >>> x = wend.tensor([1.0, 2.0], requires_grad=True)
    >>> wend.autograd.backward([x.sum(), x * x], [None, wend.ones(2)])
    >>> x.grad
    tensor([3., 5.])
    """
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.",
            FutureWarning,
            stacklevel=2,
        )
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to"
                " `backward()`. Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    targets = () if inputs is None else _members(inputs, "backward")
    if inputs is not None and not targets:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    _walk(tensors, grad_tensors, retain_graph, create_graph, targets, accumulate=True)


def grad(
    outputs: Tensors,
    inputs: Tensors | dict[str, wend.Tensor],
    grad_outputs: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """Return the gradients of the outputs by each of the inputs; `.grad` stays as it is.

    allow_unused: None for an input that the outputs do not depend on, instead of an error.
    materialize_grads: zeros for it.

    >>> import wend
    >>> x = wend.tensor(3.0, requires_grad=True)
    >>> wend.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got:"
            " allow_unused=False."
        )
    if is_grads_batched:
        raise NotImplementedError(
            "is_grads_batched=True needs vmap, which wend does not have: call grad() once for each"
            " member of the batch"
        )
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To"
            " accumulate gradient for other parts of the graph, please use"
            " torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    targets = _members(inputs, "grad")
    if not targets:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    found = _walk(outputs, grad_outputs, retain_graph, create_graph, targets, accumulate=False)
    if materialize_grads:
        found = tuple(_zeros_for(t) if g is None else g for g, t in zip(found, targets))  # noqa: B905
    elif not allow_unused:
        for index, gradient in enumerate(found):
            if gradient is None:
                raise RuntimeError(
                    f"The differentiated Tensor at index {index} appears to not have been used in"
                    " the graph. Set allow_unused=True if this is the desired behavior."
                )
    return dict(zip(inputs, found, strict=True)) if type(inputs) is dict else found


def _tensor_backward(
    self: wend.Tensor,
    gradient: wend.Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


_C._register("autograd", sys.modules[__name__])


def _walk(
    roots: Tensors,
    seeds: Gradients,
    retain_graph: bool | None,
    create_graph: bool,
    targets: tuple[Any, ...],
    accumulate: bool,
) -> tuple[Any, ...]:
    sources = _members(roots, "backward")
    gradients = _as_gradients(seeds, len(sources))
    for index, (source, gradient) in enumerate(zip(sources, gradients)):  # noqa: B905
        _check_gradient(source, gradient, index)
    if len(gradients) != len(sources):
        raise RuntimeError(f"got {len(sources)} tensors and {len(gradients)} gradients")
    keep = create_graph if retain_graph is None else retain_graph
    return _C._run_backward(
        tuple(map(_engine_node, sources)),
        gradients,
        bool(keep),
        bool(create_graph),
        tuple(map(_engine_node, targets)),
        accumulate,
    )


def _members(value: Any, who: str) -> tuple[Any, ...]:
    if isinstance(value, (wend.Tensor, GradientEdge)):
        return (value,)
    if type(value) is dict:
        return tuple(value.values())
    if isinstance(value, Mapping):
        raise TypeError(
            f"`inputs` argument to `{who}()` must be a dict, not {type(value).__name__}. Other"
            " Mapping types are not supported."
        )
    return tuple(value)


def _as_gradients(seeds: Any, n: int) -> tuple[Any, ...]:
    if seeds is None:
        return (None,) * n
    return (seeds,) if isinstance(seeds, wend.Tensor) else tuple(seeds)


def _check_gradient(source: Any, gradient: Any, index: int) -> None:
    if gradient is None:
        return
    if not isinstance(gradient, wend.Tensor):
        raise TypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__name__}"
        )
    shape = _shape_of(source)
    if shape != gradient.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{index}] has a shape of {gradient.shape} and"
            f" output[{index}] has a shape of {shape}."
        )


def _engine_node(value: Any) -> Any:
    """What the engine knows a tensor or an edge by."""
    if isinstance(value, GradientEdge):
        return value.node if value.ownership_token is None else value.ownership_token
    return value


def _shape_of(value: Any) -> wend.Size:
    if isinstance(value, GradientEdge):
        return _C._edge_shape(_engine_node(value))
    shape: wend.Size = value.shape
    return shape


def _zeros_for(target: Any) -> wend.Tensor:
    if isinstance(target, GradientEdge):
        return wend.zeros(_shape_of(target), dtype=_C._edge_dtype(_engine_node(target)))
    return wend.zeros_like(target, requires_grad=False)
