"""Whether there is a gradient, and when it arrives, is as in PyTorch where it is 0 or empty."""

from typing import Any

import pytest
from both import alike, both, error_of
from samples import leaf

# PyTorch warns that index_reduce may change, and of statistics of too few elements.
pytestmark = pytest.mark.filterwarnings("ignore")
# Ops whose slopes do not change, by what they are called with.
FLAT = {
    "leaky_relu": lambda F, x: F.leaky_relu(x),
    "hardtanh": lambda F, x: F.hardtanh(x),
    "relu6": lambda F, x: F.relu6(x),
    "softshrink": lambda F, x: F.softshrink(x),
    "hardshrink": lambda F, x: F.hardshrink(x),
    "threshold": lambda F, x: F.threshold(x, 0.5, 0.0),
    "relu": lambda F, x: F.relu(x),
    "max_pool1d": lambda F, x: F.max_pool1d(x.reshape(1, 1, -1), 2),
    "avg_pool1d": lambda F, x: F.avg_pool1d(x.reshape(1, 1, -1), 2),
    "avg_pool2d": lambda F, x: F.avg_pool2d(x.reshape(1, 1, 2, 2), 2),
    "adaptive_avg_pool1d": lambda F, x: F.adaptive_avg_pool1d(x.reshape(1, 1, -1), 2),
    "adaptive_max_pool2d": lambda F, x: F.adaptive_max_pool2d(x.reshape(1, 1, 2, 2), 1),
    "reflect": lambda F, x: F.pad(x.reshape(1, -1), (1, 1), mode="reflect"),
    "circular": lambda F, x: F.pad(x.reshape(1, 1, -1), (1, 1), mode="circular"),
    "constant": lambda F, x: F.pad(x, (1, 1)),
}


@pytest.mark.parametrize("name", FLAT)
def test_a_penalty_on_a_constant_slope_has_a_gradient_of_zeros(name: str) -> None:
    def program(torch: Any) -> Any:
        x, w = leaf(torch, 1.0, -2.0, 0.0, 3.0), leaf(torch, 2.0)
        y = FLAT[name](torch.nn.functional, x) * w
        (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        slope.pow(2).sum().backward()
        return x.grad, w.grad

    both(program)


@alike
def test_a_target_of_a_loss_passes_zeros(torch: Any) -> Any:
    x, w = leaf(torch, 1.0, 2.0, 3.0), leaf(torch, 2.0)
    loss = torch.nn.functional.nll_loss(x.reshape(1, 3), torch.tensor([1])) * w
    (slope,) = torch.autograd.grad(loss.sum(), x, create_graph=True)
    slope.pow(2).sum().backward()
    return x.grad, w.grad


@pytest.mark.parametrize("zeros", [0, 1, 2])
@pytest.mark.parametrize("name", ["scatter_reduce", "index_reduce"])
def test_products_with_zeros_are_differentiated_twice_or_refused(name: str, zeros: int) -> None:
    def program(torch: Any) -> Any:
        into = torch.tensor([1.0, 2.0], requires_grad=True)
        factors = [0.0] * zeros + [4.0, 5.0, 3.0][zeros:]
        x = torch.tensor(factors, requires_grad=True)
        y = getattr(into, name)(0, torch.tensor([0, 0, 1]), x, "prod")
        slope, _ = torch.autograd.grad(y.sum(), (x, into), create_graph=True)

        def twice() -> Any:
            return torch.autograd.grad(slope.sum(), (x, into))

        return error_of(twice) if zeros == 2 else twice()

    both(program)


@alike
def test_no_formula_is_told_on_the_way_back(torch: Any) -> Any:
    x = leaf(torch)
    return [
        error_of(lambda: torch.floor_divide(x, 2).sum().backward()),
        error_of(lambda: torch.heaviside(x, x).sum().backward()),
    ]


@alike
def test_parts_that_are_nothing_have_a_gradient(torch: Any) -> Any:
    nothing = torch.zeros(0, requires_grad=True)
    whole = torch.ones(2, 3, requires_grad=True)
    parts = [torch.cat([nothing, torch.ones(2, 3)]), torch.cat([whole, nothing], 1)]
    parts.append(torch.cat([nothing, nothing]))
    sum(part.sum() for part in parts).backward()
    return [part.detach() for part in parts], nothing.grad, whole.grad


@alike
def test_a_mean_of_too_few_has_a_constant_slope(torch: Any) -> Any:
    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    found = []
    for statistic in (torch.var, torch.std):
        (slope,) = torch.autograd.grad(statistic(x), x, create_graph=True)
        found += [slope.detach(), slope.requires_grad]
        if slope.requires_grad:
            found += torch.autograd.grad(slope, x, allow_unused=True)
    return found


WRITES = {
    "base": lambda base, view, sibling: base.mul_(3),
    "sibling": lambda base, view, sibling: sibling.mul_(3),
    "itself": lambda base, view, sibling: view.mul_(3),
    "nothing": lambda base, view, sibling: None,
}


@pytest.mark.parametrize("written", WRITES)
@pytest.mark.parametrize("used", ["before", "after", "both", "base"])
def test_a_retained_gradient_is_that_of_the_tensor_as_it_is(written: str, used: str) -> None:
    def program(torch: Any) -> Any:
        x = leaf(torch, 1.0, 2.0, 3.0, 4.0)
        base = x * 2
        view, sibling = base[:2], base[1:3]
        view.retain_grad()
        total = (view + 7).sum() if used in ("before", "both") else 0
        WRITES[written](base, view, sibling)
        if used in ("after", "both"):
            total = total + (view * 5).sum()
        (total if used != "base" else (base * 5).sum()).backward()
        return view.grad, x.grad, view.retains_grad

    both(program)


@pytest.mark.parametrize("kind", ["tensor", "before", "after", "accumulated"])
def test_hooks_of_leaves_are_called_when_their_gradient_is_complete(kind: str) -> None:
    def program(torch: Any) -> Any:
        log: list[str] = []
        leaves = [leaf(torch, 1.0 + i, 2.0) for i in range(4)]
        a, b, c, d = leaves
        first = a * b
        second = torch.tanh(first) * c + a
        third = second * d + c
        for name, v in zip("xyz", (first, second, third), strict=True):
            v.register_hook(lambda g, name=name: log.append(name))
        nodes = [v.view_as(v).grad_fn.next_functions[0][0] for v in leaves]
        for name, v, node in zip("abcd", leaves, nodes, strict=True):

            def told(*_: Any, name: str = name) -> None:
                log.append(name)

            {
                "tensor": v.register_hook,
                "before": node.register_prehook,
                "after": node.register_hook,
                "accumulated": v.register_post_accumulate_grad_hook,
            }[kind](told)
        third.sum().backward()
        return log, [v.grad for v in leaves]

    both(program)


@alike
def test_what_has_no_derivative_says_so(torch: Any) -> Any:
    x = leaf(torch, 1.0, 1.0, 2.0)
    index = torch.tensor([0, 1, 1])
    found = [
        torch.unique(x),
        torch.unique(x, return_counts=True)[0],
        torch.bincount(index, x),
        torch.bincount(index, x.double()),
    ]
    with torch.no_grad():
        without = torch.unique(x)
    return (
        [(y.requires_grad, y.detach()) for y in [*found, without]],
        [error_of(lambda y=y: (y * 2).sum().backward()) for y in found],
    )
