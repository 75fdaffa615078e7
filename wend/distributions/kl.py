"""How far one distribution is from another, Kullback and Leibler's divergence, by their types."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import wend
from wend import Tensor
from wend.distributions._triangular import solve_lower
from wend.distributions.bernoulli import Bernoulli
from wend.distributions.beta import Beta
from wend.distributions.binomial import Binomial
from wend.distributions.categorical import Categorical
from wend.distributions.cauchy import Cauchy
from wend.distributions.dirichlet import Dirichlet
from wend.distributions.distribution import Distribution
from wend.distributions.exponential import Exponential
from wend.distributions.gamma import Gamma
from wend.distributions.geometric import Geometric
from wend.distributions.gumbel import Gumbel
from wend.distributions.half_normal import HalfNormal
from wend.distributions.independent import Independent
from wend.distributions.laplace import Laplace
from wend.distributions.log_normal import LogNormal
from wend.distributions.multivariate_normal import MultivariateNormal
from wend.distributions.normal import Normal
from wend.distributions.one_hot_categorical import OneHotCategorical
from wend.distributions.pareto import Pareto
from wend.distributions.poisson import Poisson
from wend.distributions.transformed_distribution import TransformedDistribution
from wend.distributions.uniform import Uniform
from wend.distributions.utils import euler_constant, log_sigmoid, sum_rightmost

__all__ = ["kl_divergence", "register_kl"]

Rule = Callable[[Any, Any], Tensor]
_rules: dict[tuple[type, type], Rule] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Rule], Rule]:
    """Make a function the rule for a pair of types of distributions; a decorator."""
    if not isinstance(type_p, type):
        raise TypeError(f"Expected type_p to be a Distribution subclass but got {type_p}")
    if not isinstance(type_q, type):
        raise TypeError(f"Expected type_q to be a Distribution subclass but got {type_q}")

    def register(rule: Rule) -> Rule:
        _rules[type_p, type_q] = rule
        return rule

    return register


def _rule_for(type_p: type, type_q: type) -> Rule | None:
    """The rule of the closest pair of types, by what both are derived from."""
    found: tuple[tuple[int, int], Rule] | None = None
    for (p, q), rule in _rules.items():
        if issubclass(type_p, p) and issubclass(type_q, q):
            distance = type_p.__mro__.index(p), type_q.__mro__.index(q)
            if found is None or distance < found[0]:
                found = distance, rule
    return found[1] if found else None


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return the mean of `p.log_prob(x) - q.log_prob(x)` over what p draws.

    >>> d = wend.distributions
    >>> d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0))
    tensor(0.5000)
    """
    rule = _rule_for(type(p), type(q))
    if rule is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type "
            f"{q.__class__.__name__}"
        )
    return rule(p, q)


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, gap = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + gap / q.scale + ratio * (-gap / p.scale).exp() - 1


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    wide = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return (wide / (4 * p.scale * q.scale)).log()


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return wend.where((q.low > p.low) | (q.high < p.high), math.inf, result)


@register_kl(Uniform, Normal)
def _uniform_normal(p: Uniform, q: Normal) -> Tensor:
    width = p.high - p.low
    likely = (math.sqrt(2 * math.pi) * q.scale / width).log()
    spread = width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return likely + 0.5 * spread / q.scale.pow(2)


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    a, b = p.concentration, q.concentration
    rate = b * (p.rate / q.rate).log() + a * (q.rate / p.rate - 1)
    return rate + wend.lgamma(b) - wend.lgamma(a) + (a - b) * wend.digamma(a)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Exponential, q: Gamma) -> Tensor:
    ratio, b = q.rate / p.rate, q.concentration
    return -b * ratio.log() + ratio + wend.lgamma(b) + b * euler_constant - (1 + euler_constant)


@register_kl(Gamma, Exponential)
def _gamma_exponential(p: Gamma, q: Exponential) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    ratio, mine, other = p.scale / q.scale, p.loc / q.scale, q.loc / q.scale
    moved = (other + wend.lgamma(1 + ratio) - mine).exp()
    return -ratio.log() - other + mine + ratio * euler_constant + moved - (1 + euler_constant)


@register_kl(Pareto, Pareto)
def _pareto(p: Pareto, q: Pareto) -> Tensor:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return wend.where(p.scale < q.scale, math.inf, result)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    a, b = p.concentration, q.concentration
    whole, other = a.sum(-1), b.sum(-1)
    norms = wend.lgamma(whole) - wend.lgamma(other) - (wend.lgamma(a) - wend.lgamma(b)).sum(-1)
    logs = wend.digamma(a) - wend.digamma(whole).unsqueeze(-1)
    return norms + ((a - b) * logs).sum(-1)


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    return _dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    yes = p.probs * (log_sigmoid(p.logits) - log_sigmoid(q.logits))
    yes = wend.where(p.probs == 0, 0.0, wend.where(q.probs == 0, math.inf, yes))
    no = (1 - p.probs) * (log_sigmoid(-p.logits) - log_sigmoid(-q.logits))
    no = wend.where(p.probs == 1, 0.0, wend.where(q.probs == 1, math.inf, no))
    return yes + no


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    t = p.probs * (p.logits - q.logits)
    t = wend.where(q.probs == 0, math.inf, t)
    return wend.where(p.probs == 0, 0.0, t).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Tensor:
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return wend.where(p.total_count > q.total_count, math.inf, kl)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    mine, other = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    logs = [root.diagonal(dim1=-2, dim2=-1).log().sum(-1) for root in (other, mine)]
    spread = solve_lower(other, mine).pow(2).sum((-2, -1))
    gap = solve_lower(other, (q.loc - p.loc).unsqueeze(-1)).squeeze(-1).pow(2).sum(-1)
    return logs[0] - logs[1] + 0.5 * (spread + gap - p.loc.size(-1))


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    result: Tensor = sum_rightmost(
        kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims
    )
    return result


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


register_kl(LogNormal, LogNormal)(_transformed)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _normal(p.base_dist, q.base_dist)
