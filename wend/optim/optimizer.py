"""What all optimizers share: parameter groups, state, hooks, saving, the loop of a step.

The update rules are in the modules named after them.
"""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, TypeAlias

import wend
from wend import _C, Tensor
from wend._watch import in_scope
from wend.utils.hooks import RemovableHandle

__all__ = [
    "Optimizer",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
    "required",
]

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
Group: TypeAlias = dict[str, Any]
State: TypeAlias = dict[str, Any]
Closure: TypeAlias = Callable[[], Any]
Scalar: TypeAlias = float | Tensor
Hooks: TypeAlias = OrderedDict[int, Callable[..., Any]]


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()

_every_pre_hook: Hooks = OrderedDict()
_every_post_hook: Hooks = OrderedDict()


def _added(hooks: Hooks, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before a step of any optimizer."""
    return _added(_every_pre_hook, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after a step of any optimizer."""
    return _added(_every_post_hook, hook)


def typename(obj: object) -> str:
    """Return the name of an object's type as PyTorch's messages have it."""
    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = obj.__class__
    module = "" if kind.__module__ in ("builtins", "__builtin__") else f"{kind.__module__}."
    return module + kind.__qualname__


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """Return a step that calls the hooks, and lets schedulers know that it was taken."""

    @functools.wraps(step)
    def hooked(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        if "_optimizer_step_pre_hooks" not in self.__dict__:
            return step(self, *args, **kwargs)  # wraps another optimizer, and has no hooks
        self._opt_called = True
        own_pre, own_post = self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks
        if not (own_pre or own_post or _every_pre_hook or _every_post_hook):
            if not _C._is_watched():
                return step(self, *args, **kwargs)
            with in_scope("step", type(self).__name__):
                return step(self, *args, **kwargs)
        given: tuple[Any, ...] = (self, *args)
        for hook in (*_every_pre_hook.values(), *own_pre.values()):
            changed = hook(self, given, kwargs)
            if changed is None:
                continue
            if not (isinstance(changed, tuple) and len(changed) == 2):
                raise RuntimeError(
                    f"{step} must return None or a tuple of (new_args, new_kwargs), "
                    f"but got {changed}."
                )
            given, kwargs = changed
        with in_scope("step", type(self).__name__):
            result = step(*given, **kwargs)
        for hook in (*own_post.values(), *_every_post_hook.values()):
            hook(self, given, kwargs)
        return result

    return hooked


class Optimizer:
    """Base of all optimizers: subclasses say in `step` how parameters follow their gradients.

    params: tensors, pairs of name and tensor, or dicts that are groups with options of their own.
    defaults: the options of groups that do not give them.
    """

    state: defaultdict[Tensor, Any]
    param_groups: list[Group]
    _opt_called: bool
    _optimizer_step_pre_hooks: Hooks
    _optimizer_step_post_hooks: Hooks
    _optimizer_state_dict_pre_hooks: Hooks
    _optimizer_state_dict_post_hooks: Hooks
    _optimizer_load_state_dict_pre_hooks: Hooks
    _optimizer_load_state_dict_post_hooks: Hooks

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = _with_hooks(cls.__dict__["step"])  # type: ignore[method-assign]

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or "
                "dicts, but got " + typename(params)
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _patch_step_function(self) -> None:
        """Do nothing: a class's step calls hooks as it is. Optimizers around others ask for it."""

    def _make_hooks(self) -> None:
        self._opt_called = False
        self._optimizer_step_pre_hooks = OrderedDict()
        self._optimizer_step_post_hooks = OrderedDict()
        self._optimizer_state_dict_pre_hooks = OrderedDict()
        self._optimizer_state_dict_post_hooks = OrderedDict()
        self._optimizer_load_state_dict_pre_hooks = OrderedDict()
        self._optimizer_load_state_dict_post_hooks = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_optimizer_step_pre_hooks" not in self.__dict__:
            self._make_hooks()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        groups = []
        for i, group in enumerate(self.param_groups):
            options = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            groups.append(f"\nParameter Group {i}\n" + "".join(options))
        return f"{self.__class__.__name__} (" + "".join(groups) + ")"

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return new ones."""
        return _added(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return _added(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` before `state_dict` collects."""
        return _added(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` on what `state_dict` gives; it may return another."""
        return _added(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before loading; it may return another."""
        return _added(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` after loading."""
        return _added(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def state_dict(self) -> dict[str, Any]:
        """Return state and options, with parameters replaced by their numbers."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            options = {key: value for key, value in group.items() if key != "params"}
            groups.append({**options, "params": [numbers[id(p)] for p in group["params"]]})
        state = {
            numbers[id(key)] if isinstance(key, Tensor) else key: value
            for key, value in self.state.items()
        }
        result: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, result)
            result = result if changed is None else changed
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` of an optimizer with like groups returned."""
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        saved = deepcopy(state_dict["param_groups"])
        self._require_like_groups(saved)
        by_number = {
            number: p
            for theirs, ours in zip(saved, self.param_groups, strict=True)
            for number, p in zip(theirs["params"], ours["params"], strict=True)
        }
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                state[by_number[key]] = _fitted(by_number[key], value)
            else:
                state[key] = value
        for theirs, ours in zip(saved, self.param_groups, strict=True):
            theirs["params"] = ours["params"]
            if "param_names" in ours and "param_names" not in theirs:
                theirs["param_names"] = ours["param_names"]
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def _require_like_groups(self, saved: list[Group]) -> None:
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for theirs, ours in zip(saved, self.param_groups, strict=True):
            if len(theirs["params"]) != len(ours["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group "
                    "that doesn't match the size of optimizer's group"
                )

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to 0 where they are.

        >>> x = wend.ones(2, requires_grad=True); x.sum().backward()
        >>> wend.optim.SGD([x], lr=0.1).zero_grad(); x.grad is None
        True
        """
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                else:
                    if p.grad.grad_fn is not None:
                        p.grad.detach_()
                    else:
                        p.grad.requires_grad_(False)
                    p.grad.zero_()

    def step(self, closure: Closure | None = None) -> Any:
        """Update the parameters; subclasses do.

        closure: evaluates the model anew and returns the loss.
        """
        raise NotImplementedError

    def add_param_group(self, param_group: Group) -> None:
        """Optimize more parameters from now on: `{"params": ..., options of their own}`."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        self._name_params(param_group)
        for p in param_group["params"]:
            self._require_leaf(p)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    "parameter group didn't specify a value of required optimization parameter "
                    + name
                )
            param_group.setdefault(name, default)
        params = {id(p) for p in param_group["params"]}
        if len(params) != len(param_group["params"]):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; "
                "in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        named = "param_names" in param_group
        for group in self.param_groups:
            if named != ("param_names" in group):
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param "
                    f"group {'with names' if named else 'without names'} to the optimizer"
                )
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if not known.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def _name_params(self, group: Group) -> None:
        """Make a list of the group's parameters, with their names, where given, beside it."""
        params = group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the "
                "ordering of tensors in sets will change between runs. Please use a list instead."
            )
        params = list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        group["params"] = [p[1] if isinstance(p, tuple) else p for p in params]
        if names and len(names) != len(params):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        if names:
            group["param_names"] = names

    def _require_leaf(self, p: Any) -> None:
        if not isinstance(p, Tensor):
            raise TypeError(
                "optimizer can only optimize Tensors, but one of the params is " + typename(p)
            )
        if not (self.defaults.get("differentiable") or p.is_leaf or p.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")


def _fitted(p: Tensor, value: Any, key: Any = None) -> Any:
    """Return loaded state in the parameter's dtype; counts of steps keep theirs."""
    if isinstance(value, Tensor):
        return value.to(dtype=p.dtype) if key != "step" and p.is_floating_point() else value
    if isinstance(value, dict):
        return {k: _fitted(p, v, k) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_fitted(p, v) for v in value)
    return value


class ByParameter(Optimizer):
    """An optimizer that updates each parameter from its own gradient and state.

    A subclass gives the state before the first step and the update. All that changes from step to
    step lies in tensors, the number of steps too, and no value is looked at on the way. With
    `fused`, what a scaler of gradients leaves in `grad_scale` and `found_inf` is obeyed.
    """

    grad_scale: Tensor | None = None
    found_inf: Tensor | None = None

    @property
    def _step_supports_amp_scaling(self) -> bool:
        return bool(self.defaults.get("fused"))

    def _initial(self, p: Tensor, group: Group) -> State:
        raise NotImplementedError

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        raise NotImplementedError

    def step(self, closure: Closure | None = None) -> Any:
        """Update the parameters by their gradients, and return the closure's loss, if any."""
        loss = None
        with wend.set_grad_enabled(bool(self.defaults.get("differentiable"))):
            if closure is not None:
                with wend.enable_grad():
                    loss = closure()
            for group in self.param_groups:
                for p in group["params"]:
                    grad = p.grad
                    if grad is None:
                        continue
                    state = self.state.get(p)
                    if not state:
                        state = self._initial(p, group)
                        if state:
                            self.state[p] = state
                    if group.get("fused"):
                        if self.found_inf is not None and self.found_inf.item() == 1:
                            continue
                        if self.grad_scale is not None:
                            grad.div_(self.grad_scale)
                    self._update(p, -grad if group.get("maximize") else grad, state, group)
        return loss


def count() -> Tensor:
    """Return a number of steps at its start."""
    double = wend.get_default_dtype() is wend.float64
    return wend.zeros((), dtype=wend.float64 if double else wend.float32)


def counted(state: State) -> Tensor:
    """Count a step, and return the number in double precision, for powers to be exact."""
    step: Tensor = state["step"]
    return step.add_(1).to(wend.float64)


def scalar(value: Any) -> Any:
    """Return an option as a number or a tensor without dimensions."""
    return value.squeeze() if isinstance(value, Tensor) and value.dim() else value


def move(p: Tensor, direction: Tensor, by: Scalar) -> None:
    """Subtract from a parameter a multiple of a direction."""
    if isinstance(by, Tensor):
        p.sub_(direction * by)
    else:
        p.add_(direction, alpha=-by)


def decayed(grad: Tensor, p: Tensor, weight_decay: Scalar) -> Tensor:
    """Return the gradient with that of the penalty `weight_decay / 2 * p**2`."""
    if isinstance(weight_decay, Tensor):
        return grad + p * weight_decay
    return grad.add(p, alpha=weight_decay) if weight_decay else grad


def require_lr(lr: Scalar, name: str = "Invalid learning rate:") -> None:
    """Raise unless the learning rate is one number and not negative."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not lr >= 0.0:
        raise ValueError(f"{name} {lr}")


def require_not_negative(**options: Scalar) -> None:
    """Raise for the first option below 0."""
    for name, value in options.items():
        if not value >= 0.0:
            shown = "epsilon" if name == "eps" else name
            raise ValueError(f"Invalid {shown} value: {value}")


def require_betas(betas: tuple[Scalar, Scalar]) -> None:
    """Raise unless both decay rates are in [0, 1)."""
    for i, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")


def require_variant(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """Raise where PyTorch has no such variant; wend has one implementation for all of them."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
