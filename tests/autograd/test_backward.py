"""backward: what is computed, accumulated, kept, freed and refused.

Every program runs on PyTorch and on wend; hooks, modes and in-place writes have their own files.
"""

from typing import Any

import pytest
from both import alike, error_of, raises_alike
from samples import leaf

# PyTorch's advice on memory, given once in a process.
pytestmark = pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")


@alike
def test_backward_of_a_scalar_fills_grad(torch: Any) -> Any:
    x = leaf(torch)
    (x * x).sum().backward()
    return x.grad, x


@alike
def test_backward_returns_nothing(torch: Any) -> Any:
    return [leaf(torch).sum().backward()]


@alike
def test_a_one_element_tensor_of_any_rank_is_a_scalar(torch: Any) -> Any:
    x = leaf(torch, 2.0)
    (x * x).reshape(1, 1, 1).backward()
    return x.grad


@alike
def test_grad_is_none_before_backward(torch: Any) -> Any:
    x = leaf(torch)
    return [x.grad, (x * 2).is_leaf]


@alike
def test_gradients_of_two_uses_add_up(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    (y * y + y + x).sum().backward()
    return x.grad


@alike
def test_a_tensor_that_meets_itself_gets_both_gradients(torch: Any) -> Any:
    x = leaf(torch)
    (x * x * x).sum().backward()
    return x.grad


@alike
def test_grad_accumulates_over_backward_calls(torch: Any) -> Any:
    x = leaf(torch)
    for k in range(3):
        (x * k).sum().backward()
    return x.grad


@alike
def test_grad_accumulates_in_place(torch: Any) -> Any:
    p = leaf(torch)
    (p * 2).sum().backward()
    g = p.grad
    (p * p).sum().backward()
    return g is p.grad, g


@alike
def test_every_alias_of_grad_sees_the_accumulation(torch: Any) -> Any:
    p = leaf(torch)
    (p * 2).sum().backward()
    alias = p.grad.detach()
    (p * p).sum().backward()
    return alias


@alike
def test_grad_is_replaced_when_the_graph_is_created(torch: Any) -> Any:
    p = leaf(torch)
    (p * 2).sum().backward()
    g = p.grad
    (total,) = torch.autograd.grad((p * p).sum(), p, create_graph=True)
    total.sum().backward(create_graph=True)
    return g is p.grad, g, p.grad


@alike
def test_grad_set_to_none_starts_again(torch: Any) -> Any:
    p = leaf(torch)
    (p * 2).sum().backward()
    old = p.grad
    p.grad = None
    (p * 5).sum().backward()
    return old is p.grad, old, p.grad


@alike
def test_grad_zeroed_in_place_starts_again_in_the_same_tensor(torch: Any) -> Any:
    p = leaf(torch)
    (p * 2).sum().backward()
    old = p.grad
    p.grad.zero_()
    (p * 5).sum().backward()
    return old is p.grad, p.grad


@alike
def test_a_grad_set_by_hand_is_accumulated_into(torch: Any) -> Any:
    p = leaf(torch)
    g = torch.ones(3)
    p.grad = g
    (p * 5).sum().backward()
    return g is p.grad, g


@raises_alike(RuntimeError)
def test_grad_of_another_shape_is_refused(torch: Any) -> None:
    leaf(torch).grad = torch.ones(2)


@raises_alike(RuntimeError)
def test_grad_of_another_dtype_is_refused(torch: Any) -> None:
    leaf(torch).grad = torch.ones(3, dtype=torch.float64)


@raises_alike(TypeError)
def test_grad_that_is_no_tensor_is_refused(torch: Any) -> None:
    leaf(torch).grad = 2.0


@raises_alike(RuntimeError)
def test_a_tensor_cannot_be_its_own_grad(torch: Any) -> None:
    x = leaf(torch)
    x.grad = x


@alike
def test_grad_does_not_alias_the_given_gradient(torch: Any) -> Any:
    x, seed = leaf(torch), torch.ones(3)
    (x * 1).backward(seed)
    (x * 1).backward(seed)
    return seed, x.grad


@alike
def test_two_leaves_do_not_share_their_grad(torch: Any) -> Any:
    a, b = leaf(torch), leaf(torch)
    (a + b).sum().backward()
    a.grad.add_(10)
    return a.grad, b.grad


@alike
def test_grad_has_the_leaf_dtype(torch: Any) -> Any:
    x = leaf(torch)
    y = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    (x * y).sum().backward()
    return x.grad, y.grad


@alike
def test_a_broadcast_leaf_gets_its_own_shape(torch: Any) -> Any:
    x = torch.ones(3, 1, requires_grad=True)
    y = torch.ones(4, requires_grad=True)
    (x * y).sum().backward()
    return x.grad, y.grad


@alike
def test_a_half_precision_leaf_gets_a_half_precision_grad(torch: Any) -> Any:
    x = torch.ones(3, dtype=torch.bfloat16, requires_grad=True)
    (x.float() * 3).sum().backward()
    return x.grad


@alike
def test_a_leaf_is_its_own_gradient_source(torch: Any) -> Any:
    x = leaf(torch, 3.0)
    x.backward()
    return x.grad, torch.autograd.grad(x, x)


@alike
def test_backward_takes_a_gradient_for_a_vector(torch: Any) -> Any:
    x = leaf(torch)
    (x * x).backward(torch.tensor([1.0, 10.0, 100.0]))
    return x.grad


@alike
def test_backward_takes_a_gradient_by_name(torch: Any) -> Any:
    x = leaf(torch)
    (x * x).backward(gradient=torch.ones(3))
    return x.grad


@alike
def test_autograd_backward_takes_many_roots(torch: Any) -> Any:
    x = leaf(torch)
    torch.autograd.backward([(x * 2).sum(), x * x], [None, torch.ones(3)])
    return x.grad


@alike
def test_autograd_backward_takes_one_root(torch: Any) -> Any:
    x = leaf(torch)
    torch.autograd.backward(x * x, torch.ones(3))
    return x.grad


@raises_alike(RuntimeError)
def test_backward_of_a_vector_needs_a_gradient(torch: Any) -> None:
    (leaf(torch) * 2).backward()


@raises_alike(RuntimeError)
def test_backward_of_no_elements_needs_a_gradient(torch: Any) -> None:
    leaf(torch)[:0].backward()


@raises_alike(RuntimeError)
def test_backward_without_grad_is_refused(torch: Any) -> None:
    torch.ones(3).sum().backward()


@raises_alike(RuntimeError)
def test_backward_of_a_detached_result_is_refused(torch: Any) -> None:
    (leaf(torch) * 2).detach().sum().backward()


@raises_alike(RuntimeError)
def test_backward_with_a_gradient_of_another_shape_is_refused(torch: Any) -> None:
    (leaf(torch) * 2).backward(torch.ones(2, 3))


@raises_alike(RuntimeError)
def test_a_gradient_that_would_only_broadcast_is_refused(torch: Any) -> None:
    (leaf(torch) * 2).backward(torch.ones(1))


@raises_alike(TypeError)
def test_a_gradient_that_is_no_tensor_is_refused(torch: Any) -> None:
    (leaf(torch) * 2).backward(3)


@raises_alike(RuntimeError)
def test_a_second_backward_on_a_freed_graph_is_refused(torch: Any) -> None:
    x = leaf(torch)
    y = (x * x).sum()
    y.backward()
    y.backward()


@raises_alike(RuntimeError)
def test_a_second_backward_through_a_freed_part_is_refused(torch: Any) -> None:
    x = leaf(torch)
    shared = x.exp()
    (shared * 2).sum().backward()
    (shared * 3).sum().backward()


@alike
def test_a_part_that_saves_nothing_can_be_used_twice(torch: Any) -> Any:
    x = leaf(torch)
    shared = x + 1
    (shared * 2).sum().backward()
    (shared * 3).sum().backward()
    return x.grad


@alike
def test_the_grad_of_a_refused_backward_is_unchanged(torch: Any) -> Any:
    x = leaf(torch)
    y = (x * x).sum()
    y.backward()
    before = x.grad.clone()
    return error_of(y.backward), before, x.grad


@alike
def test_retain_graph_allows_a_second_backward(torch: Any) -> Any:
    x = leaf(torch)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


@raises_alike(RuntimeError)
def test_retain_graph_holds_for_one_backward(torch: Any) -> None:
    x = leaf(torch)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    y.backward()


@alike
def test_values_stay_readable_after_the_graph_is_freed(torch: Any) -> Any:
    x = leaf(torch)
    y = x * x
    z = y.exp()
    z.sum().backward()
    return y, z, y + z.detach()


@alike
def test_a_pending_reader_of_a_freed_part_keeps_its_value(torch: Any) -> Any:
    x = leaf(torch)
    y = x * x
    later = y.detach() * 3
    y.sum().backward()
    return later, y.requires_grad, y.grad_fn is not None


@alike
def test_backward_to_chosen_inputs_leaves_the_others(torch: Any) -> Any:
    x, y = leaf(torch), leaf(torch)
    (x * y).sum().backward(inputs=[x])
    return x.grad, y.grad


@alike
def test_backward_takes_one_input_as_a_tensor(torch: Any) -> Any:
    x, y = leaf(torch), leaf(torch)
    (x * y).sum().backward(inputs=y)
    return x.grad, y.grad


@alike
def test_backward_to_an_intermediate_input_fills_its_grad(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    y.retain_grad()
    (y * y).sum().backward(inputs=[y])
    return y.grad, x.grad


@raises_alike(RuntimeError)
def test_backward_to_no_inputs_is_refused(torch: Any) -> None:
    leaf(torch).sum().backward(inputs=[])


@alike
def test_detach_cuts_the_gradient(torch: Any) -> Any:
    x = leaf(torch)
    (x * x.detach()).sum().backward()
    return x.grad


@alike
def test_integer_parts_of_a_graph_pass_no_gradient(torch: Any) -> Any:
    x = leaf(torch, 1.5, 2.5, 0.5)
    order = x.argsort()
    (x[order] * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    return x.grad


@alike
def test_one_output_of_many_may_be_used(torch: Any) -> Any:
    x = leaf(torch, 3.0, 1.0, 2.0)
    values, _ = x.sort()
    x.max(dim=0).values.backward()
    _, b, _ = x.unbind()
    (b * 5).backward()
    return x.grad, values


@alike
def test_gradients_flow_through_control_flow(torch: Any) -> Any:
    x = leaf(torch, 0.7)
    h = x
    while h.item() < 10:
        h = h * 2 if h.item() < 3 else h * h
    h.sum().backward()
    return h, x.grad


@alike
def test_gradients_flow_through_item_free_branches_only(torch: Any) -> Any:
    x = leaf(torch, 2.0)
    (x * x.item()).sum().backward()
    return x.grad


@alike
def test_gradients_flow_through_a_recursion(torch: Any) -> Any:
    w = leaf(torch, 0.5)

    def tree(depth: int) -> Any:
        return w if depth == 0 else (tree(depth - 1) * w + tree(depth - 1)).tanh()

    root = tree(4)
    root.sum().backward()
    return root, w.grad


@alike
def test_a_graph_can_be_entered_from_two_roots_in_turn(torch: Any) -> Any:
    x = leaf(torch)
    y = x * x
    first = torch.autograd.grad(y.sum(), x, retain_graph=True)
    return first, torch.autograd.grad((y * y).sum(), x)


@alike
def test_nan_and_infinity_pass_through(torch: Any) -> Any:
    x = leaf(torch, 0.0, float("inf"), float("nan"))
    (x * x).sum().backward()
    return x.grad


@alike
def test_tensors_without_elements_have_gradients_without_elements(torch: Any) -> Any:
    x = torch.zeros(0, 3, requires_grad=True)
    (x * 2).sum().backward()
    return x.grad


@alike
def test_backward_inside_backward_is_allowed(torch: Any) -> Any:
    x = leaf(torch)
    inner = leaf(torch, 2.0)
    y = x * 2

    def hook(g: Any) -> None:
        with torch.enable_grad():
            (inner * inner).sum().backward()

    y.register_hook(hook)
    y.sum().backward()
    return x.grad, inner.grad


@alike
def test_backward_runs_under_no_grad(torch: Any) -> Any:
    x = leaf(torch)
    y = (x * x).sum()
    with torch.no_grad():
        y.backward()
    return x.grad


@alike
def test_a_long_chain_is_differentiated(torch: Any) -> Any:
    x = leaf(torch, 1.0)
    h = x
    for _ in range(5000):
        h = h * 1.0001
    h.sum().backward()
    return x.grad
