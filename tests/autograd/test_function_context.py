"""autograd.Function: what its ctx saves, marks, knows and sets up.

Every program runs on PyTorch and on wend.
"""

from typing import Any

from both import alike, raises_alike
from samples import function, leaf, square


@alike
def test_saved_tensors_come_back(torch: Any) -> Any:
    x = leaf(torch)
    y = square(torch).apply(x)
    y.sum().backward()
    return y, x.grad


@alike
def test_a_saved_input_comes_back_as_the_same_leaf(torch: Any) -> Any:
    seen: list[Any] = []

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        seen.append((ctx.saved_tensors[0].requires_grad, ctx.saved_tensors[0].is_leaf))
        return g * 2

    x = leaf(torch)
    function(torch, forward, backward).apply(x).sum().backward()
    return seen


@alike
def test_a_saved_leaf_that_was_written_is_the_leaf_still(torch: Any) -> Any:
    seen: list[Any] = []
    weight = leaf(torch)
    with torch.no_grad():
        weight.mul_(2)

    def forward(ctx: Any, x: Any, w: Any) -> Any:
        ctx.save_for_backward(x, w)
        return x * w.detach()

    def backward(ctx: Any, g: Any) -> Any:
        x, w = ctx.saved_tensors
        with torch.enable_grad():
            product = x.detach() * weight
            (found,) = torch.autograd.grad(product, w, g)
        seen.append((w is weight, found))
        return g * w, found

    function(torch, forward, backward).apply(leaf(torch), weight).sum().backward()
    return seen, weight.grad


@alike
def test_saved_outputs_come_back(torch: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    exp = function(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    x = leaf(torch)
    exp.apply(x).sum().backward()
    return x.grad


@alike
def test_saved_intermediates_come_back(torch: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        half = x / 2
        ctx.save_for_backward(half)
        return half * half

    half_square = function(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    x = leaf(torch)
    half_square.apply(x).sum().backward()
    return x.grad


@alike
def test_none_may_be_saved(torch: Any) -> Any:
    def forward(ctx: Any, x: Any, bias: Any) -> Any:
        ctx.save_for_backward(x, bias)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        _, bias = ctx.saved_tensors
        return g * (2 if bias is None else 3), None

    x = leaf(torch)
    function(torch, forward, backward).apply(x, None).sum().backward()
    return x.grad


@raises_alike(TypeError)
def test_only_tensors_may_be_saved(torch: Any) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(3)
        return x * 2

    function(torch, forward, lambda ctx, g: g).apply(leaf(torch))


@alike
def test_a_later_save_replaces_the_earlier(torch: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.save_for_backward(x * 10, x * 100)
        return x * 2

    both_saved = function(torch, forward, lambda ctx, g: sum(ctx.saved_tensors) * g)
    x = leaf(torch)
    both_saved.apply(x).sum().backward()
    return x.grad


@raises_alike(RuntimeError)
def test_saved_tensors_are_freed_by_backward(torch: Any) -> None:
    x = leaf(torch)
    y = square(torch).apply(x).sum()
    y.backward()
    y.backward()


@alike
def test_retain_graph_keeps_saved_tensors(torch: Any) -> Any:
    x = leaf(torch)
    y = square(torch).apply(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


@alike
def test_attributes_of_ctx_last(torch: Any) -> Any:
    def forward(ctx: Any, x: Any, factor: Any) -> Any:
        ctx.factor = factor
        return x * factor

    scale = function(torch, forward, lambda ctx, g: (g * ctx.factor, None))
    x = leaf(torch)
    y = scale.apply(x, 5)
    y.sum().backward()
    return x.grad, y.grad_fn.factor


@alike
def test_setup_context_separates_forward_from_saving(torch: Any) -> Any:
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x, factor = inputs
        ctx.save_for_backward(x, output)
        ctx.factor = factor

    def backward(ctx: Any, g: Any) -> Any:
        x, output = ctx.saved_tensors
        return g * output / x * 2, None

    custom = function(torch, lambda x, k: x * x * k, backward, setup_context=setup_context)
    x = leaf(torch)
    y = custom.apply(x, 3)
    y.sum().backward()
    return y, x.grad, y.grad_fn.factor


@alike
def test_setup_context_gets_a_tuple_of_many_outputs(torch: Any) -> Any:
    seen: list[Any] = []

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        seen.append((type(inputs).__name__, type(output).__name__, len(output)))

    custom = function(
        torch, lambda x: (x * 2, x * 3), lambda ctx, a, b: a + b, setup_context=setup_context
    )
    custom.apply(leaf(torch))
    return seen


@alike
def test_unmaterialized_gradients_are_none(torch: Any) -> Any:
    seen: list[Any] = []

    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    def backward(ctx: Any, a: Any, b: Any) -> Any:
        seen.append(b is None)
        return a

    x = leaf(torch)
    a, _ = function(torch, forward, backward).apply(x)
    a.sum().backward()
    return seen, x.grad


@alike
def test_materialize_grads_may_be_set_in_setup_context(torch: Any) -> Any:
    seen: list[Any] = []

    def backward(ctx: Any, a: Any, b: Any) -> Any:
        seen.append(b is None)
        return a

    custom = function(
        torch,
        lambda x: (x * 2, x * 3),
        backward,
        setup_context=lambda ctx, inputs, output: ctx.set_materialize_grads(False),
    )
    custom.apply(leaf(torch))[0].sum().backward()
    return seen


@alike
def test_needs_input_grad_names_who_wants_one(torch: Any) -> Any:
    seen: list[Any] = []

    def forward(ctx: Any, x: Any, y: Any, k: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return x * y * k

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return g, None, None

    function(torch, forward, backward).apply(leaf(torch), torch.ones(3), 2).sum().backward()
    return seen


@alike
def test_needs_input_grad_follows_what_is_asked_of_autograd_grad(torch: Any) -> Any:
    seen: list[Any] = []

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return g, g

    x, y = leaf(torch), leaf(torch)
    z = function(torch, lambda ctx, x, y: x * y, backward).apply(x, y)
    torch.autograd.grad(z.sum(), y)
    return seen


@alike
def test_a_non_differentiable_output_requires_no_grad(torch: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        mask = x * 0 + 1
        ctx.mark_non_differentiable(mask)
        return x * 2, mask

    x = leaf(torch)
    y, mask = function(torch, forward, lambda ctx, g, unused: g * 2).apply(x)
    y.sum().backward()
    return y, mask, mask.grad_fn, x.grad


def once(torch: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx: Any, g: Any) -> Any:
        assert not torch.is_grad_enabled()
        return 2 * ctx.saved_tensors[0] * g

    differentiable = torch.autograd.function.once_differentiable(backward)
    return function(torch, forward, differentiable)


@alike
def test_once_differentiable_gives_the_first_gradient(torch: Any) -> Any:
    x = leaf(torch)
    once(torch).apply(x).sum().backward()
    return x.grad


@alike
def test_once_differentiable_allows_create_graph(torch: Any) -> Any:
    x = leaf(torch)
    (g,) = torch.autograd.grad(once(torch).apply(x).sum(), x, create_graph=True)
    return g.detach()


@raises_alike(RuntimeError)
def test_once_differentiable_refuses_the_second(torch: Any) -> None:
    x, seed = leaf(torch), leaf(torch)
    (g,) = torch.autograd.grad(once(torch).apply(x), x, seed, create_graph=True)
    torch.autograd.grad(g.sum(), x)


def double_in_place(torch: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    return function(torch, forward, lambda ctx, g: g * 2)


@alike
def test_a_dirty_input_is_returned_as_itself(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 1
    z = double_in_place(torch).apply(y)
    z.sum().backward()
    return z is y, z, z.grad_fn.name(), x.grad


@alike
def test_a_dirty_input_has_a_new_version(torch: Any) -> Any:
    y = leaf(torch) * 1
    before = y._version
    double_in_place(torch).apply(y)
    return before, y._version


@alike
def test_a_dirty_view_reaches_its_base(torch: Any) -> Any:
    x = leaf(torch)
    base = x * 1
    double_in_place(torch).apply(base[1:])
    (base * base).sum().backward()
    return base, x.grad


@alike
def test_a_dirty_constant_becomes_differentiable_with_another_input(torch: Any) -> Any:
    def forward(ctx: Any, out: Any, x: Any) -> Any:
        out.add_(x)
        ctx.mark_dirty(out)
        return out

    out, x = torch.zeros(3), leaf(torch)
    added = function(torch, forward, lambda ctx, g: (g, g)).apply(out, x)
    (added * added).sum().backward()
    return added is out, out.requires_grad, x.grad


@raises_alike(RuntimeError)
def test_a_dirty_leaf_is_refused(torch: Any) -> None:
    double_in_place(torch).apply(leaf(torch))


@alike
def test_saved_tensors_hooks_apply_to_saved_tensors(torch: Any) -> Any:
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t * 10):
        y = square(torch).apply(x)
    y.sum().backward()
    return x.grad


@alike
def test_setup_context_gets_defaults_and_keywords_in_order(torch: Any) -> Any:
    seen: list[Any] = []

    def forward(x: Any, factor: int = 2, offset: int = 1) -> Any:
        return x * factor + offset

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        seen.append(inputs[1:])

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return g * 10, None, None

    custom = function(torch, forward, backward, setup_context=setup_context)
    x = leaf(torch)
    custom.apply(x).sum().backward()
    custom.apply(x, offset=5).sum().backward()
    return seen, x.grad


@alike
def test_ctx_is_the_node(torch: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.tag = "mine"
        return x * 2

    y = function(torch, forward, lambda ctx, g: g).apply(leaf(torch))
    return y.grad_fn.tag, isinstance(y.grad_fn, torch.autograd.graph.Node)
