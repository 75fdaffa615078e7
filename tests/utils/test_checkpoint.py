"""Checkpointed functions give PyTorch's gradients, and are computed again in backward."""

from typing import Any

import pytest
from both import alike, error_of, wend


@alike
def test_gradients_are_those_without_checkpoints(torch: Any) -> Any:
    checkpoint = torch.utils.checkpoint.checkpoint
    w = torch.tensor([[0.5, -1.0], [2.0, 0.3]], requires_grad=True)
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)

    def block(x: Any, scale: float = 1.0) -> Any:
        return (x @ w).tanh() * scale

    y = checkpoint(block, x, use_reentrant=False, scale=3.0)
    z = checkpoint(block, y, use_reentrant=False)
    (z * z).sum().backward()
    return x.grad, w.grad, z


@alike
def test_functions_are_called_again_in_backward(torch: Any) -> Any:
    calls: list[bool] = []

    def block(x: Any) -> Any:
        calls.append(torch.is_grad_enabled())
        return x.exp().sin()

    x = torch.ones(2, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
    before = len(calls)
    y.sum().backward()
    with torch.no_grad():
        torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
    return before, calls, x.grad


def test_random_numbers_are_drawn_again() -> None:
    x = wend.ones(100, requires_grad=True)

    def block(x: Any) -> Any:
        return wend.nn.functional.dropout(x * x, 0.5)

    y = wend.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
    y.sum().backward()
    assert x.grad.tolist() == (y.detach() * 2).tolist()
    assert 0 < x.grad.count_nonzero().item() < 100


def test_inner_values_are_not_kept() -> None:
    x = wend.ones(1000, requires_grad=True)

    def block(x: Any) -> Any:
        for _ in range(5):
            x = x.sin()
        return x

    kept = []
    for call in (block, lambda x: wend.utils.checkpoint.checkpoint(block, x, use_reentrant=False)):
        y = call(x)
        y.sum().item()
        states = [node.state for node in wend.graph(y)]
        kept.append(states.count("valued"))
    assert kept[1] < kept[0]


@alike
def test_sequences_are_checkpointed_in_segments(torch: Any) -> Any:
    x = torch.ones(3, requires_grad=True)
    steps = [torch.sin, torch.cos, torch.exp, torch.tanh, torch.sqrt]
    run = torch.utils.checkpoint.checkpoint_sequential
    y = run(steps, 2, x, use_reentrant=False)
    y.sum().backward()
    return y, x.grad


@alike
def test_bad_arguments_are_refused(torch: Any) -> Any:
    checkpoint = torch.utils.checkpoint.checkpoint
    x = torch.ones(2, requires_grad=True)
    run = lambda **options: checkpoint(torch.sin, x, **options)  # noqa: E731
    return [error_of(lambda: run(use_reentrant=True, more=1))]


def test_a_second_call_that_differs_is_refused() -> None:
    calls = []

    def block(x: Any) -> Any:
        calls.append(1)
        return x.sin().cos() if len(calls) == 1 else x.sin()

    y = wend.utils.checkpoint.checkpoint(block, wend.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError, match="A different number of tensors was saved"):
        y.sum().backward()


@pytest.mark.filterwarnings("ignore")
@alike
def test_older_and_selective_checkpoints(torch: Any) -> Any:
    module = torch.utils.checkpoint
    x = torch.tensor([[0.5, -1.0], [2.0, 0.3]], requires_grad=True)

    def block(x: Any) -> Any:
        return (x @ x).tanh() * x

    def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> Any:
        return module.CheckpointPolicy.PREFER_RECOMPUTE

    def contexts() -> Any:
        return module.create_selective_checkpoint_contexts(policy)

    with module.set_checkpoint_early_stop(False), module.set_checkpoint_debug_enabled(None):
        y = module.checkpoint(block, x, use_reentrant=False, context_fn=contexts)
    module.CheckpointFunction.apply(block, True, y).sum().backward()
    detached = module.detach_variable((y, 3, x))
    return [
        x.grad, detached[0].is_leaf, detached[0].requires_grad, detached[1],
        error_of(lambda: module.detach_variable([x])),
        error_of(lambda: module.create_selective_checkpoint_contexts(3)),
        [each.name for each in module.CheckpointPolicy],
    ]  # fmt: skip


def test_nothing_to_differentiate_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        wend.utils.checkpoint.check_backward_validity([wend.ones(1), 3])
