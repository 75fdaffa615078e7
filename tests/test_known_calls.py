"""A call that is like one before gives what it would have given by itself."""

import copy

import pytest
import torch

import wend
import wend.nn.functional as F

# A call is remembered when it comes a second time, and known from the third.
TIMES = 4


def random(*sizes: int) -> wend.Tensor:
    return wend.randn(*sizes)


def torch_of(x: wend.Tensor) -> torch.Tensor:
    return torch.from_numpy(copy.copy(x.detach().numpy()))


def same(got: wend.Tensor, expected: torch.Tensor) -> None:
    assert str(got.dtype).split(".")[-1] == str(expected.dtype).split(".")[-1]
    assert got.shape == tuple(expected.shape)
    torch.testing.assert_close(torch_of(got), expected.detach())


def test_the_same_line_takes_tensors_of_other_sizes_dtypes_and_strides():
    kinds = [random(2, 3), random(4, 3), random(3, 2).t(), random(2, 3).double(), random(1, 3)]
    for x in kinds * TIMES:
        same(wend.cat([x, x + 1], 1), torch.cat([torch_of(x), torch_of(x) + 1], 1))
        same(x.sum(1), torch_of(x).sum(1))
        same(wend.softmax(x, dim=1), torch.softmax(torch_of(x), dim=1))


def test_lists_of_tensors_may_change_their_length_and_type():
    parts = [random(2, 1), random(2, 2), random(2, 3)]
    lists = [parts, tuple(parts), parts[:2], parts[1:], parts[:1], parts * 7]
    for given in lists * TIMES:
        same(wend.cat(given, 1), torch.cat([torch_of(x) for x in given], 1))


def test_numbers_and_texts_are_told_apart_though_the_line_is_the_same():
    x, target = random(3, 5), wend.tensor([0, 4, 2])
    for dim in [0, 1, -1, 0, 1, -1] * TIMES:
        same(x.sum(dim), torch_of(x).sum(dim))
    for reduction in ["sum", "mean", "".join(["su", "m"]), "none"] * TIMES:
        expected = torch.nn.functional.cross_entropy(
            torch_of(x), torch_of(target), reduction=reduction
        )
        same(F.cross_entropy(x, target, reduction=reduction), expected)
    for size in [1000, 1001, 1000] * TIMES:
        assert x.new_zeros(size).shape == (size,)


def test_a_tensor_that_was_given_twice_is_not_taken_for_two():
    x, y = random(2, 2), random(2, 2)
    for a, b in [(x, x), (x, y), (y, x), (y, y)] * TIMES:
        same(wend.cat([a, b], 0), torch.cat([torch_of(a), torch_of(b)], 0))
        same(F.linear(a, b), torch.nn.functional.linear(torch_of(a), torch_of(b)))


def test_tensors_by_name_go_where_their_name_says():
    x, y = random(2, 3), random(4, 3)
    for _ in range(TIMES):
        expected = torch.nn.functional.linear(torch_of(x), torch_of(y))
        same(F.linear(weight=y, input=x), expected)
        same(F.linear(input=x, weight=y), expected)
        same(wend.dot(tensor=x[0], input=y[0]), torch.dot(torch_of(y[0]), torch_of(x[0])))


def test_gradients_are_recorded_where_they_are_asked_for():
    weight = random(5, 3).requires_grad_()
    plain, words = weight.detach(), wend.tensor([1, 1, 4])
    for table in [weight, plain] * TIMES:
        for grad in (True, False):
            with wend.set_grad_enabled(grad):
                assert F.embedding(words, table).requires_grad == (grad and table is weight)
    F.embedding(words, weight).sum().backward()
    assert weight.grad.sum(1).tolist() == [0.0, 6.0, 0.0, 0.0, 3.0]


def test_values_are_looked_at_in_every_call():
    scores, table = random(1, 5), random(5, 2)
    good, bad = wend.tensor([4]), wend.tensor([5])
    for _ in range(TIMES):
        F.cross_entropy(scores, good)
        F.embedding(good, table)
    with pytest.raises(IndexError, match=r"Target 5 is out of bounds.\n  cross_entropy\(input"):
        F.cross_entropy(scores, bad)
    with pytest.raises(IndexError, match="index out of range in self"):
        F.embedding(bad, table)


def test_shapes_are_checked_in_every_call():
    a, b, c = random(2, 3), random(2, 3), random(3, 4)
    for _ in range(TIMES):
        wend.cat([a, b], 1)
    with pytest.raises(RuntimeError, match="Sizes of tensors must match except in dimension 1"):
        wend.cat([a, c], 1)
    with pytest.raises(TypeError, match="expected Tensor as element 1 in argument 0"):
        wend.cat([a, 1], 1)


def test_which_signature_fits_may_depend_on_the_tensor():
    x = random(2, 3)
    for by in [wend.tensor(1), wend.tensor([1, 2]), 2, wend.tensor(2), (1,)] * TIMES:
        split = torch_of(by) if isinstance(by, wend.Tensor) else by
        expected = torch.tensor_split(torch_of(x), split, dim=1)
        got = wend.tensor_split(x, by, dim=1)
        assert [tuple(g.shape) for g in got] == [tuple(e.shape) for e in expected]
    for exponent in [2, wend.tensor(3.0), wend.tensor([1.0, 2.0, 3.0]), 2.0] * TIMES:
        other = torch_of(exponent) if isinstance(exponent, wend.Tensor) else exponent
        same(wend.pow(x, exponent), torch.pow(torch_of(x), other))


def test_the_default_dtype_is_that_of_the_call():
    ints = wend.tensor([[1, 2], [3, 4]])
    try:
        for dtype in [wend.float32, wend.float64] * TIMES:
            wend.set_default_dtype(dtype)
            assert wend.full((2,), 1.5).dtype == dtype
            assert (ints / 2).dtype == dtype
            assert wend.cat([ints, wend.ones(2, 2)], 0).dtype == dtype
    finally:
        wend.set_default_dtype(wend.float32)


def test_what_is_written_in_place_is_what_was_given():
    for number in [2, 3.5, 2, 3.5] * TIMES:
        x = wend.ones(3)
        assert x.add_(wend.ones(3), alpha=number) is x
        assert x.tolist() == [1 + number] * 3


def test_hooks_for_saved_values_may_call_the_op_themselves():
    x, y = random(2, 2).requires_grad_(), random(2, 2)
    seen = []

    def pack(value: wend.Tensor) -> wend.Tensor:
        if len(seen) < 50:
            seen.append(F.linear(value.detach(), y))
        return value

    for _ in range(TIMES):
        F.linear(x, y)
    with wend.autograd.graph.saved_tensors_hooks(pack, lambda value: value):
        for _ in range(TIMES):
            out = F.linear(x, y)
    assert seen
    same(out, torch.nn.functional.linear(torch_of(x), torch_of(y)))


def test_a_subclass_counts_as_a_tensor():
    layer = wend.nn.Linear(3, 2)
    for x in [random(1, 3), random(4, 3)] * TIMES:
        expected = torch_of(x) @ torch_of(layer.weight).t() + torch_of(layer.bias)
        same(layer(x), expected)
