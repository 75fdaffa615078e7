"""einsum: sums of products by labelled dimensions, two operands at a time, left to right.

The products are bmm's; labels that are repeated within an operand are its diagonal.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

from wend import _C
from wend._C import Tensor

_LETTERS = string.ascii_uppercase + string.ascii_lowercase
_ELLIPSIS = "."  # stands for all the dimensions that an ellipsis covers
_Labels = list[Any]  # letters, and numbers for what an ellipsis covers


def _fail(text: str) -> RuntimeError:
    return RuntimeError(f"einsum(): {text}")


def einsum(*args: Any) -> Tensor:
    """Sum of products of the operands' elements, by the labels of their dimensions.

    Takes an equation and operands, or operands each followed by a list of labels (and a last list
    for the result), in which labels are numbers below 52 and an ellipsis.

    >>> einsum("ij,jk->ik", wend.ones(2, 3), wend.ones(3, 1))
    tensor([[3.],
            [3.]])
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its subscripts list"
        )
    if isinstance(args[0], Tensor):
        equation, operands = _from_sublists(args)
    else:
        equation, operands = args[0], list(args[1:])
        if len(operands) == 1 and isinstance(operands[0], list | tuple):
            operands = list(operands[0])
    if not isinstance(equation, str):
        raise TypeError(
            "einsum(): argument 'equation' (position 1) must be str, not " + type(equation).__name__
        )
    for i, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            kind = type(operand).__name__
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {kind}")
    return _evaluate(equation, operands)


def _from_sublists(args: Sequence[Any]) -> tuple[str, list[Tensor]]:
    def text(labels: Sequence[Any]) -> str:
        for label in labels:
            if label is not Ellipsis and not 0 <= label < 52:
                raise ValueError(
                    "einsum(): subscript in subscript list is not within the valid range [0, 52)"
                )
        return "".join("..." if label is Ellipsis else _LETTERS[label] for label in labels)

    pairs = len(args) // 2
    equation = ",".join(text(labels) for labels in args[1 : 2 * pairs : 2])
    if len(args) % 2:
        equation += "->" + text(args[-1])
    return equation, list(args[0 : 2 * pairs : 2])


def _read(text: str, start: int, whose: str) -> list[str]:
    """The labels in a part of the equation that begins at index `start` of it."""
    labels: list[str] = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == ".":
            _check_ellipsis(text, at, labels, whose)
            labels.append(_ELLIPSIS)
            at += 3
            continue
        if letter in _LETTERS:
            labels.append(letter)
        elif letter != " ":
            raise _fail(
                f"invalid subscript given at index {start + at} in the equation string, subscripts "
                "must be in [a-zA-Z]"
            )
        at += 1
    return labels


def _check_ellipsis(text: str, at: int, labels: list[str], whose: str) -> None:
    if _ELLIPSIS in labels:
        if whose == "output":
            raise _fail("found '.' for output but an ellipsis (...) was already found")
        raise _fail(f"found '.' for {whose} for which an ellipsis was already found")
    if text[at : at + 3] != "...":
        raise _fail(f"found '.' for {whose} that is not part of any ellipsis (...)")


def _split(equation: str, count: int) -> tuple[list[list[str]], list[str] | None]:
    """The labels of each operand, and of the result where the equation says them."""
    left, arrow, right = equation.partition("->")
    parts = left.split(",")
    inputs, start = [], 0
    for i, part in enumerate(parts):
        if i < count:
            inputs.append(_read(part, start, f"operand {i}"))
        start += len(part) + 1
    if len(parts) != count:
        few = "fewer" if len(parts) > count else "more"
        raise _fail(f"{few} operands were provided than specified in the equation")
    return inputs, _read(right, len(left) + 2, "output") if arrow else None


def _spread(labels: list[str], operand: Tensor, number: int, covered: int) -> _Labels:
    """A label for every dimension; what the ellipsis covers is aligned at its end."""
    named = len(labels) - (_ELLIPSIS in labels)
    ndim = operand.dim()
    if _ELLIPSIS not in labels and named != ndim:
        raise _fail(
            f"the number of subscripts in the equation ({named}) does not match the number of "
            f"dimensions ({ndim}) for operand {number} and no ellipsis was given"
        )
    if named > ndim:
        raise _fail(
            f"the number of subscripts in the equation ({named}) is more than the number of "
            f"dimensions ({ndim}) for operand {number}"
        )
    out: _Labels = []
    for label in labels:
        out.extend(range(covered - (ndim - named), covered) if label == _ELLIPSIS else [label])
    return out


def _take_diagonals(operand: Tensor, labels: _Labels, number: int) -> tuple[Tensor, _Labels]:
    at = 0
    while at < len(labels):
        first = labels.index(labels[at])
        if first == at:
            at += 1
            continue
        if operand.shape[first] != operand.shape[at]:
            raise _fail(
                f"subscript {labels[at]} is repeated for operand {number} but the sizes don't "
                f"match, {operand.shape[at]} != {operand.shape[first]}"
            )
        operand = operand.diagonal(0, first, at)
        order = list(range(operand.dim() - 1))
        order.insert(first, operand.dim() - 1)
        operand = operand.permute(order)
        labels = labels[:at] + labels[at + 1 :]
    return operand, labels


def _check_sizes(operands: list[Tensor], labels: list[_Labels]) -> None:
    sizes: dict[Any, int] = {}
    for number, (operand, names) in enumerate(zip(operands, labels, strict=True)):
        for name, size in zip(names, operand.shape, strict=True):
            seen = sizes.get(name, 1)
            if 1 not in (size, seen) and size != seen:
                if isinstance(name, str):
                    raise _fail(
                        f"subscript {name} has size {size} for operand {number} which does not "
                        f"broadcast with previously seen size {seen}"
                    )
                raise _fail(
                    f"dimension {name} covered by ellipsis in operand {number}has size {size} which"
                    f" does not broadcast with previously seen ellipsis with size {seen} for the "
                    "respective dimension"
                )
            sizes[name] = size if seen == 1 else seen


def _result_labels(inputs: list[list[str]], output: list[str] | None, covered: int) -> _Labels:
    dots: _Labels = list(range(covered))
    given = [label for labels in inputs for label in labels if label != _ELLIPSIS]
    if output is None:
        once = sorted((x for x in set(given) if given.count(x) == 1), key=_LETTERS.index)
        return dots + once
    for label in output:
        if label != _ELLIPSIS and output.count(label) > 1:
            raise _fail(f"output subscript {label} appears more than once in the output")
        if label != _ELLIPSIS and label not in given:
            raise _fail(
                f"output subscript {label} does not appear in the equation for any input operand"
            )
    out: _Labels = []
    for label in output:
        out.extend(dots if label == _ELLIPSIS else [label])
    return out


def _evaluate(equation: str, operands: list[Tensor]) -> Tensor:
    inputs, output = _split(equation, len(operands))
    covered = max(
        (x.dim() - len(n) + 1 for x, n in zip(operands, inputs, strict=True) if _ELLIPSIS in n),
        default=0,
    )
    result = _result_labels(inputs, output, max(covered, 0))
    labels = []
    for i, operand in enumerate(operands):
        names = _spread(inputs[i], operand, i, max(covered, 0))
        operands[i], names = _take_diagonals(operand, names, i)
        labels.append(names)
    _check_sizes(operands, labels)

    value, names = operands[0], labels[0]
    for i in range(1, len(operands)):
        later = set(result).union(*labels[i + 1 :])
        value, names = _contract(value, names, operands[i], labels[i], later, result)
    value, names = _sum_out(value, names, set(result))
    return value.permute([names.index(label) for label in result])


def _sum_out(value: Tensor, names: _Labels, kept: set[Any]) -> tuple[Tensor, _Labels]:
    gone = [i for i, label in enumerate(names) if label not in kept]
    if gone:
        value = value.sum(gone)
    return value, [label for label in names if label in kept]


def _without_ones(value: Tensor, names: _Labels, shared: set[Any]) -> tuple[Tensor, _Labels]:
    """Dimensions of size 1 that the other operand has too say nothing."""
    ones = [i for i, label in enumerate(names) if label in shared and value.shape[i] == 1]
    if ones:
        value = value.squeeze(ones)
    return value, [label for i, label in enumerate(names) if i not in ones]


def _contract(
    a: Tensor, of_a: _Labels, b: Tensor, of_b: _Labels, kept: set[Any], result: _Labels
) -> tuple[Tensor, _Labels]:
    """One tensor of two: labels that nobody needs later are summed over."""
    shared = set(of_a) & set(of_b)
    sizes_a, sizes_b = _sizes(a, of_a), _sizes(b, of_b)
    a, of_a = _without_ones(a, of_a, {x for x in shared if sizes_b[x] != 1})
    b, of_b = _without_ones(b, of_b, {x for x in shared if sizes_a[x] != 1})
    a, of_a = _sum_out(a, of_a, kept | set(of_b))
    b, of_b = _sum_out(b, of_b, kept | set(of_a))
    last = next((x for x in reversed(result) if (x in of_a) != (x in of_b)), None)
    if last in of_a:  # the result is wanted with a's labels last
        a, of_a, b, of_b = b, of_b, a, of_a
    both = [x for x in of_a if x in of_b and x in kept]
    summed = [x for x in of_a if x in of_b and x not in kept]
    only_a = [x for x in of_a if x not in of_b]
    only_b = [x for x in of_b if x not in of_a]
    sizes = _sizes(a, of_a) | _sizes(b, of_b)

    def ordered(value: Tensor, names: _Labels, *groups: _Labels) -> Tensor:
        value = value.permute([names.index(x) for group in groups for x in group])
        return value.reshape([_count(group, sizes) for group in groups])

    product = _C.bmm(ordered(a, of_a, both, only_a, summed), ordered(b, of_b, both, summed, only_b))
    names = both + only_a + only_b
    return product.reshape([sizes[x] for x in names]), names


def _sizes(value: Tensor, names: _Labels) -> dict[Any, int]:
    return dict(zip(names, value.shape, strict=True))


def _count(labels: _Labels, sizes: dict[Any, int]) -> int:
    total = 1
    for label in labels:
        total *= sizes[label]
    return total
