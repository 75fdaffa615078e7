"""Whatever a callback of the way back returns is the gradient, view or not, read before or not.

Each callback, with each kind of view of what it computed, against PyTorch.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from both import torch, wend

Module = Any  # wend or torch
Tensor = Any
Give = Callable[[Tensor], Tensor]  # what a callback makes of a gradient of (2, 2)
Kept = list[Tensor]
Callback = Callable[[Module, Give], Iterator[Any]]  # yields loss and leaf, then the gradients

# Of a value n of (2, 2), its gradient g and tensors k that live on, as (2, 2) again.
VIEWS: dict[str, Callable[[Module, Tensor, Tensor, Kept], Tensor]] = {
    "fresh": lambda T, n, g, k: n,
    "view": lambda T, n, g, k: n.view(4).view(2, 2),
    "view_flat": lambda T, n, g, k: n.view(2, 2),
    "reshape": lambda T, n, g, k: n.reshape(4, 1).reshape(2, 2),
    "slice": lambda T, n, g, k: n[:],
    "part": lambda T, n, g, k: T.cat([g, n, g])[2:4],
    "row": lambda T, n, g, k: T.stack([g, n])[1],
    "t": lambda T, n, g, k: n.t(),
    "expand": lambda T, n, g, k: n[:1].expand(2, 2),
    "unsqueeze": lambda T, n, g, k: n.unsqueeze(0).squeeze(0),
    "detach": lambda T, n, g, k: n.detach(),
    "data": lambda T, n, g, k: n.data,
    "diagonal": lambda T, n, g, k: n.unsqueeze(0).expand(2, 2, 2).diagonal(),
    "as_strided": lambda T, n, g, k: n.contiguous().as_strided((2, 2), (1, 2)),
    "chunk": lambda T, n, g, k: T.cat([n, g]).chunk(2)[0],
    "unbind": lambda T, n, g, k: T.stack([n, g]).unbind()[0],
    "split": lambda T, n, g, k: T.cat([g, n], 1).split(2, 1)[1],
    "of_view": lambda T, n, g, k: n[:].t().view_as(n.t())[:, :2],
    "detached_view": lambda T, n, g, k: n.detach()[:].t(),
    "gradient": lambda T, n, g, k: g,
    "gradient_view": lambda T, n, g, k: g.t(),
    "gradient_detached": lambda T, n, g, k: g.detach().view(4).view(2, 2),
    "kept": lambda T, n, g, k: k[0],
    "kept_view": lambda T, n, g, k: k[0].t(),
    "kept_part": lambda T, n, g, k: k[1][1:],
    "kept_leaf": lambda T, n, g, k: k[2].t(),
    "written": lambda T, n, g, k: n.view(4).mul_(2).view(2, 2),
    "contiguous": lambda T, n, g, k: n[:].contiguous(),
    "unchanged": lambda T, n, g, k: T.nn.functional.dropout(n[:], 0.5, False, True),
}
READS = ["unread", "gradient_read", "value_read", "view_read"]


def giver(T: Module, view: str, read: str) -> Give:
    kept = [T.arange(4.0).reshape(2, 2) * 2, T.arange(6.0).reshape(3, 2) * 3]
    kept.append(T.ones(2, 2, requires_grad=True))
    if read != "unread":
        kept[0].sum().item(), kept[1].sum().item()

    def give(g: Tensor) -> Tensor:
        if read == "gradient_read":
            g.sum().item()
        n = g / (g * g).sum()
        if read == "value_read":
            n.sum().item()
        v = VIEWS[view](T, n, g, kept)
        if read == "view_read":
            v.sum().item()
        return v

    return give


def start(T: Module) -> tuple[Tensor, Tensor]:
    x = T.tensor([[0.1, 0.2], [0.3, 0.5]], requires_grad=True)
    return x, x * T.tensor([[2.0, 1.0], [0.5, 3.0]])


def loss(y: Tensor) -> Tensor:
    return (y.exp() * y).sum()


def tensor_hook(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)
    y.register_hook(give)
    yield loss(y), x
    yield x.grad


def leaf_hook(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)
    x.register_hook(give)
    yield loss(y), x
    yield x.grad


def two_hooks(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)
    y.register_hook(give)
    y.register_hook(lambda g: give(g) if g.requires_grad else give(g)[:])
    yield loss(y), x
    yield x.grad


def view_hook(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)
    v = y.t()
    v.register_hook(give)
    yield loss(v), x
    yield x.grad


def retained(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)
    y.retain_grad()
    y.register_hook(give)
    yield loss(y), x
    yield x.grad
    yield y.grad


def after_accumulation(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)

    def replace(leaf: Tensor) -> None:
        with T.no_grad():
            leaf.grad = give(leaf.grad)

    x.register_post_accumulate_grad_hook(replace)
    yield loss(y), x
    yield x.grad


def node_pre_hook(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)
    y.grad_fn.register_prehook(lambda gs: (give(gs[0]),))
    yield loss(y), x
    yield x.grad


def node_hook(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)
    y.grad_fn.register_hook(lambda ins, outs: (give(ins[0]), *ins[1:]))
    yield loss(y), x
    yield x.grad


def several(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)
    z = y * x
    seen: list[Tensor] = []
    T.autograd.graph.register_multi_grad_hook(
        (y, z), lambda gs: seen.extend(give(g.detach()) for g in gs)
    )
    yield loss(z), x
    yield x.grad
    yield from seen


def function(T: Module, give: Give) -> Iterator[Any]:
    class Doubled(T.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, a: Tensor) -> Tensor:
            ctx.save_for_backward(a)
            return a * 2

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            (a,) = ctx.saved_tensors
            return give(g * a[:])

    x, y = start(T)
    yield loss(Doubled.apply(y)), x
    yield x.grad


def function_of_context(T: Module, give: Give) -> Iterator[Any]:
    class Doubled(T.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(a: Tensor, b: Tensor) -> Tensor:
            return a * b.sum()

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Tensor) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
            _, b = ctx.saved_tensors
            v = give(g)
            return v, v[:] * b

    x, y = start(T)
    yield loss(Doubled.apply(y, x / 9)), x
    yield x.grad


def saved_part(T: Module, give: Give) -> Iterator[Any]:
    class Kept(T.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, a: Tensor) -> Tensor:
            ctx.save_for_backward(give(a.detach()))
            return a * 2

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            return ctx.saved_tensors[0].t()

    x, y = start(T)
    yield loss(Kept.apply(y)), x
    yield x.grad


def module_hook(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)
    m = T.nn.Tanh()
    m.register_full_backward_hook(lambda module, ins, outs: (give(ins[0]),))
    yield loss(m(y)), x
    yield x.grad


def module_pre_hook(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)
    m = T.nn.Tanh()
    m.register_full_backward_pre_hook(lambda module, outs: (give(outs[0]),))
    yield loss(m(y)), x
    yield x.grad


def unpacked(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)
    with T.autograd.graph.saved_tensors_hooks(
        lambda a: a.detach().clone(), lambda a: give(a) if a.shape == (2, 2) else a
    ):
        z = y.exp() * x
    yield (z * z).sum(), x
    yield x.grad


def packed(T: Module, give: Give) -> Iterator[Any]:
    x, y = start(T)
    with T.autograd.graph.saved_tensors_hooks(
        lambda a: give(a.detach()) if a.shape == (2, 2) else a, lambda a: a
    ):
        z = y.exp() * x
    yield (z * z).sum(), x
    yield x.grad


CALLBACKS = [
    tensor_hook,
    leaf_hook,
    two_hooks,
    view_hook,
    retained,
    after_accumulation,
    node_pre_hook,
    node_hook,
    several,
    function,
    function_of_context,
    saved_part,
    module_hook,
    module_pre_hook,
    unpacked,
    packed,
]


def outcome(T: Module, callback: Callback, view: str, read: str, how: str) -> list[Any]:
    steps = callback(T, giver(T, view, read))
    try:
        root, x = next(steps)
        if how == "read_before":
            root.item()
        root.backward(create_graph=how == "create_graph")
        results = list(steps)
        out = [r.tolist() for r in results]
        if how == "create_graph" and results[0].requires_grad:
            (second,) = T.autograd.grad(results[0].sum(), x, allow_unused=True)
            out.append(None if second is None else second.tolist())
        return out
    except RuntimeError as error:
        return [str(error).splitlines()[0]]


def close(a: Any, b: Any) -> bool:
    if a is None or b is None or isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    return torch.allclose(torch.tensor(a), torch.tensor(b), 1e-4, 1e-6, equal_nan=True)


@pytest.mark.parametrize("callback", CALLBACKS, ids=lambda c: c.__name__)
@pytest.mark.filterwarnings("ignore:Using backward:UserWarning")
def test_a_callback_may_return_any_view(callback: Callback) -> None:
    for case in itertools.product(VIEWS, READS, ["plain", "read_before", "create_graph"]):
        got, expected = outcome(wend, callback, *case), outcome(torch, callback, *case)
        assert len(got) == len(expected), (case, got, expected)
        assert all(map(close, got, expected)), (case, got, expected)
