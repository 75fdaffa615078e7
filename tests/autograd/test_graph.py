"""The graph as grad_fn shows it, and hooks on the values that its nodes save.

Every program runs on PyTorch and on wend; hooks on gradients are test_hooks's.
"""

from typing import Any

import pytest
from both import alike, both, raises_alike
from samples import leaf


@alike
def test_next_functions_lead_to_the_leaf(torch: Any) -> Any:
    x = leaf(torch)
    node = ((x * 2) + 1).exp().sum().grad_fn
    names = []
    while node.next_functions:
        names.append(node.name())
        node = node.next_functions[0][0]
    return names, type(node).__name__, node.variable is x


@alike
def test_next_functions_name_the_output_they_come_from(torch: Any) -> Any:
    _, b, c = leaf(torch).unbind()
    node = (c * b).grad_fn
    return [(fn.name(), number) for fn, number in node.next_functions], b.output_nr


@alike
def test_next_functions_are_none_for_constants(torch: Any) -> Any:
    node = (torch.ones(3) * leaf(torch)).grad_fn
    return [fn is None for fn, _ in node.next_functions]


@alike
def test_a_leaf_has_one_accumulate_node_while_it_is_used(torch: Any) -> Any:
    x = leaf(torch)
    y, z = x * 2, x * 3
    return y.grad_fn.next_functions[0][0] is z.grad_fn.next_functions[0][0], x.grad_fn


@alike
def test_grad_fn_is_the_same_object_each_time(torch: Any) -> Any:
    y = leaf(torch) * 2
    return y.grad_fn is y.grad_fn, y.grad_fn == y.grad_fn


@alike
def test_grad_fn_shows_its_name(torch: Any) -> Any:
    y = leaf(torch) * 2
    return repr(y.grad_fn).split(" object")[0], type(y.grad_fn).__name__


@alike
def test_nodes_carry_metadata_of_the_user(torch: Any) -> Any:
    y = leaf(torch) * 2
    y.grad_fn.metadata["layer"] = 7
    return y.grad_fn.metadata


@alike
def test_a_gradient_edge_names_node_and_output(torch: Any) -> Any:
    b = leaf(torch).unbind()[1]
    edge = torch.autograd.graph.get_gradient_edge(b)
    return edge.node is b.grad_fn, edge.output_nr


# How PyTorch names the node of each op, as programs and printed tensors show it.
NAMED = {
    "add": lambda torch, x: x + 1,
    "sub": lambda torch, x: x - 1,
    "rsub": lambda torch, x: 1 - x,
    "mul": lambda torch, x: x * 2,
    "div": lambda torch, x: x / 2,
    "rdiv": lambda torch, x: 2 / x,
    "neg": lambda torch, x: -x,
    "pow number": lambda torch, x: x**2,
    "pow tensor": lambda torch, x: x**x,
    "number pow": lambda torch, x: 2**x,
    "exp": lambda torch, x: x.exp(),
    "log": lambda torch, x: x.log(),
    "sqrt": lambda torch, x: x.sqrt(),
    "abs": lambda torch, x: x.abs(),
    "relu": lambda torch, x: x.relu(),
    "sigmoid": lambda torch, x: x.sigmoid(),
    "tanh": lambda torch, x: x.tanh(),
    "softmax": lambda torch, x: x.softmax(0),
    "log_softmax": lambda torch, x: x.log_softmax(0),
    "clamp": lambda torch, x: x.clamp(0, 1),
    "where": lambda torch, x: torch.where(x > 0, x, x),
    "maximum": lambda torch, x: torch.maximum(x, x),
    "lerp": lambda torch, x: torch.lerp(x, x, 0.5),
    "sum": lambda torch, x: x.sum(),
    "sum over dim": lambda torch, x: x.sum(0),
    "mean": lambda torch, x: x.mean(),
    "mean over dim": lambda torch, x: x.mean(0),
    "max": lambda torch, x: x.max(),
    "max over dim": lambda torch, x: x.max(0)[0],
    "amax": lambda torch, x: x.amax(),
    "prod": lambda torch, x: x.prod(),
    "var": lambda torch, x: x.var(),
    "std": lambda torch, x: x.std(),
    "norm": lambda torch, x: x.norm(),
    "logsumexp": lambda torch, x: x.logsumexp(0),
    "cumsum": lambda torch, x: x.cumsum(0),
    "sort": lambda torch, x: x.sort()[0],
    "topk": lambda torch, x: x.topk(1)[0],
    "view": lambda torch, x: x.view(3, 1),
    "reshape": lambda torch, x: x.reshape(3, 1),
    "t": lambda torch, x: x.view(3, 1).t(),
    "transpose": lambda torch, x: x.view(3, 1).transpose(0, 1),
    "permute": lambda torch, x: x.view(3, 1).permute(1, 0),
    "select": lambda torch, x: x[0],
    "slice": lambda torch, x: x[1:],
    "advanced index": lambda torch, x: x[torch.tensor([0])],
    "mask": lambda torch, x: x[x > 0],
    "unsqueeze": lambda torch, x: x[None],
    "squeeze": lambda torch, x: x.view(1, 3).squeeze(),
    "squeeze a dim": lambda torch, x: x.view(1, 3).squeeze(0),
    "expand": lambda torch, x: x.expand(2, 3),
    "clone": lambda torch, x: x.clone(),
    "contiguous": lambda torch, x: x.view(3, 1).expand(3, 2).contiguous(),
    "cast": lambda torch, x: x.double(),
    "cat": lambda torch, x: torch.cat([x, x]),
    "stack": lambda torch, x: torch.stack([x, x]),
    "split": lambda torch, x: x.split(1)[0],
    "unbind": lambda torch, x: x.unbind()[0],
    "flip": lambda torch, x: x.flip(0),
    "repeat": lambda torch, x: x.repeat(2),
    "gather": lambda torch, x: x.gather(0, torch.tensor([0])),
    "index_select": lambda torch, x: x.index_select(0, torch.tensor([0])),
    "masked_fill": lambda torch, x: x.masked_fill(x > 0, 1.0),
    "mm": lambda torch, x: x.view(1, 3) @ x.view(3, 1),
    "mv": lambda torch, x: x.view(1, 3) @ x,
    "dot": lambda torch, x: x @ x,
    "bmm": lambda torch, x: torch.bmm(x.view(1, 1, 3), x.view(1, 3, 1)),
    "addmm": lambda torch, x: torch.addmm(x, x.view(1, 3), torch.ones(3, 3)),
}


@pytest.mark.parametrize("op", NAMED.values(), ids=NAMED.keys())
def test_nodes_are_named_as_in_pytorch(op: Any) -> None:
    both(lambda torch: op(torch, leaf(torch)).grad_fn.name())


@alike
def test_pack_runs_at_record_and_unpack_at_backward(torch: Any) -> Any:
    log: list[str] = []

    def pack(t: Any) -> Any:
        log.append("pack")
        return t

    def unpack(t: Any) -> Any:
        log.append("unpack")
        return t

    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x.exp()
    log.append("recorded")
    y.sum().backward()
    return log, x.grad


@alike
def test_backward_uses_what_unpack_returns(torch: Any) -> Any:
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t * 10):
        y = x * x
    y.sum().backward()
    return y, x.grad


@alike
def test_pack_may_return_anything(torch: Any) -> Any:
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
        y = x * x
    y.sum().backward()
    return x.grad


@alike
def test_ops_outside_the_block_are_not_packed(torch: Any) -> Any:
    x, seen = leaf(torch), []

    def pack(t: Any) -> Any:
        seen.append(t.clone().detach())
        return t

    before = x.exp()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        inside = (x * 2).exp()
    after = x.exp()
    (before + inside + after).sum().backward()
    return seen, x.grad


@alike
def test_the_innermost_saved_tensor_hooks_count(torch: Any) -> Any:
    x = leaf(torch)
    hooks = torch.autograd.graph.saved_tensors_hooks
    with hooks(lambda t: t.detach(), lambda t: t * 10):
        with hooks(lambda t: t.detach(), lambda t: t * 100):
            y = x.exp()
        z = x.exp()
    return torch.autograd.grad(y.sum(), x), torch.autograd.grad(z.sum(), x)


@alike
def test_unpack_runs_at_every_backward(torch: Any) -> Any:
    x, log = leaf(torch), []

    def unpack(t: Any) -> Any:
        log.append("unpack")
        return t

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        y = x.exp().sum()
    y.backward(retain_graph=True)
    y.backward()
    return log


@alike
def test_saved_tensor_hooks_allow_second_derivatives(torch: Any) -> Any:
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = (x**3).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return g, torch.autograd.grad(g.sum(), x)


@raises_alike(TypeError)
def test_unpack_must_return_a_tensor(torch: Any) -> None:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
        y = leaf(torch).exp()
    y.sum().backward()


@raises_alike(RuntimeError)
def test_saved_tensor_hooks_can_be_forbidden(torch: Any) -> None:
    graph = torch.autograd.graph
    with (
        graph.disable_saved_tensors_hooks("not here"),
        graph.saved_tensors_hooks(lambda t: t, lambda t: t),
    ):
        leaf(torch).exp()


@alike
def test_save_on_cpu_changes_nothing_on_the_cpu(torch: Any) -> Any:
    x = leaf(torch)
    with torch.autograd.graph.save_on_cpu():
        y = (x.exp() * x).sum()
    y.backward()
    return x.grad
