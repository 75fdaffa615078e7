"""Layers that compute only what is taken: experts, exits, skipped blocks, as many steps as needed.

Which way an input takes is read from values, so that these layers read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import wend
from wend import Tensor
from wend.nn import functional as F
from wend.nn.modules.container import ModuleList
from wend.nn.modules.linear import Linear
from wend.nn.modules.module import Module

__all__ = ["AdaptiveComputation", "EarlyExit", "Exits", "MixtureOfExperts", "StochasticDepth"]


class MixtureOfExperts(Module):
    """Each input goes through the experts that a gate chooses for it, and through no other.

    gate: gives a score for each expert. top_k: how many experts an input takes, whose outputs are
    weighted by the softmax of the scores. After a call, `balance` is 1 if the experts were used
    alike and larger otherwise: a part of it added to the loss keeps all experts in use.

    >>> experts = [wend.nn.Linear(4, 2) for _ in range(3)]
    >>> moe = wend.nn.conditional.MixtureOfExperts(experts, wend.nn.Linear(4, 3), top_k=2)
    >>> moe(wend.ones(5, 4)).shape
    torch.Size([5, 2])
    """

    balance: Tensor | None

    def __init__(self, experts: Iterable[Module], gate: Module, top_k: int = 1) -> None:
        super().__init__()
        self.experts = ModuleList(experts)
        self.gate = gate
        if not 1 <= top_k <= len(self.experts):
            raise ValueError(f"top_k must be between 1 and {len(self.experts)}, but is {top_k}")
        self.top_k = top_k
        self.balance = None

    def forward(self, x: Tensor) -> Tensor:
        """Return the weighted outputs of the chosen experts for (..., features)."""
        rows = x.reshape(-1, x.size(-1))
        shares = F.softmax(self.gate(rows), dim=-1)
        weights, chosen = shares.topk(self.top_k, -1)
        if self.top_k > 1:
            weights = weights / weights.sum(-1, keepdim=True)
        taken = chosen.tolist()
        output: Tensor | None = None
        for number, expert in enumerate(self.experts):
            places = [(i, k) for i, ks in enumerate(taken) for k, e in enumerate(ks) if e == number]
            if not places:
                continue
            at = wend.tensor([i for i, _ in places])
            found = expert(rows.index_select(0, at))
            scale = weights[at, wend.tensor([k for _, k in places])]
            part = found * scale.unsqueeze(-1)
            if output is None:
                output = wend.zeros(rows.size(0), found.size(-1), dtype=found.dtype)
            output = output.index_add(0, at, part)
        if output is None:
            raise ValueError("a mixture of experts needs at least one input")
        self.balance = self._imbalance(shares, taken)
        return output.reshape(*x.shape[:-1], output.size(-1))

    def _imbalance(self, shares: Tensor, taken: list[list[int]]) -> Tensor:
        """Experts times the sum over them of (part of inputs) * (mean share)."""
        count = len(self.experts)
        used = [0] * count
        for each in taken:
            for number in each:
                used[number] += 1
        parts = wend.tensor(used, dtype=shares.dtype) / (len(taken) * self.top_k)
        return count * (parts * shares.mean(0)).sum()


class Exits(NamedTuple):
    """What an EarlyExit gives: outputs, and after how many stages each input left."""

    output: Tensor
    depth: Tensor


class EarlyExit(Module):
    """Stages with an exit each, where inputs leave that are sure enough of their class.

    stages: pairs of a module and its exit, which gives class scores. threshold: the largest
    probability from which an input leaves. While training all stages run, and a call gives the
    scores of all exits.

    >>> stages = [(wend.nn.Linear(4, 4), wend.nn.Linear(4, 3)) for _ in range(2)]
    >>> net = wend.nn.conditional.EarlyExit(stages, threshold=0.0).eval()
    >>> net(wend.ones(5, 4)).depth
    tensor([1, 1, 1, 1, 1])
    """

    def __init__(self, stages: Iterable[tuple[Module, Module]], threshold: float = 0.9) -> None:
        super().__init__()
        pairs = list(stages)
        if not pairs:
            raise ValueError("an early exit needs at least one stage")
        self.stages = ModuleList(stage for stage, _ in pairs)
        self.exits = ModuleList(leave for _, leave in pairs)
        self.threshold = threshold

    def forward(self, x: Tensor) -> Any:
        """Return the scores of all exits while training, else an Exits."""
        if self.training:
            outputs = []
            for stage, leave in zip(self.stages, self.exits, strict=True):
                x = stage(x)
                outputs.append(leave(x))
            return outputs
        going = list(range(x.size(0)))
        rows: list[tuple[int, Tensor, int]] = []
        for number, (stage, leave) in enumerate(zip(self.stages, self.exits, strict=True), 1):
            x = stage(x)
            scores = leave(x)
            sure = (F.softmax(scores, dim=-1).amax(-1) >= self.threshold).tolist()
            if number == len(self.stages):
                sure = [True] * len(going)
            rows += [(going[i], scores[i], number) for i, out in enumerate(sure) if out]
            stay = [i for i, out in enumerate(sure) if not out]
            if not stay:
                break
            going = [going[i] for i in stay]
            x = x.index_select(0, wend.tensor(stay))
        rows.sort(key=lambda row: row[0])
        return Exits(wend.stack([row[1] for row in rows]), wend.tensor([row[2] for row in rows]))

    def extra_repr(self) -> str:
        """Return the threshold."""
        return f"threshold={self.threshold}"


class StochasticDepth(Module):
    """x + module(x), where the module is left out with probability p while training.

    What is left out is not computed; what is not is scaled to make up.

    >>> block = wend.nn.conditional.StochasticDepth(wend.nn.Identity(), p=1.0)
    >>> block(wend.ones(2)), block.eval()(wend.ones(2))
    (tensor([1., 1.]), tensor([2., 2.]))
    """

    def __init__(self, module: Module, p: float = 0.5) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"the probability has to be between 0 and 1, but got {p}")
        self.module = module
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Return the input, with what the module makes of it added if it runs."""
        if not self.training or self.p == 0:
            return x + self.module(x)  # type: ignore[no-any-return]
        if float(wend.rand(())) < self.p:
            return x
        return x + self.module(x) / (1 - self.p)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        """Return the probability."""
        return f"p={self.p}"


class Pondered(NamedTuple):
    """What an AdaptiveComputation gives: states, steps taken, and what thinking costs."""

    state: Tensor
    steps: Tensor
    cost: Tensor


class AdaptiveComputation(Module):
    """A recurrent step that each input repeats until it halts (Graves, 2016).

    cell: from an input and a state, the next state. The result is the mean of the states, weighted
    by the probabilities of halting at each. `cost`, to be added to the loss with a small factor, is
    what makes inputs halt; inputs that halted are not computed any more.

    >>> act = wend.nn.conditional.AdaptiveComputation(wend.nn.GRUCell(3, 4), 4, max_steps=6)
    >>> act(wend.ones(2, 3), wend.zeros(2, 4)).state.shape
    torch.Size([2, 4])
    """

    def __init__(
        self, cell: Module, hidden_size: int, max_steps: int = 10, epsilon: float = 0.01
    ) -> None:
        super().__init__()
        if max_steps < 1:
            raise ValueError(f"max_steps must be at least 1, but is {max_steps}")
        self.cell = cell
        self.halt = Linear(hidden_size, 1)
        self.max_steps = max_steps
        self.epsilon = epsilon

    def forward(self, x: Tensor, state: Tensor) -> Pondered:
        """Return the states after as many steps as each input takes."""
        batch = x.size(0)
        going = wend.arange(batch)
        result = wend.zeros_like(state)
        steps = wend.zeros(batch, dtype=wend.long)
        remainder = wend.zeros(batch, dtype=state.dtype)
        spent = wend.zeros(batch, dtype=state.dtype)
        for number in range(1, self.max_steps + 1):
            state = self.cell(x, state)
            stop = self.halt(state).squeeze(-1).sigmoid()
            left = 1 - spent
            halts = (spent + stop).detach() >= 1 - self.epsilon
            if number == self.max_steps:
                halts = wend.ones_like(halts)
            weight = wend.where(halts, left, stop)
            result = result.index_add(0, going, weight.unsqueeze(-1) * state)
            steps = steps.index_add(0, going, wend.ones_like(going))
            remainder = remainder.index_add(0, going, wend.where(halts, left, 0))
            stay = (~halts).nonzero().squeeze(-1)
            if stay.numel() == 0:
                break
            going, x, state = (each.index_select(0, stay) for each in (going, x, state))
            spent = (spent + stop).index_select(0, stay)
        return Pondered(result, steps, (steps.to(state.dtype) + remainder).mean())

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"max_steps={self.max_steps}, epsilon={self.epsilon}"
