"""Growing, pruning and replacing layers keeps what the network computes, and the optimizer."""

from typing import Any

import pytest

import wend
from wend import nn
from wend.nn import grow


class Momentum:
    """Enough of an optimizer: groups of parameters, and a tensor of state for each."""

    def __init__(self, parameters: Any) -> None:
        self.param_groups: list[dict[str, Any]] = [{"params": list(parameters)}]
        self.state: dict[Any, dict[str, Any]] = {}

    def step(self) -> None:
        with wend.no_grad():
            for p in self.param_groups[0]["params"]:
                if p.grad is None:
                    continue
                state = self.state.setdefault(p, {"speed": wend.zeros_like(p), "step": 0})
                state["speed"].mul_(0.9).add_(p.grad)
                state["step"] += 1
                p.sub_(0.01 * state["speed"])


def train(model: Any, optimizer: Momentum, x: Any, steps: int = 3) -> float:
    loss = wend.tensor(0.0)
    for _ in range(steps):
        model.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
    return loss.item()


def network(*, norm: bool = False, act: Any = nn.ReLU) -> Any:
    wend.manual_seed(0)
    middle = [nn.BatchNorm1d(5)] if norm else []
    return nn.Sequential(nn.Linear(3, 5), *middle, act(), nn.Linear(5, 2))


def same(a: Any, b: Any) -> bool:
    return wend.allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("act", [nn.ReLU, nn.Tanh, nn.Sigmoid, nn.PReLU])
def test_a_wider_network_computes_the_same(norm: bool, act: Any) -> None:
    model, x = network(norm=norm, act=act), wend.randn(7, 3)
    model.eval()
    before = model(x)
    grow.widen_(model[0], 9, into=model[-1], between=list(model)[1:-1])
    assert (model[0].out_features, model[-1].in_features) == (9, 9)
    assert model[0].weight.shape == (9, 3)
    assert same(model(x), before)
    model.train()
    model(x).sum().backward()
    assert model[-1].weight.grad[:, 5:].abs().sum() > 0  # the new units are learned from


def test_units_of_a_convolution_are_several_inputs_after_flatten() -> None:
    first = nn.Conv2d(1, 2, 3)
    last = nn.Linear(2 * 4, 3)
    grow.widen_(first, 5, into=last)
    assert first.weight.shape == (5, 1, 3, 3)
    assert last.weight.shape == (3, 20)
    assert not last.weight[:, 8:].any()
    assert grow.prune_(first, [0, 3, 4], into=last) == [1, 2]
    assert last.weight.shape == (3, 8)


def test_the_optimizer_goes_on_with_what_it_knows() -> None:
    model, x = network(), wend.randn(7, 3)
    optimizer = Momentum(model.parameters())
    train(model, optimizer, x)
    weight = model[0].weight
    speed = optimizer.state[weight]["speed"].clone()
    grow.widen_(model[0], 8, into=model[2], optimizer=optimizer)
    assert model[0].weight is weight
    kept = optimizer.state[weight]["speed"]
    assert kept.shape == (8, 3)
    assert wend.equal(kept[:5], speed)
    assert not kept[5:].any()
    loss = model(x).square().mean().item()
    assert train(model, optimizer, x, steps=10) < loss


def test_what_widening_added_pruning_takes_away_again() -> None:
    model, x = network(norm=True), wend.randn(7, 3)
    model.eval()
    before = model(x)
    middle = list(model)[1:-1]
    grow.widen_(model[0], 9, into=model[-1], between=middle)
    assert grow.prune_(model[0], 4, into=model[-1], between=middle) == [0, 1, 2, 3, 4]
    assert same(model(x), before)
    assert model[1].num_features == 5


def test_pruning_keeps_the_state_of_the_units_that_stay() -> None:
    model, x = network(), wend.randn(7, 3)
    optimizer = Momentum(model.parameters())
    train(model, optimizer, x)
    speed = optimizer.state[model[2].weight]["speed"].clone()
    kept = grow.prune_(model[0], 2, into=model[2], optimizer=optimizer)
    assert len(kept) == 3
    assert wend.equal(optimizer.state[model[2].weight]["speed"], speed[:, kept])
    train(model, optimizer, x)


@pytest.mark.parametrize("act", [nn.ReLU, nn.ReLU6, nn.Tanh, nn.GELU])
@pytest.mark.parametrize("index", [0, 1])
def test_a_deeper_network_computes_the_same(act: Any, index: int) -> None:
    model, x = network(act=act), wend.randn(7, 3)
    before, optimizer = model(x), Momentum(model.parameters())
    new = grow.deepen_(model, index, optimizer=optimizer)
    assert model[index + 1] is new
    assert same(model(x), before)
    known = optimizer.param_groups[0]["params"]
    assert {id(p) for p in known} == {id(p) for p in model.parameters()}
    loss = model(x).square().mean().item()
    assert train(model, optimizer, x, steps=10) < loss


def test_replacing_a_layer_changes_what_the_optimizer_trains() -> None:
    model, x = network(), wend.randn(7, 3)
    optimizer = Momentum(model.parameters())
    train(model, optimizer, x)
    old, new = model[2], nn.Linear(5, 4)
    assert grow.replace_(model, "2", new, optimizer=optimizer) is old
    assert model(x).shape == (7, 4)
    assert {id(p) for p in optimizer.param_groups[0]["params"]} == {
        id(p) for p in model.parameters()
    }
    assert old.weight not in optimizer.state
    assert model[0].weight in optimizer.state


def test_what_cannot_be_grown_is_refused() -> None:
    a, b = nn.Linear(3, 5), nn.Linear(5, 2)
    with pytest.raises(ValueError, match="mixes units"):
        grow.widen_(a, 8, into=b, between=[nn.LayerNorm(5)])
    with pytest.raises(ValueError, match="5 units already"):
        grow.widen_(a, 4, into=b)
    with pytest.raises(TypeError, match="linear and convolution"):
        grow.widen_(nn.ReLU(), 4, into=b)
    with pytest.raises(ValueError, match="at least one unit"):
        grow.prune_(a, [0, 1, 2, 3, 4], into=b)
    with pytest.raises(ValueError, match="which are not those"):
        grow.prune_(a, 1, into=nn.Linear(7, 2))
