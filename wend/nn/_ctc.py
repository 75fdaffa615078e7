"""The CTC loss of nn.functional: all alignments of a target with an input, summed in log space.

Its gradient is that of the ops it is made of.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

import wend
from wend import _C
from wend._C import Tensor

_NEVER = -math.inf


_CHECKING = "(while checking arguments for ctc_loss_allocate_outputs)"


def _lengths(name: str, lengths: Tensor | Sequence[int]) -> list[int]:
    if not isinstance(lengths, Tensor):
        return [operator.index(length) for length in lengths]
    if lengths.is_floating_point() or lengths.dtype == wend.bool:
        raise RuntimeError(f"{name} must be integral")
    found: list[int] = lengths.reshape(-1).tolist()
    return found


def _check(
    log_probs: Tensor, targets: Tensor, inputs: list[int], lengths: list[int], blank: int
) -> None:
    steps, batch, labels = log_probs.shape
    if not log_probs.numel():
        raise RuntimeError("log_probs tensor must not be empty")
    if not 0 <= blank < labels:
        raise RuntimeError("blank must be in label range")
    named = {"input_lengths": inputs, "target_lengths": lengths}
    for name, values in named.items():
        if len(values) != batch:
            raise RuntimeError(f"{name} must be of size batch_size")
    for name, values in named.items():
        if min(values) < 0:
            raise RuntimeError(
                f"Expected {name} to have value at least 0, but got value {min(values)} {_CHECKING}"
            )
    _check_targets(targets, lengths)
    if max(inputs) > steps:
        raise RuntimeError(
            f"Expected input_lengths to have value at most {steps}, but got value {max(inputs)} "
            + _CHECKING
        )


def _check_targets(targets: Tensor, lengths: list[int]) -> None:
    of = f"for argument #2 'targets' {_CHECKING}"
    if targets.dim() not in (1, 2):
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {targets.dim()}-dimensional tensor {of}"
        )
    rows = sum(lengths) if targets.dim() == 1 else len(lengths)
    if targets.size(0) != rows:
        raise RuntimeError(
            f"Expected tensor to have size {rows} at dimension 0, but got size "
            f"{targets.size(0)} {of}"
        )
    if targets.dim() == 2 and targets.size(1) < max(lengths):
        raise RuntimeError(
            f"Expected tensor to have size at least {max(lengths)} at dimension 1, but got size "
            f"{targets.size(1)} {of}"
        )


def _padded(targets: Tensor, lengths: list[int], blank: int) -> Tensor:
    """Targets in rows of equal length, with blanks at the end."""
    longest = max(lengths)
    if targets.dim() == 2:
        return targets[:, :longest]
    rows = [
        _C.constant_pad_nd(row, [0, longest - length], blank)
        for row, length in zip(targets.split(lengths), lengths, strict=True)
    ]
    return _C.stack(rows)


def _log_add(terms: list[Tensor]) -> Tensor:
    """log(sum of exp), whose gradient is 0, not NaN, where all terms are -inf."""
    stacked = _C.stack(terms)
    largest = stacked.detach().amax(0)
    base = _C.where(largest == _NEVER, 0.0, largest)
    total = (stacked - base).exp().sum(0)
    nothing = total == 0
    return _C.where(nothing, _NEVER, _C.where(nothing, 1.0, total).log() + base)


def _alignments(log_probs: Tensor, labels: Tensor, skips: Tensor, inputs: Tensor) -> Tensor:
    """Log probability of all alignments that end at each place of the target with blanks."""
    steps, batch, _ = log_probs.shape
    places = labels.size(1)
    seen = log_probs.gather(2, labels.unsqueeze(0).expand(steps, batch, places)).unbind(0)
    first = _C.arange(places) < 2
    alpha = _C.where(first, seen[0], _NEVER)
    for step in range(1, steps):
        before = _C.constant_pad_nd(alpha, [1, 0], _NEVER)[:, :places]
        skipped = _C.constant_pad_nd(alpha, [2, 0], _NEVER)[:, :places]
        moved = _log_add([alpha, before, _C.where(skips, skipped, _NEVER)]) + seen[step]
        alpha = _C.where((inputs > step).unsqueeze(1), moved, alpha)
    # In no time nothing is said.
    silent = _C.where(_C.arange(places) == 0, 0.0, _NEVER)
    return _C.where((inputs == 0).unsqueeze(1), silent, alpha)


def _as_of_scores(log_probs: Tensor, inputs: Tensor) -> Tensor:
    """Zero, with the gradient that makes the loss's that of scores before a log_softmax.

    It is how PyTorch defines it; where log_probs come from a log_softmax it makes no difference.
    """
    probs = log_probs.exp()
    used = _C.arange(log_probs.size(0)).unsqueeze(1) < inputs
    return _C.where(used.unsqueeze(2), probs - probs.detach(), 0.0).sum((0, 2))


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Minus the log probability that an input (T, N, C) spells a target, over all alignments.

    zero_infinity: targets that do not fit the input count as 0.

    >>> p = wend.full((2, 1, 2), 0.5).log()
    >>> wend.nn.functional.ctc_loss(p, wend.tensor([[1]]), [2], [1], reduction="sum")
    tensor(0.2877)
    """
    unbatched = log_probs.dim() == 2
    if unbatched:
        log_probs = log_probs.unsqueeze(1)
        targets = targets.unsqueeze(0) if targets.dim() == 1 else targets
    batch = log_probs.size(1)
    inputs = _lengths("input_lengths", input_lengths)
    lengths = _lengths("target_lengths", target_lengths)
    _check(log_probs, targets, inputs, lengths, blank)
    rows = _padded(targets, lengths, blank).to(wend.long)
    places = 2 * rows.size(1) + 1
    labels = _C.full((batch, places), blank, dtype=wend.long)
    labels[:, 1::2] = rows
    # A label may be reached past a blank from the label before, unless both are the same.
    before = _C.constant_pad_nd(labels, [2, 0], blank)[:, :places]
    skips = (labels != blank) & (labels != before)
    alpha = _alignments(log_probs, labels, skips, wend.tensor(inputs))
    ends = wend.tensor([2 * n for n in lengths]).unsqueeze(1)
    last = _C.cat([ends, (ends - 1).clamp_min(0)], 1)
    found = alpha.gather(1, last)
    alone = (ends == 0).expand(batch, 2) & wend.tensor([False, True])
    loss = -_log_add(list(_C.where(alone, _NEVER, found).unbind(1)))
    loss = loss + _as_of_scores(log_probs, wend.tensor(inputs))
    if zero_infinity:
        loss = _C.where(loss == math.inf, 0.0, loss)
    return _reduced(loss, lengths, reduction, unbatched)


def _reduced(loss: Tensor, lengths: list[int], reduction: str, unbatched: bool) -> Tensor:
    if reduction == "mean":
        return (loss / wend.tensor(lengths, dtype=loss.dtype).clamp_min(1)).mean()
    if reduction == "sum":
        return loss.sum()
    if reduction != "none":
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return loss.squeeze(0) if unbatched else loss
