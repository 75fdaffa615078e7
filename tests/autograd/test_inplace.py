"""In-place writes with autograd: values, versions, history, gradients and refusals.

Every program runs on PyTorch and on wend; the one deliberate difference is exempted by its name.
"""

from collections.abc import Callable
from typing import Any

import pytest
from both import alike, both, differs, error_of, raises_alike, torch, wend
from samples import grid, leaf


@raises_alike(RuntimeError)
def test_a_write_to_an_expanded_view_is_refused(torch: Any) -> None:
    torch.ones(3).expand(2, 3).add_(1)


@alike
def test_a_refused_write_changes_nothing(torch: Any) -> Any:
    x = torch.ones(3)
    message = error_of(lambda: x.expand(2, 3).add_(1))
    return message, x, x._version


@raises_alike(RuntimeError)
def test_a_write_that_reads_what_it_overwrites_is_refused(torch: Any) -> None:
    x = torch.arange(9.0).reshape(3, 3)
    x.add_(x.t())


@raises_alike(RuntimeError)
def test_a_copy_between_overlapping_parts_is_refused(torch: Any) -> None:
    x = torch.arange(4.0)
    x[1:].copy_(x[:-1])


@alike
def test_a_write_may_read_the_same_elements(torch: Any) -> Any:
    x = torch.arange(4.0)
    x.mul_(x)
    x[1:] += x[1:]
    return x


@raises_alike(RuntimeError)
def test_a_write_keeps_the_shape(torch: Any) -> None:
    torch.ones(3).add_(torch.ones(2, 3))


@alike
def test_a_write_broadcasts_into_the_shape(torch: Any) -> Any:
    x = grid(torch)
    x.add_(torch.tensor([10.0, 20.0, 30.0]))
    x[:, 0] = torch.tensor(7.0)
    return x


@raises_alike(RuntimeError)
def test_a_write_keeps_the_dtype(torch: Any) -> None:
    torch.ones(3, dtype=torch.int64).add_(1.5)


@alike
def test_a_write_casts_to_the_dtype(torch: Any) -> Any:
    x = torch.ones(3, dtype=torch.float32)
    x.add_(torch.ones(3, dtype=torch.float64))
    y = torch.zeros(2, dtype=torch.int64)
    y[0] = 3.7
    y.copy_(y + 0.9)
    return x, y


WRITES = {
    "element": lambda torch, x: x.__setitem__((1, 2), 9),
    "negative element": lambda torch, x: x.__setitem__((-1, -1), 9),
    "row": lambda torch, x: x.__setitem__(0, torch.tensor([7.0, 8.0, 9.0])),
    "column": lambda torch, x: x.__setitem__((slice(None), 1), 9),
    "step": lambda torch, x: x.__setitem__((Ellipsis, slice(None, None, 2)), 9),
    "ellipsis, none and step": lambda torch, x: x.__setitem__((Ellipsis, None, slice(1, -1, 2)), 9),
    "mask": lambda torch, x: x.__setitem__(x > 2, -1.0),
    "mask with values": lambda torch, x: x.__setitem__(
        torch.tensor([[True, False, False], [False, False, True]]), torch.tensor([10.0, 20.0])
    ),
    "index tensor": lambda torch, x: x.__setitem__((0, torch.tensor([2, 0])), 9),
    "two index tensors": lambda torch, x: x.__setitem__(
        (torch.tensor([0, 1]), torch.tensor([2, 0])), torch.tensor([10.0, 20.0])
    ),
    "list": lambda torch, x: x.__setitem__([1], 9),
    "list and slice": lambda torch, x: x.__setitem__(([0, 1], slice(0, 2)), 9),
    "everything": lambda torch, x: x.__setitem__(Ellipsis, 9),
    "index_put accumulated": lambda torch, x: x.index_put_(
        (torch.tensor([0, 0]), torch.tensor([1, 1])), torch.tensor([5.0, 6.0]), accumulate=True
    ),
    "index_add": lambda torch, x: x.index_add_(0, torch.tensor([1, 1]), torch.ones(2, 3)),
    "index_fill": lambda torch, x: x.index_fill_(1, torch.tensor([0, 2]), 9),
    "scatter": lambda torch, x: x.scatter_(1, torch.tensor([[2], [0]]), 9.0),
    "scatter_add": lambda torch, x: x.scatter_add_(
        1, torch.tensor([[2, 2], [0, 1]]), torch.ones(2, 2)
    ),
    "masked_fill": lambda torch, x: x.masked_fill_(x > 2, 9),
    "copy": lambda torch, x: x.copy_(torch.tensor([7.0, 8.0, 9.0])),
    "fill": lambda torch, x: x.fill_(7),
    "zero": lambda torch, x: x.zero_(),
    "clamp": lambda torch, x: x.clamp_(1, 4),
    "exp": lambda torch, x: x.exp_(),
    "sub": lambda torch, x: x.sub_(1, alpha=3),
    "div": lambda torch, x: x.div_(2),
    "pow": lambda torch, x: x.pow_(2),
    "neg": lambda torch, x: x.neg_(),
    "lerp": lambda torch, x: x.lerp_(torch.ones(2, 3), 0.25),
    "addcmul": lambda torch, x: x.addcmul_(torch.ones(2, 3), x + 1, value=2),
    "relu": lambda torch, x: x.sub_(2).relu_(),
}
every_write = pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())


@every_write
def test_a_write_gives_the_values_and_a_version(write: Any) -> None:
    def program(torch: Any) -> Any:
        x = grid(torch)
        view = x.view(-1)
        write(torch, x)
        return x, view, x._version > 0, x._version == view._version

    both(program)


@every_write
def test_the_gradient_of_a_write(write: Any) -> None:
    def program(torch: Any) -> Any:
        x = grid(torch).requires_grad_()
        y = x * 1
        write(torch, y)
        (y * torch.arange(1.0, 7.0).reshape(2, 3)).sum().backward()
        return y, x.grad

    both(program)


@every_write
def test_the_gradient_of_a_write_through_a_view(write: Any) -> None:
    def program(torch: Any) -> Any:
        x = torch.arange(8.0).reshape(4, 2).requires_grad_()
        y = x * 1
        write(torch, y.t()[:, 1:])
        (y * y).sum().backward()
        return y, x.grad

    both(program)


@alike
def test_the_gradient_of_what_is_written(torch: Any) -> Any:
    v, x = leaf(torch, 5.0, 6.0), torch.zeros(2, 3)
    x[:, 1] = v
    x[0, 2] = v[1]
    (x * grid(torch)).sum().backward()
    return x, x.requires_grad, v.grad


@alike
def test_the_gradient_of_broadcast_values_that_are_written(torch: Any) -> Any:
    v, x = leaf(torch, 5.0), torch.zeros(2, 3)
    x[:, 1:] = v
    (x * grid(torch)).sum().backward()
    return v.grad


@raises_alike(IndexError)
def test_a_write_outside_is_refused(torch: Any) -> None:
    grid(torch)[2, 0] = 1


@alike
def test_a_write_outside_changes_nothing(torch: Any) -> Any:
    x = grid(torch)
    return error_of(lambda: x.__setitem__((0, 7), 1)), x, x._version


@raises_alike(IndexError)
def test_a_write_by_an_index_tensor_outside_is_refused(torch: Any) -> None:
    grid(torch)[torch.tensor([0, 5])] = 1


@raises_alike(RuntimeError)
def test_a_write_of_a_value_that_does_not_fit_is_refused(torch: Any) -> None:
    grid(torch)[0] = torch.ones(4)


@alike
def test_every_write_is_a_version(torch: Any) -> Any:
    x = torch.ones(3)
    seen = [x._version]
    x.add_(1)
    seen.append(x._version)
    x[0] = 5
    seen.append(x._version)
    x.view(3, 1).mul_(2)
    seen.append(x._version)
    torch.add(x, 1, out=x)
    seen.append(x._version)
    return seen


@alike
def test_aliases_share_the_version_except_data(torch: Any) -> Any:
    x = torch.ones(3)
    view, detached, data = x[1:], x.detach(), x.data
    x.add_(1)
    return [view._version, detached._version, data._version]


@alike
def test_a_write_by_data_is_no_version(torch: Any) -> Any:
    x = torch.ones(3)
    x.data.add_(1)
    return x, x._version


@alike
def test_out_writes_into_the_tensor(torch: Any) -> Any:
    out = torch.zeros(3)
    view = out[1:]
    result = torch.add(torch.ones(3), 2, out=out)
    return result is out, out, view


@alike
def test_out_writes_through_a_view(torch: Any) -> Any:
    x = grid(torch)
    torch.mul(torch.ones(3), 5, out=x[1])
    return x


@raises_alike(RuntimeError)
def test_out_of_differentiable_arguments_is_refused(torch: Any) -> None:
    torch.add(leaf(torch), 1, out=torch.zeros(3))


@raises_alike(RuntimeError)
def test_out_into_a_tensor_that_requires_grad_is_refused(torch: Any) -> None:
    torch.add(torch.ones(3), 1, out=leaf(torch))


@raises_alike(RuntimeError)
def test_a_leaf_that_requires_grad_may_not_be_written(torch: Any) -> None:
    leaf(torch).add_(1)


@raises_alike(RuntimeError)
def test_an_element_of_a_leaf_that_requires_grad_may_not_be_written(torch: Any) -> None:
    leaf(torch)[0] = 1


@raises_alike(RuntimeError)
def test_a_view_of_a_leaf_that_requires_grad_may_not_be_written(torch: Any) -> None:
    leaf(torch)[1:].mul_(2)


@alike
def test_a_refused_write_to_a_leaf_changes_nothing(torch: Any) -> Any:
    x = leaf(torch)
    return error_of(lambda: x.add_(1)), x, x._version, x.is_leaf


@alike
def test_a_leaf_may_be_written_under_no_grad(torch: Any) -> Any:
    x = leaf(torch)
    with torch.no_grad():
        x.add_(1)
        x[0] = 9
        x[1:].mul_(2)
    return x, x.is_leaf, x.grad_fn


@alike
def test_an_optimizer_step_keeps_the_identity(torch: Any) -> Any:
    p = leaf(torch)
    name = p
    for _ in range(3):
        (p * p).sum().backward()
        with torch.no_grad():
            p -= 0.1 * p.grad
            p.add_(p.grad, alpha=-0.01)
        p.grad.zero_()
    return name is p, p, p.is_leaf, p.grad


@alike
def test_a_constant_that_is_written_with_a_result_requires_grad(torch: Any) -> Any:
    w, x = leaf(torch), torch.zeros(3)
    x.add_(w)
    (x * x).sum().backward()
    return x.requires_grad, x.is_leaf, x.grad_fn.name(), w.grad


@alike
def test_a_constant_whose_view_is_written_with_a_result_requires_grad(torch: Any) -> Any:
    w, x = leaf(torch, 4.0), torch.zeros(3)
    view = x[1:]
    view.add_(w)
    (x * grid(torch)[1]).sum().backward()
    return x.requires_grad, view.requires_grad, x.is_leaf, w.grad


@alike
def test_other_views_of_a_written_constant_require_grad(torch: Any) -> Any:
    w, x = leaf(torch, 4.0), torch.zeros(3)
    first, rest = x[:1], x[1:]
    rest.mul_(0).add_(w)
    whole = x.view(3, 1)
    (whole * 3).sum().backward()
    return first.requires_grad, w.grad


@alike
def test_a_write_under_no_grad_leaves_the_history(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    with torch.no_grad():
        y.add_(100)
    name = y.grad_fn.name()
    y.sum().backward()
    return y, name, x.grad


@alike
def test_a_write_of_a_constant_forgets_the_old_value(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    y.zero_()
    y.add_(x)
    y.sum().backward()
    return y, x.grad


@alike
def test_the_gradient_before_and_after_a_write(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    before = y * 3
    y.mul_(5)
    (before + y).sum().backward()
    return before, y, x.grad


@alike
def test_the_gradient_through_a_chain_of_writes(torch: Any) -> Any:
    x = leaf(torch)
    y = x.clone()
    for k in range(1, 5):
        y.mul_(k).add_(x)
        y[k % 3] = y[(k + 1) % 3] * 2
    y.sum().backward()
    return y, x.grad


@alike
def test_the_gradient_of_a_view_taken_before_a_write_to_its_base(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 1
    view = y[1:]
    y.mul_(10)
    (view * 3).sum().backward()
    return view, x.grad


@alike
def test_the_gradient_of_the_base_of_a_written_view(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 1
    view = y[1:]
    view.mul_(10)
    (y * 3).sum().backward()
    return y, x.grad


@alike
def test_the_gradient_of_one_view_after_a_write_through_another(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 1
    a, b = y[:2], y[1:]
    a.mul_(10)
    (b * torch.tensor([1.0, 100.0])).sum().backward()
    return b, x.grad


@alike
def test_the_gradient_of_a_write_from_another_view(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 1
    y[0] = y[2] * 2 + y[1]
    y[1:].add_(y[:1], alpha=3)
    y.sum().backward()
    return y, x.grad


@alike
def test_the_names_of_history_after_writes(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 1
    view = y[1:]
    names = [view.grad_fn.name()]
    y.mul_(2)
    names += [y.grad_fn.name()]
    view.exp_()
    return [*names, y.grad_fn.name()]


@alike
def test_second_derivatives_go_through_writes(torch: Any) -> Any:
    x = leaf(torch)
    y = x * x
    y[1:].mul_(x[:2])
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return g, torch.autograd.grad((g * g).sum(), x)


@raises_alike(RuntimeError)
def test_one_of_many_views_may_not_be_written(torch: Any) -> None:
    (leaf(torch) * 1).unbind()[0].add_(1)


@raises_alike(RuntimeError)
def test_one_part_of_a_split_may_not_be_written(torch: Any) -> None:
    (leaf(torch) * 1).split(1)[2].mul_(2)


@alike
def test_one_of_many_views_of_a_constant_may_be_written(torch: Any) -> Any:
    x = torch.ones(3)
    x.unbind()[0].add_(1)
    x.split(1)[2].mul_(5)
    return x


@raises_alike(RuntimeError)
def test_a_view_made_under_no_grad_may_not_be_written_outside(torch: Any) -> None:
    y = leaf(torch) * 1
    with torch.no_grad():
        view = y[1:]
    view.mul_(2)


@alike
def test_a_view_made_under_no_grad_may_be_written_there(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 1
    with torch.no_grad():
        y[1:].mul_(2)
    y.sum().backward()
    return y, x.grad


@alike
def test_detach_in_place_makes_a_leaf(torch: Any) -> Any:
    y = leaf(torch) * 2
    same = y.detach_()
    return same is y, y.requires_grad, y.is_leaf, y.grad_fn


@raises_alike(RuntimeError)
def test_a_view_may_not_be_detached_in_place(torch: Any) -> None:
    (leaf(torch) * 2)[0].detach_()


@alike
def test_values_outlive_their_freed_history(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    y[0] = 10
    view = y[:2]
    pending = y.detach() * 3
    y.sum().backward()
    return y, view.detach(), pending


PRIVATE = "saved values are private"


@differs(PRIVATE, gives=[2.0, 4.0, 6.0])
def test_a_write_under_no_grad_does_not_reach_saved_values(torch: Any) -> Any:
    x = leaf(torch)
    y = (x * x).sum()
    with torch.no_grad():
        x.mul_(10)
    y.backward()
    return x.grad


@differs(PRIVATE, gives=[2.0, 4.0, 6.0])
def test_a_write_by_data_does_not_reach_saved_values(torch: Any) -> Any:
    x = leaf(torch)
    y = (x * x).sum()
    x.data.mul_(10)
    y.backward()
    return x.grad


@differs(PRIVATE, gives=[2.0, 4.0, 6.0])
def test_a_write_by_a_detached_alias_does_not_reach_saved_values(torch: Any) -> Any:
    x = leaf(torch)
    y = (x * x).sum()
    x.detach().zero_()
    y.backward()
    return x.grad


@differs(PRIVATE, gives=[2.0, 4.0, 6.0])
def test_a_write_from_outside_does_not_reach_saved_values(torch: Any) -> Any:
    pytest.importorskip("numpy")
    x = leaf(torch)
    y = (x * x).sum()
    x.detach().numpy()[:] = 50
    y.backward()
    return x.grad


@differs(PRIVATE, gives=[2.0, 4.0, 6.0])
def test_a_recorded_write_does_not_reach_saved_values(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 1
    z = (y * y).sum()
    y.zero_()
    return torch.autograd.grad(z, x)[0]


@differs(PRIVATE, gives=[1.0, 2.0, 4.0])
def test_a_write_to_a_result_does_not_reach_its_own_saved_value(torch: Any) -> Any:
    x = leaf(torch, 0.0, 0.6931472, 1.3862944)
    y = x.exp()
    z = y * 1
    y.zero_()
    return torch.autograd.grad(z.sum(), x)[0]


REFUSED_TWICE: list[Callable[[Any, Any], Any]] = [
    lambda T, a: a.index_put_((T.tensor([0, 0]),), T.tensor(1.0)),
    lambda T, a: a.index_add_(0, T.tensor([5]), T.ones(1)),
    lambda T, a: a.index_fill_(0, T.tensor([7]), 1.0),
    lambda T, a: a.add_(T.ones(3)),
]


@pytest.mark.parametrize("write", REFUSED_TWICE)
def test_that_a_view_may_not_be_written_comes_before_what_else_is_wrong(write: Any) -> None:
    for T in (wend, torch):
        (first, *_) = T.ones(4, requires_grad=True) * 1
        with pytest.raises(RuntimeError, match="Output 0 of Unbind is a view"):
            write(T, first)
