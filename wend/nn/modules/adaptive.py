"""Softmax over many classes in clusters, the frequent ones first."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from wend import _C
from wend._C import Tensor
from wend.nn import functional as F
from wend.nn.modules.container import ModuleList, Sequential
from wend.nn.modules.linear import Linear
from wend.nn.modules.module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log probabilities of target classes, in clusters that get narrower the rarer they are.

    cutoffs: the classes at which the clusters begin.

    >>> m = wend.nn.AdaptiveLogSoftmaxWithLoss(16, 20, [5, 10])
    >>> m(wend.ones(3, 16), wend.tensor([1, 7, 15])).output.shape
    torch.Size([3])
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cuts = list(cutoffs)
        if len(cuts) == 0:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        rising = cuts == sorted(set(cuts)) and all(int(c) == c for c in cuts)
        if not rising or min(cuts) <= 0 or max(cuts) > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                "order, where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = cuts + [n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        new = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, head_bias, **new)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            narrow = int(in_features // div_value ** (i + 1))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                Sequential(
                    Linear(in_features, narrow, bias=False, **new),
                    Linear(narrow, size, bias=False, **new),
                )
            )

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        self.head.reset_parameters()
        for cluster in self.tail:
            for layer in cluster:  # type: ignore[attr-defined]
                layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """Return the log probability of each target class, and the mean of their negatives."""
        self._check(input_, target_)
        batched = target_.dim() > 0
        input = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        output = _C.zeros(target.size(0), dtype=input.dtype)
        place = target.clone()
        found = 0
        for i, (low, high) in enumerate(itertools.pairwise([0, *self.cutoffs])):
            rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            found += rows.numel()
            if i > 0:
                # Only the rows of this cluster go through its layers.
                scores = self.tail[i - 1](input.index_select(0, rows))
                own = (target.index_select(0, rows) - low).unsqueeze(1)
                local = F.log_softmax(scores, dim=1).gather(1, own).squeeze(1)
                output = output.index_copy(0, rows, local)
                place = place.index_fill(0, rows, self.shortlist_size + i - 1)
        if found != target.size(0):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        head = F.log_softmax(self.head(input), dim=1)
        output = output + head.gather(1, place.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _check(self, input: Tensor, target: Tensor) -> None:
        if target.dim() == 1:
            if input.size(0) != target.size(0):
                raise RuntimeError(
                    "Input and target should have the same size in the batch dimension."
                )
            if input.dim() != 2:
                raise RuntimeError(
                    "1D target tensor expects 2D input tensors, but found inputs with size "
                    f"{input.size()}"
                )
        elif target.dim() == 0:
            if input.dim() != 1:
                raise RuntimeError(
                    "0D target tensor expects 1D input tensors, but found inputs with size "
                    f"{input.size()}"
                )
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log probabilities of all classes."""
        return self._all(input, self.head(input))

    def _all(self, input: Tensor, head: Tensor) -> Tensor:
        known = F.log_softmax(head, dim=1)
        parts = [known[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            own = F.log_softmax(cluster(input), dim=1)
            parts.append(own + known[:, self.shortlist_size + i].unsqueeze(1))
        return _C.cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class of each input; clusters that none needs are left out."""
        head = self.head(input)
        best: Tensor = head.argmax(1)
        rare = (best >= self.shortlist_size).nonzero().squeeze(1)
        if rare.numel() == 0:
            return best
        found = self._all(input.index_select(0, rare), head.index_select(0, rare)).argmax(1)
        return best.index_copy(0, rare, found)
