"""autograd.Function: what is called with what, what comes back, what is refused.

Every program runs on PyTorch and on wend; the promises of ctx are test_function_context's.
"""

import warnings
from typing import Any

from both import alike, error_of, raises_alike
from samples import function, leaf, square


@alike
def test_backward_is_the_users(torch: Any) -> Any:
    tenfold = function(torch, lambda ctx, x: x * 2, lambda ctx, g: g * 10)
    x = leaf(torch)
    y = tenfold.apply(x)
    y.sum().backward()
    return y, x.grad


@alike
def test_arguments_that_are_no_tensors_pass_as_they_are(torch: Any) -> Any:
    seen: list[Any] = []

    def forward(ctx: Any, x: Any, *rest: Any) -> Any:
        seen.extend(rest)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        return g * 2, None, None, None, None

    x = leaf(torch)
    custom = function(torch, forward, backward)
    custom.apply(x, 3, "text", [1, 2], {"key": None}).sum().backward()
    return seen, x.grad


@alike
def test_tensors_inside_lists_are_not_differentiated(torch: Any) -> Any:
    def forward(ctx: Any, x: Any, others: Any) -> Any:
        return x * others[0]

    x, other = leaf(torch), leaf(torch)
    custom = function(torch, forward, lambda ctx, g: (g, None))
    custom.apply(x, [other]).sum().backward()
    return x.grad, other.grad


@alike
def test_forward_runs_without_grad_mode(torch: Any) -> Any:
    seen: list[Any] = []

    def forward(ctx: Any, x: Any) -> Any:
        seen.append((torch.is_grad_enabled(), x.requires_grad, (x * 2).requires_grad))
        return x * 2

    function(torch, forward, lambda ctx, g: g).apply(leaf(torch))
    return seen, torch.is_grad_enabled()


@alike
def test_forward_gets_the_very_tensor(torch: Any) -> Any:
    seen: list[Any] = []
    x = leaf(torch)

    def forward(ctx: Any, given: Any) -> Any:
        seen.append(given is x)
        return given * 2

    function(torch, forward, lambda ctx, g: g).apply(x)
    return seen


@alike
def test_without_a_differentiable_input_nothing_is_recorded(torch: Any) -> Any:
    y = square(torch).apply(torch.ones(3))
    return y, y.requires_grad, y.grad_fn


@alike
def test_under_no_grad_nothing_is_recorded(torch: Any) -> Any:
    with torch.no_grad():
        y = square(torch).apply(leaf(torch))
    return y.requires_grad, y.grad_fn


@alike
def test_the_node_is_named_after_the_class(torch: Any) -> Any:
    y = square(torch).apply(leaf(torch))
    return y.grad_fn.name(), type(y.grad_fn).__name__, repr(y.grad_fn).split(" object")[0]


@alike
def test_the_node_leads_on(torch: Any) -> Any:
    x = leaf(torch)
    y = square(torch).apply(x * 2)
    return [fn.name() for fn, _ in y.grad_fn.next_functions]


@alike
def test_many_outputs_get_a_gradient_each(torch: Any) -> Any:
    custom = function(torch, lambda ctx, x: (x * 2, x * 3), lambda ctx, a, b: a * 10 + b * 100)
    x = leaf(torch)
    a, b = custom.apply(x)
    (a * 1 + b * 2).sum().backward()
    return a, b, x.grad


@alike
def test_outputs_of_one_call_share_the_node(torch: Any) -> Any:
    a, b = function(torch, lambda ctx, x: (x * 2, x * 3), lambda ctx, a, b: a + b).apply(
        leaf(torch)
    )
    return a.grad_fn is b.grad_fn, a.output_nr, b.output_nr


@alike
def test_an_unused_output_has_a_gradient_of_zeros(torch: Any) -> Any:
    seen: list[Any] = []

    def backward(ctx: Any, a: Any, b: Any) -> Any:
        seen.append(b.clone())
        return a + b

    x = leaf(torch)
    a, _ = function(torch, lambda ctx, x: (x * 2, x.sum()), backward).apply(x)
    a.sum().backward()
    return seen, x.grad


@alike
def test_a_list_of_outputs_is_one_output(torch: Any) -> Any:
    custom = function(torch, lambda ctx, x: (x * 2, [x, 1], "text", None), lambda ctx, *g: g[0])
    x = leaf(torch)
    y, members, text, nothing = custom.apply(x)
    y.sum().backward()
    return y, len(members), text, nothing, x.grad


@alike
def test_a_gradient_of_none_is_no_gradient(torch: Any) -> Any:
    custom = function(torch, lambda ctx, x, y: x * y, lambda ctx, g: (g, None))
    x, y = leaf(torch), leaf(torch)
    custom.apply(x, y).sum().backward()
    return x.grad, y.grad


@alike
def test_a_gradient_of_none_stops_the_walk(torch: Any) -> Any:
    seen: list[Any] = []
    stop = function(torch, lambda ctx, x: x * 2, lambda ctx, g: None)
    x = leaf(torch)
    below = x * 3
    below.register_hook(lambda g: seen.append("below"))
    stop.apply(below).sum().backward()
    return x.grad, seen


@alike
def test_gradients_for_constant_inputs_are_dropped(torch: Any) -> Any:
    custom = function(torch, lambda ctx, x, y: x * y, lambda ctx, g: (g * 2, g * 3))
    x, y = leaf(torch), torch.ones(3)
    custom.apply(x, y).sum().backward()
    return x.grad, y.grad


@alike
def test_extra_gradients_of_none_are_allowed(torch: Any) -> Any:
    custom = function(torch, lambda ctx, x: x * 2, lambda ctx, g: (g, None, None))
    x = leaf(torch)
    custom.apply(x).sum().backward()
    return x.grad


@raises_alike(RuntimeError)
def test_too_few_gradients_are_refused(torch: Any) -> None:
    custom = function(torch, lambda ctx, x, y: x * y, lambda ctx, g: g)
    custom.apply(leaf(torch), leaf(torch)).sum().backward()


@raises_alike(RuntimeError)
def test_too_many_gradients_are_refused(torch: Any) -> None:
    custom = function(torch, lambda ctx, x: x * 2, lambda ctx, g: (g, g))
    custom.apply(leaf(torch)).sum().backward()


@raises_alike(RuntimeError)
def test_a_gradient_for_an_argument_that_is_no_tensor_is_refused(torch: Any) -> None:
    custom = function(torch, lambda ctx, x, k: x * k, lambda ctx, g: (g, g))
    custom.apply(leaf(torch), 2).sum().backward()


@raises_alike(RuntimeError)
def test_a_gradient_that_is_no_tensor_is_refused(torch: Any) -> None:
    custom = function(torch, lambda ctx, x: x * 2, lambda ctx, g: 3)
    custom.apply(leaf(torch)).sum().backward()


@raises_alike(RuntimeError)
def test_a_gradient_of_another_shape_is_refused(torch: Any) -> None:
    custom = function(torch, lambda ctx, x: x * 2, lambda ctx, g: torch.ones(2))
    custom.apply(leaf(torch)).sum().backward()


@alike
def test_a_gradient_that_was_broadcast_is_summed(torch: Any) -> Any:
    custom = function(torch, lambda ctx, x: x.expand(4, 3) * 1, lambda ctx, g: g)
    x = leaf(torch)
    custom.apply(x).sum().backward()
    return x.grad


@alike
def test_a_gradient_of_another_dtype_is_cast(torch: Any) -> Any:
    custom = function(torch, lambda ctx, x: x * 2, lambda ctx, g: g.double() * 3)
    x = leaf(torch)
    custom.apply(x).sum().backward()
    return x.grad


@alike
def test_an_integer_output_requires_no_grad(torch: Any) -> Any:
    custom = function(torch, lambda ctx, x: (x * 2, x.argmax()), lambda ctx, g, unused: g)
    y, index = custom.apply(leaf(torch))
    return y.requires_grad, index.requires_grad, index


@alike
def test_double_backward_goes_through_backward(torch: Any) -> Any:
    x = leaf(torch)
    (g,) = torch.autograd.grad(square(torch).apply(x).sum(), x, create_graph=True)
    return g, torch.autograd.grad((g * g).sum(), x)


@alike
def test_double_backward_through_the_output_gradient(torch: Any) -> Any:
    x, seed = leaf(torch), leaf(torch, 4.0, 5.0, 6.0)
    (g,) = torch.autograd.grad(square(torch).apply(x), x, seed, create_graph=True)
    return torch.autograd.grad(g.sum(), (x, seed))


@alike
def test_a_backward_may_call_another_function(torch: Any) -> Any:
    inner = square(torch)

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x / 3

    cube = function(torch, forward, lambda ctx, g: g * inner.apply(ctx.saved_tensors[0]))
    x = leaf(torch)
    (g,) = torch.autograd.grad(cube.apply(x).sum(), x, create_graph=True)
    return g, torch.autograd.grad(g.sum(), x)


@alike
def test_grad_mode_in_backward_follows_create_graph(torch: Any) -> Any:
    seen: list[Any] = []

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(torch.is_grad_enabled())
        return g * 2

    x = leaf(torch)
    y = function(torch, lambda ctx, x: x * 2, backward).apply(x).sum()
    torch.autograd.grad(y, x, create_graph=True)
    torch.autograd.grad(y, x)
    return seen


@alike
def test_an_input_returned_as_it_is_is_another_tensor(torch: Any) -> Any:
    same = function(torch, lambda ctx, x: x, lambda ctx, g: g * 10)
    x = leaf(torch)
    y = same.apply(x)
    y.sum().backward()
    return y is x, y, x.grad, x.is_leaf, y.data_ptr() == x.data_ptr()


@alike
def test_a_view_of_the_input_may_be_returned(torch: Any) -> Any:
    transpose = function(torch, lambda ctx, x: x.t(), lambda ctx, g: g.t() * 10)
    x = torch.ones(2, 3, requires_grad=True)
    y = transpose.apply(x)
    (y * torch.arange(6.0).reshape(3, 2)).sum().backward()
    return y, x.grad


@alike
def test_writing_to_a_returned_view_is_refused(torch: Any) -> Any:
    first = function(torch, lambda ctx, x: x[:1], lambda ctx, g: torch.cat([g, g * 0, g * 0]))
    base = leaf(torch) * 1
    y = first.apply(base)
    return error_of(lambda: y.mul_(2))


@alike
def test_writing_to_one_of_many_returned_views_is_refused(torch: Any) -> Any:
    def backward(ctx: Any, a: Any, b: Any) -> Any:
        return torch.cat([a, b])

    halves = function(torch, lambda ctx, x: (x[:1], x[1:]), backward)
    a, _ = halves.apply(leaf(torch) * 1)
    return error_of(lambda: a.mul_(2))


@alike
def test_a_returned_constant_becomes_differentiable(torch: Any) -> Any:
    constant = torch.ones(3)
    custom = function(torch, lambda ctx, x: constant, lambda ctx, g: g * 10)
    x = leaf(torch)
    y = custom.apply(x)
    y.sum().backward()
    return y.requires_grad, x.grad


@alike
def test_a_write_after_the_call_goes_through_the_node(torch: Any) -> Any:
    x = leaf(torch)
    y = square(torch).apply(x)
    y.mul_(10)
    y.sum().backward()
    return y, x.grad


@alike
def test_a_function_can_be_used_many_times(torch: Any) -> Any:
    custom = square(torch)
    x = leaf(torch)
    (custom.apply(x) + custom.apply(custom.apply(x))).sum().backward()
    return x.grad


@alike
def test_hooks_of_the_node_run(torch: Any) -> Any:
    seen: list[Any] = []
    x = leaf(torch)
    y = square(torch).apply(x)
    y.grad_fn.register_hook(lambda into, out: seen.append((into, out)))
    y.sum().backward()
    return seen


@alike
def test_backward_may_observe_values(torch: Any) -> Any:
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2 if g.sum().item() > 5 else g * 3

    custom = function(torch, lambda ctx, x: x * 2, backward)
    x = leaf(torch)
    custom.apply(x).sum().backward()
    (custom.apply(x) * 10).sum().backward()
    return x.grad


@alike
def test_backward_may_run_backward(torch: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        with torch.enable_grad():
            ctx.inner = x.detach().requires_grad_()
            ctx.result = (ctx.inner**3).sum()
        return ctx.result.detach()

    def backward(ctx: Any, g: Any) -> Any:
        ctx.result.backward()
        return ctx.inner.grad * g

    x = leaf(torch)
    (function(torch, forward, backward).apply(x) * 2).backward()
    return x.grad


@raises_alike(KeyError)
def test_an_exception_in_backward_reaches_the_caller(torch: Any) -> None:
    def backward(ctx: Any, g: Any) -> Any:
        raise KeyError("from backward")

    function(torch, lambda ctx, x: x * 2, backward).apply(leaf(torch)).sum().backward()


@raises_alike(KeyError)
def test_an_exception_in_forward_reaches_the_caller(torch: Any) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        raise KeyError("from forward")

    function(torch, forward, lambda ctx, g: g).apply(leaf(torch))


@alike
def test_after_an_exception_in_forward_grad_mode_is_back(torch: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        raise KeyError("from forward")

    custom = function(torch, forward, lambda ctx, g: g)
    return error_of(lambda: custom.apply(leaf(torch))), torch.is_grad_enabled()


@raises_alike(NotImplementedError)
def test_a_function_needs_a_forward(torch: Any) -> None:
    class Empty(torch.autograd.Function):
        pass

    Empty.apply(leaf(torch))


@raises_alike(NotImplementedError)
def test_a_function_needs_a_backward_to_be_differentiated(torch: Any) -> None:
    class OneWay(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

    OneWay.apply(leaf(torch)).sum().backward()


@alike
def test_vjp_is_another_name_for_backward(torch: Any) -> Any:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def vjp(ctx: Any, g: Any) -> Any:
            return g * 20

    x = leaf(torch)
    Double.apply(x).sum().backward()
    return x.grad


@alike
def test_making_an_object_of_a_function_is_warned_of(torch: Any) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        square(torch)()
    return [(type(warning.message).__name__, str(warning.message)) for warning in caught]


@alike
def test_apply_takes_keywords(torch: Any) -> Any:
    def forward(ctx: Any, x: Any, factor: int = 2) -> Any:
        return x * factor

    custom = function(torch, forward, lambda ctx, g: (g * 10, None))
    x = leaf(torch)
    y = custom.apply(x, factor=3)
    y.sum().backward()
    return y, custom.apply(x), x.grad


@raises_alike(TypeError)
def test_apply_needs_the_arguments_of_forward(torch: Any) -> None:
    def forward(ctx: Any, x: Any, factor: int) -> Any:
        return x * factor

    function(torch, forward, lambda ctx, g: g).apply(leaf(torch))


@alike
def test_a_non_tensor_output_passes(torch: Any) -> Any:
    custom = function(torch, lambda ctx, x: (x * 2, 7), lambda ctx, g, unused: g * 2)
    x = leaf(torch)
    y, number = custom.apply(x)
    y.sum().backward()
    return number, x.grad


@alike
def test_subclasses_inherit_forward_and_backward(torch: Any) -> Any:
    class Child(square(torch)):  # type: ignore[misc]
        pass

    x = leaf(torch)
    y = Child.apply(x)
    y.sum().backward()
    return y.grad_fn.name(), x.grad


@alike
def test_a_function_between_ops_that_ran_as_one(torch: Any) -> Any:
    half = function(torch, lambda ctx, x: x / 2, lambda ctx, g: g / 2)
    nothing = function(torch, lambda ctx, x: x * 2, lambda ctx, g: None)
    xs = [torch.tensor([float(i), 1.0], requires_grad=True) for i in range(20)]
    ys = [(half if i % 3 else nothing).apply(x * 3 + x.detach()) for i, x in enumerate(xs)]
    sum((y * 2).sum() for y in ys).backward()
    return [x.grad for x in xs[1::3]], [x.grad is None for x in xs]
