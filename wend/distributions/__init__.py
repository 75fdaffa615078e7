"""Distributions: drawing from them, densities, entropies, divergences, with gradients."""

from wend.distributions import constraints, transforms
from wend.distributions.bernoulli import Bernoulli
from wend.distributions.beta import Beta
from wend.distributions.binomial import Binomial
from wend.distributions.categorical import Categorical
from wend.distributions.cauchy import Cauchy
from wend.distributions.chi2 import Chi2
from wend.distributions.constraint_registry import biject_to, transform_to
from wend.distributions.continuous_bernoulli import ContinuousBernoulli
from wend.distributions.dirichlet import Dirichlet
from wend.distributions.distribution import Distribution
from wend.distributions.exp_family import ExponentialFamily
from wend.distributions.exponential import Exponential
from wend.distributions.fishersnedecor import FisherSnedecor
from wend.distributions.gamma import Gamma
from wend.distributions.generalized_pareto import GeneralizedPareto
from wend.distributions.geometric import Geometric
from wend.distributions.gumbel import Gumbel
from wend.distributions.half_cauchy import HalfCauchy
from wend.distributions.half_normal import HalfNormal
from wend.distributions.independent import Independent
from wend.distributions.inverse_gamma import InverseGamma
from wend.distributions.kl import kl_divergence, register_kl
from wend.distributions.kumaraswamy import Kumaraswamy
from wend.distributions.laplace import Laplace
from wend.distributions.lkj_cholesky import LKJCholesky
from wend.distributions.log_normal import LogNormal
from wend.distributions.logistic_normal import LogisticNormal
from wend.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from wend.distributions.mixture_same_family import MixtureSameFamily
from wend.distributions.multinomial import Multinomial
from wend.distributions.multivariate_normal import MultivariateNormal
from wend.distributions.negative_binomial import NegativeBinomial
from wend.distributions.normal import Normal
from wend.distributions.one_hot_categorical import (
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from wend.distributions.pareto import Pareto
from wend.distributions.poisson import Poisson
from wend.distributions.relaxed_bernoulli import RelaxedBernoulli
from wend.distributions.relaxed_categorical import RelaxedOneHotCategorical
from wend.distributions.studentT import StudentT
from wend.distributions.transformed_distribution import TransformedDistribution
from wend.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)
from wend.distributions.uniform import Uniform
from wend.distributions.von_mises import VonMises
from wend.distributions.weibull import Weibull
from wend.distributions.wishart import Wishart

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "constraints",
    "identity_transform",
    "kl_divergence",
    "register_kl",
    "transform_to",
    "transforms",
]
