"""What nothing recurrent needs, such as a loss at every step, waits for all of its kind.

By levels there would be as many batches of it as there are steps.
"""

from typing import Any

import pytest
import torch
from kernels import kernels

import wend


def steps(T: Any, lengths: range, read: bool = False) -> tuple[Any, list[Any]]:
    """The loss at every step of several sequences; `read`: what is lost is fed to the next step."""
    T.manual_seed(0)
    w = (T.arange(16.0).reshape(4, 4) / 16 - 0.4).requires_grad_()
    v = (T.arange(12.0).reshape(4, 3) / 12).requires_grad_()
    losses = []
    for length in lengths:
        h = T.full((1, 4), length / 10)
        for t in range(length):
            h = T.tanh(h @ w + 0.1 * t)
            losses.append(T.nn.functional.cross_entropy(h @ v, T.tensor([t % 3])))
            if read:
                h = h + losses[-1]
    return T.stack(losses).sum(), [w, v]


def calls(report: Any, name: str) -> int:
    return kernels(report)[name].calls


def test_losses_of_all_steps_are_one_batch() -> None:
    with wend.report() as report:
        steps(wend, range(3, 15))[0].backward()
    assert calls(report, "log_softmax") == 1
    assert calls(report, "nll_loss_forward") == 1
    assert report.batch_sizes[sum(range(3, 15))] >= 3


def test_what_was_dropped_before_does_not_matter() -> None:
    dropped = wend.ones(2, requires_grad=True)
    for _ in range(50_000):
        dropped = dropped + 1
    del dropped
    test_losses_of_all_steps_are_one_batch()


def test_a_loss_that_the_next_step_reads_is_computed_at_every_step() -> None:
    with wend.report() as report:
        steps(wend, range(3, 15), read=True)[0].item()
    assert calls(report, "log_softmax") == 14


@pytest.mark.parametrize("read", [False, True])
@pytest.mark.parametrize("lengths", [range(3, 15), range(30, 33), range(1, 2)])
def test_values_and_gradients_are_pytorchs(lengths: range, read: bool) -> None:
    loss, weights = steps(wend, lengths, read)
    expected, theirs = steps(torch, lengths, read)
    loss.backward()
    expected.backward()
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
    for w, p in zip(weights, theirs, strict=True):
        assert torch.allclose(torch.tensor(w.grad.tolist()), p.grad, rtol=1e-4, atol=1e-5)


def totals(T: Any) -> list[float]:
    """Sums of what the steps of each sequence gave: some read these while others still go on."""
    w = T.full((4, 4), 0.1)
    sums = []
    for length in range(3, 20):
        h, scores = T.full((1, 4), length / 10), []
        for _ in range(length):
            h = T.tanh(h @ w)
            scores.append((h * 2).exp())
        sums.append(T.cat(scores).sum(0).tanh())
    return T.stack(sums).flatten().tolist()


def test_what_reads_some_that_wait_finds_them_all() -> None:
    assert totals(wend) == pytest.approx(totals(torch), rel=1e-5)


def test_a_kind_whose_values_are_large_does_not_wait() -> None:
    w, v = wend.full((4, 4), 0.1), wend.full((4, 4096), 0.1)
    with wend.report() as report:
        outs = []
        for length in range(3, 15):
            h = wend.full((1, 4), length / 10)
            for _ in range(length):
                h = wend.tanh(h @ w)
                outs.append((h @ v).amax())
        wend.stack(outs).sum().item()
    assert calls(report, "rows_nn") > 20
