"""lstm, gru, rnn_tanh and rnn_relu of the package: all layers of a network, weights in one list.

Called with a batch of sequences, or with packed rows and how many sequences each step has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wend._C import Tensor
from wend.nn._recurrent import run_layers

_GATES = {"LSTM": 4, "GRU": 3}


def _layers(
    params: Sequence[Tensor], biases: bool, projected: bool, layers: int, directions: int
) -> list[list[dict[str, Tensor]]]:
    """The weights of each direction of each layer by name, from a flat list."""
    names = ["weight_ih", "weight_hh"]
    names += ["bias_ih", "bias_hh"] if biases else []
    names += ["weight_hr"] if projected else []
    if len(params) != len(names) * layers * directions:
        raise RuntimeError("got an incorrect number of RNN parameters")
    each = iter(params)
    return [
        [{name: next(each) for name in names} for _ in range(directions)] for _ in range(layers)
    ]


_OPTIONS = ("hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional")
_BATCH = ("input", *_OPTIONS, "batch_first")
_PACKED = ("data", "batch_sizes", *_OPTIONS)


def _bound(function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name: those of a batch end with batch_first, and packed rows have none."""
    if len(args) == len(_BATCH):
        packed = not isinstance(args[_BATCH.index("has_biases")], bool)
    else:
        packed = "batch_first" not in kwargs
    names = _PACKED if packed else _BATCH
    given = dict(zip(names, args, strict=False))
    if len(args) > len(names) or given.keys() & kwargs or {*given, *kwargs} != set(names):
        raise TypeError(
            f"{function}() takes ({', '.join(_BATCH)}) or ({', '.join(_PACKED)}), "
            f"but got {len(args)} positional arguments and {sorted(kwargs)}"
        )
    return given | kwargs


def _run(mode: str, given: dict[str, Any]) -> tuple[Tensor, ...]:
    """Run a network; what is given goes by the names of either signature."""
    hx, params = given["hx"], given["params"]
    states = hx if mode == "LSTM" else [hx]
    projected = len(states) == 2 and states[0].size(2) != states[1].size(2)
    layers = _layers(
        params, given["has_biases"], projected, given["num_layers"], 1 + given["bidirectional"]
    )
    size = params[1].size(0) // _GATES.get(mode, 1)
    dropout = given["dropout"] if given["train"] else 0.0
    if "batch_sizes" in given:
        steps = given["batch_sizes"].tolist()
        output, last = run_layers(mode, given["data"], steps, states, layers, size, dropout)
        return output, *last
    swapped, input = given["batch_first"], given["input"]
    input = input.transpose(0, 1) if swapped else input
    output, last = run_layers(mode, input, None, states, layers, size, dropout)
    return (output.transpose(0, 1) if swapped else output), *last


def lstm(*args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
    """The layers of nn.LSTM: outputs, last hidden states and last cells.

    (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), or
    (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional).

    >>> state, weights = [wend.zeros(1, 1, 2)] * 2, [wend.zeros(8, 3), wend.zeros(8, 2)]
    >>> x = wend.ones(4, 1, 3)
    >>> wend.lstm(x, state, weights, False, 1, 0.0, False, False, False)[0].shape
    torch.Size([4, 1, 2])
    """
    given = _bound("lstm", args, kwargs)
    if len(given["hx"]) != 2:
        raise RuntimeError("lstm expects two hidden states")
    return _run("LSTM", given)


def gru(*args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
    """The layers of nn.GRU: outputs and last hidden states. Arguments are those of lstm.

    >>> weights = [wend.zeros(6, 3), wend.zeros(6, 2)]
    >>> x, state = wend.ones(4, 1, 3), wend.zeros(1, 1, 2)
    >>> wend.gru(x, state, weights, False, 1, 0.0, False, False, False)[1]
    tensor([[[0., 0.]]])
    """
    return _run("GRU", _bound("gru", args, kwargs))


def rnn_tanh(*args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
    """The layers of nn.RNN with tanh: outputs and last states. Arguments are those of lstm.

    >>> x, state = wend.ones(4, 1, 3), wend.zeros(1, 1, 2)
    >>> weights = [wend.zeros(2, 3), wend.zeros(2, 2)]
    >>> wend.rnn_tanh(x, state, weights, False, 1, 0.0, False, False, False)[1]
    tensor([[[0., 0.]]])
    """
    return _run("RNN_TANH", _bound("rnn_tanh", args, kwargs))


def rnn_relu(*args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
    """The layers of nn.RNN with relu: outputs and last states. Arguments are those of lstm.

    >>> x, state = wend.ones(4, 1, 3), wend.zeros(1, 1, 2)
    >>> weights = [wend.ones(2, 3), wend.zeros(2, 2)]
    >>> wend.rnn_relu(x, state, weights, False, 1, 0.0, False, False, False)[1]
    tensor([[[3., 3.]]])
    """
    return _run("RNN_RELU", _bound("rnn_relu", args, kwargs))
