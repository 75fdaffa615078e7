"""Membership: which elements are among others.

Distinct elements are wend/_reductions; sorting and searching are ops of the core.
"""

from __future__ import annotations

from wend import _C, _types
from wend._C import Tensor

Number = float | int | bool


def isin(
    elements: Tensor | Number,
    test_elements: Tensor | Number,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """True where an element is among test_elements; the other way round with `invert`.

    assume_unique: promises that neither holds an element twice, which makes no difference here.

    >>> wend.isin(wend.tensor([1, 2, 3]), wend.tensor([3, 1]))
    tensor([ True, False,  True])
    """
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        given = f"{type(elements).__name__}, {type(test_elements).__name__}"
        raise TypeError(
            f"isin() received an invalid combination of arguments - got ({given}), but expected "
            "one of:\n * (Tensor elements, Tensor test_elements)\n"
            " * (Number element, Tensor test_elements)\n * (Tensor elements, Number test_element)"
        )
    dtype = _C.result_type(elements, test_elements)
    if dtype is _types.bool:
        raise RuntimeError("Unsupported input type encountered for isin(): Bool")
    wanted, known = (
        (x.detach() if isinstance(x, Tensor) else _C.tensor(x)).to(dtype)
        for x in (elements, test_elements)
    )
    found = _C.logical_xor(_among(wanted, known), _C.tensor(invert))
    return found if out is None else _C.clone(found, out=out)


def _among(wanted: Tensor, known: Tensor) -> Tensor:
    known = known.reshape(-1)
    if known.is_floating_point():
        known = known[_C.eq(known, known)]  # NaN is no number's equal, and would end the search
    if known.numel() == 0:
        return _C.zeros_like(wanted, dtype=_types.bool)
    ordered = known.sort()[0]
    places = _C.searchsorted(ordered, wanted.contiguous()).clamp_max(known.numel() - 1)
    return _C.eq(ordered[places], wanted)
