"""What is remembered from one call to the next never shows: each is as if it were the first.

Layouts, dtypes, attributes and who requires grad are mixed in an order in which neighbours differ
in one of them, and each program goes through all of it twice.
"""

import gc
from itertools import product
from typing import Any

import pytest
from both import alike, both, both_raise, wend


def described(y: Any) -> Any:
    return y.dtype, tuple(y.shape), y.stride(), y.requires_grad, y.detach().clone()


def operands(torch: Any) -> list[Any]:
    rows = torch.arange(6.0).reshape(2, 3)
    return [
        rows,
        rows.clone().requires_grad_(),
        torch.arange(6.0).reshape(3, 2).t(),
        rows.double(),
        rows[:1].clone().requires_grad_(),
        torch.tensor(2.0),
        torch.arange(6).reshape(2, 3),
    ]


@pytest.mark.parametrize("name", ["mul", "sub", "div", "pow", "lt", "atan2"])
def test_pairs_of_operands_do_not_take_each_other_for_the_last(name: str) -> None:
    def program(torch: Any) -> Any:
        op = getattr(torch, name)
        seen = []
        for grad, a, b in [*product((True, False), operands(torch), operands(torch))] * 2:
            with torch.set_grad_enabled(grad):
                seen.append(described(op(a + 1, b + 1)))
        return seen

    both(program)


@alike
def test_numbers_beside_a_tensor_are_each_their_own(torch: Any) -> Any:
    a = torch.arange(3)
    seen = []
    for number in (2, 2.0, True, 3, -1.5, 2) * 2:
        for x in (a, a.float(), a.double()):
            seen.append(described(x * number))
            seen.append(described(number - x if number is not True else x + number))
    return seen


@alike
def test_attributes_that_differ_are_told_apart(torch: Any) -> Any:
    x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
    seen = []
    for dim in (0, 1, 2, -1, 0, 1):
        for keep in (False, True):
            seen.append(described(x.sum(dim, keepdim=keep)))
            seen.append(described(x.mean((dim, (dim + 1) % 3), keepdim=keep)))
        seen.append(described(x.softmax(dim)))
        seen.append(described(x.log_softmax(dim, dtype=torch.float64)))
        seen.append(described(torch.cat([x, x], dim)))
        seen.append(described(torch.stack([x, x], dim)))
        seen.append([described(part) for part in x.chunk(2, dim)])
    return seen


@alike
def test_gradients_are_those_of_the_operands_at_hand(torch: Any) -> Any:
    seen = []
    for a, b in [*product(operands(torch)[:5], repeat=2)] * 2:
        a, b = a.detach().float(), b.detach().float()
        for which in ((True, False), (False, True), (True, True)):
            x, y = a.clone().requires_grad_(which[0]), b.clone().requires_grad_(which[1])
            (x * y + (x + 1) / (y + 1)).sum().backward()
            seen.append([None if v.grad is None else v.grad.clone() for v in (x, y)])
    return seen


@alike
def test_parts_of_one_layout_are_of_the_tensor_at_hand(torch: Any) -> Any:
    whole = torch.arange(24.0).reshape(4, 6)
    seen = []
    for x in (whole * 1, whole[1:] * 1, whole, whole[1:], whole[2:], whole.double()) * 2:
        for grad in (False, True):
            base = x.detach().requires_grad_() if grad else x.detach()
            a, b = (base * 2).chunk(2, 1)
            c, d = x.chunk(2, 1)
            total = (a * b + c).sum()
            if grad:
                total.backward()
            seen.append((described(a), described(b), described(d), d.storage_offset(), total))
            seen.append(base.grad.clone() if grad else None)
    return seen


@alike
def test_every_part_of_a_part_shares_its_memory(torch: Any) -> Any:
    x = torch.zeros(2, 6)
    for part in x[:, 1:].clone()[:, 1:].split(2, 1):
        part.add_(1)
    inner = x.narrow(1, 2, 4)
    for number, part in enumerate(inner.unbind(1)):
        part.add_(number)
    return x, inner


def test_indices_are_checked_each_time() -> None:
    def rows(torch: Any, index: int) -> Any:
        table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        return torch.nn.functional.embedding(torch.tensor([index]), table)

    for _ in range(3):
        both(lambda torch: rows(torch, 1))
        both_raise(lambda torch: rows(torch, 2), IndexError)


@alike
def test_names_given_by_keyword_mean_the_same_in_any_order(torch: Any) -> Any:
    scores, target = torch.arange(6.0).reshape(2, 3), torch.tensor([0, 2])
    ce = torch.nn.functional.cross_entropy
    return (
        ce(scores, target, reduction="sum"),
        ce(target=target, input=scores, reduction="none", label_smoothing=0.1),
        ce(scores, target=target, label_smoothing=0.1, ignore_index=2),
        ce(label_smoothing=0.5, target=target, input=scores),
    )


def test_attributes_are_shared_and_go_with_the_last_who_has_them() -> None:
    gc.collect()
    x = wend.ones(4, 4)
    held = [x.sum(0) for _ in range(10)] + [x.sum((0, 1), keepdim=True) for _ in range(10)]
    assert [y.shape for y in held] == [(4,)] * 10 + [(1, 1)] * 10
    assert all(float(y.sum()) == 16 for y in held)
