"""PyTorch's module database on wend: the same constructor and inputs, PyTorch's parameters loaded.

It holds no tests; what must agree is said in test_database.
"""

import dataclasses
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch.testing._internal.common_modules import ModuleInfo, ModuleInput, module_db

import wend

DATABASE: dict[str, ModuleInfo] = {
    info.name.removeprefix("nn."): info for info in module_db if info.name.startswith("nn.")
}


def inputs(info: ModuleInfo, training: bool, dtype: Any = torch.float64) -> list[ModuleInput]:
    torch.manual_seed(0)
    with warnings.catch_warnings(action="ignore"):
        made = info.module_inputs_func(
            info, device="cpu", dtype=dtype, requires_grad=True, training=training
        )
        return list(made)


def ours(value: Any) -> Any:
    """What a value of a PyTorch program is in the same program on wend."""
    if isinstance(value, torch.Tensor):
        made = wend.from_numpy(value.detach().numpy().copy())
        return made.requires_grad_() if value.requires_grad else made
    if isinstance(value, torch.nn.Module):
        return twin(value)
    if isinstance(value, torch.nn.LinearCrossEntropyOptions):
        return wend.nn.LinearCrossEntropyOptions(**ours(dataclasses.asdict(value)))
    if isinstance(value, torch.dtype):
        return getattr(wend, str(value).removeprefix("torch."))
    if isinstance(value, (list, tuple)):
        return type(value)(ours(each) for each in value)
    if isinstance(value, dict):
        return {key: ours(each) for key, each in value.items()}
    name = getattr(value, "__name__", "")
    if callable(value) and getattr(torch.nn.functional, name, None) is value:
        return getattr(wend.nn.functional, name)
    return "cpu" if isinstance(value, torch.device) else value


def construct(info: ModuleInfo, given: Any, as_double: bool = True) -> tuple[Any, Any]:
    """The module of both packages, with equal parameters and buffers."""
    with warnings.catch_warnings(action="ignore"):
        theirs = info.module_cls(*given.args, **given.kwargs)
        cls = getattr(wend.nn, info.name.removeprefix("nn."))
        own = cls(*(ours(each) for each in given.args), **ours(given.kwargs))
        if as_double:
            theirs.to(torch.float64)
            own.to(wend.float64)
    if not info.is_lazy:
        load(own, theirs)
    return theirs, own


def load(own: Any, theirs: Any) -> None:
    own.load_state_dict({name: ours(each) for name, each in theirs.state_dict().items()})


def twin(module: Any) -> Any:
    """A module of wend that equals one of PyTorch's, as far as the database hands modules on."""
    cls = getattr(wend.nn, type(module).__name__)
    if isinstance(module, torch.nn.TransformerEncoderLayer):
        made = cls(
            module.self_attn.embed_dim,
            module.self_attn.num_heads,
            module.linear1.out_features,
            module.dropout.p,
            ours(module.activation),
            batch_first=module.self_attn.batch_first,
            norm_first=module.norm_first,
            bias=module.self_attn.in_proj_bias is not None,
            dtype=ours(module.linear1.weight.dtype),
        )
        load(made, module)
        return made
    return cls()


def tensors(value: Any) -> Iterator[Any]:
    """The tensors in a nest of arguments or results, in order."""
    if isinstance(value, (torch.Tensor, wend.Tensor)):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from tensors(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors(each)


def same(expected: Any, got: Any, what: str, rtol: float = 1e-6) -> None:
    """Require equal tensors in two nests, up to rounding."""
    pairs = list(zip(tensors(expected), tensors(got), strict=True))
    for i, (a, b) in enumerate(pairs):
        assert str(a.dtype) == str(b.dtype), f"{what} {i}: {b.dtype} against {a.dtype}"
        left, right = a.detach().numpy(), b.detach().numpy()
        np.testing.assert_allclose(right, left, rtol, rtol, err_msg=f"{what} {i}")


def total(output: Any) -> Any:
    """One number of all outputs that have a gradient, in which no two elements weigh the same."""
    sums = []
    for each in tensors(output):
        if each.requires_grad:
            package = torch if isinstance(each, torch.Tensor) else wend
            weights = package.linspace(0.5, 1.5, max(each.numel(), 1), dtype=each.dtype)
            sums.append((each.reshape(-1) * weights[: each.numel()]).sum())
    return sum(sums[1:], sums[0]) if sums else None


def run(module: Any, args: Any, kwargs: Any) -> tuple[Any, dict[str, Any]]:
    """The output, and the gradients of inputs and parameters by name."""
    with warnings.catch_warnings(action="ignore"):
        output = module(*args, **kwargs)
    loss = total(output)
    if loss is not None:
        loss.backward()
    grads = {f"input {i}": each.grad for i, each in enumerate(tensors((args, kwargs)))}
    grads |= {name: each.grad for name, each in module.named_parameters()}
    return output, grads


def leaves(value: Any) -> Any:
    """The same nest with tensors that the backward walk ends at."""
    if isinstance(value, torch.Tensor):
        return value.detach().requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(leaves(each) for each in value)
    return {k: leaves(each) for k, each in value.items()} if isinstance(value, dict) else value


def check(info: ModuleInfo, given: ModuleInput, training: bool) -> None:
    """Require that output, gradients and buffers of one case agree."""
    theirs, own = construct(info, given.constructor_input)
    theirs.train(training)
    own.train(training)
    args, kwargs = leaves(given.forward_input.args), leaves(given.forward_input.kwargs)
    own_args, own_kwargs = ours(args), ours(kwargs)
    if info.is_lazy:
        with torch.no_grad(), wend.no_grad():
            theirs(*args, **kwargs)
            own(*own_args, **own_kwargs)
        load(own, theirs)
    expected, expected_grads = run(theirs, args, kwargs)
    got, got_grads = run(own, own_args, own_kwargs)
    same(expected, got, "output")
    assert list(got_grads) == list(expected_grads)
    for name, grad in expected_grads.items():
        mine = got_grads[name]
        if grad is None or mine is None:
            # No gradient and one of zeros are the same to whoever steps.
            for each in (grad, mine):
                assert each is None or not each.any(), f"gradient of {name}"
            continue
        same(grad, mine, f"gradient of {name}")
    for name, buffer in theirs.named_buffers():
        same(buffer, dict(own.named_buffers())[name], f"buffer {name}")


def error_of(call: Callable[..., Any], args: Any, kwargs: Any) -> str:
    """Type and first line of what a call raises."""
    try:
        call(*args, **kwargs)
    except Exception as error:
        lines = str(error).splitlines()
        return f"{type(error).__name__}: {lines[0].strip() if lines else ''}"
    return "nothing"
