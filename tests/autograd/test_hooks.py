"""Hooks on tensors, on leaves and on graph nodes: order, removal, what they see and may return.

Every program runs on PyTorch and on wend; what backward computes without hooks is test_backward's.
"""

from typing import Any

import pytest
from both import alike, both, both_raise, error_of, raises_alike
from samples import leaf


@alike
def test_a_tensor_hook_sees_the_gradient(torch: Any) -> Any:
    x, seen = leaf(torch), []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.clone()))
    (y * y).sum().backward()
    return seen, x.grad


@alike
def test_a_leaf_hook_sees_the_summed_gradient_once(torch: Any) -> Any:
    x, seen = leaf(torch), []
    x.register_hook(lambda g: seen.append(g.clone()))
    (x * 2 + x * x).sum().backward()
    return seen


@alike
def test_a_hook_on_an_intermediate_runs_once_for_many_uses(torch: Any) -> Any:
    x, seen = leaf(torch), []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.clone()))
    (y * 3 + y * 4).sum().backward()
    return seen


@alike
def test_what_a_hook_returns_replaces_the_gradient(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    return x.grad


@alike
def test_a_hook_that_returns_none_changes_nothing(torch: Any) -> Any:
    x = leaf(torch)
    x.register_hook(lambda g: None)
    (x * 2).sum().backward()
    return x.grad


@alike
def test_hooks_run_in_order_each_on_what_the_last_returned(torch: Any) -> Any:
    x = leaf(torch)
    x.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: None)
    x.register_hook(lambda g: g - 5)
    (x * 2).sum().backward()
    return x.grad


@alike
def test_a_removed_hook_does_not_run(torch: Any) -> Any:
    x, seen = leaf(torch), []
    x.register_hook(lambda g: seen.append("kept"))
    handle = x.register_hook(lambda g: seen.append("removed"))
    handle.remove()
    x.sum().backward()
    return seen


@alike
def test_a_hook_can_be_removed_twice(torch: Any) -> Any:
    x = leaf(torch)
    handle = x.register_hook(lambda g: g * 0)
    handle.remove()
    handle.remove()
    x.sum().backward()
    return x.grad


@alike
def test_a_hook_can_be_removed_between_backwards(torch: Any) -> Any:
    x = leaf(torch)
    handle = x.register_hook(lambda g: g * 10)
    x.sum().backward()
    handle.remove()
    x.sum().backward()
    return x.grad


@alike
def test_a_handle_is_a_context(torch: Any) -> Any:
    x = leaf(torch)
    with x.register_hook(lambda g: g * 10):
        inside = torch.autograd.grad(x.sum(), x)
    return inside, torch.autograd.grad(x.sum(), x)


@alike
def test_hooks_run_for_autograd_grad_too(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    x.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: g + 1)
    return torch.autograd.grad((y * y).sum(), (x, y))


@alike
def test_a_hook_on_the_root_sees_the_seed(torch: Any) -> Any:
    x, seen = leaf(torch), []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.clone()))
    y.backward(torch.tensor([1.0, 10.0, 100.0]))
    return seen


@alike
def test_a_hook_of_a_part_that_backward_does_not_reach_does_not_run(torch: Any) -> Any:
    x, seen = leaf(torch), []
    aside = x * 5
    aside.register_hook(lambda g: seen.append("aside"))
    x.sum().backward()
    return seen


@alike
def test_a_hook_registered_before_a_write_sees_the_gradient_before_it(torch: Any) -> Any:
    x, seen = leaf(torch), []
    y = x * 2
    y.register_hook(lambda g: seen.append(("before", g.clone())))
    y.mul_(3)
    y.register_hook(lambda g: seen.append(("after", g.clone())))
    y.sum().backward()
    return seen


@alike
def test_a_hook_registered_after_use_runs(torch: Any) -> Any:
    x, seen = leaf(torch), []
    z = (x * 2).sum()
    x.register_hook(lambda g: seen.append(g.clone()))
    z.backward()
    return seen


@alike
def test_inside_a_hook_grad_mode_is_off(torch: Any) -> Any:
    x, seen = leaf(torch), []
    x.register_hook(lambda g: seen.append((torch.is_grad_enabled(), g.requires_grad)))
    (x * x).sum().backward()
    return seen


@alike
def test_inside_a_hook_grad_mode_is_on_when_the_graph_is_created(torch: Any) -> Any:
    x, seen = leaf(torch), []
    x.register_hook(lambda g: seen.append((torch.is_grad_enabled(), g.requires_grad)))
    torch.autograd.grad((x * x).sum(), x, create_graph=True)
    return seen


@alike
def test_what_a_hook_computes_is_differentiated(torch: Any) -> Any:
    x = leaf(torch)
    with x.register_hook(lambda g: g * g):
        (g,) = torch.autograd.grad((x * x).sum(), x, create_graph=True)
    return g, torch.autograd.grad(g.sum(), x)


@alike
def test_a_hook_may_read_values_and_branch(torch: Any) -> Any:
    x = leaf(torch)
    x.register_hook(lambda g: g / g.norm() if g.norm().item() > 1 else g)
    (x * 10).sum().backward()
    return x.grad


@raises_alike(KeyError)
def test_an_exception_in_a_hook_reaches_the_caller(torch: Any) -> None:
    def fails(g: Any) -> None:
        raise KeyError("from the hook")

    y = leaf(torch) * 2
    y.register_hook(fails)
    y.sum().backward()


@alike
def test_after_an_exception_in_a_hook_the_leaf_has_no_grad(torch: Any) -> Any:
    def fails(g: Any) -> None:
        raise KeyError("from the hook")

    x = leaf(torch)
    y = x * 2
    y.register_hook(fails)
    return error_of(y.sum().backward), x.grad, torch.is_grad_enabled()


@raises_alike(TypeError)
def test_a_hook_must_return_a_tensor(torch: Any) -> None:
    y = leaf(torch) * 2
    y.register_hook(lambda g: 3)
    y.sum().backward()


@raises_alike(RuntimeError)
def test_a_hook_must_keep_the_shape(torch: Any) -> None:
    def shorter(g: Any) -> Any:
        return torch.ones(2)

    y = leaf(torch) * 2
    y.register_hook(shorter)
    y.sum().backward()


@raises_alike(RuntimeError)
def test_a_hook_must_keep_the_dtype(torch: Any) -> None:
    def wider(g: Any) -> Any:
        return g.double()

    y = leaf(torch) * 2
    y.register_hook(wider)
    y.sum().backward()


@raises_alike(RuntimeError)
def test_a_hook_needs_a_tensor_that_requires_grad(torch: Any) -> None:
    torch.ones(3).register_hook(lambda g: g)


@alike
def test_retain_grad_keeps_the_grad_of_a_result(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    before = y.retains_grad
    y.retain_grad()
    (y * y).sum().backward()
    return before, y.retains_grad, y.grad, x.grad


@alike
def test_retained_grad_accumulates(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return y.grad, x.grad


@alike
def test_retain_grad_twice_is_once(torch: Any) -> Any:
    y = leaf(torch) * 2
    y.retain_grad()
    y.retain_grad()
    y.sum().backward()
    return y.grad


@alike
def test_retain_grad_of_a_leaf_does_nothing(torch: Any) -> Any:
    x = leaf(torch)
    x.retain_grad()
    x.sum().backward()
    return x.retains_grad, x.grad


@alike
def test_retained_grad_is_what_later_hooks_made_of_it(torch: Any) -> Any:
    y = leaf(torch) * 2
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    return y.grad


@alike
def test_retained_grad_of_a_tensor_written_afterwards_is_the_new_one(torch: Any) -> Any:
    y = leaf(torch) * 2
    y.retain_grad()
    y.mul_(3)
    (y * 5).sum().backward()
    return y.grad


@raises_alike(RuntimeError)
def test_retain_grad_needs_requires_grad(torch: Any) -> None:
    torch.ones(3).retain_grad()


@alike
def test_a_post_accumulate_hook_gets_the_leaf_with_its_grad(torch: Any) -> Any:
    x, seen = leaf(torch), []
    x.register_post_accumulate_grad_hook(lambda p: seen.append((p is x, p.grad.clone())))
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    return seen


@alike
def test_a_post_accumulate_hook_may_step_and_clear(torch: Any) -> Any:
    x = leaf(torch)

    def step(p: Any) -> None:
        with torch.no_grad():
            p.sub_(p.grad, alpha=0.1)
        p.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    return x, x.grad


@alike
def test_a_post_accumulate_hook_does_not_run_for_autograd_grad(torch: Any) -> Any:
    x, seen = leaf(torch), []
    x.register_post_accumulate_grad_hook(lambda p: seen.append("ran"))
    return torch.autograd.grad(x.sum(), x), seen


@alike
def test_a_post_accumulate_hook_can_be_removed(torch: Any) -> Any:
    x, seen = leaf(torch), []
    x.register_post_accumulate_grad_hook(lambda p: seen.append("removed")).remove()
    x.register_post_accumulate_grad_hook(lambda p: seen.append("kept"))
    x.sum().backward()
    return seen


@raises_alike(RuntimeError)
def test_a_post_accumulate_hook_is_for_leaves(torch: Any) -> None:
    (leaf(torch) * 2).register_post_accumulate_grad_hook(lambda p: None)


@raises_alike(RuntimeError)
def test_a_post_accumulate_hook_needs_requires_grad(torch: Any) -> None:
    torch.ones(3).register_post_accumulate_grad_hook(lambda p: None)


@alike
def test_a_node_hook_sees_gradients_in_and_out(torch: Any) -> Any:
    x, seen = leaf(torch), []
    y = x * leaf(torch, 4.0, 5.0, 6.0)
    y.grad_fn.register_hook(lambda into, out: seen.append((into, out)))
    y.backward(torch.tensor([1.0, 10.0, 100.0]))
    return seen


@alike
def test_a_node_hook_sees_none_for_a_constant_input(torch: Any) -> Any:
    seen: list[Any] = []
    y = leaf(torch) * torch.ones(3)
    y.grad_fn.register_hook(lambda into, out: seen.append(into))
    y.sum().backward()
    return seen


@alike
def test_a_node_hook_may_replace_the_input_gradients(torch: Any) -> Any:
    x = leaf(torch)
    y = x.exp()
    y.grad_fn.register_hook(lambda into, out: (into[0] * 10,))
    y.sum().backward()
    return x.grad


@alike
def test_a_node_prehook_may_replace_the_output_gradients(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    y.grad_fn.register_prehook(lambda out: (out[0] * 10,))
    y.sum().backward()
    return x.grad


@alike
def test_node_hooks_can_be_removed(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    y.grad_fn.register_hook(lambda into, out: (into[0] * 10, None)).remove()
    y.grad_fn.register_prehook(lambda out: (out[0] * 10,)).remove()
    y.sum().backward()
    return x.grad


@raises_alike(RuntimeError)
def test_a_node_hook_must_return_as_many(torch: Any) -> None:
    def more(into: Any, out: Any) -> Any:
        return into + into

    y = leaf(torch).exp()
    y.grad_fn.register_hook(more)
    y.sum().backward()


@raises_alike(TypeError)
def test_a_node_hook_must_return_a_tuple(torch: Any) -> None:
    y = leaf(torch).exp()
    y.grad_fn.register_hook(lambda into, out: 3)
    y.sum().backward()


@alike
def test_hooks_of_every_kind_run_in_order(torch: Any) -> Any:
    x, log = leaf(torch), []
    y = x * 2
    y.grad_fn.register_hook(lambda into, out: log.append("node"))
    y.grad_fn.register_prehook(lambda out: log.append("before node"))
    y.register_hook(lambda g: log.append("first of y"))
    y.register_hook(lambda g: log.append("second of y"))
    accumulate = y.grad_fn.next_functions[0][0]
    accumulate.register_hook(lambda into, out: log.append("accumulate node"))
    accumulate.register_prehook(lambda out: log.append("before accumulate node"))
    x.register_post_accumulate_grad_hook(lambda p: log.append("accumulated"))
    x.register_hook(lambda g: log.append("x"))
    y.sum().backward()
    return log


@alike
def test_hooks_run_from_the_last_node_to_the_first(torch: Any) -> Any:
    x, log = leaf(torch), []
    h = x
    for k in range(5):
        h = h * 2
        h.register_hook(lambda g, k=k: log.append(k))
    h.sum().backward()
    return log


@alike
def test_of_two_branches_the_later_recorded_runs_first(torch: Any) -> Any:
    x, log = leaf(torch), []
    a = x.exp()
    b = x.sin()
    a.register_hook(lambda g: log.append("a"))
    b.register_hook(lambda g: log.append("b"))
    (b * a).sum().backward()
    return log


@alike
def test_a_multi_grad_hook_gets_all_gradients_at_once(torch: Any) -> Any:
    x, y, unused, seen = leaf(torch), leaf(torch), leaf(torch), []
    torch.autograd.graph.register_multi_grad_hook((x, unused, y), seen.append)
    (x * y).sum().backward()
    return [list(grads) for grads in seen]


def _freeze(x: Any) -> None:
    x.requires_grad_(False)


FREEZE = {"requires_grad_": _freeze, "detach_": lambda x: x.detach_()}


@pytest.mark.parametrize("freeze", FREEZE.values(), ids=FREEZE.keys())
def test_a_leaf_that_was_frozen_for_a_while_keeps_hooks_and_older_graphs(freeze: Any) -> None:
    def program(torch: Any) -> Any:
        x, seen = leaf(torch), []
        x.register_hook(lambda g: seen.append(g.tolist()))
        before = x * 2
        freeze(x)
        frozen = x.requires_grad
        x.requires_grad_()
        (x * 3).sum().backward()
        before.sum().backward()
        return frozen, seen, x.grad

    both(program)


@pytest.mark.parametrize("freeze", FREEZE.values(), ids=FREEZE.keys())
def test_a_frozen_leaf_gets_no_grad_from_older_graphs(freeze: Any) -> None:
    def program(torch: Any) -> Any:
        x = leaf(torch)
        before = x * 2
        freeze(x)
        before.sum().backward()
        return [x.grad, x.requires_grad]

    both(program)


@pytest.mark.parametrize("freeze", FREEZE.values(), ids=FREEZE.keys())
def test_a_leaf_that_became_a_result_is_refused_its_older_gradient(freeze: Any) -> None:
    def program(torch: Any) -> None:
        x = leaf(torch)
        before = x * 2
        freeze(x)
        x.mul_(leaf(torch))
        before.sum().backward()

    both_raise(program, RuntimeError)
