"""autograd.grad, derivatives of any order, and what makes a tensor require grad.

Every program runs on PyTorch and on wend; accumulation into .grad is test_backward's.
"""

import warnings
from typing import Any

from both import alike, error_of, raises_alike
from samples import leaf


@alike
def test_create_graph_gives_a_differentiable_grad(torch: Any) -> Any:
    x = leaf(torch)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    return g, gg


@alike
def test_create_graph_keeps_the_graph(torch: Any) -> Any:
    x = leaf(torch)
    y = (x**3).sum()
    torch.autograd.grad(y, x, create_graph=True)
    return torch.autograd.grad(y, x)


@alike
def test_create_graph_without_retain_graph_frees_it(torch: Any) -> Any:
    x = leaf(torch)
    y = (x**3).sum()
    torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
    return error_of(lambda: torch.autograd.grad(y, x))


@alike
def test_the_fourth_derivative(torch: Any) -> Any:
    x = leaf(torch)
    g = (x**5).sum()
    found = []
    for _ in range(4):
        (g,) = torch.autograd.grad(g.sum(), x, create_graph=True)
        found.append(g)
    return found


@alike
def test_a_gradient_penalty_reaches_the_weights(torch: Any) -> Any:
    w = leaf(torch, 0.5, -0.3, 0.2)
    x = leaf(torch)
    (g,) = torch.autograd.grad((w * x).tanh().sum(), x, create_graph=True)
    ((g.norm() - 1) ** 2).backward()
    return w.grad, x.grad


@alike
def test_without_create_graph_gradients_have_no_history(torch: Any) -> Any:
    x = leaf(torch)
    (g,) = torch.autograd.grad((x**3).sum(), x)
    return g.requires_grad, g.grad_fn, g.is_leaf


@alike
def test_a_differentiable_gradient_of_a_linear_function_is_a_constant(torch: Any) -> Any:
    x = leaf(torch)
    (g,) = torch.autograd.grad((2 * x).sum(), x, create_graph=True)
    return g, g.requires_grad


@alike
def test_a_gradient_argument_is_differentiated_too(torch: Any) -> Any:
    x, seed = leaf(torch), torch.ones(3, requires_grad=True)
    (g,) = torch.autograd.grad(x * x, x, seed, create_graph=True)
    return torch.autograd.grad(g.sum(), (x, seed))


@alike
def test_autograd_grad_leaves_grad_alone(torch: Any) -> Any:
    x = leaf(torch)
    g = torch.autograd.grad((x * x).sum(), [x])
    return g, x.grad


@alike
def test_autograd_grad_takes_many_outputs_and_inputs(torch: Any) -> Any:
    x, y = leaf(torch), leaf(torch, 4.0, 5.0, 6.0)
    return torch.autograd.grad([(x * y).sum(), y.sum()], [y, x])


@alike
def test_autograd_grad_of_an_intermediate(torch: Any) -> Any:
    x = leaf(torch)
    y = x.exp()
    z = (y * y).sum()
    return torch.autograd.grad(z, (y, x))


@alike
def test_autograd_grad_of_an_intermediate_stops_there(torch: Any) -> Any:
    x = leaf(torch)
    seen: list[str] = []
    below = x * 2
    below.register_hook(lambda g: seen.append("below"))
    y = below + 1
    (g,) = torch.autograd.grad((y * y).sum(), y)
    return g, seen


@alike
def test_the_same_input_twice_gives_the_gradient_twice(torch: Any) -> Any:
    x = leaf(torch)
    return torch.autograd.grad((x * x).sum(), (x, x))


@raises_alike(RuntimeError)
def test_an_unused_input_is_refused(torch: Any) -> None:
    x, unused = leaf(torch), leaf(torch)
    torch.autograd.grad((x * x).sum(), [x, unused])


@alike
def test_an_unused_input_is_none_when_allowed(torch: Any) -> Any:
    x, unused = leaf(torch), leaf(torch)
    return torch.autograd.grad((x * x).sum(), [x, unused], allow_unused=True)


@alike
def test_an_unused_input_is_zeros_when_materialized(torch: Any) -> Any:
    x, unused = leaf(torch), leaf(torch, 1.0)
    return torch.autograd.grad((x * x).sum(), [x, unused], materialize_grads=True)


@raises_alike(ValueError)
def test_materialized_and_not_allowed_unused_is_a_contradiction(torch: Any) -> None:
    x = leaf(torch)
    torch.autograd.grad(x.sum(), x, allow_unused=False, materialize_grads=True)


@raises_alike(RuntimeError)
def test_an_input_that_requires_no_grad_is_refused(torch: Any) -> None:
    torch.autograd.grad(leaf(torch).sum(), torch.ones(3))


@raises_alike(RuntimeError)
def test_an_output_that_requires_no_grad_is_refused(torch: Any) -> None:
    x = leaf(torch)
    torch.autograd.grad([x.sum(), torch.ones(3).sum()], x)


@raises_alike(RuntimeError)
def test_no_inputs_to_grad_are_refused(torch: Any) -> None:
    torch.autograd.grad(leaf(torch).sum(), [])


@alike
def test_grad_outputs_weigh_the_outputs(torch: Any) -> Any:
    x = leaf(torch)
    seeds = [torch.tensor([1.0, 0.0, 2.0]), torch.tensor(5.0)]
    return torch.autograd.grad([x * x, x.sum()], x, grad_outputs=seeds)


@alike
def test_a_none_among_grad_outputs_is_one_for_a_scalar(torch: Any) -> Any:
    x = leaf(torch)
    return torch.autograd.grad([x * x, x.sum()], x, [torch.ones(3), None])


@raises_alike(RuntimeError)
def test_a_none_among_grad_outputs_is_refused_for_a_vector(torch: Any) -> None:
    x = leaf(torch)
    torch.autograd.grad([x * x, x.sum()], x, [None, None])


@raises_alike(RuntimeError)
def test_grad_outputs_of_another_shape_are_refused(torch: Any) -> None:
    x = leaf(torch)
    torch.autograd.grad([x * x, x.sum()], x, [torch.ones(4), None])


@raises_alike(RuntimeError)
def test_too_few_grad_outputs_are_refused(torch: Any) -> None:
    x = leaf(torch)
    torch.autograd.grad([x.sum(), x * x], x, [None])


@alike
def test_leaves_are_what_no_differentiable_op_made(torch: Any) -> Any:
    x = leaf(torch)
    plain = torch.ones(3)
    return [
        x.is_leaf,
        plain.is_leaf,
        (plain * 2).is_leaf,
        (x * 2).is_leaf,
        x.detach().is_leaf,
        (x * 2).detach().is_leaf,
        x.view(3, 1).is_leaf,
        (plain * 2).requires_grad_().is_leaf,
    ]


@alike
def test_requires_grad_follows_from_the_inputs(torch: Any) -> Any:
    x, plain = leaf(torch), torch.ones(3)
    return [
        (x * plain).requires_grad,
        (plain * plain).requires_grad,
        (x > 1).requires_grad,
        x.argmax().requires_grad,
        x.detach().requires_grad,
        x.clone().requires_grad,
        x.long().requires_grad,
        torch.zeros_like(x).requires_grad,
        torch.where(x > 1, plain, plain).requires_grad,
    ]


@raises_alike(RuntimeError)
def test_an_integer_cannot_require_grad(torch: Any) -> None:
    torch.ones(3, dtype=torch.int64).requires_grad_()


@raises_alike(RuntimeError)
def test_an_integer_cannot_be_made_to_require_grad_at_creation(torch: Any) -> None:
    torch.tensor([1, 2], requires_grad=True)


@raises_alike(RuntimeError)
def test_a_result_cannot_stop_requiring_grad(torch: Any) -> None:
    (leaf(torch) * 2).requires_grad = False


@alike
def test_a_leaf_can_stop_requiring_grad(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    x.requires_grad_(False)
    return (x * 2).requires_grad, y.requires_grad


@alike
def test_requires_grad_underscore_returns_the_tensor(torch: Any) -> Any:
    x = torch.ones(2)
    return x.requires_grad_() is x, x.requires_grad


@alike
def test_reading_grad_of_a_result_warns_and_gives_none(torch: Any) -> Any:
    y = leaf(torch) * 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = y.grad
    return found, [type(w.message).__name__ for w in caught], str(caught[0].message)[:60]


@alike
def test_a_tensor_is_reached_on_every_way_whatever_ran_beside_it(torch: Any) -> Any:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    beside = [(x.mT + x) ** 2 for _ in range(8)]
    return torch.autograd.grad(((x.mT + x) ** 2).sum(), x), beside
