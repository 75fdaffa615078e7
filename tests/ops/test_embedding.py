"""Gradients of a table that is looked up several times are added up in place, and are PyTorch's."""

from typing import Any

import pytest
import torch

import wend


def looked_up(T: Any, **options: Any) -> list[Any]:
    """Two derivatives of a loss over three look-ups in one table, of one, two and five rows."""
    table = (T.arange(12.0).reshape(6, 2) / 12).requires_grad_()
    total = 0
    for i in ([4], [0, 5], [1, 1, 4, 0, 1]):
        rows = T.nn.functional.embedding(T.tensor(i), table, **options)
        total = total + (rows**3).sum()
    (first,) = T.autograd.grad(total, table, create_graph=True)
    (second,) = T.autograd.grad((first**2).sum(), table)
    return [first.tolist(), second.tolist()]


@pytest.mark.parametrize("options", [{}, {"padding_idx": 1}])
def test_look_ups_add_up(options: dict[str, Any]) -> None:
    for ours, theirs in zip(looked_up(wend, **options), looked_up(torch, **options), strict=True):
        assert torch.allclose(torch.tensor(ours), torch.tensor(theirs), atol=1e-5)


def test_a_gradient_by_frequency_counts_each_look_up_by_itself() -> None:
    def gradient(T: Any) -> Any:
        table = T.ones(4, 2, requires_grad=True)
        for i in ([0, 0, 1], [0, 3, 3, 3]):
            look_up = T.nn.functional.embedding
            look_up(T.tensor(i), table, scale_grad_by_freq=True).sum().backward()
        return table.grad.tolist()

    assert gradient(wend) == gradient(torch)


def test_no_table_is_made_for_each_look_up() -> None:
    table = wend.ones(1000, 64).requires_grad_()
    with wend.report() as report:
        rows = [wend.nn.functional.embedding(wend.arange(n), table).sum() for n in range(2, 10)]
        wend.stack(rows).sum().backward()
    assert report.bytes < 3 * table.nbytes
