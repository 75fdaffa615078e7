"""Functions whose gradient the user writes: `Function`, its `ctx`, `once_differentiable`.

How a call becomes a node, and how the walk back calls `backward`, is the engine's.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import wend
from wend import _C

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "once_differentiable",
]


class FunctionCtx:
    """What `forward` tells `backward`; attributes of one's own may be set as well."""

    to_save: Any
    saved_for_forward: Any
    dirty_tensors: Any
    non_differentiable: Any
    materialize_grads: bool

    def save_for_backward(self, *tensors: wend.Tensor | None) -> None:
        """Keep tensors, inputs or outputs among them, for `ctx.saved_tensors` in `backward`."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: wend.Tensor | None) -> None:
        """Keep tensors for `jvp`, which forward-mode differentiation would call."""
        for tensor in tensors:
            if not (isinstance(tensor, wend.Tensor) or tensor is None):
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save"
                    " non-tensors as attributes on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: wend.Tensor) -> None:
        """Name the inputs that `forward` wrote in place; each must be returned."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: wend.Tensor) -> None:
        """Name the outputs that have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Choose whether `backward` gets zeros or None for an output that nobody used."""
        self.materialize_grads = value


class BackwardCFunction(_C._FunctionBase, FunctionCtx):
    """The node of a call, which is also its `ctx`."""

    __module__ = "torch.autograd.function"
    _forward_cls: type[Function]

    def apply(self, *args: Any) -> Any:
        """Call the user's `backward` with the gradients of the outputs."""
        backward, vjp = self._forward_cls.backward, self._forward_cls.vjp
        if backward is not Function.backward and vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You"
                " should only implement one of them."
            )
        return (vjp if vjp is not Function.vjp else backward)(self, *args)


class FunctionMeta(type):
    """Gives every Function the type of its nodes, named after it."""

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        body = {"_forward_cls": cls, "__module__": BackwardCFunction.__module__}
        cls._backward_cls = type(name + "Backward", (BackwardCFunction,), body)
        super().__init__(name, bases, attrs)


class Function(metaclass=FunctionMeta):
    """A function with a gradient of its own, made by subclassing.

    >>> import wend
    >>> class Cube(wend.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return grad * 3 * x**2
    >>> x = wend.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    generate_vmap_rule = False
    _backward_cls: type[BackwardCFunction]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{self.__class__} should not be instantiated. Methods on autograd functions are all"
            " static, so you should invoke them on the class itself. Instantiating an autograd"
            " function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use"
            " new-style autograd function with static forward method. (Example:"
            " https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs: `forward(ctx, *args)`, or `forward(*args)` with `setup_context`."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Fill the ctx after a `forward` that has none."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return a gradient, or None, for each argument of `forward`."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom"
            " autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Forward-mode differentiation, which wend does not do."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with"
            " forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Batching by `vmap`, which wend does not do."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or"
            " set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call `forward` and let `backward` be its gradient."""
        set_up = cls.setup_context is not Function.setup_context
        if set_up:
            args, kwargs = _with_defaults(cls.forward, args, kwargs)
        ctx = cls._backward_cls()
        _C._function_begin(ctx, args)
        recording = _C.is_grad_enabled()
        _C._set_grad_enabled(False)
        try:
            if set_up:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args, **kwargs)
        finally:
            _C._set_grad_enabled(recording)
        return _C._function_end(ctx, args, output)


class InplaceFunction(Function):
    """A Function that has a flag `inplace`; kept for programs that still subclass it."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


def _with_defaults(
    forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    import inspect

    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args, bound.kwargs


class Passage(Function):
    """Gives tensors back as they are, with one node between."""

    @staticmethod
    def forward(ctx: Any, *args: wend.Tensor) -> tuple[wend.Tensor, ...]:
        ctx.mark_non_differentiable(*(arg for arg in args if not arg.requires_grad))
        return args

    @staticmethod
    def backward(ctx: Any, *grads: wend.Tensor) -> tuple[wend.Tensor, ...]:
        return grads


class _DifferentiatedTwice(Function):
    """Gives gradients back as they are, and refuses to be differentiated."""

    @staticmethod
    def forward(ctx: Any, *grads: wend.Tensor | None) -> tuple[wend.Tensor | None, ...]:
        return tuple(None if grad is None else grad.detach() for grad in grads)

    @staticmethod
    def backward(ctx: Any, *grads: wend.Tensor) -> NoReturn:
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `backward` that cannot be differentiated itself: second ones are refused."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with wend.no_grad():
            outputs = fn(ctx, *args)
        tracked = any(isinstance(arg, wend.Tensor) and arg.requires_grad for arg in args)
        if not (wend.is_grad_enabled() and tracked):
            return outputs
        grads = outputs if isinstance(outputs, tuple) else (outputs,)
        return _DifferentiatedTwice.apply(
            *(None if grad is None else grad.detach().requires_grad_() for grad in grads)
        )

    return wrapper
