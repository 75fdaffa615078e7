"""Densities, probabilities, quantiles, entropies and divergences, and their gradients by every
parameter and by the value, are PyTorch's where formulas have corners: at 0, at bounds, at equal
odds, in ties and far out. What random values are like is test_distributions'.
"""

import itertools
import math
import warnings
from typing import Any, NamedTuple

import pytest
from both import compare, torch, wend

INF = math.inf
PLACES = [0.0, 1.0, -1.0, 30.0, -30.0]
SCALES = [1.0, 0.01, 50.0]
SHAPES = [1.0, 0.5, 2.0, 30.0]
PROBS = [0.0, 1.0, 0.5, 0.3]
LOGITS = [0.0, 2.0, -2.0, 40.0, -40.0]
COUNTS = [0.0, 1.0, 3.0]
PARTS = [0.0, 1.0, 0.5, 0.25]
AHEAD = [0.0, 1.0, 0.3, 40.0]


class Case(NamedTuple):
    """The parameters of a distribution of numbers, by name, and values to try, all combined."""

    params: dict[str, list[float]]
    values: list[float]
    fixed: dict[str, Any] = {}  # noqa: RUF012


CASES = {
    "Normal": Case({"loc": PLACES, "scale": SCALES}, PLACES),
    "LogNormal": Case({"loc": [0.0, 1.0], "scale": SCALES}, [1.0, 0.5, 40.0]),
    "HalfNormal": Case({"scale": SCALES}, AHEAD),
    "HalfCauchy": Case({"scale": SCALES}, AHEAD),
    "Laplace": Case({"loc": PLACES, "scale": SCALES}, PLACES),
    "Cauchy": Case({"loc": PLACES, "scale": SCALES}, PLACES),
    "Gumbel": Case({"loc": [0.0, 1.0], "scale": [1.0, 5.0]}, [0.0, 1.0, -1.0, 30.0]),
    "Uniform": Case({"low": [0.0, -1.0], "high": [1.0, 2.0]}, [0.0, 1.0, -1.0, 0.5, 2.0, 3.0]),
    "Exponential": Case({"rate": SCALES}, AHEAD),
    "Gamma": Case({"concentration": SHAPES, "rate": SCALES}, AHEAD),
    "Chi2": Case({"df": SHAPES}, AHEAD),
    "InverseGamma": Case({"concentration": SHAPES, "rate": SCALES}, [1.0, 0.3, 40.0]),
    "Beta": Case({"concentration1": SHAPES, "concentration0": SHAPES}, PARTS),
    "StudentT": Case({"df": SHAPES, "loc": [0.0, 1.0], "scale": SCALES}, PLACES),
    "FisherSnedecor": Case({"df1": SHAPES, "df2": [1.0, 5.0]}, AHEAD),
    "Weibull": Case({"scale": SCALES, "concentration": SHAPES}, [0.0, 1.0, 0.3]),
    "Pareto": Case({"scale": [1.0, 0.5], "alpha": SHAPES}, [1.0, 0.5, 2.0, 40.0]),
    "Kumaraswamy": Case({"concentration1": SHAPES, "concentration0": SHAPES}, PARTS),
    "VonMises": Case({"loc": [0.0, 1.0], "concentration": [1.0, 30.0]}, [0.0, 1.0, -3.0]),
    "Bernoulli": Case({"probs": PROBS}, [0.0, 1.0, 0.5]),
    "Bernoulli by logits": Case({"logits": LOGITS}, [0.0, 1.0, 0.5]),
    "Geometric": Case({"probs": [1.0, 0.5, 0.3]}, COUNTS),
    "Geometric by logits": Case({"logits": LOGITS}, COUNTS),
    "Binomial": Case({"probs": PROBS}, COUNTS, {"total_count": 3}),
    "Binomial by logits": Case({"logits": LOGITS}, COUNTS, {"total_count": 3}),
    "NegativeBinomial": Case({"total_count": [0.0, 1.0, 3.0], "probs": [0.0, 0.5, 0.3]}, COUNTS),
    "NegativeBinomial by logits": Case(
        {"total_count": [0.0, 1.0, 3.0], "logits": LOGITS}, COUNTS
    ),
    "ContinuousBernoulli": Case({"probs": [*PROBS, 0.499, 0.501, 0.4995]}, PARTS),
    "ContinuousBernoulli by logits": Case({"logits": [0.0, 2.0, -2.0, 0.001]}, PARTS),
    "Poisson": Case({"rate": [0.0, 1.0, 40.0]}, COUNTS),
    "RelaxedBernoulli by logits": Case(
        {"temperature": [1.0, 0.5], "logits": [0.0, 2.0]}, [0.5, 0.25]
    ),
}  # fmt: skip
every_case = pytest.mark.parametrize("name", CASES)


def leaf(T: Any, numbers: Any) -> Any:
    return T.tensor(list(numbers), dtype=T.float64, requires_grad=True)


def made(T: Any, name: str) -> tuple[Any, list[Any], Any]:
    """The distribution, its parameters and the values, in all combinations."""
    case = CASES[name]
    rows = [*zip(*itertools.product(*case.params.values(), case.values), strict=True)]
    params = {key: leaf(T, row) for key, row in zip(case.params, rows, strict=False)}
    kind = getattr(T.distributions, name.partition(" ")[0])
    dist = kind(**params, **case.fixed, validate_args=False)
    return dist, [*params.values()], leaf(T, rows[-1])


def slopes(T: Any, result: Any, leaves: list[Any]) -> list[Any]:
    """The gradients of a result, 0 where there is none; of each element by its own weight."""
    zeros = [T.zeros_like(x, requires_grad=False) for x in leaves]
    if not result.requires_grad:
        return zeros
    weights = (T.arange(result.numel(), dtype=T.float64) % 5 + 1).reshape(result.shape)
    found = T.autograd.grad(result, leaves, weights, allow_unused=True)
    return [zero if g is None else g for zero, g in zip(zeros, found, strict=True)]


def tried(T: Any, call: Any, leaves: list[Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = call()
        except (NotImplementedError, AttributeError):
            return "not there"
        try:
            return result.detach(), slopes(T, result, leaves)
        except NotImplementedError:
            return result.detach(), "no gradient"


@every_case
@pytest.mark.parametrize("asked", ["log_prob", "cdf", "icdf", "entropy", "mean", "variance"])
def test_gradients_at_special_points(name: str, asked: str) -> None:
    def program(T: Any) -> Any:
        dist, params, value = made(T, name)
        if asked in ("log_prob", "cdf"):
            return tried(T, lambda: getattr(dist, asked)(value), [*params, value])
        if asked == "icdf":
            part = leaf(T, (PARTS[i % 4] for i in range(value.numel())))
            return tried(T, lambda: dist.icdf(part), [*params, part])
        return tried(
            T, dist.entropy if asked == "entropy" else lambda: getattr(dist, asked), params
        )

    compare(program(torch), program(wend), tolerance=1e-6)


TIES = [[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.2, 0.3, 0.5]]
EVEN = [[0.0, 0.0, 0.0], [40.0, -40.0, 0.0], [-INF, 0.0, 1.0]]
EDGES = [[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.2, 0.3, 0.5]]
# Of vectors: parameters by name, and values, one for each row.
VECTORS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "Categorical": ({"probs": TIES}, [0, 1, 2]),
    "Categorical by logits": ({"logits": EVEN}, [0, 1, 2]),
    "OneHotCategorical": ({"probs": TIES}, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    "OneHotCategorical by logits": ({"logits": EVEN}, [[1.0, 0.0, 0.0]] * 3),
    "Multinomial": ({"probs": TIES}, [[2.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 2.0]]),
    "Multinomial by logits": (
        {"logits": EVEN}, [[2.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 2.0, 0.0]],
    ),
    "Dirichlet": ({"concentration": [[1.0] * 3, [0.5, 1.0, 30.0], [2.0, 1.0, 0.5]]}, EDGES),
    "RelaxedOneHotCategorical by logits": ({"logits": [[0.0] * 3] * 3}, [[0.2, 0.3, 0.5]] * 3),
    "MultivariateNormal": (
        {"loc": [[0.0, 0.0], [1.0, -1.0], [0.0, 1.0]],
         "covariance_matrix": [[[1.0, 0.0], [0.0, 1.0]]] * 3},
        [[0.0, 0.0], [1.0, -1.0], [30.0, -30.0]],
    ),
    "LowRankMultivariateNormal": (
        {"loc": [[0.0, 0.0]] * 3, "cov_factor": [[[0.0], [1.0]]] * 3, "cov_diag": [[1.0, 1.0]] * 3},
        [[0.0, 0.0], [1.0, -1.0], [30.0, -30.0]],
    ),
    "LogisticNormal": ({"loc": [[0.0, 0.0]] * 3, "scale": [[1.0, 1.0]] * 3}, [[0.2, 0.3, 0.5]] * 3),
}  # fmt: skip
FIXED = {"Multinomial": {"total_count": 2}, "RelaxedOneHotCategorical": {"temperature": 0.5}}


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("asked", ["log_prob", "entropy", "mean", "variance"])
def test_gradients_of_vectors_at_special_points(name: str, asked: str) -> None:
    params, values = VECTORS[name]
    kind = name.partition(" ")[0]

    def program(T: Any) -> Any:
        given = {key: leaf(T, rows) for key, rows in params.items()}
        fixed = {
            key: T.tensor(number) if key == "temperature" else number
            for key, number in FIXED.get(kind, {}).items()
        }
        dist = getattr(T.distributions, kind)(**given, **fixed, validate_args=False)
        leaves = [*given.values()]
        if asked != "log_prob":
            ask = dist.entropy if asked == "entropy" else lambda: getattr(dist, asked)
            return tried(T, ask, leaves)
        whole = isinstance(values[0], int)
        value = T.tensor(values) if whole else leaf(T, values)
        return tried(T, lambda: dist.log_prob(value), leaves if whole else [*leaves, value])

    compare(program(torch), program(wend), tolerance=1e-6)


def kind_of(name: str) -> Any:
    return getattr(wend.distributions, name.partition(" ")[0])


# Those that wend has a rule for.
PAIRS = sorted(
    (name, other)
    for name, other in itertools.product(CASES, CASES)
    if any(
        issubclass(kind_of(name), p) and issubclass(kind_of(other), q)
        for p, q in wend.distributions.kl._rules
        if p is not wend.distributions.TransformedDistribution
    )
)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: " and ".join(pair))
def test_gradients_of_divergences_at_special_points(pair: tuple[str, str]) -> None:
    def rows(T: Any, name: str, size: int, step: int) -> tuple[Any, list[Any]]:
        case = CASES[name]
        combined = [*itertools.product(*case.params.values())]
        picked = [combined[i * step % len(combined)] for i in range(size)]
        params = {
            key: leaf(T, row)
            for key, row in zip(case.params, zip(*picked, strict=True), strict=True)
        }
        kind = getattr(T.distributions, name.partition(" ")[0])
        return kind(**params, **case.fixed, validate_args=False), [*params.values()]

    def program(T: Any) -> Any:
        p, of_p = rows(T, pair[0], 24, 1)
        q, of_q = rows(T, pair[1], 24, 7)
        return tried(T, lambda: T.distributions.kl_divergence(p, q), of_p + of_q)

    compare(program(torch), program(wend), tolerance=1e-6)


# Distributions whose values move with their parameters as their probabilities say.
MOVING = [
    "Normal", "LogNormal", "HalfNormal", "HalfCauchy", "Laplace", "Cauchy", "Gumbel", "Uniform",
    "Exponential", "Weibull", "Pareto", "Kumaraswamy", "ContinuousBernoulli",
    "ContinuousBernoulli by logits",
]  # fmt: skip


@pytest.mark.parametrize("name", MOVING)
def test_values_move_with_parameters_at_equal_probability(name: str) -> None:
    """Of z with F(z; a) fixed, dz/da is -dF/da over the density."""
    wend.manual_seed(1)
    case = CASES[name]
    rows = [*zip(*itertools.product(*case.params.values()), strict=True)]
    params = {key: leaf(wend, row) for key, row in zip(case.params, rows, strict=True)}
    inside = {"probs": lambda x: x * 0.6 + 0.2}
    given = {key: inside.get(key, lambda x: x)(value) for key, value in params.items()}
    dist = kind_of(name)(**given)
    value = dist.rsample((50,))
    found = wend.autograd.grad(value, [*given.values()], wend.ones_like(value), retain_graph=True)
    fixed = value.detach()
    for got, param in zip(found, given.values(), strict=True):
        (chance,) = wend.autograd.grad(
            dist.cdf(fixed) / dist.log_prob(fixed).exp().detach(), param,
            wend.ones_like(fixed), retain_graph=True,
        )  # fmt: skip
        assert got.tolist() == pytest.approx((-chance).tolist(), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("shape", [1.0, 1.05, 1.5, 2.0, 2.7, 3.0, 8.0, 100.0])
def test_gammas_move_with_their_shape_at_equal_probability(shape: float) -> None:
    wend.manual_seed(2)
    a = wend.full((200,), shape, dtype=wend.float64, requires_grad=True)
    z = wend.distributions.Gamma(a, 1.0).rsample()
    z.sum().backward()
    x, at, step = torch.tensor(z.tolist(), dtype=torch.float64), torch.tensor(shape).double(), 1e-5
    below, above = (torch.special.gammainc(at + side, x) for side in (-step, step))
    density = torch.distributions.Gamma(at, torch.ones(()).double()).log_prob(x).exp()
    expected = (below - above) / (2 * step) / density
    likely = density > 1e-4 * density.max()  # else rounding of the probabilities is seen
    assert a.grad is not None
    assert a.grad[wend.tensor(likely.tolist())].tolist() == pytest.approx(
        expected[likely].tolist(), rel=1e-4
    )


MEANS = {
    "Gamma": lambda d, t: d.Gamma(t([0.4, 1.0, 1.5, 3.0]), t([1.0, 2.0, 0.5, 1.0])),
    "Chi2": lambda d, t: d.Chi2(t([0.8, 2.0, 3.0, 6.0])),
    "Beta": lambda d, t: d.Beta(t([0.4, 1.0, 1.5, 3.0]), t([1.0, 2.0, 0.5, 3.0])),
    "Dirichlet": lambda d, t: d.Dirichlet(t([[0.4, 1.0, 1.5], [1.0, 2.0, 3.0]])),
    "InverseGamma": lambda d, t: d.InverseGamma(t([5.0, 7.0]), t([1.0, 2.0])),
}


@pytest.mark.parametrize("name", MEANS)
def test_values_move_on_average_as_their_mean(name: str) -> None:
    """For gradients that are those of no single inverse: their expectation is what counts."""
    wend.manual_seed(3)
    params: list[Any] = []

    def tensor(numbers: Any) -> Any:
        params.append(wend.tensor(numbers, dtype=wend.float64, requires_grad=True))
        return params[-1]

    dist = MEANS[name](wend.distributions, tensor)
    count, parts = 2000, []
    weights = wend.tensor([1.0, -2.0, 0.5, 3.0], dtype=wend.float64)[: dist.mean.shape[-1]]
    expected = wend.autograd.grad((dist.mean * weights).sum(), params, retain_graph=True)
    for _ in range(20):
        total = (dist.rsample((count,)).mean(0) * weights).sum()
        parts.append(wend.autograd.grad(total, params, retain_graph=True))
    for each, exact in zip(zip(*parts, strict=True), expected, strict=True):
        found = wend.stack([*each])
        error = found.std(0) / math.sqrt(len(parts))
        assert bool(((found.mean(0) - exact).abs() <= 4.5 * error + 1e-9).all())
