"""Sequences of different lengths: padded to one tensor, packed without padding, and back.

Recurrent layers take what is packed; the order of packing is PyTorch's.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import wend
from wend import _C
from wend._C import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Packed):
    """Sequences step by step: all first elements, then all second ones, and so on.

    batch_sizes: how many sequences have each step.

    >>> x = [wend.tensor([1, 2]), wend.tensor([3])]
    >>> wend.nn.utils.rnn.pack_sequence(x).data
    tensor([1, 3, 2])
    """

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Any:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Return the sequences with another dtype."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def cpu(self) -> Any:
        """Return the sequences: they are on the CPU."""
        return self

    def cuda(self, *args: Any, **kwargs: Any) -> Any:
        """Raise: wend runs on the CPU."""
        return self.data.cuda(*args, **kwargs)

    def double(self) -> Any:
        """Return the sequences as float64."""
        return self.to(wend.float64)

    def float(self) -> Any:
        """Return the sequences as float32."""
        return self.to(wend.float32)

    def half(self) -> Any:
        """Return the sequences as float16."""
        return self.to(wend.float16)

    def long(self) -> Any:
        """Return the sequences as int64."""
        return self.to(wend.int64)

    def int(self) -> Any:
        """Return the sequences as int32."""
        return self.to(wend.int32)

    @property
    def is_cuda(self) -> bool:
        """False: wend runs on the CPU."""
        return False

    def is_pinned(self) -> bool:
        """Return False: pinned memory is for accelerators."""
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the order that undoes an order.

    >>> wend.nn.utils.rnn.invert_permutation(wend.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    return _C.empty_like(permutation).scatter_(0, permutation, _C.arange(permutation.numel()))


def _check_lengths(input: Tensor, lengths: list[int], batch: int) -> None:
    if len(lengths) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} "
            f"(batch_size={batch})"
        )
    if lengths and lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    if any(a < b for a, b in itertools.pairwise(lengths)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
            "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
            "sidestep this requirement if you do not need ONNX exportability."
        )


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | Sequence[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Return padded sequences (T, N, ...) without their padding.

    enforce_sorted: the longest comes first already.

    >>> x = wend.tensor([[1, 3], [2, 0]])
    >>> wend.nn.utils.rnn.pack_padded_sequence(x, [2, 1])[:2]
    (tensor([1, 3, 2]), tensor([2, 1]))
    """
    sizes = lengths.tolist() if isinstance(lengths, Tensor) else [int(n) for n in lengths]
    sorted_indices = None
    steps = input.transpose(0, 1) if batch_first else input
    if not enforce_sorted:
        order = sorted(range(len(sizes)), key=lambda i: -sizes[i])
        sizes = [sizes[i] for i in order]
        sorted_indices = wend.tensor(order, dtype=wend.long)
        steps = steps.index_select(1, sorted_indices)
    _check_lengths(input, sizes, steps.size(1))
    longest = sizes[0] if sizes else 0
    if longest > steps.size(0):
        raise RuntimeError(
            f"Expected sequence length to be at most {steps.size(0)}, but found {longest}"
        )
    alive = [sum(size > step for size in sizes) for step in range(longest)]
    rows = [steps[step, :count] for step, count in enumerate(alive)]
    batch_sizes = wend.tensor(alive, dtype=wend.long)
    return PackedSequence(_C.cat(rows), batch_sizes, sorted_indices, None)  # type: ignore[no-any-return]


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return packed sequences with padding, and their lengths.

    >>> x = wend.nn.utils.rnn.pack_sequence([wend.tensor([1, 2]), wend.tensor([3])])
    >>> wend.nn.utils.rnn.pad_packed_sequence(x, batch_first=True)[0]
    tensor([[1, 2],
            [3, 0]])
    """
    alive: list[int] = sequence.batch_sizes.tolist()
    steps = len(alive)
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in "
                f"input, but got total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    batch = alive[0]
    lengths = wend.tensor([sum(count > i for count in alive) for i in range(batch)])
    rest = sequence.data.shape[1:]
    padded = [
        row
        if count == batch
        else _C.cat([row, row.new_full((batch - count, *rest), padding_value)])
        for row, count in zip(sequence.data.split(alive), alive, strict=True)
    ]
    nothing = sequence.data.new_full((batch, *rest), padding_value)
    result = _C.stack(padded + [nothing] * (steps - len(alive)), 1 if batch_first else 0)
    order = sequence.unsorted_indices
    if order is not None:
        return result.index_select(0 if batch_first else 1, order), lengths[order]
    return result, lengths


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Return sequences as one tensor (T, N, ...), the shorter ones filled up.

    >>> wend.nn.utils.rnn.pad_sequence([wend.tensor([1, 2]), wend.tensor([3])], True)
    tensor([[1, 2],
            [3, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    rows = tuple(sequences)
    if not rows:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    longest = max(row.size(0) for row in rows)
    padded = []
    for row in rows:
        missing = longest - row.size(0)
        if missing:
            margin = [0, missing] if padding_side == "right" else [missing, 0]
            row = _C.constant_pad_nd(row, [0, 0] * (row.dim() - 1) + margin, padding_value)
        padded.append(row)
    return _C.stack(padded, 0 if batch_first else 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """Return padded sequences one by one, without their padding.

    >>> x = wend.tensor([[1, 2], [3, 0]])
    >>> wend.nn.utils.rnn.unpad_sequence(x, wend.tensor([2, 1]), batch_first=True)
    [tensor([1, 2]), tensor([3])]
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:length] for row, length in zip(rows, lengths.tolist(), strict=True)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Return sequences packed.

    >>> wend.nn.utils.rnn.pack_sequence([wend.tensor([1, 2]), wend.tensor([3])]).batch_sizes
    tensor([2, 1])
    """
    lengths = [sequence.size(0) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return packed sequences one by one.

    >>> rnn = wend.nn.utils.rnn
    >>> rnn.unpack_sequence(rnn.pack_sequence([wend.tensor([1, 2]), wend.tensor([3])]))
    [tensor([1, 2]), tensor([3])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
