"""wend.linalg and its older forms in wend: values, gradients of both orders, errors as PyTorch's.

Vectors of a factorization that are free in sign are compared by what they make up.
"""

import math
from typing import Any

import pytest
from both import alike, both, both_raise, raises_alike, wend

SHAPES = {"matrix": (3, 3), "batch": (2, 3, 3), "none": (0, 3, 3), "empty": (2, 0, 0)}
WIDE = {"square": (3, 3), "tall": (4, 2), "wide": (2, 2, 4)}


def entries(torch: Any, *shape: int, shift: float = 0.0) -> Any:
    """Numbers without a pattern that are the same for both."""
    count = 1
    for size in shape:
        count *= size
    numbers = torch.arange(count, dtype=torch.float64)
    return torch.sin(numbers * numbers * 1.7 + 0.3 + shift).reshape(shape)


def definite(torch: Any, *shape: int) -> Any:
    a = entries(torch, *shape)
    return a @ a.mT + torch.eye(shape[-1], dtype=torch.float64)


def regular(torch: Any, *shape: int) -> Any:
    return entries(torch, *shape) + 2 * torch.eye(shape[-1], dtype=torch.float64)


def with_gradient(torch: Any, f: Any, *inputs: Any) -> Any:
    """The value of f and the gradients of a weighted sum of it."""
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    result = f(*leaves)
    parts = result if isinstance(result, tuple) else (result,)
    parts = tuple(p for p in parts if p.requires_grad)
    weights = [entries(torch, *p.shape, shift=1.0) for p in parts]
    gradients = torch.autograd.grad(parts, leaves, weights, allow_unused=True)
    return [p.detach() for p in parts], list(gradients)


SQUARE = {
    "inv": lambda torch, a: torch.linalg.inv(a),
    "inv_ex": lambda torch, a: torch.linalg.inv_ex(a)[0],
    "inverse": lambda torch, a: a.inverse(),
    "det": lambda torch, a: torch.linalg.det(a),
    "slogdet": lambda torch, a: torch.linalg.slogdet(a)[1],
    "logdet": lambda torch, a: (a @ a.mT).logdet(),
    "lu": lambda torch, a: tuple(torch.linalg.lu(a)),
    "lu_factor": lambda torch, a: torch.linalg.lu_factor(a)[0],
    "qr": lambda torch, a: tuple(torch.linalg.qr(a)),
    "svdvals": lambda torch, a: torch.linalg.svdvals(a),
    "eigvalsh": lambda torch, a: torch.linalg.eigvalsh(a + a.mT),
    "eigh": lambda torch, a: torch.linalg.eigh(a + a.mT)[1].abs(),
    "cholesky": lambda torch, a: torch.linalg.cholesky(a @ a.mT),
    "cholesky upper": lambda torch, a: torch.linalg.cholesky(a @ a.mT, upper=True),
    "cholesky_inverse": lambda torch, a: torch.cholesky_inverse(a.tril()),
    "matrix_exp": lambda torch, a: torch.linalg.matrix_exp(a),
    "matrix_power": lambda torch, a: torch.linalg.matrix_power(a, -2),
    "pinv": lambda torch, a: torch.linalg.pinv(a),
    "solve": lambda torch, a: torch.linalg.solve(a, a.mT),
    "solve right": lambda torch, a: torch.linalg.solve(a, a.mT, left=False),
    "solve_triangular": lambda torch, a: torch.linalg.solve_triangular(a, a.mT, upper=True),
    "solve_triangular right": lambda torch, a: torch.linalg.solve_triangular(
        a.mT, a, upper=True, left=False, unitriangular=True
    ),
    "cholesky_solve": lambda torch, a: torch.cholesky_solve(a, a.tril()),
    "lu_solve": lambda torch, a: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), a.mT),
    "lu_solve adjoint": lambda torch, a: torch.linalg.lu_solve(
        *torch.linalg.lu_factor(a), a, adjoint=True, left=False
    ),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("f", SQUARE.values(), ids=SQUARE.keys())
def test_functions_of_square_matrices_and_their_gradients(f: Any, shape: tuple[int, ...]) -> None:
    both(lambda torch: with_gradient(torch, lambda a: f(torch, a), regular(torch, *shape)))


ANY = {
    "qr": lambda torch, a: tuple(torch.linalg.qr(a)),
    "lu": lambda torch, a: tuple(torch.linalg.lu(a)),
    "svdvals": lambda torch, a: torch.linalg.svdvals(a),
    "svd": lambda torch, a: tuple(x.abs() for x in torch.linalg.svd(a, full_matrices=False)),
    "pinv": lambda torch, a: torch.linalg.pinv(a),
    "nuclear norm": lambda torch, a: torch.linalg.matrix_norm(a, "nuc"),
    "norm 2": lambda torch, a: torch.linalg.matrix_norm(a, 2),
    "norm -2": lambda torch, a: torch.linalg.matrix_norm(a, -2),
    "cond": lambda torch, a: torch.linalg.cond(a),
    "lstsq": lambda torch, a: torch.linalg.lstsq(a, a.sum(-1, keepdim=True)).solution,
}


@pytest.mark.parametrize("shape", WIDE.values(), ids=WIDE.keys())
@pytest.mark.parametrize("f", ANY.values(), ids=ANY.keys())
def test_functions_of_any_matrices_and_their_gradients(f: Any, shape: tuple[int, ...]) -> None:
    both(lambda torch: with_gradient(torch, lambda a: f(torch, a), entries(torch, *shape)))


TWICE = {
    "inv": lambda a: wend.linalg.inv(a),
    "det": lambda a: wend.linalg.det(a),
    "slogdet": lambda a: wend.linalg.slogdet(a)[1],
    "cholesky": lambda a: wend.linalg.cholesky(a @ a.mT),
    "lu": lambda a: wend.linalg.lu_factor(a)[0],
    "qr": lambda a: tuple(wend.linalg.qr(a)),
    "svd": lambda a: tuple(wend.linalg.svd(a)),
    "svdvals": lambda a: wend.linalg.svdvals(a),
    "eigh": lambda a: tuple(wend.linalg.eigh(a + a.mT)),
    "solve": lambda a: wend.linalg.solve(a, a[..., 0]),
    "solve_triangular": lambda a: wend.linalg.solve_triangular(a, a, upper=False),
    "pinv": lambda a: wend.linalg.pinv(a),
    "matrix_exp": lambda a: wend.linalg.matrix_exp(a),
}


@pytest.mark.parametrize("f", TWICE.values(), ids=TWICE.keys())
def test_gradients_hold_twice(f: Any) -> None:
    a = regular(wend, 3, 3).requires_grad_()
    assert wend.autograd.gradcheck(f, (a,))
    assert wend.autograd.gradgradcheck(f, (a,))


REFUSED = {
    "singular": lambda torch: torch.linalg.inv(torch.zeros(2, 2)),
    "singular in a batch": lambda torch: torch.linalg.inv(torch.zeros(3, 2, 2)),
    "no solution": lambda torch: torch.linalg.solve(torch.zeros(3, 2, 2), torch.ones(3, 2)),
    "not definite": lambda torch: torch.linalg.cholesky(-torch.eye(2)),
    "singular factor": lambda torch: torch.cholesky_inverse(torch.tensor([[1.0, 0], [1.0, 0]])),
    "nan svd": lambda torch: torch.linalg.svd(torch.full((2, 2), float("nan"))),
    "lu singular": lambda torch: torch.linalg.lu_factor(torch.zeros(2, 2)),
    "not square": lambda torch: torch.linalg.det(torch.ones(2, 3)),
    "vector": lambda torch: torch.linalg.qr(torch.ones(2)),
    "int": lambda torch: torch.linalg.svd(torch.ones(2, 2, dtype=torch.int64)),
    "half": lambda torch: torch.linalg.inv(torch.ones(2, 2, dtype=torch.float16)),
    "sizes": lambda torch: torch.linalg.solve(torch.eye(2), torch.ones(3)),
    "dtypes": lambda torch: torch.linalg.solve(torch.eye(2), torch.ones(2, dtype=torch.float64)),
    "qr mode": lambda torch: torch.linalg.qr(torch.eye(2), "x"),
    "uplo": lambda torch: torch.linalg.eigh(torch.eye(2), UPLO="X"),
    "driver": lambda torch: torch.linalg.lstsq(torch.eye(2), torch.ones(2, 1), driver="x"),
    "pivots": lambda torch: torch.linalg.lu_solve(
        torch.eye(2), torch.tensor([0, 2], dtype=torch.int32), torch.ones(2, 1)
    ),
    "tensorinv": lambda torch: torch.linalg.tensorinv(torch.ones(2, 3), ind=1),
    "tensorsolve": lambda torch: torch.linalg.tensorsolve(torch.ones(2, 3), torch.ones(2)),
    "householder": lambda torch: torch.linalg.householder_product(torch.ones(2, 3), torch.ones(2)),
    "cond": lambda torch: torch.linalg.cond(torch.eye(2), 3),
}


@pytest.mark.parametrize("program", REFUSED.values(), ids=REFUSED.keys())
def test_bad_matrices_are_refused(program: Any) -> None:
    both_raise(lambda torch: _renamed(torch, program), RuntimeError)


def _renamed(torch: Any, program: Any) -> Any:
    """PyTorch's class has another name than the one it is known by."""
    try:
        return program(torch)
    except torch.linalg.LinAlgError as error:
        raise RuntimeError(f"LinAlgError: {error}") from None


@raises_alike(RuntimeError)
def test_the_gradient_of_r_alone_is_refused(torch: Any) -> None:
    torch.linalg.qr(torch.eye(2, requires_grad=True), mode="r").R.sum().backward()


def test_a_singular_matrix_can_be_caught_where_it_is_inverted() -> None:
    with pytest.raises(wend.linalg.LinAlgError):
        wend.linalg.inv(wend.zeros(2, 2) * 1)


def test_ranks_and_conditions_are_pytorchs() -> None:
    def program(torch: Any) -> Any:
        low = entries(torch, 4, 2) @ entries(torch, 2, 3)
        return (
            torch.linalg.matrix_rank(low),
            torch.linalg.matrix_rank(low, atol=100.0),
            torch.linalg.cond(regular(torch, 3, 3), 1),
            torch.linalg.cond(torch.zeros(2, 2), "fro"),
            torch.linalg.slogdet(-regular(torch, 3, 3)).sign,
            torch.linalg.lstsq(entries(torch, 4, 2), entries(torch, 4, 1)).residuals,
            torch.linalg.lstsq(entries(torch, 4, 2), entries(torch, 4), driver="gels").residuals,
            torch.linalg.lstsq(low, entries(torch, 4, 1), driver="gelsd").rank,
        )

    both(program)


def test_tensors_are_inverted_and_reflections_multiplied() -> None:
    def program(torch: Any) -> Any:
        a = regular(torch, 4, 4).reshape(2, 2, 4)
        v, tau = entries(torch, 4, 3), entries(torch, 3)
        return (
            torch.linalg.tensorinv(a),
            torch.linalg.tensorsolve(a, entries(torch, 2, 2)),
            with_gradient(torch, torch.linalg.householder_product, v, tau),
            torch.ormqr(v, tau, entries(torch, 2, 4), left=False, transpose=True),
            torch.linalg.vander(entries(torch, 3), N=4),
        )

    both(program)


def test_a_gradient_of_singular_values_does_not_mind_equal_ones() -> None:
    both(lambda torch: with_gradient(torch, torch.linalg.svdvals, torch.eye(3).double()))


def test_results_have_pytorchs_names() -> None:
    both(lambda torch: repr(torch.linalg.eigh(torch.diag(torch.tensor([1.0, 2.0])))))
    both(lambda torch: repr(torch.linalg.cholesky_ex(torch.eye(2))))


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_what_is_not_there_says_why(name: str) -> None:
    with pytest.raises(NotImplementedError, match=f"linalg.{name}"):
        getattr(wend.linalg, name)(wend.eye(2))


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_ldl_factors_are_pytorchs_and_solve_systems(shape: tuple[int, ...]) -> None:
    def program(torch: Any) -> Any:
        a = entries(torch, *shape)
        a = a + a.mT
        factors = torch.linalg.ldl_factor(a)
        b = entries(torch, *shape[:-1], 2, shift=1.0)
        info = torch.linalg.ldl_factor_ex(a).info
        return [*factors, info, torch.linalg.ldl_solve(*factors, b)]

    both(program)


def test_one_factorization_solves_many_systems() -> None:
    def program(torch: Any) -> Any:
        a = entries(torch, 3, 3)
        factors = torch.linalg.ldl_factor(a + a.mT)
        return torch.linalg.ldl_solve(*factors, entries(torch, 4, 3, 2))

    both(program)


LDL_MISTAKES = {
    "not square": lambda torch: torch.linalg.ldl_factor(torch.ones(2, 3)),
    "vector": lambda torch: torch.linalg.ldl_factor(torch.ones(2)),
    "integers": lambda torch: torch.linalg.ldl_factor(torch.ones(2, 2, dtype=torch.int64)),
    "rows": lambda torch: torch.linalg.ldl_solve(
        torch.eye(3), torch.tensor([1, 2, 3]), torch.ones(4, 2)
    ),
    "pivots": lambda torch: torch.linalg.ldl_solve(
        torch.eye(3), torch.tensor([1, 2]), torch.ones(3, 2)
    ),
    "float pivots": lambda torch: torch.linalg.ldl_solve(
        torch.eye(3), torch.ones(3), torch.ones(3, 2)
    ),
    "dtypes": lambda torch: torch.linalg.ldl_solve(
        torch.eye(3), torch.tensor([1, 2, 3]), torch.ones(3, 2).double()
    ),
}


@pytest.mark.parametrize("mistake", LDL_MISTAKES)
def test_mistakes_with_ldl_are_pytorchs(mistake: str) -> None:
    both_raise(LDL_MISTAKES[mistake], RuntimeError)


@pytest.mark.parametrize("pivots", [[0, 1, 2], [4, 1, 2], [1, 2, -3], [-(2**40), 1, 1]])
def test_pivots_that_no_factorization_gives_are_refused(pivots: list[int]) -> None:
    solution = wend.linalg.ldl_solve(wend.eye(3), wend.tensor(pivots), wend.ones(3, 1))
    with pytest.raises(RuntimeError, match="pivots must be those that ldl_factor gave"):
        solution.sum().item()


@pytest.mark.parametrize("shape", WIDE.values(), ids=WIDE)
def test_geqrf_is_what_householder_product_takes(shape: tuple[int, ...]) -> None:
    def program(torch: Any) -> Any:
        return list(torch.geqrf(entries(torch, *shape)))

    both(program)


def test_vander_takes_a_number() -> None:
    both(lambda torch: torch.linalg.vander(torch.tensor(2.0), N=3))


NOT_FINITE = [math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("place", [(0, 0), (2, 0), (1, 2)])
@pytest.mark.parametrize("value", NOT_FINITE, ids=str)
@pytest.mark.parametrize("size", [3, 40])
def test_singular_values_of_what_is_not_finite_come_to_an_end(
    size: int, value: float, place: tuple[int, int]
) -> None:
    def program(torch: Any) -> Any:
        a = torch.arange(float(size * size)).sin().reshape(size, size)
        a[place] = value
        return [
            described_or(torch, lambda: torch.linalg.svdvals(a)),
            described_or(torch, lambda: torch.linalg.matrix_norm(a, 2)),
            described_or(torch, lambda: torch.linalg.cond(a)),
        ]

    both(program)
    a = wend.arange(float(size * size)).sin().reshape(size, size)
    a[place] = value
    for f in (wend.linalg.svd, wend.linalg.pinv, lambda a: wend.linalg.lstsq(a, a)):
        if math.isnan(value):
            with pytest.raises(RuntimeError):
                f(a)
        else:
            f(a)


def described_or(torch: Any, call: Any) -> Any:
    """A result, or what was raised."""
    try:
        return call()
    except torch.linalg.LinAlgError as error:
        return str(error).splitlines()[0]


@alike
def test_exponentials_of_what_is_not_finite(torch: Any) -> Any:
    inf = math.inf
    a = torch.tensor([[[inf, 1.0], [1.0, 2.0]], [[0.0, 1.0], [0.0, 0.0]], [[-inf, 0], [0, -inf]]])
    return torch.linalg.matrix_exp(a), torch.linalg.matrix_exp(torch.tensor([[[inf]], [[-inf]]]))
