"""Aliases: views, detach, data, copies and memory shared with the outside see each write.

Every program runs on PyTorch and on wend; the gradients of writes are test_inplace's.
"""

import copy
import io
import pickle
from typing import Any

import pytest
from both import alike, both, raises_alike
from samples import grid, leaf


@alike
def test_a_write_changes_the_tensor_itself(torch: Any) -> Any:
    x = torch.ones(3)
    y = x.add_(1)
    return y is x, x


@alike
def test_a_result_computed_before_a_write_keeps_its_value(torch: Any) -> Any:
    x = torch.ones(3)
    before = x * 2
    x.add_(10)
    return before, x * 2


@alike
def test_a_write_through_a_view_reaches_the_base(torch: Any) -> Any:
    x = grid(torch)
    x[1].mul_(10)
    return x


@alike
def test_a_write_to_the_base_reaches_its_views(torch: Any) -> Any:
    x = grid(torch)
    row, column = x[1], x[:, 2]
    x.add_(100)
    return row, column


@alike
def test_a_write_through_a_view_reaches_all_other_views(torch: Any) -> Any:
    x = grid(torch)
    row, flat = x[1], x.view(-1)
    x.t()[2].zero_()
    return row, flat, x


@alike
def test_a_write_through_a_view_of_a_view_reaches_the_base(torch: Any) -> Any:
    x = torch.arange(24.0).reshape(2, 3, 4)
    x[1].t()[1:3][:, ::2].fill_(-1)
    return x


@alike
def test_views_outlive_the_name_of_their_base(torch: Any) -> Any:
    x = grid(torch)
    a, b = x[0], x.view(-1)
    del x
    a.add_(10)
    return b


@alike
def test_a_stale_view_is_read_anew(torch: Any) -> Any:
    x = grid(torch)
    view = x[:, 1:]
    seen = [view.clone()]
    x[0, 1] = 50
    seen.append(view.clone())
    view[1, 1] = 60
    return seen, view, x


@alike
def test_writes_between_reads_are_seen_in_order(torch: Any) -> Any:
    x = torch.zeros(3)
    seen = []
    for k in range(4):
        x[k % 3] += k + 1
        seen.append(x * 1)
    return seen


@alike
def test_reshape_of_a_contiguous_tensor_aliases(torch: Any) -> Any:
    x = grid(torch)
    x.reshape(-1)[0] = 9
    return x


@alike
def test_reshape_of_a_transposed_tensor_copies(torch: Any) -> Any:
    x = grid(torch)
    x.t().reshape(-1)[0] = 9
    return x


ALIASING = {
    "view": lambda x: x.view(3, 2),
    "view_as": lambda x: x.view_as(x),
    "reshape": lambda x: x.reshape(6),
    "reshape of transposed": lambda x: x.t().reshape(6),
    "flatten": lambda x: x.flatten(),
    "flatten of transposed": lambda x: x.t().flatten(),
    "contiguous": lambda x: x.contiguous(),
    "contiguous of transposed": lambda x: x.t().contiguous(),
    "t": lambda x: x.t(),
    "T": lambda x: x.T,
    "transpose": lambda x: x.transpose(0, 1),
    "permute": lambda x: x.permute(1, 0),
    "select": lambda x: x[1],
    "slice": lambda x: x[:, 1:],
    "step": lambda x: x[:, ::2],
    "ellipsis": lambda x: x[..., 0],
    "none": lambda x: x[None],
    "list index": lambda x: x[[0, 1]],
    "mask": lambda x: x[x > -1],
    "narrow": lambda x: x.narrow(1, 1, 2),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "squeeze": lambda x: x.squeeze(),
    "unbind": lambda x: x.unbind(1)[1],
    "split": lambda x: x.split(1)[1],
    "chunk": lambda x: x.chunk(2)[0],
    "diagonal": lambda x: x.diagonal(),
    "unfold": lambda x: x.unfold(1, 2, 2),
    "as_strided": lambda x: x.as_strided((2, 2), (3, 2), 0),
    "detach": lambda x: x.detach(),
    "data": lambda x: x.data,
    "to the same dtype": lambda x: x.to(x.dtype),
    "float": lambda x: x.float(),
    "double": lambda x: x.double(),
    "cpu": lambda x: x.cpu(),
    "clone": lambda x: x.clone(),
    "flip": lambda x: x.flip(0),
    "repeat": lambda x: x.repeat(1, 1),
    "movedim": lambda x: x.movedim(0, 1),
    "unflatten": lambda x: x.unflatten(0, (1, 2)),
    "expand_as": lambda x: x.expand_as(x),
    "swapaxes": lambda x: x.swapaxes(0, 1),
}


@pytest.mark.parametrize("make", ALIASING.values(), ids=ALIASING.keys())
def test_what_aliases_and_what_copies(make: Any) -> None:
    def program(torch: Any) -> Any:
        x = grid(torch)
        y = make(x)
        y.mul_(10)
        x.add_(1)
        return x, y, y._base is x, y.is_contiguous(), y.stride()

    both(program)


@raises_alike(RuntimeError)
def test_a_view_that_no_strides_can_give_is_refused(torch: Any) -> None:
    grid(torch).t().view(6)


@alike
def test_a_detached_tensor_shares_the_storage(torch: Any) -> Any:
    x = leaf(torch)
    d = x.detach()
    d.zero_()
    return x, d.requires_grad, d is x, x.is_leaf, d.data_ptr() == x.data_ptr()


@alike
def test_a_write_to_a_tensor_reaches_its_detached_alias(torch: Any) -> Any:
    x = torch.ones(3)
    d = x.detach()
    x.add_(1)
    return d


@alike
def test_a_detached_result_has_no_history_but_the_storage(torch: Any) -> Any:
    y = leaf(torch) * 2
    d = y.detach()
    y.mul_(3)
    return d, d.requires_grad


@alike
def test_data_can_be_copied_into(torch: Any) -> Any:
    p = leaf(torch)
    p.data.copy_(torch.tensor([7.0, 8.0, 9.0]))
    return p, p.is_leaf, p.data.requires_grad


@alike
def test_data_can_be_replaced(torch: Any) -> Any:
    p, q = leaf(torch), torch.tensor([7.0, 8.0, 9.0])
    name = p
    p.data = q
    q.add_(1)
    (p * p).sum().backward()
    return name is p, p, p.is_leaf, p.grad


@alike
def test_data_can_be_replaced_by_another_shape(torch: Any) -> Any:
    p = leaf(torch)
    p.data = torch.ones(2, 2)
    return p, p.shape


@alike
def test_replaced_data_leaves_the_old_aliases(torch: Any) -> Any:
    p = leaf(torch)
    old = p.detach()
    p.data = torch.zeros(3)
    old.add_(1)
    return p, old


@alike
def test_views_of_before_keep_the_old_storage_when_data_is_replaced(torch: Any) -> Any:
    x, other = torch.ones(4), torch.arange(4.0)
    row = x.view(2, 2)
    x.data = other
    x.add_(1)
    row.mul_(3)
    return [x, row, other, row._base is x, x._version, row._version]


@alike
def test_the_gradient_of_replaced_data_and_of_a_view_of_it(torch: Any) -> Any:
    a, other = leaf(torch, 1.0, 2.0, 3.0, 4.0), torch.arange(4.0)
    x = a * 2
    x.data = other
    row = x.view(2, 2)
    x.data = other
    (row.sum() + (x * x).sum()).backward()
    return [x, row, a.grad]


@alike
def test_a_history_that_was_never_run_is_walked_after_all_that_leads_to_it(torch: Any) -> Any:
    a = leaf(torch)
    x = a * 2
    with torch.no_grad():
        x.copy_(torch.ones(3))
    seen = [x.tolist()]
    y = x * 3
    seen.append(y.tolist())
    with torch.no_grad():
        x.zero_()
    (y.sum() + (x * 5).sum()).backward()
    return [seen, x, a.grad]


@raises_alike(RuntimeError)
def test_data_that_cannot_require_grad_is_refused(torch: Any) -> None:
    leaf(torch).data = torch.ones(3, dtype=torch.int64)


@alike
def test_a_view_knows_its_base(torch: Any) -> Any:
    x = grid(torch)
    view = x[1]
    return (
        x._base is None,
        view._base is x,
        view.t()._base is x,
        x._is_view(),
        view._is_view(),
        x.detach()._base is None,
    )


@alike
def test_aliases_share_their_memory(torch: Any) -> Any:
    x = grid(torch)
    pointer = x.untyped_storage().data_ptr()
    return [
        x.view(-1).untyped_storage().data_ptr() == pointer,
        x[1].untyped_storage().data_ptr() == pointer,
        x[1].data_ptr() - x.data_ptr(),
        x[1].storage_offset(),
        x.clone().untyped_storage().data_ptr() == pointer,
    ]


@alike
def test_a_deep_copy_is_another_storage(torch: Any) -> Any:
    x = leaf(torch)
    (x * 2).sum().backward()
    y = copy.deepcopy(x)
    with torch.no_grad():
        y.add_(1)
    y.grad.zero_()
    return x, y, x.grad, y.is_leaf


@alike
def test_a_deep_copy_keeps_identities_within_it(torch: Any) -> Any:
    x = torch.ones(3)
    copied = copy.deepcopy({"a": x, "b": x})
    return copied["a"] is copied["b"], copied["a"] is x


@alike
def test_a_deep_copy_keeps_aliases_within_it(torch: Any) -> Any:
    x = grid(torch)
    base, row = copy.deepcopy([x, x[1]])
    row.zero_()
    return base, row, x


@raises_alike(RuntimeError)
def test_a_deep_copy_of_a_result_is_refused(torch: Any) -> None:
    copy.deepcopy(leaf(torch) * 2)


@alike
def test_a_shallow_copy_shares_the_storage(torch: Any) -> Any:
    x = torch.ones(3)
    y = copy.copy(x)
    y.add_(1)
    return x, y is x


@alike
def test_pickle_keeps_identities_within_it(torch: Any) -> Any:
    x = leaf(torch)
    a, b = pickle.loads(pickle.dumps([x, x]))
    return a is b, a, a.is_leaf


@alike
def test_save_keeps_aliases_within_it(torch: Any) -> Any:
    x, file = grid(torch), io.BytesIO()
    torch.save([x, x[1]], file)
    file.seek(0)
    base, row = torch.load(file)
    row.zero_()
    return base, x


@alike
def test_from_numpy_shares_the_memory(torch: Any) -> Any:
    numpy = pytest.importorskip("numpy")
    array = numpy.ones(3, dtype=numpy.float32)
    x = torch.from_numpy(array)
    x.add_(1)
    array[0] = 7
    return x, array.tolist()


@alike
def test_an_op_takes_the_value_that_outside_memory_has_when_it_is_called(torch: Any) -> Any:
    numpy = pytest.importorskip("numpy")
    array = numpy.ones(3, dtype=numpy.float32)
    y = torch.from_numpy(array) * 10
    array[:] = 5
    return y


@alike
def test_numpy_shares_the_memory(torch: Any) -> Any:
    pytest.importorskip("numpy")
    x = torch.ones(3)
    array = x.numpy()
    array[0] = 7
    x[1] = 8
    x.mul_(2)
    return x, array.tolist()


@alike
def test_pending_readers_run_before_memory_is_handed_out(torch: Any) -> Any:
    pytest.importorskip("numpy")
    x = torch.ones(3)
    y = x + 1
    x.numpy()[:] = 50
    return y, x


@alike
def test_numpy_of_a_view_shares_the_memory(torch: Any) -> Any:
    pytest.importorskip("numpy")
    x = grid(torch)
    array = x.t()[1].numpy()
    array += 100
    x[0, 1] = -1
    return x, array.tolist()


@alike
def test_a_tensor_is_ordinary_again_when_the_array_is_gone(torch: Any) -> Any:
    pytest.importorskip("numpy")
    x = torch.ones(3)
    x.numpy()[0] = 4
    x.add_(1)
    y = x * 2
    x.zero_()
    return x, y


@raises_alike(RuntimeError)
def test_numpy_of_a_tensor_that_requires_grad_is_refused(torch: Any) -> None:
    leaf(torch).numpy()


@alike
def test_numpy_of_a_detached_tensor_shares_the_memory(torch: Any) -> Any:
    pytest.importorskip("numpy")
    x = leaf(torch)
    x.detach().numpy()[0] = 9
    return x


@alike
def test_a_part_of_a_gradient_is_viewed_and_written_as_any_tensor(torch: Any) -> Any:
    x, y = leaf(torch, 1.0), leaf(torch, 2.0, 3.0)
    joined = torch.cat([x, y]) * torch.tensor([1.0, 2.0, 3.0])
    (part,) = torch.autograd.grad(joined.sum(), y)
    seen = part.tolist()
    first, same = part[:1], part.detach()
    doubled = first * 2
    part.add_(1)
    return [seen, first, same, doubled, part]
