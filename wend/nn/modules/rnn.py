"""Recurrent layers and cells: their weights, and what they accept.

Running over sequences is nn._recurrent; single steps are ops of the core.
"""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any

from wend import _C
from wend._C import Tensor
from wend.nn import init
from wend.nn._recurrent import run_layers
from wend.nn.modules._build import add_parameter
from wend.nn.modules.module import Module
from wend.nn.utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _check_type(name: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")


class RNNBase(Module):
    """Several recurrent layers, maybe in both directions; `mode` says of which kind."""

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_settings(dropout)
        self._all_weights = [
            self._add_weights(layer, suffix, {"device": device, "dtype": dtype})
            for layer in range(num_layers)
            for suffix in (("", "_reverse") if bidirectional else ("",))
        ]
        self.reset_parameters()

    def _check_settings(self, dropout: Any) -> None:
        number = isinstance(dropout, numbers.Number) and not isinstance(dropout, bool)
        if not number or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an "
                "element being zeroed"
            )
        if dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero "
                f"dropout expects num_layers greater than 1, but got dropout={dropout} and "
                f"num_layers={self.num_layers}",
                stacklevel=4,
            )
        _check_type("bias", self.bias, bool)
        _check_type("batch_first", self.batch_first, bool)
        for name in ("input_size", "hidden_size"):
            _check_type(name, getattr(self, name), int)
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError(
                "proj_size should be a positive integer or zero to disable projections"
            )
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    def _add_weights(self, layer: int, suffix: str, factory: dict[str, Any]) -> list[str]:
        """Make the weights of a direction of a layer, and return their names."""
        gates = _GATES[self.mode] * self.hidden_size
        out = self.proj_size or self.hidden_size
        width = self.input_size if layer == 0 else out * (2 if self.bidirectional else 1)
        shapes: dict[str, Any] = {"weight_ih": (gates, width), "weight_hh": (gates, out)}
        if self.bias:
            shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        names = []
        for kind, shape in shapes.items():
            names.append(f"{kind}_l{layer}{suffix}")
            add_parameter(self, names[-1], True, shape, **factory)
        return names

    @property
    def all_weights(self) -> list[list[Tensor]]:
        """The weights of each direction of each layer."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Tensor]:
        return [weight for weights in self.all_weights for weight in weights]

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    def flatten_parameters(self) -> None:
        """Do nothing: there is no memory layout to prepare."""

    def reset_parameters(self) -> None:
        """Draw the weights anew, between ±1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        """Return the sizes, and what differs from the defaults."""
        parts = [f"{self.input_size}, {self.hidden_size}"]
        for name, usual in (
            ("proj_size", 0),
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0),
            ("bidirectional", False),
        ):
            if getattr(self, name) != usual:
                parts.append(f"{name}={getattr(self, name)}")
        return ", ".join(parts)

    # What is accepted

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raise for an input of another dtype or size than the weights'."""
        dtype = self._flat_weights[0].dtype
        if input.dtype != dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert "
                f"input: input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        wanted = 3 if batch_sizes is None else 2
        if input.dim() != wanted:
            raise RuntimeError(f"input must have {wanted} dimensions, got {input.dim()}")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                "input.size(-1) must be equal to input_size. Expected "
                f"{self.input_size}, got {input.size(-1)}"
            )

    def _state_sizes(self, batch: int) -> list[tuple[int, int, int]]:
        count = self.num_layers * (2 if self.bidirectional else 1)
        sizes = [(count, batch, self.proj_size or self.hidden_size)]
        return [*sizes, (count, batch, self.hidden_size)] if self.mode == "LSTM" else sizes

    def get_expected_hidden_size(
        self, input: Tensor, batch_sizes: Tensor | None
    ) -> tuple[int, int, int]:
        """Return the sizes that the hidden state must have."""
        if batch_sizes is not None:
            batch = int(batch_sizes[0])
        else:
            batch = input.size(0 if self.batch_first else 1)
        return self._state_sizes(batch)[0]

    def check_hidden_size(
        self,
        hx: Tensor,
        expected_hidden_size: tuple[int, int, int],
        msg: str = "Expected hidden size {}, got {}",
    ) -> None:
        """Raise for a state of other sizes."""
        if tuple(hx.size()) != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """Return the states with the sequences in another order."""
        if permutation is None:
            return hx
        if isinstance(hx, tuple):
            return tuple(each.index_select(1, permutation) for each in hx)
        return hx.index_select(1, permutation)

    def _states_given(self, hx: Any, batched: bool) -> tuple[Tensor, ...]:
        """The states of a call as a tuple, with a batch dimension."""
        n, which = (3, "batched 3-D") if batched else (2, "unbatched 2-D")
        states = tuple(hx) if self.mode == "LSTM" else (hx,)
        if any(each.dim() != n for each in states):
            if self.mode == "LSTM":
                found = ", ".join(f"{each.dim()}-D" for each in states)
                raise RuntimeError(
                    f"For {which} input, hx and cx should also be {n}-D but got ({found}) tensors"
                )
            raise RuntimeError(
                f"For {which} input, hx should also be {n}-D but got {hx.dim()}-D tensor"
            )
        return states if batched else tuple(each.unsqueeze(1) for each in states)

    # Running

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """Return the outputs of the last layer at all steps, and the last states of all layers."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            kind = "RNN" if self.mode.startswith("RNN") else self.mode
            word = " tensor instead" if kind == "RNN" else " instead"
            raise ValueError(f"{kind}: Expected input to be 2D or 3D, got {input.dim()}D{word}")
        batched = input.dim() == 3
        at = 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(at)
        states = None if hx is None else self._states_given(hx, batched)
        self.check_input(input, None)
        states = self._checked_states(states, input.size(at), input)
        steps = input.transpose(0, 1) if self.batch_first else input
        output, last = self._run(steps, None, states)
        output = output.transpose(0, 1) if self.batch_first else output
        if not batched:
            output, last = output.squeeze(at), tuple(each.squeeze(1) for each in last)
        return output, (last if self.mode == "LSTM" else last[0])

    def _forward_packed(self, input: PackedSequence, hx: Any) -> tuple[Any, Any]:
        data, sizes, order, back = input
        states = None
        if hx is not None:
            hx = self.permute_hidden(hx, order)
            states = tuple(hx) if self.mode == "LSTM" else (hx,)
        self.check_input(data, sizes)
        alive: list[int] = sizes.tolist()
        states = self._checked_states(states, alive[0], data)
        output, last = self._run(data, alive, states)
        found = self.permute_hidden(last if self.mode == "LSTM" else last[0], back)
        return PackedSequence(output, sizes, order, back), found

    def _checked_states(
        self, states: tuple[Tensor, ...] | None, batch: int, input: Tensor
    ) -> tuple[Tensor, ...]:
        sizes = self._state_sizes(batch)
        if states is None:
            return tuple(_C.zeros(size, dtype=input.dtype) for size in sizes)
        for i, (state, size) in enumerate(zip(states, sizes, strict=True)):
            which = f"hidden[{i}] size" if self.mode == "LSTM" else "hidden size"
            self.check_hidden_size(state, size, f"Expected {which} {{}}, got {{}}")
        return states

    def _run(
        self, steps: Tensor, alive: list[int] | None, states: tuple[Tensor, ...]
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        directions = 2 if self.bidirectional else 1
        weights = [
            {name.partition("_l")[0]: getattr(self, name) for name in names}
            for names in self._all_weights
        ]
        layers = [weights[i : i + directions] for i in range(0, len(weights), directions)]
        dropout = self.dropout if self.training else 0.0
        return run_layers(self.mode, steps, alive, states, layers, self.hidden_size, dropout)


class RNN(RNNBase):
    """Layers of h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu.

    >>> output, h = wend.nn.RNN(3, 4)(wend.ones(5, 2, 3))
    >>> output.shape, h.shape
    (torch.Size([5, 2, 4]), torch.Size([1, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        _refuse_projection(kwargs)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        self.nonlinearity = nonlinearity
        settings = (num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype)
        super().__init__(f"RNN_{nonlinearity.upper()}", input_size, hidden_size, *settings)
        self.nonlinearity = nonlinearity


def _refuse_projection(kwargs: dict[str, Any]) -> None:
    if "proj_size" in kwargs:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
    if kwargs:
        raise TypeError(
            f"RNNBase.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
        )


class LSTM(RNNBase):
    """Layers of long short-term memory; states are pairs of a hidden and a cell state.

    >>> output, (h, c) = wend.nn.LSTM(3, 4)(wend.ones(5, 2, 3))
    >>> output.shape, c.shape
    (torch.Size([5, 2, 4]), torch.Size([1, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        settings = (num_layers, bias, batch_first, dropout, bidirectional, proj_size)
        super().__init__("LSTM", input_size, hidden_size, *settings, device, dtype)


class GRU(RNNBase):
    """Layers of gated recurrent units.

    >>> output, h = wend.nn.GRU(3, 4, bidirectional=True)(wend.ones(5, 2, 3))
    >>> output.shape, h.shape
    (torch.Size([5, 2, 8]), torch.Size([2, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        _refuse_projection(kwargs)
        settings = (num_layers, bias, batch_first, dropout, bidirectional, 0)
        super().__init__("GRU", input_size, hidden_size, *settings, device, dtype)


class RNNCellBase(Module):
    """One recurrent layer for one step; num_chunks gates."""

    weight_ih: Tensor
    weight_hh: Tensor
    bias_ih: Tensor | None
    bias_hh: Tensor | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        factory = {"device": device, "dtype": dtype}
        gates = num_chunks * hidden_size
        add_parameter(self, "weight_ih", True, (gates, input_size), **factory)
        add_parameter(self, "weight_hh", True, (gates, hidden_size), **factory)
        add_parameter(self, "bias_ih", bias, gates, **factory)
        add_parameter(self, "bias_hh", bias, gates, **factory)
        self.reset_parameters()

    def extra_repr(self) -> str:
        """Return the sizes, and what differs from the defaults."""
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.bias is not True:
            parts.append(f"bias={self.bias}")
        if self.__dict__.get("nonlinearity", "tanh") != "tanh":
            parts.append(f"nonlinearity={self.__dict__['nonlinearity']}")
        return ", ".join(parts)

    def reset_parameters(self) -> None:
        """Draw the weights anew, between ±1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _check_dims(self, input: Tensor, **hidden: Tensor | None) -> None:
        kind = self.__class__.__name__
        for name, each in {"input": input, **hidden}.items():
            if each is not None and each.dim() not in (1, 2):
                raise ValueError(
                    f"{kind}: Expected {name} to be 1D or 2D, got {each.dim()}D instead"
                )

    def _one(self, cell: Any, input: Tensor, hx: Tensor | None) -> Tensor:
        """The next hidden state, of a batch or of one input."""
        self._check_dims(input, hidden=hx)
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if input.dim() == 2:
            if hx is None:
                hx = _C.zeros(input.size(0), self.hidden_size, dtype=input.dtype)
            result: Tensor = cell(input, hx, *weights)
            return result
        hx = _C.zeros(self.hidden_size, dtype=input.dtype) if hx is None else hx
        single: Tensor = cell(input.unsqueeze(0), hx.unsqueeze(0), *weights)
        return single.squeeze(0)


class RNNCell(RNNCellBase):
    """One step of h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu.

    >>> wend.nn.RNNCell(3, 4)(wend.ones(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next hidden state."""
        if self.nonlinearity == "tanh":
            return self._one(_C.rnn_tanh_cell, input, hx)
        if self.nonlinearity == "relu":
            return self._one(_C.rnn_relu_cell, input, hx)
        raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")


class LSTMCell(RNNCellBase):
    """One step of long short-term memory.

    >>> h, c = wend.nn.LSTMCell(3, 4)(wend.ones(2, 3))
    >>> h.shape, c.shape
    (torch.Size([2, 4]), torch.Size([2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the next hidden and cell states."""
        batched = input.ndim == 2
        if not batched:
            return self._unbatched(input, hx)
        if hx is None:
            nothing = _C.zeros(input.size(0), self.hidden_size, dtype=input.dtype)
            hx = (nothing, nothing)
        elif hx[0].ndim != 2 or hx[1].ndim != 2:
            self._check_dims(input, **{"hx[0]": hx[0], "hx[1]": hx[1]})
        h, c = _C.lstm_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return h, c

    def _unbatched(self, input: Tensor, hx: tuple[Tensor, Tensor] | None) -> tuple[Tensor, Tensor]:
        if hx is not None:
            self._check_dims(input, **{"hx[0]": hx[0], "hx[1]": hx[1]})
            hx = hx[0].unsqueeze(0), hx[1].unsqueeze(0)
        else:
            self._check_dims(input)
        h, c = self.forward(input.unsqueeze(0), hx)
        return h.squeeze(0), c.squeeze(0)


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit.

    >>> wend.nn.GRUCell(3, 4)(wend.ones(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next hidden state."""
        return self._one(_C.gru_cell, input, hx)
