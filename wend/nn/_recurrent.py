"""Recurrent networks over sequences: steps, layers, directions, packed or not.

A single step of given inputs is the core's lstm_cell and its like; here the inputs of all steps
are projected at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wend import _C
from wend._C import Tensor

State = tuple[Tensor, ...]
# From an input that is projected already, and the state before, the state after.
Step = Callable[[Tensor, State], State]


def _lstm_step(size: int, weight: Tensor, bias: Tensor | None, projection: Tensor | None) -> Step:
    def step(x: Tensor, state: State) -> State:
        h, c = state
        into, forget, candidate, out = (x + _C.linear(h, weight, bias)).split(size, -1)
        c = forget.sigmoid() * c + into.sigmoid() * candidate.tanh()
        h = out.sigmoid() * c.tanh()
        return (h if projection is None else _C.linear(h, projection)), c

    return step


def _gru_step(size: int, weight: Tensor, bias: Tensor | None) -> Step:
    def step(x: Tensor, state: State) -> State:
        (h,) = state
        x_reset, x_keep, x_fresh = x.split(size, -1)
        h_reset, h_keep, h_fresh = _C.linear(h, weight, bias).split(size, -1)
        fresh = (x_fresh + (x_reset + h_reset).sigmoid() * h_fresh).tanh()
        return ((h - fresh) * (x_keep + h_keep).sigmoid() + fresh,)

    return step


def _simple_step(nonlinearity: str, weight: Tensor, bias: Tensor | None) -> Step:
    f = _C.tanh if nonlinearity == "RNN_TANH" else _C.relu

    def step(x: Tensor, state: State) -> State:
        return (f(x + _C.linear(state[0], weight, bias)),)

    return step


def _step_of(mode: str, size: int, weights: dict[str, Tensor]) -> Step:
    weight, bias = weights["weight_hh"], weights.get("bias_hh")
    if mode == "LSTM":
        return _lstm_step(size, weight, bias, weights.get("weight_hr"))
    if mode == "GRU":
        return _gru_step(size, weight, bias)
    return _simple_step(mode, weight, bias)


def _forwards(step: Step, inputs: Sequence[Tensor], state: State) -> tuple[list[Tensor], State]:
    """Go through the steps; sequences that end, the last ones, are set aside."""
    outputs: list[Tensor] = []
    ended: list[State] = []
    for x in inputs:
        alive = x.size(0)
        if alive < state[0].size(0):
            ended.append(tuple(each[alive:] for each in state))
            state = tuple(each[:alive] for each in state)
        state = step(x, state)
        outputs.append(state[0])
    if ended:
        parts = [state, *reversed(ended)]
        state = tuple(_C.cat([part[i] for part in parts]) for i in range(len(state)))
    return outputs, state


def _backwards(step: Step, inputs: Sequence[Tensor], first: State) -> tuple[list[Tensor], State]:
    """Go through the steps from the end; sequences join when their last step comes."""
    outputs: list[Tensor] = []
    state = tuple(each[:0] for each in first)
    for x in reversed(inputs):
        alive, running = x.size(0), state[0].size(0)
        if running == 0:
            state = first if alive == first[0].size(0) else tuple(each[:alive] for each in first)
        elif alive > running:
            state = tuple(
                _C.cat([now, new[running:alive]]) for now, new in zip(state, first, strict=True)
            )
        state = step(x, state)
        outputs.append(state[0])
    return outputs[::-1], state


def run_layers(
    mode: str,
    input: Tensor,
    batch_sizes: list[int] | None,
    states: Sequence[Tensor],
    layers: Sequence[Sequence[dict[str, Tensor]]],
    hidden_size: int,
    dropout: float,
) -> tuple[Tensor, State]:
    """Run all layers over (T, N, F), or over packed rows, and return outputs and last states.

    states: tensors (layers * directions, N, H). layers: the weights of each direction of each.
    """
    at = 0
    last: list[State] = []
    for number, directions in enumerate(layers):
        outputs = []
        for reverse, weights in enumerate(directions):
            step = _step_of(mode, hidden_size, weights)
            x = _C.linear(input, weights["weight_ih"], weights.get("bias_ih"))
            steps = x.unbind(0) if batch_sizes is None else x.split(batch_sizes)
            first = tuple(state[at] for state in states)
            went = (_backwards if reverse else _forwards)(step, steps, first)
            outputs.append(_C.stack(went[0]) if batch_sizes is None else _C.cat(went[0]))
            last.append(went[1])
            at += 1
        input = outputs[0] if len(outputs) == 1 else _C.cat(outputs, -1)
        if dropout and number < len(layers) - 1:
            input = _C.dropout(input, dropout, True)
    return input, tuple(_C.stack(list(parts)) for parts in zip(*last, strict=True))
