"""Conditional layers compute what is taken and nothing else, and what they give is right."""

from typing import Any

import pytest

import wend
from wend import nn
from wend.nn import conditional


class Counting(nn.Module):
    """Counts the rows that go through a module."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.module = module
        self.rows = 0

    def forward(self, x: Any, *rest: Any) -> Any:
        self.rows += x.size(0)
        return self.module(x, *rest)


def experts(count: int = 3) -> list[Counting]:
    wend.manual_seed(1)
    return [Counting(nn.Linear(4, 2)) for _ in range(count)]


@pytest.mark.parametrize("top_k", [1, 2])
def test_each_input_goes_through_its_experts_only(top_k: int) -> None:
    parts = experts()
    moe = conditional.MixtureOfExperts(parts, nn.Linear(4, 3), top_k)
    x = wend.randn(10, 4, requires_grad=True)
    output = moe(x)
    assert sum(part.rows for part in parts) == 10 * top_k
    shares = moe.gate(x).softmax(-1)
    weights, chosen = shares.topk(top_k, -1)
    if top_k > 1:
        weights = weights / weights.sum(-1, keepdim=True)
    everything = wend.stack([part.module(x) for part in parts], 1)
    expected = sum(
        weights[:, k, None] * everything[wend.arange(10), chosen[:, k]] for k in range(top_k)
    )
    assert wend.allclose(output, expected, atol=1e-6)
    output.sum().backward()
    assert x.grad is not None
    assert moe.gate.weight.grad is not None


def test_an_expert_that_nobody_takes_is_not_called() -> None:
    parts = experts()
    gate = nn.Linear(4, 3)
    with wend.no_grad():
        gate.weight.zero_()
        gate.bias.copy_(wend.tensor([5.0, 0.0, 0.0]))
    moe = conditional.MixtureOfExperts(parts, gate)
    moe(wend.randn(6, 4))
    assert [part.rows for part in parts] == [6, 0, 0]
    assert moe.balance.item() > 2.5


def test_inputs_leave_at_the_first_exit_that_is_sure() -> None:
    wend.manual_seed(2)
    blocks = [Counting(nn.Linear(4, 4)) for _ in range(3)]
    net = conditional.EarlyExit([(block, nn.Linear(4, 3)) for block in blocks], 0.45)
    x = wend.randn(20, 4)
    outputs = net(x)  # all exits while training
    assert [part.shape for part in outputs] == [(20, 3)] * 3
    assert [block.rows for block in blocks] == [20, 20, 20]
    found = net.eval()(x)
    depth = found.depth.tolist()
    sure = [part.softmax(-1).amax(-1) >= 0.45 for part in outputs]
    expected = [next((n for n in (1, 2) if sure[n - 1][i]), 3) for i in range(20)]
    assert depth == expected
    assert len(set(depth)) > 1
    for i, stage in enumerate(depth):
        assert wend.allclose(found.output[i], outputs[stage - 1][i], atol=1e-6)
    assert [block.rows - 20 for block in blocks] == [
        sum(stage >= n for stage in depth) for n in (1, 2, 3)
    ]


def test_a_skipped_block_is_not_computed() -> None:
    wend.manual_seed(0)
    inner = Counting(nn.Linear(4, 4))
    block = conditional.StochasticDepth(inner, 0.3)
    x = wend.ones(1, 4)
    total = wend.zeros(1, 4)
    for _ in range(200):
        total = total + block(x).detach()
    taken = inner.rows
    assert 110 < taken < 170
    mean = x + inner.module(x).detach() * (taken / 200 / 0.7)
    assert wend.allclose(total / 200, mean, atol=1e-4)
    assert wend.allclose(block.eval()(x), x + inner.module(x))


def test_inputs_that_halted_are_not_computed_any_more() -> None:
    wend.manual_seed(3)
    cell = Counting(nn.GRUCell(3, 4))
    act = conditional.AdaptiveComputation(cell, 4, max_steps=8)
    with wend.no_grad():
        act.halt.weight.mul_(8)
    x, state = wend.randn(12, 3), wend.zeros(12, 4)
    found = act(x, state)
    steps = found.steps.tolist()
    assert len(set(steps)) > 1
    assert cell.rows == sum(steps)
    for i in range(12):
        alone = act(x[i : i + 1], state[i : i + 1])
        assert alone.steps.tolist() == [steps[i]]
        assert wend.allclose(found.state[i], alone.state[0], atol=1e-5)
    (found.state.sum() + found.cost).backward()
    assert act.halt.weight.grad.abs().sum() > 0


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="top_k must be between 1 and 3"):
        conditional.MixtureOfExperts(experts(), nn.Linear(4, 3), 4)
    with pytest.raises(ValueError, match="at least one stage"):
        conditional.EarlyExit([])
    with pytest.raises(ValueError, match="between 0 and 1"):
        conditional.StochasticDepth(nn.Identity(), 2)
