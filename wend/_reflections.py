"""Products of Householder reflections I - tau * v @ v.T, as LAPACK stores them: below a diagonal.

Each reflection is applied by ordinary ops, so that gradients of any order follow.
"""

from __future__ import annotations

from typing import Any

from wend import _C, _types
from wend._C import Tensor
from wend._factorizations import check_float, named_result, type_name, written

_geqrf: Any = named_result("geqrf", "a", "tau")


def _vectors(A: Tensor, count: int) -> Tensor:
    return A[..., :count].tril(-1) + _C.eye(A.shape[-2], count, dtype=A.dtype)


def _reflected(A: Tensor, tau: Tensor, onto: Tensor, transposed: bool) -> Tensor:
    """The product of the reflections, or its transpose, times `onto`."""
    count = tau.shape[-1]
    vectors = _vectors(A, count)
    if count == 0:  # nothing happens, but the result has a history
        return onto - (vectors * tau.unsqueeze(-2)) @ (vectors.mT @ onto)
    for i in range(count) if transposed else reversed(range(count)):
        v = vectors[..., i : i + 1]
        onto = onto - tau[..., i, None, None] * (v @ (v.mT @ onto))
    return onto


def _check(A: Tensor, tau: Tensor, where: str) -> None:
    if A.ndim < 2:
        raise RuntimeError(f"{where}: input must have at least 2 dimensions.")
    m, n = A.shape[-2:]
    if m < n and where.endswith("householder_product"):
        raise RuntimeError(
            f"{where}: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    if n < tau.shape[-1]:
        raise RuntimeError(
            f"{where}: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )
    if tau.ndim != A.ndim - 1:
        raise RuntimeError(
            f"{where}: Expected tau to have one dimension less than input, but got tau.ndim equal "
            f"to {tau.ndim} and input.ndim is equal to {A.ndim}"
        )
    if tau.shape[:-1] != A.shape[:-2]:
        raise RuntimeError(
            f"{where}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
            f"{list(tau.shape[:-1])}"
        )
    if tau.dtype != A.dtype:
        raise RuntimeError(
            f"{where}: tau dtype {type_name(tau)} does not match input dtype {type_name(A)}"
        )
    check_float(A, where)


def householder_product(A: Tensor, tau: Tensor, *, out: Any = None) -> Tensor:
    """The first columns of the product of reflections whose vectors lie below the diagonal of A.

    >>> householder_product(wend.tensor([[0.0], [0.0]]), wend.tensor([2.0]))
    tensor([[-1.],
            [0.]])
    """
    _check(A, tau, "torch.linalg.householder_product")
    eye = _C.eye(*A.shape[-2:], dtype=A.dtype).expand(A.shape)
    return written(_reflected(A, tau, eye, False), out)


def geqrf(input: Tensor, *, out: Any = None) -> Any:
    """A QR factorization as LAPACK leaves it: R, the reflections that make up Q below it, and tau.

    >>> geqrf(wend.tensor([[3.0], [4.0]])).tau
    tensor([1.6000])
    """
    if input.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    if input.dtype not in (_types.float32, _types.float64):
        raise NotImplementedError(f"\"geqrf_cpu\" not implemented for '{type_name(input)}'")
    return written(_geqrf(*_C._linalg_reflections(input)), out)


def ormqr(
    input: Tensor,
    tau: Tensor,
    other: Tensor,
    left: bool = True,
    transpose: bool = False,
    *,
    out: Any = None,
) -> Tensor:
    """The whole product of reflections, or its transpose, times `other`, or `other` times it.

    >>> wend.ormqr(wend.tensor([[0.0], [0.0]]), wend.tensor([2.0]), wend.ones(2, 1))
    tensor([[-1.],
            [ 1.]])
    """
    _check(input, tau, "torch.ormqr")
    if other.ndim < 2:
        raise RuntimeError("torch.ormqr: other must have at least 2 dimensions.")
    side = -2 if left else -1
    if other.shape[side] != input.shape[-2]:
        raise RuntimeError(f"torch.ormqr: other.shape[{side}] must be equal to input.shape[-2]")
    if tau.shape[-1] != min(other.shape[side], input.shape[-1]):
        raise RuntimeError(
            f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])"
        )
    if left:
        return written(_reflected(input, tau, other, transpose), out)
    return written(_reflected(input, tau, other.mT, not transpose).mT, out)


_C._add_method("geqrf", geqrf)
_C._add_method("ormqr", ormqr)
