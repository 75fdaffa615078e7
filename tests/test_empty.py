"""Functions of tensors without elements give PyTorch's results, or fail as PyTorch does."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from both import compare, torch, wend

SHAPES = [(0,), (0, 0), (0, 3), (3, 0), (2, 0, 0), (0, 2, 2), (2, 0, 3), (2, 3, 0)]
ORDERS = [1, -1, 2, -2, math.inf, -math.inf, "nuc", "fro"]

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    **{
        f"linalg.{name}": lambda T, x, name=name: getattr(T.linalg, name)(x)
        for name in (
            "cond", "det", "diagonal", "eigvalsh", "inv", "lu", "lu_factor", "matrix_exp",
            "matrix_norm", "matrix_rank", "norm", "pinv", "slogdet", "svdvals",
            "vander", "vector_norm", "cholesky", "ldl_factor",
        )
    },
    **{
        f"{name}, order {order}": lambda T, x, name=name, order=order: [
            getattr(T.linalg, name)(x, order, keepdim=keep) for keep in (False, True)
        ]
        for name in ("norm", "matrix_norm")
        for order in ORDERS
    },
    **{f"cond, order {p}": lambda T, x, p=p: T.linalg.cond(x, p) for p in ORDERS},
    **{
        name: lambda T, x, name=name: getattr(T, name)(x)
        for name in ("geqrf", "histogram", "logdet", "pinverse", "trapezoid", "vander")
    },
    "householder_product": lambda T, x: T.linalg.householder_product(x, x[..., 0, :]),
    "ldl_solve": lambda T, x: T.linalg.ldl_solve(*T.linalg.ldl_factor(x @ x.mT), x),
    "logcumsumexp": lambda T, x: T.logcumsumexp(x, -1),
    "batch_norm": lambda T, x: T.nn.functional.batch_norm(x, None, None, training=True),
    "local_response_norm": lambda T, x: T.nn.functional.local_response_norm(x, 0),
    "bilinear": lambda T, x: T.nn.functional.bilinear(
        x.new_zeros((*x.shape, 2)), x.new_zeros((*x.shape, 3)), T.ones(4, 2, 3)
    ),
    "attention": lambda T, x: T.nn.functional.scaled_dot_product_attention(x, x, x),
    "in it": lambda T, x: 1.0 in x,
    "reversed": lambda T, x: reversed(x),
}  # fmt: skip


def outcome(T: Any, name: str, shape: tuple[int, ...]) -> Any:
    """What a function gives, or the type of what it raises."""
    try:
        result = FUNCTIONS[name](T, T.zeros(shape))
    except Exception as error:
        return type(error).__name__.removeprefix("_")
    return list(result) if isinstance(result, tuple) else result


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nothing_gives_what_it_gives_in_pytorch(name: str) -> None:
    for shape in SHAPES:
        expected, got = outcome(torch, name, shape), outcome(wend, name, shape)
        compare(expected, got, f"{name} of {shape}")
