"""Distributions have PyTorch's densities, entropies, moments, gradients, errors and names."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from both import alike, both, compare, error_of, torch, wend

Make = Callable[[Any, Callable[..., Any]], Any]

# By name: the distribution of parameters that `t` makes, and values that it can have.
CASES: dict[str, tuple[Make, Any]] = {
    "Normal": (lambda d, t: d.Normal(t([0.5, -1.0]), t([1.5, 0.3])), [0.2, -0.7]),
    "LogNormal": (lambda d, t: d.LogNormal(t([0.5, -1.0]), t([0.5, 0.3])), [0.2, 0.7]),
    "HalfNormal": (lambda d, t: d.HalfNormal(t([0.5, 2.0])), [0.2, 0.7]),
    "HalfCauchy": (lambda d, t: d.HalfCauchy(t([0.5, 2.0])), [0.2, 0.7]),
    "Laplace": (lambda d, t: d.Laplace(t([0.5, -1.0]), t([1.5, 0.3])), [0.2, -0.7]),
    "Cauchy": (lambda d, t: d.Cauchy(t([0.5, -1.0]), t([1.5, 0.3])), [0.2, -0.7]),
    "Gumbel": (lambda d, t: d.Gumbel(t([0.5, -1.0]), t([1.5, 0.3])), [0.2, -0.7]),
    "Uniform": (lambda d, t: d.Uniform(t([0.0, -2.0]), t([1.0, 3.0])), [0.2, -0.7]),
    "Exponential": (lambda d, t: d.Exponential(t([0.5, 3.0])), [0.2, 0.7]),
    "Gamma": (lambda d, t: d.Gamma(t([0.5, 3.0]), t([2.0, 0.7])), [0.2, 2.7]),
    "Chi2": (lambda d, t: d.Chi2(t([1.5, 4.0])), [0.2, 2.7]),
    "Beta": (lambda d, t: d.Beta(t([0.5, 3.0]), t([2.0, 1.7])), [0.2, 0.7]),
    "Dirichlet": (lambda d, t: d.Dirichlet(t([[0.5, 3.0], [2.0, 2.5]])), [[0.2, 0.8], [0.6, 0.4]]),
    "StudentT": (lambda d, t: d.StudentT(t([3.0, 5.0]), t([0.1, 1.0]), t([1.0, 2.0])), [0.2, -2.0]),
    "Weibull": (lambda d, t: d.Weibull(t([0.5, 3.0]), t([2.0, 1.7])), [0.2, 2.7]),
    "Pareto": (lambda d, t: d.Pareto(t([0.5, 1.0]), t([3.0, 4.0])), [0.7, 2.7]),
    "Kumaraswamy": (lambda d, t: d.Kumaraswamy(t([1.5, 3.0]), t([2.0, 1.7])), [0.2, 0.7]),
    "VonMises": (lambda d, t: d.VonMises(t([0.5, -1.0]), t([2.0, 0.3])), [0.2, 2.7]),
    "Bernoulli": (lambda d, t: d.Bernoulli(t([0.3, 0.9])), [1.0, 0.0]),
    "Bernoulli by logits": (lambda d, t: d.Bernoulli(logits=t([0.3, -2.0])), [1.0, 0.0]),
    "Geometric": (lambda d, t: d.Geometric(t([0.3, 0.9])), [3.0, 0.0]),
    "Binomial": (lambda d, t: d.Binomial(7, t([0.3, 0.9])), [3.0, 7.0]),
    "NegativeBinomial": (
        lambda d, t: d.NegativeBinomial(t([3.0, 5.0]), t([0.3, 0.55])),
        [3.0, 7.0],
    ),
    "Poisson": (lambda d, t: d.Poisson(t([0.3, 4.0])), [1.0, 6.0]),
    "Categorical": (lambda d, t: d.Categorical(t([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])), [1, 2]),
    "Categorical by logits": (
        lambda d, t: d.Categorical(logits=t([[0.2, 1.3], [0.1, -1.0]])),
        [1, 0],
    ),
    "OneHotCategorical": (
        lambda d, t: d.OneHotCategorical(t([[0.2, 0.3, 0.5]])),
        [[0.0, 1.0, 0.0]],
    ),
    "Multinomial": (lambda d, t: d.Multinomial(5, t([0.2, 0.3, 0.5])), [1.0, 1.0, 3.0]),
    "MultivariateNormal": (
        lambda d, t: d.MultivariateNormal(t([0.5, -1.0]), t([[2.0, 0.5], [0.5, 1.0]])),
        [0.3, 0.4],
    ),
    "MultivariateNormal by precision": (
        lambda d, t: d.MultivariateNormal(
            t([0.5, -1.0]), precision_matrix=t([[2.0, 0.5], [0.5, 1.0]])
        ),
        [0.3, 0.4],
    ),
    "MultivariateNormal by root": (
        lambda d, t: d.MultivariateNormal(t([0.5, -1.0]), scale_tril=t([[2.0, 0.0], [0.5, 1.0]])),
        [[0.3, 0.4], [1.0, 2.0], [0.0, 0.0]],
    ),
    "ContinuousBernoulli": (
        lambda d, t: d.ContinuousBernoulli(t([0.3, 0.9, 0.4995])),
        [0.2, 0.7, 0.5],
    ),
    "ContinuousBernoulli by logits": (
        lambda d, t: d.ContinuousBernoulli(logits=t([0.3, -2.0])),
        [0.2, 0.7],
    ),
    "FisherSnedecor": (lambda d, t: d.FisherSnedecor(t([3.0, 5.0]), t([12.0, 30.0])), [0.2, 1.7]),
    "InverseGamma": (lambda d, t: d.InverseGamma(t([6.0, 12.0]), t([2.0, 0.7])), [0.2, 1.7]),
    "LogisticNormal": (
        lambda d, t: d.LogisticNormal(t([0.5, -1.0]), t([1.5, 0.3])),
        [0.2, 0.5, 0.3],
    ),
    "LowRankMultivariateNormal": (
        lambda d, t: d.LowRankMultivariateNormal(
            t([0.5, -1.0, 0.0]), t([[1.0, 0.5], [0.3, 0.2], [-0.4, 1.0]]), t([0.5, 1.0, 2.0])
        ),
        [0.2, -0.7, 1.0],
    ),
    "RelaxedBernoulli": (lambda d, t: d.RelaxedBernoulli(t(0.7), t([0.3, 0.9])), [0.2, 0.7]),
    "RelaxedBernoulli by logits": (
        lambda d, t: d.RelaxedBernoulli(t(0.7), logits=t([0.3, -2.0])),
        [0.2, 0.7],
    ),
    "RelaxedOneHotCategorical": (
        lambda d, t: d.RelaxedOneHotCategorical(t(0.7), t([0.2, 0.3, 0.5])),
        [0.2, 0.5, 0.3],
    ),
    "Independent": (
        lambda d, t: d.Independent(d.Normal(t([[0.5, -1.0]]), t([[1.5, 0.3]])), 1),
        [[0.2, -0.7]],
    ),
    "MixtureSameFamily": (
        lambda d, t: d.MixtureSameFamily(
            d.Categorical(t([0.3, 0.7])), d.Normal(t([0.5, -1.0]), t([1.5, 0.3]))
        ),
        0.4,
    ),
    "TransformedDistribution": (
        lambda d, t: d.TransformedDistribution(
            d.Normal(t([0.5, -1.0]), t([1.5, 0.3])),
            [d.AffineTransform(1.0, 2.0), d.SigmoidTransform()],
        ),
        [0.2, 0.7],
    ),
    "tanh of normal": (
        lambda d, t: d.TransformedDistribution(
            d.Normal(t([0.5, -1.0]), t([1.5, 0.3])), d.TanhTransform(cache_size=1)
        ),
        [0.2, -0.7],
    ),
    "broken sticks": (
        lambda d, t: d.TransformedDistribution(
            d.Normal(t([0.5, -1.0]), t([1.5, 0.3])), d.StickBreakingTransform()
        ),
        [0.2, 0.5, 0.3],
    ),
}
FACTS = ("mean", "mode", "variance", "stddev", "batch_shape", "event_shape", "has_rsample")
# What PyTorch computes in single precision.
ROUGH = {"VonMises": ("variance", "stddev"), "Multinomial": ("entropy",)}
every_case = pytest.mark.parametrize("name", CASES)


def made(package: Any, name: str, grad: bool = False) -> tuple[Any, list[Any]]:
    """A distribution and its parameters."""
    params: list[Any] = []

    def tensor(values: Any) -> Any:
        params.append(package.tensor(values, dtype=package.float64, requires_grad=grad))
        return params[-1]

    return CASES[name][0](package.distributions, tensor), params


def value_of(package: Any, name: str) -> Any:
    values = CASES[name][1]
    whole = name.startswith("Categorical")
    return package.tensor(values, dtype=package.int64 if whole else package.float64)


def tried(call: Callable[[], Any]) -> Any:
    """What a call gives, or that it is not there."""
    try:
        found = call()
    except (NotImplementedError, AttributeError):
        return "not implemented"
    return list(found) if type(found).__name__ == "Size" else found


@every_case
def test_facts_are_pytorchs(name: str) -> None:
    def program(torch: Any) -> Any:
        dist, _ = made(torch, name)
        facts = {fact: tried(lambda: getattr(dist, fact)) for fact in FACTS}  # noqa: B023
        return {**facts, "entropy": tried(dist.entropy)}

    theirs, ours = program(torch), program(wend)
    for fact in ROUGH.get(name, ()):
        expected = pytest.approx(theirs.pop(fact).tolist(), rel=1e-6)
        assert ours.pop(fact).tolist() == expected
    compare(theirs, ours)


@every_case
def test_densities_and_their_gradients_are_pytorchs(name: str) -> None:
    def program(torch: Any) -> Any:
        dist, params = made(torch, name, grad=True)
        log_prob = dist.log_prob(value_of(torch, name))
        log_prob.sum().backward()
        return log_prob, [p.grad for p in params]

    theirs, ours = program(torch), program(wend)
    if name == "VonMises":  # PyTorch's Bessel function is good to seven digits
        for a, b in zip([theirs[0], *theirs[1]], [ours[0], *ours[1]], strict=True):
            assert b.tolist() == pytest.approx(a.tolist(), rel=1e-5)
    else:
        compare(theirs, ours)


@every_case
def test_quantiles_are_pytorchs(name: str) -> None:
    def program(torch: Any) -> Any:
        dist, _ = made(torch, name)
        part = torch.tensor(0.3, dtype=torch.float64)
        if name in ("Gamma", "Chi2"):
            return "left out"  # PyTorch's incomplete gamma function
        return tried(lambda: dist.cdf(value_of(torch, name))), tried(lambda: dist.icdf(part))

    both(program)


@every_case
def test_samples_have_the_moments_of_the_distribution(name: str) -> None:
    wend.manual_seed(3)
    dist, _ = made(wend, name)
    samples = dist.sample((40_000,)).double()
    assert tuple(samples.shape) == (40_000, *dist.batch_shape, *dist.event_shape)
    if name != "Categorical" and not name.endswith("by logits"):
        assert bool(dist.support.check(samples).all())
    mean, variance = (tried(lambda: getattr(dist, fact)) for fact in ("mean", "variance"))  # noqa: B023
    if isinstance(mean, str) or name in ("Cauchy", "HalfCauchy", "VonMises"):
        return
    for i, (m, v) in enumerate(
        zip(mean.reshape(-1).tolist(), variance.reshape(-1).tolist(), strict=True)
    ):
        if math.isnan(m):
            continue
        column = samples.reshape(40_000, -1)[:, i]
        assert column.mean().item() == pytest.approx(m, abs=6 * math.sqrt(v / 40_000) + 1e-9)
        heavy = name in ("StudentT", "Pareto")
        assert heavy or column.var().item() == pytest.approx(v, rel=0.15)


CONTINUOUS = [name for name in CASES if made(torch, name)[0].has_rsample]


@pytest.mark.parametrize("name", CONTINUOUS)
def test_gradients_go_through_samples(name: str) -> None:
    """The gradient of a mean over samples is that of the mean, whoever draws them."""

    def slopes(package: Any) -> list[Any]:
        package.manual_seed(5)
        dist, params = made(package, name, grad=True)
        sample = dist.rsample((30_000,))
        (sample.tanh().mean(0).sum()).backward()
        return [p.grad.reshape(-1).tolist() if p.grad is not None else None for p in params]

    for a, b in zip(slopes(torch), slopes(wend), strict=True):
        assert (a is None) == (b is None)
        assert a is None or b == pytest.approx(a, abs=0.03)


@pytest.mark.parametrize("shape", [0.1, 0.5, 1.0, 1.5, 5.0, 50.0, 1000.0])
def test_gamma_samples_move_with_their_shape(shape: float) -> None:
    from wend.distributions._gamma import gamma_slope

    for part in (0.05, 0.5, 1.0, 1.4, 3.0):
        a, z = max(shape, 1.0), max(shape, 1.0) * part
        expected = torch._standard_gamma_grad(
            torch.tensor(a, dtype=torch.float64), torch.tensor(z, dtype=torch.float64)
        )
        got = gamma_slope(wend.tensor(a, dtype=wend.float64), wend.tensor(z, dtype=wend.float64))
        assert got.item() == pytest.approx(expected.item(), rel=2e-3)


@every_case
def test_expanded_distributions_are_the_same_everywhere(name: str) -> None:
    def program(torch: Any) -> Any:
        dist, _ = made(torch, name)
        larger = dist.expand((3, *dist.batch_shape))
        log_prob = larger.log_prob(value_of(torch, name))
        sample = tuple(larger.sample((2,)).shape)
        return log_prob.expand(larger.batch_shape), sample, type(larger).__name__

    theirs, ours = program(torch), program(wend)
    assert theirs[1:] == ours[1:]
    for a, b in zip(theirs[0].reshape(-1).tolist(), ours[0].reshape(-1).tolist(), strict=True):
        assert b == pytest.approx(a, rel=1e-5)


PAIRS = [
    ("Normal", "Normal"), ("Laplace", "Laplace"), ("Cauchy", "Cauchy"), ("Uniform", "Uniform"),
    ("Uniform", "Normal"), ("Exponential", "Exponential"), ("Gamma", "Gamma"),
    ("Exponential", "Gamma"), ("Gamma", "Exponential"), ("Gumbel", "Gumbel"),
    ("Pareto", "Pareto"), ("Dirichlet", "Dirichlet"), ("Beta", "Beta"),
    ("Bernoulli", "Bernoulli by logits"), ("Categorical by logits", "Categorical by logits"),
    ("OneHotCategorical", "OneHotCategorical"), ("Binomial", "Binomial"),
    ("Geometric", "Geometric"), ("Poisson", "Poisson"), ("Independent", "Independent"),
    ("MultivariateNormal", "MultivariateNormal by root"), ("LogNormal", "LogNormal"),
    ("HalfNormal", "HalfNormal"), ("Chi2", "Gamma"),
]  # fmt: skip


def shifted(package: Any, name: str) -> Any:
    """The distribution with other parameters."""

    def tensor(values: Any) -> Any:
        own = package.tensor(values, dtype=package.float64)
        if name.startswith("MultivariateNormal") or name == "Categorical":
            return own
        return own * 0.9 + 0.05

    return CASES[name][0](package.distributions, tensor)


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_divergences_are_pytorchs(p: str, q: str) -> None:
    def program(torch: Any) -> Any:
        mine, params = made(torch, p, grad=True)
        kl = torch.distributions.kl_divergence(mine, shifted(torch, q))
        kl.sum().backward()
        return kl, [param.grad for param in params]

    both(program)


@alike
def test_arguments_are_validated(torch: Any) -> Any:
    d, t = torch.distributions, torch.tensor
    normal = d.Normal(t([0.0, 1.0]), t([1.0, 1.0]))
    return [
        error_of(lambda: d.Normal(0.0, -1.0)),
        error_of(lambda: d.Normal(t([0.0, 1.0]), t([1.0, -1.0]))),
        error_of(lambda: d.Normal(t(float("nan")), t(1.0))),
        error_of(lambda: d.Uniform(1.0, 0.0)),
        error_of(lambda: d.Bernoulli(1.5)),
        error_of(lambda: d.Bernoulli()),
        error_of(lambda: d.Categorical(t(0.5))),
        error_of(lambda: d.Categorical(t([-1.0, 2.0]))),
        error_of(lambda: d.Dirichlet(t([-1.0, 2.0]))),
        error_of(lambda: d.Dirichlet(t(1.0))),
        error_of(lambda: d.Beta(-1.0, 1.0)),
        error_of(lambda: d.MultivariateNormal(t([0.0, 0.0]), t([[1.0, 2.0], [2.0, 1.0]]))),
        error_of(lambda: d.MultivariateNormal(t([0.0, 0.0]))),
        error_of(lambda: d.Independent(normal, 2)),
        error_of(lambda: normal.log_prob(t([float("nan"), 0.0]))),
        error_of(lambda: normal.log_prob(t([1.0, 2.0, 3.0]))),
        error_of(lambda: normal.log_prob(1.0)),
        error_of(lambda: d.Bernoulli(0.5).log_prob(t(0.5))),
        error_of(lambda: d.Categorical(t([0.5, 0.5])).log_prob(t(2))),
        error_of(lambda: d.Exponential(1.0).log_prob(t(-1.0))),
        error_of(lambda: d.kl_divergence(normal, d.Geometric(0.5))),
        d.Normal(0.0, -1.0, validate_args=False).scale,
    ]


@alike
def test_distributions_are_printed(torch: Any) -> Any:
    d, t = torch.distributions, torch.tensor
    normal = d.Normal(t([0.0, 1.0]), t([1.0, 1.0]))
    return [
        repr(d.Normal(0.0, 1.0)), repr(normal), repr(d.Categorical(t([0.5, 0.5]))),
        repr(d.Independent(normal, 1)), repr(d.Bernoulli(0.5)), repr(d.Exponential(t([2.0]))),
        repr(d.Normal.arg_constraints), repr(d.constraints.interval(0, 1)),
    ]  # fmt: skip


@alike
def test_supports_are_listed(torch: Any) -> Any:
    d, t = torch.distributions, torch.tensor
    coin = d.Bernoulli(t([0.5, 0.2]))
    return [
        coin.enumerate_support(),
        coin.enumerate_support(expand=False),
        d.Categorical(t([[0.5, 0.5]])).enumerate_support(),
        d.OneHotCategorical(t([0.2, 0.8])).enumerate_support(),
        d.Binomial(3, t([0.5])).enumerate_support(),
    ]


@alike
def test_rules_for_new_pairs_can_be_registered(torch: Any) -> Any:
    d = torch.distributions

    class Mine(d.Normal):  # type: ignore[misc,name-defined]
        pass

    before = d.kl_divergence(Mine(0.0, 1.0), d.Normal(1.0, 1.0))
    d.register_kl(Mine, d.Normal)(lambda p, q: torch.tensor(7.0))
    after = d.kl_divergence(Mine(0.0, 1.0), d.Normal(1.0, 1.0))
    return before, after


def test_straight_through_samples_let_gradients_pass() -> None:
    logits = wend.tensor([0.1, 0.2, 0.7], requires_grad=True)
    dist = wend.distributions.OneHotCategoricalStraightThrough(logits=logits)
    sample = dist.rsample()
    assert sorted(sample.detach().round().tolist()) == [0, 0, 1]
    (sample * wend.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert logits.grad.abs().sum().item() > 0
    assert logits.grad.sum().item() == pytest.approx(0, abs=1e-6)


def test_many_trials_are_drawn_without_making_each() -> None:
    wend.manual_seed(0)
    dist = wend.distributions.Binomial(10**6, wend.tensor([0.001, 0.5, 0.9], dtype=wend.float64))
    sample = dist.sample((4000,))
    for i, (m, v) in enumerate(zip(dist.mean.tolist(), dist.variance.tolist(), strict=True)):
        assert sample[:, i].mean().item() == pytest.approx(m, abs=6 * math.sqrt(v / 4000))
        assert sample[:, i].var().item() == pytest.approx(v, rel=0.2)


TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "exp": lambda d: d.ExpTransform(),
    "power": lambda d: d.PowerTransform(2.5),
    "sigmoid": lambda d: d.SigmoidTransform(),
    "softplus": lambda d: d.SoftplusTransform(),
    "tanh": lambda d: d.TanhTransform(),
    "affine": lambda d: d.AffineTransform(0.5, -2.0),
    "composed": lambda d: d.ComposeTransform([d.AffineTransform(0.5, 2.0), d.ExpTransform()]),
    "independent": lambda d: d.IndependentTransform(d.ExpTransform(), 1),
    "reshape": lambda d: d.ReshapeTransform((3,), (3, 1)),
    "sticks": lambda d: d.StickBreakingTransform(),
    "inverse": lambda d: d.ExpTransform().inv,
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_are_pytorchs(name: str) -> None:
    def program(torch: Any) -> Any:
        transform = TRANSFORMS[name](torch.distributions)
        x = torch.tensor([[0.3, 0.9, 1.7]], dtype=torch.float64)
        y = transform(x)
        back = transform.inv(y)
        return (
            y,
            back,
            transform.log_abs_det_jacobian(x, y),
            tuple(transform.forward_shape(x.shape)),
        )

    both(program)
