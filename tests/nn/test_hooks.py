"""Hooks on modules are called when, how and in the order in which PyTorch calls them."""

import warnings
from typing import Any

import pytest
from both import alike, both, error_of, wend


def layer(torch: Any) -> Any:
    made = torch.nn.Linear(2, 2)
    with torch.no_grad():
        made.weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        made.bias.zero_()
    return made


@alike
def test_forward_hooks_see_and_change_what_goes_in_and_out(torch: Any) -> Any:
    m, seen = layer(torch), []
    x = torch.ones(1, 2)
    m.register_forward_pre_hook(lambda mod, args: seen.append(["pre", args[0]]))
    double = m.register_forward_pre_hook(lambda mod, args: args[0] * 2)
    m.register_forward_hook(lambda mod, args, out: seen.append(["post", args[0], out.detach()]))
    add = m.register_forward_hook(lambda mod, args, out: out + 1)
    first = m(x)
    double.remove()
    second = m(x)
    with add:
        pass
    return [first, second, m(x), seen]


@alike
def test_hooks_with_keywords_and_order(torch: Any) -> Any:
    class Scaled(torch.nn.Module):
        def forward(self, x: Any, scale: float = 1.0) -> Any:
            return x * scale

    m, seen = Scaled(), []
    m.register_forward_pre_hook(lambda mod, a, k: (a, {"scale": 3.0}), with_kwargs=True)
    m.register_forward_pre_hook(lambda mod, a: seen.append("first"), prepend=True)
    m.register_forward_hook(lambda mod, a, k, out: seen.append(dict(k)), with_kwargs=True)
    m.register_forward_hook(lambda mod, a, out: seen.append("early"), prepend=True)
    out = m(torch.ones(1), scale=2.0)
    m.register_forward_pre_hook(lambda mod, a, k: 5, with_kwargs=True)
    return [out, seen, error_of(lambda: m(torch.ones(1)))]


@alike
def test_hooks_that_are_always_called(torch: Any) -> Any:
    class Failing(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            raise ValueError("no")

    m, seen = Failing(), []
    m.register_forward_hook(lambda *a: seen.append("always"), always_call=True)
    m.register_forward_hook(lambda *a: seen.append("never"))
    return [error_of(lambda: m(torch.ones(1))), seen]


@alike
def test_full_backward_hooks_see_and_change_gradients(torch: Any) -> Any:
    m, seen = layer(torch), []
    x = torch.ones(1, 2, requires_grad=True)
    m.register_full_backward_pre_hook(lambda mod, g: (g[0] * 10,))
    m.register_full_backward_hook(lambda mod, gi, go: seen.append([gi[0], go[0]]))
    last = m.register_full_backward_hook(lambda mod, gi, go: (gi[0] + 1,))
    m(x).sum().backward()
    first = x.grad.clone()
    last.remove()
    m(x).sum().backward()
    return [first, x.grad, seen]


@alike
def test_both_kinds_of_backward_hook_do_not_mix(torch: Any) -> Any:
    a, b = layer(torch), layer(torch)
    a.register_full_backward_hook(lambda *_: None)
    b.register_backward_hook(lambda *_: None)
    return [
        error_of(lambda: a.register_backward_hook(lambda *_: None)),
        error_of(lambda: b.register_full_backward_hook(lambda *_: None)),
    ]


@alike
def test_hooks_on_all_modules(torch: Any) -> Any:
    from importlib import import_module

    module = import_module(f"{torch.__name__}.nn.modules.module")
    m, seen = torch.nn.Sequential(layer(torch), torch.nn.ReLU()), []
    handles = [
        module.register_module_forward_pre_hook(lambda mod, a: seen.append(type(mod).__name__)),
        module.register_module_forward_hook(lambda mod, a, out: seen.append("out")),
        module.register_module_full_backward_hook(lambda mod, gi, go: seen.append("back")),
    ]
    x = torch.ones(1, 2, requires_grad=True)
    m(x).sum().backward()
    for handle in handles:
        handle.remove()
    m(x)
    return seen


@alike
def test_hooks_on_registration(torch: Any) -> Any:
    from importlib import import_module

    module = import_module(f"{torch.__name__}.nn.modules.module")
    seen: list[Any] = []
    with module.register_module_parameter_registration_hook(lambda m, n, p: seen.append(n)):
        torch.nn.Linear(1, 1)
    with module.register_module_module_registration_hook(lambda m, n, p: seen.append(n)):
        torch.nn.Sequential(torch.nn.ReLU())
    with module.register_module_buffer_registration_hook(lambda m, n, p: seen.append(n)):
        torch.nn.BatchNorm1d(1)
    return seen


@pytest.mark.parametrize("result", ["list", "number"])
def test_a_warning_where_a_backward_hook_cannot_be_called(result: str) -> None:
    def program(torch: Any) -> Any:
        class Odd(torch.nn.Module):
            def forward(self, x: Any) -> Any:
                return [x * 2] if result == "list" else 5

        m = Odd()
        m.register_full_backward_hook(lambda *_: None)
        with warnings.catch_warnings(record=True, action="always") as caught:
            m(torch.ones(1, requires_grad=True))
        return [str(w.message) for w in caught]

    both(program)


def test_a_module_without_hooks_takes_the_short_way() -> None:
    m = wend.nn.Linear(1, 1)
    assert not m._called_with_hooks
    m.state_dict()
    assert not m._called_with_hooks
    m.register_forward_hook(lambda *_: None)
    assert m._called_with_hooks
    lazy = wend.nn.LazyLinear(1)
    assert lazy._called_with_hooks
    lazy(wend.ones(1, 1))
    assert not lazy._called_with_hooks
