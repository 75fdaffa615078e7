"""Tensors made from the places and values of their nonzero elements.

They hold every element, as all tensors do: programs for graphs run and get the same results, in
the memory and time that full matrices take.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import wend
from wend import _C
from wend._C import Tensor

__all__ = ["SparseTensor", "mm", "sparse_coo_tensor", "spmm", "sum"]


class SparseTensor(Tensor):
    """A tensor that shows its nonzero elements; what is computed with it is an ordinary tensor.

    >>> wend.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse()
    tensor(indices=tensor([[0],
                           [1]]),
           values=tensor([2.]),
           size=(2, 2), nnz=1, layout=torch.sparse_coo)
    """

    def __new__(cls, data: Tensor) -> Self:
        made: Self = Tensor._make_subclass(cls, data.detach(), False)
        return made

    is_sparse = True

    def to_dense(self, dtype: Any = None, *, masked_grad: Any = None) -> Tensor:
        """Return an ordinary tensor."""
        plain = self.detach().clone()
        return plain if dtype is None else plain.to(dtype)

    def coalesce(self) -> Self:
        """Return the tensor: the values of equal places are added up when it is made."""
        return self

    def is_coalesced(self) -> bool:
        """Return True."""
        return True

    def sparse_dim(self) -> int:
        """Return the number of dimensions: all are sparse."""
        return self.dim()

    def dense_dim(self) -> int:
        """Return 0: no dimension is dense."""
        return 0

    def indices(self) -> Tensor:
        """Return the places of the nonzero elements, one in each column."""
        return _C.nonzero(self).t().contiguous()

    def values(self) -> Tensor:
        """Return the nonzero elements."""
        return self.detach()[_C.nonzero(self).unbind(1)]

    def _indices(self) -> Tensor:
        return self.indices()

    def _values(self) -> Tensor:
        return self.values()

    def _nnz(self) -> int:
        return int(_C.count_nonzero(self))

    def __repr__(self, *, tensor_contents: str | None = None) -> str:  # type: ignore[override]
        def shown(name: str, tensor: Tensor) -> str:
            start = f"tensor({name}="
            text = repr(tensor).replace(f", dtype={tensor.dtype}", "")
            return f"{name}=" + text.replace("\n", "\n" + " " * len(start))

        parts = [shown("indices", self.indices()), shown("values", self.values())]
        size = f"size={tuple(self.shape)}, nnz={self._nnz()}"
        if self.dtype not in (wend.get_default_dtype(), wend.int64, wend.bool):
            size += f", dtype={self.dtype}"
        return "tensor(" + ",\n       ".join([*parts, f"{size}, layout=torch.sparse_coo"]) + ")"


def sparse_coo_tensor(
    indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> SparseTensor:
    """Return the tensor that has these values at the places in the columns of `indices`.

    Values for one place are added up.

    >>> wend.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], [3.0, 4.0, 5.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [9., 0., 0.]])
    """
    if requires_grad:
        raise RuntimeError("wend's sparse tensors have no gradients of their own")
    places = wend.as_tensor(indices, device=device).long()
    given = wend.as_tensor(values, dtype=dtype, device=device)
    if places.dim() != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")
    if size is None:
        size = [int(each) + 1 for each in places.amax(1)] + list(given.shape[1:])
    made = wend.zeros(tuple(size), dtype=given.dtype)
    return SparseTensor(made.index_put(tuple(places.unbind()), given.detach(), accumulate=True))


def to_sparse(self: Tensor, sparse_dim: int | None = None) -> SparseTensor:
    """Return the tensor as one that shows its nonzero elements."""
    if sparse_dim not in (None, self.dim()):
        raise RuntimeError("wend's sparse tensors have no dense dimensions")
    if self.requires_grad and wend.is_grad_enabled():
        raise RuntimeError("wend's sparse tensors have no gradients: detach() the tensor first")
    return self if isinstance(self, SparseTensor) else SparseTensor(self.clone())


def mm(mat1: Tensor, mat2: Tensor, reduce: str = "sum") -> Tensor:
    """Return the product of two matrices, of which one or both may be sparse.

    >>> wend.sparse.mm(wend.eye(2).to_sparse(), wend.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    if reduce != "sum":
        raise RuntimeError(f"wend's sparse.mm adds up; it does not take reduce='{reduce}'")
    return _C.mm(mat1, mat2)


spmm = mm


def sum(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """Return the sum of the elements, or along dimensions."""
    return _C.sum(input, dtype=dtype) if dim is None else _C.sum(input, dim, dtype=dtype)


def __getattr__(name: str) -> Any:
    """`sparse.FloatTensor(indices, values, size)` and its like, as programs of long ago have it."""
    kind = getattr(wend, name, None) if name.endswith("Tensor") else None
    if kind is None or not hasattr(kind, "dtype"):
        raise AttributeError(f"module 'torch.sparse' has no attribute '{name}'")

    def make(indices: Tensor, values: Tensor, size: Sequence[int] | None = None) -> SparseTensor:
        return sparse_coo_tensor(indices, values, size, dtype=kind.dtype)

    return make
