"""Products of tensors that are made of other ops: tensordot, chains of matrices, powers.

einsum is wend/_einsum; products of two matrices are in the op table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wend import _C, _types
from wend._C import Tensor


def _write(result: Tensor, out: Tensor | None) -> Tensor:
    """The result, or `out` with the result in it."""
    return result if out is None else _C.clone(result, out=out)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """Contract some dimensions of a with some of b.

    dims: how many, the last of a with the first of b; or a list for each, in pairs.

    >>> tensordot(wend.ones(2, 3, 4), wend.ones(3, 4, 5), dims=2).shape
    torch.Size([2, 5])
    """
    dims_a, dims_b = _dims_of(a, b, dims)
    return _write(_tensordot(a, b, dims_a, dims_b), out)


def _dims_of(a: Tensor, b: Tensor, dims: Any) -> tuple[list[int], list[int]]:
    if isinstance(dims, Tensor):
        if dims.numel() > 1:
            if dims.shape[0] != 2:
                raise AssertionError(
                    f"dims tensor must have size 2 in first dimension, got {dims.shape[0]}"
                )
            dims = dims.tolist()
        else:
            dims = int(dims.item())
    if isinstance(dims, Sequence) and not isinstance(dims, str):
        return _list_of(dims[0], "dims_self", 3), _list_of(dims[1], "dims_other", 4)
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(a.dim(), b.dim()):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return list(range(-dims, 0)), list(range(dims))


def _list_of(dims: Any, name: str, position: int) -> list[int]:
    if not isinstance(dims, Sequence):
        raise TypeError(
            f"tensordot(): argument '{name}' (position {position}) must be tuple of ints, not "
            + type(dims).__name__
        )
    return list(dims)


def _wrapped(dims: list[int], ndim: int) -> list[int]:
    for dim in dims:
        if not -ndim <= dim < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], "
                f"but got {dim})"
            )
    wrapped = [dim % ndim for dim in dims]
    for dim in wrapped:
        if wrapped.count(dim) > 1:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return wrapped


def _tensordot(a: Tensor, b: Tensor, dims_a: list[int], dims_b: list[int]) -> Tensor:
    if len(dims_a) != len(dims_b):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype != b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    dims_a, dims_b = _wrapped(dims_a, a.dim()), _wrapped(dims_b, b.dim())
    for i, j in zip(dims_a, dims_b, strict=True):
        if b.shape[j] == 1:
            a = a.sum(i, keepdim=True)
        elif a.shape[i] == 1:
            b = b.sum(j, keepdim=True)
        elif a.shape[i] != b.shape[j]:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a.shape[i]} in dim {i} "
                f"and second has size {b.shape[j]} in dim {j}"
            )
    free_a = [i for i in range(a.dim()) if i not in dims_a]
    free_b = [j for j in range(b.dim()) if j not in dims_b]
    inner = _count(a.shape[i] for i in dims_a)
    left = a.permute(free_a + dims_a).reshape(_count(a.shape[i] for i in free_a), inner)
    right = b.permute(dims_b + free_b).reshape(inner, _count(b.shape[j] for j in free_b))
    return left.mm(right).reshape([a.shape[i] for i in free_a] + [b.shape[j] for j in free_b])


def _count(sizes: Any) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total


def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """Product of any number of matrices, in the order that takes the fewest multiplications.

    >>> chain_matmul(wend.ones(2, 3), wend.ones(3, 4), wend.ones(4, 1)).shape
    torch.Size([2, 1])
    """
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for matrix in matrices:
        if matrix.dim() != 2:
            raise RuntimeError(f"Tensor dimension is {matrix.dim()}, expected 2 instead.")
    if len(matrices) == 1:
        return _write(matrices[0].clone(), out)
    return multi_dot(matrices, out=out)


def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Product of two or more matrices, in the order that takes the fewest multiplications.

    The first may be a vector, taken as a row, and the last one, taken as a column.

    >>> multi_dot([wend.ones(3), wend.ones(3, 4), wend.ones(4)])
    tensor(12.)
    """
    _check_chain(tensors)
    matrices = list(tensors)
    shape = []
    if matrices[0].dim() == 1:
        matrices[0] = matrices[0].unsqueeze(0)
    else:
        shape.append(matrices[0].shape[0])
    if matrices[-1].dim() == 1:
        matrices[-1] = matrices[-1].unsqueeze(1)
    else:
        shape.append(matrices[-1].shape[1])
    _check_links(matrices)
    return _write(_multiply_chain(matrices).reshape(shape), out)


def _check_chain(tensors: Sequence[Tensor]) -> None:
    n = len(tensors)
    if n < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {n}")
    for place, tensor in (("first", tensors[0]), ("last", tensors[-1])):
        if tensor.dim() not in (1, 2):
            raise RuntimeError(
                f"multi_dot(): the {place} tensor must be 1D or 2D but got {tensor.dim()}D"
            )
    for i in range(1, n - 1):
        if tensors[i].dim() != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {tensors[i].dim()}D")
    names = {"float32": "float", "float64": "double"}
    for i in range(1, n):
        if tensors[i].dtype != tensors[0].dtype:
            first, other = (str(x.dtype).split(".")[-1] for x in (tensors[0], tensors[i]))
            raise RuntimeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{names.get(first, first)} and tensor {i} {names.get(other, other)}"
            )


def _check_links(matrices: list[Tensor]) -> None:
    for i in range(len(matrices) - 1):
        left, right = matrices[i].shape, matrices[i + 1].shape
        if left[1] != right[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(left)} and {list(right)} "
                "cannot be multiplied"
            )


def _multiply_chain(matrices: list[Tensor]) -> Tensor:
    """By dynamic programming over where the last product of every part of the chain is made."""
    n = len(matrices)
    sizes = [matrices[0].shape[0], *(m.shape[1] for m in matrices)]
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i][j], split[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            )

    def product(i: int, j: int) -> Tensor:
        if i == j:
            return matrices[i]
        k = split[i][j]
        return product(i, k).mm(product(k + 1, j))

    return product(0, n - 1)


def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """The n-th power of a square matrix, or of each in a batch; of its inverse where n < 0.

    >>> matrix_power(wend.tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
    if input.dim() < 2:
        raise RuntimeError(
            "linalg.matrix_power: The input tensor A must have at least 2 dimensions."
        )
    rows, columns = input.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            "linalg.matrix_power: A must be batches of square matrices, but they are "
            f"{rows} by {columns} matrices"
        )
    return _write(_power(input, n), out)


def _power(a: Tensor, n: int) -> Tensor:
    if n == 0:
        return a.clone().copy_(_C.eye(a.shape[-1], dtype=a.dtype))
    if n < 0:
        from wend._systems import inv

        return _power(inv(a), -n)
    if n == 1:
        return a.clone()
    result = None
    while True:
        if n & 1:
            result = a if result is None else result.matmul(a)
        n >>= 1
        if n == 0:
            return result
        a = a.matmul(a)


def matrix_exp(A: Tensor) -> Tensor:
    """Exponential of square matrices.

    >>> matrix_exp(wend.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    from wend._factorizations import check_square_float

    check_square_float(A, "linalg.matrix_exp")
    eye = _C.eye(A.shape[-1], dtype=A.dtype)
    if A.numel() == 0:
        return A + eye
    if A.shape[-1] == 1:
        return A.exp()
    # The series is for matrices of norm 1 at most; exp(A) is the square of exp(A / 2).
    norm = A.detach().abs().sum(-2).amax().item()
    if not math.isfinite(norm):  # of the matrices that are not finite nothing is known
        known = A.isfinite().all(-1, keepdim=True).all(-2, keepdim=True)
        return _C.where(known, matrix_exp(_C.where(known, A, 0)), math.nan)
    halvings = max(0, math.ceil(math.log2(norm))) if norm > 0 else 0
    terms = 18 if A.dtype == _types.float64 else 12
    small = A / 2**halvings
    result = eye + small / terms
    for i in range(terms - 1, 0, -1):
        result = eye + (small @ result) / i
    for _ in range(halvings):
        result = result @ result
    return result


_C._add_method("matrix_power", matrix_power)
_C._add_method("matrix_exp", matrix_exp)
