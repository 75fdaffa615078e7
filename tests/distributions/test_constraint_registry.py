"""Transforms to where values may lie: against PyTorch for every constraint."""

from collections.abc import Callable
from typing import Any

import pytest
from both import both, both_raise, error_of

# A constraint, and the shape of the real numbers that are transformed to it.
CASES: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "real": (lambda c: c.real, (2, 3)),
    "real_vector": (lambda c: c.real_vector, (2, 3)),
    "positive": (lambda c: c.positive, (3,)),
    "nonnegative": (lambda c: c.nonnegative, (3,)),
    "greater_than": (lambda c: c.greater_than(-2.0), (3,)),
    "greater_than_eq": (lambda c: c.greater_than_eq(1.5), (3,)),
    "less_than": (lambda c: c.less_than(2.0), (3,)),
    "unit_interval": (lambda c: c.unit_interval, (3,)),
    "interval": (lambda c: c.interval(-1.0, 3.0), (3,)),
    "half_open_interval": (lambda c: c.half_open_interval(0.0, 1.0), (3,)),
    "half_open_interval elsewhere": (lambda c: c.half_open_interval(-3, 1), (3,)),
    "simplex": (lambda c: c.simplex, (2, 4)),
    "corr_cholesky": (lambda c: c.corr_cholesky, (2, 6)),
    "lower_cholesky": (lambda c: c.lower_cholesky, (2, 3, 3)),
    "positive_definite": (lambda c: c.positive_definite, (2, 3, 3)),
    "positive_semidefinite": (lambda c: c.positive_semidefinite, (2, 3, 3)),
    "independent": (lambda c: c.independent(c.positive, 1), (2, 3)),
    "cat": (lambda c: c.cat([c.positive, c.real, c.less_than(0.5)], -1, [1, 2, 1]), (2, 4)),
    "cat of vectors": (lambda c: c.cat([c.positive, c.interval(0.0, 2.0)], 0, [1, 2]), (3, 2)),
    "stack": (lambda c: c.stack([c.positive, c.interval(-1.0, 2.0)], -1), (3, 2)),
    "boolean": (lambda c: c.boolean, (2,)),
    "dependent": (lambda c: c.dependent, (2,)),
    "integer_interval": (lambda c: c.integer_interval(0, 3), (2,)),
    "lower_triangular": (lambda c: c.lower_triangular, (2, 2)),
}


def transformed(T: Any, registry: str, name: str) -> Any:
    make, shape = CASES[name]
    constraint = make(T.distributions.constraints)
    find = getattr(T.distributions, registry)
    try:
        transform = find(constraint)
    except NotImplementedError as error:
        return str(error)
    size = 1
    for each in shape:
        size *= each
    x = ((T.arange(size, dtype=T.float64) * 0.37).sin() * 1.5).reshape(shape).requires_grad_()
    y = transform(x)
    (gradient,) = T.autograd.grad(y.pow(2).sum(), x)
    back = transform.inv(y)
    stretching: Any = None
    if transform.bijective:
        stretching = transform.log_abs_det_jacobian(x, y)
    shapes = [list(transform.forward_shape(x.shape)), list(transform.inverse_shape(y.shape))]
    inside = constraint.check(y.detach())
    return [
        y,
        gradient,
        back,
        stretching,
        shapes,
        inside,
        transform.bijective,
        type(transform).__name__,
    ]


@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
@pytest.mark.parametrize("name", CASES)
def test_transforms_lead_where_pytorchs_do(registry: str, name: str) -> None:
    both(lambda T: transformed(T, registry, name))


def test_a_new_kind_of_region_can_be_registered() -> None:
    def program(T: Any) -> Any:
        D = T.distributions

        class Odd(D.constraints.Constraint):  # type: ignore[misc,name-defined]
            pass

        @D.transform_to.register(Odd)
        def to_odd(constraint: Any) -> Any:
            return D.AffineTransform(1.0, 2.0)

        registry = D.constraint_registry.ConstraintRegistry()
        registry.register(Odd(), lambda constraint: D.ExpTransform())
        return D.transform_to(Odd())(T.ones(1)), registry(Odd())(T.ones(1))

    both(program)


def test_what_is_no_region_is_refused() -> None:
    both_raise(lambda T: T.distributions.biject_to.register(3, lambda c: c), TypeError)
    both(
        lambda T: error_of(
            lambda: T.distributions.biject_to(T.distributions.constraints.simplex(1))
        )
    )


def test_cumulative_chances_are_a_transform() -> None:
    def program(T: Any) -> Any:
        made = T.distributions.CumulativeDistributionTransform(T.distributions.Normal(0.0, 2.0))
        x = T.linspace(-1, 1, 5, dtype=T.float64)
        y = made(x)
        return y, made.inv(y), made.log_abs_det_jacobian(x, y)

    both(program)


def test_exponential_families_are_marked() -> None:
    def program(T: Any) -> Any:
        D = T.distributions
        return [
            issubclass(getattr(D, name), D.ExponentialFamily)
            for name in sorted(D.__all__)
            if isinstance(getattr(D, name), type) and issubclass(getattr(D, name), D.Distribution)
        ]

    both(program)
