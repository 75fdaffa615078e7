"""autograd.functional: values, nesting, requires_grad and errors are PyTorch's.

The gradients of single ops are checked by the table test, not here.
"""

import doctest
from collections.abc import Callable
from typing import Any

import pytest
from both import both, both_raise, part, wend

FUNCTIONAL = "autograd.functional"
# PyTorch's own forward mode warns of a part of PyTorch.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")


def x(torch: Any, **kw: Any) -> Any:
    return torch.tensor([[0.3, -1.2, 0.7], [1.5, 0.2, -0.4]], dtype=torch.float64, **kw)


def y(torch: Any, **kw: Any) -> Any:
    return torch.tensor([0.9, -0.6, 1.1], dtype=torch.float64, **kw)


# Each takes the package and returns a function of x, or of x and y.
ONE_INPUT: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "exp": lambda torch: lambda x: x.exp(),
    "square of sum": lambda torch: lambda x: x.sum() ** 2,
    "row sums": lambda torch: lambda x: x.exp().sum(dim=1),
    "product with transpose": lambda torch: lambda x: x @ x.t(),
    "softmax": lambda torch: lambda x: torch.softmax(x, dim=-1),
    "identity": lambda torch: lambda x: x,
    "linear": lambda torch: lambda x: 3 * x + 1,
    "slice": lambda torch: lambda x: x[:, 1:].sin(),
    "branch on the value": lambda torch: lambda x: x.tanh() if x.sum() > 0 else x.cos(),
    "two outputs": lambda torch: lambda x: (x.sin(), x.prod()),
    "tuple of one": lambda torch: lambda x: (x.sigmoid(),),
    "constant output": lambda torch: lambda x: torch.ones(2, dtype=torch.float64),
    "a constant among outputs": lambda torch: lambda x: (x.exp(), torch.ones(2).double()),
    "stack of elements": lambda torch: lambda x: torch.stack([x[0, 0] * x[1, 2], x[0, 1] ** 3]),
}
TWO_INPUTS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "broadcast product": lambda torch: lambda x, y: x * y,
    "matrix times vector": lambda torch: lambda x, y: x @ y,
    "two outputs of two": lambda torch: lambda x, y: (x.sin() * y, (y**3).sum()),
    "second unused": lambda torch: lambda x, y: x * x,
    "quadratic": lambda torch: lambda x, y: (2 * x**2 + 3 * y**2).sum(),
}
SCALAR: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "cubes": lambda torch: lambda x: (x**3).sum(),
    "logsumexp": lambda torch: lambda x: torch.logsumexp(x.reshape(-1), dim=0),
    "product": lambda torch: lambda x: x.prod(),
    "one element of a matrix": lambda torch: lambda x: (x @ x.t())[:1, :1],
    "linear": lambda torch: lambda x: 2 * x.sum(),
    "constant": lambda torch: lambda x: torch.tensor(1.0, dtype=torch.float64),
    "norm": lambda torch: lambda x: (x * x).sum().sqrt(),
    "a loop": lambda torch: lambda x: sum((x[0] * k).sin().sum() for k in range(1, 4)),
    "a mean of softplus": lambda torch: lambda x: torch.log1p(x.exp()).mean(),
    "trace of cube": lambda torch: lambda x: (x @ x.t() @ x @ x.t()).diagonal().sum(),
}
SCALAR_OF_TWO: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "quadratic": lambda torch: lambda x, y: (2 * x**2 + 3 * y**2).sum(),
    "bilinear": lambda torch: lambda x, y: (x @ y).sum(),
    "first unused": lambda torch: lambda x, y: y.exp().sum(),
}


def cases(table: dict[str, Any]) -> Any:
    return pytest.mark.parametrize("make", table.values(), ids=table.keys())


def like(torch: Any, value: Any) -> Any:
    """A fixed vector for every output."""
    if isinstance(value, tuple):
        return tuple(like(torch, member) for member in value)
    n = value.numel()
    return torch.linspace(-1, 2, n, dtype=value.dtype).reshape(value.shape)


def plain(result: Any) -> Any:
    """As documented; PyTorch's forward mode also returns lists, and history nobody asked for."""
    if isinstance(result, (list, tuple)):
        return tuple(plain(member) for member in result)
    return result.detach()


@cases(ONE_INPUT)
def test_vjp(make: Any) -> None:
    both(lambda t, f: f.vjp(make(t), x(t), like(t, make(t)(x(t)))), FUNCTIONAL)


@cases(TWO_INPUTS)
def test_vjp_of_two_inputs(make: Any) -> None:
    both(
        lambda t, f: f.vjp(make(t), (x(t), y(t)), like(t, make(t)(x(t), y(t)))),
        FUNCTIONAL,
    )


@cases(ONE_INPUT)
def test_jvp(make: Any) -> None:
    both(lambda t, f: f.jvp(make(t), x(t), like(t, x(t))), FUNCTIONAL)


@cases(TWO_INPUTS)
def test_jvp_of_two_inputs(make: Any) -> None:
    both(lambda t, f: f.jvp(make(t), (x(t), y(t)), like(t, (x(t), y(t)))), FUNCTIONAL)


@cases(ONE_INPUT)
def test_jacobian(make: Any) -> None:
    both(lambda t, f: f.jacobian(make(t), x(t)), FUNCTIONAL)


@cases(TWO_INPUTS)
def test_jacobian_of_two_inputs(make: Any) -> None:
    both(lambda t, f: f.jacobian(make(t), (x(t), y(t))), FUNCTIONAL)


@cases({name: f for name, f in ONE_INPUT.items() if "value" not in name})
def test_vectorized_jacobian(make: Any) -> None:
    both(lambda t, f: f.jacobian(make(t), x(t), vectorize=True), FUNCTIONAL)


@cases({name: f for name, f in ONE_INPUT.items() if "value" not in name})
def test_forward_mode_jacobian(make: Any) -> None:
    both(
        lambda t, f: f.jacobian(make(t), x(t), vectorize=True, strategy="forward-mode"),
        FUNCTIONAL,
    )


@cases(TWO_INPUTS)
def test_forward_mode_jacobian_of_two_inputs(make: Any) -> None:
    both(
        lambda t, f: plain(
            f.jacobian(make(t), (x(t), y(t)), vectorize=True, strategy="forward-mode")
        ),
        FUNCTIONAL,
    )


@cases(SCALAR)
def test_hessian(make: Any) -> None:
    both(lambda t, f: f.hessian(make(t), x(t)), FUNCTIONAL)


@cases(SCALAR_OF_TWO)
def test_hessian_of_two_inputs(make: Any) -> None:
    both(lambda t, f: f.hessian(make(t), (x(t), y(t))), FUNCTIONAL)


@cases({name: f for name, f in SCALAR.items() if name != "constant"})
def test_forward_over_reverse_hessian(make: Any) -> None:
    both(
        lambda t, f: plain(
            f.hessian(make(t), x(t), vectorize=True, outer_jacobian_strategy="forward-mode")
        ),
        FUNCTIONAL,
    )


@pytest.mark.parametrize("product", ["vhp", "hvp"])
@cases(SCALAR)
def test_hessian_products(make: Any, product: str) -> None:
    both(lambda t, f: getattr(f, product)(make(t), x(t), like(t, x(t))), FUNCTIONAL)


@pytest.mark.parametrize("product", ["vhp", "hvp"])
@cases(SCALAR_OF_TWO)
def test_hessian_products_of_two_inputs(make: Any, product: str) -> None:
    both(
        lambda t, f: getattr(f, product)(make(t), (x(t), y(t)), like(t, (x(t), y(t)))),
        FUNCTIONAL,
    )


@pytest.mark.parametrize("product", ["vjp", "jvp", "vhp", "hvp"])
def test_the_vector_of_a_single_number_may_be_left_out(product: str) -> None:
    def program(torch: Any, f: Any) -> Any:
        return getattr(f, product)(lambda x: x**3, torch.tensor([2.0]))

    both(program, FUNCTIONAL)


@pytest.mark.parametrize("product", ["vjp", "jvp", "vhp", "hvp"])
def test_with_create_graph_the_product_can_be_differentiated(product: str) -> None:
    def program(torch: Any, f: Any) -> Any:
        at, v = x(torch, requires_grad=True), like(torch, x(torch)).requires_grad_()
        seed = v.sum() if product == "vjp" else v
        value, result = getattr(f, product)(lambda x: (x**4).sum(), at, seed, create_graph=True)
        return value, result, torch.autograd.grad((result * result).sum(), (at, v))

    both(program, FUNCTIONAL)


@pytest.mark.parametrize("derivative", ["jacobian", "hessian"])
def test_with_create_graph_the_matrix_can_be_differentiated(derivative: str) -> None:
    def program(torch: Any, f: Any) -> Any:
        at = x(torch, requires_grad=True)
        matrix = getattr(f, derivative)(lambda x: (x**4).sum(), at, create_graph=True)
        return matrix, torch.autograd.grad(matrix.sum(), at)

    both(program, FUNCTIONAL)


def test_forward_mode_needs_no_vectorize_and_can_be_differentiated() -> None:
    jacobian = part(FUNCTIONAL).jacobian
    at = x(wend, requires_grad=True)
    matrices = [
        jacobian(lambda x: x.exp().sum(0) * x[0], at, create_graph=True, strategy=strategy)
        for strategy in ("forward-mode", "reverse-mode")
    ]
    gradients = [wend.autograd.grad((m * m).sum(), at)[0] for m in matrices]
    assert wend.allclose(matrices[0], matrices[1])
    assert wend.allclose(gradients[0], gradients[1])


@pytest.mark.parametrize("strategy", ["forward-mode", "reverse-mode"])
def test_the_jacobian_of_nothing_is_empty(strategy: str) -> None:
    jacobian = part(FUNCTIONAL).jacobian
    of_no_output = jacobian(lambda x: x[:0], wend.ones(3), strategy=strategy)
    of_no_input = jacobian(lambda x: x.sum(), wend.ones(0, 2), strategy=strategy)
    assert (tuple(of_no_output.shape), tuple(of_no_input.shape)) == ((0, 3), (0, 2))


def test_the_inputs_keep_their_identity_and_gain_no_history() -> None:
    def program(torch: Any, f: Any) -> Any:
        at = x(torch)
        f.jacobian(lambda x: x.exp(), at)
        f.hvp(lambda x: x.exp().sum(), at, at)
        return at.requires_grad, at.grad, at

    both(program, FUNCTIONAL)


def test_a_use_of_the_input_by_closure_does_not_count() -> None:
    def program(torch: Any, f: Any) -> Any:
        at = x(torch, requires_grad=True)
        return f.jacobian(lambda x: (x * at).sum(), at), at.grad

    both(program, FUNCTIONAL)


def test_they_work_under_no_grad() -> None:
    def program(torch: Any, f: Any) -> Any:
        at = x(torch)
        with torch.no_grad():
            return (
                f.jacobian(lambda x: x.exp().sum(), at),
                f.hessian(lambda x: x.exp().sum(), at),
                f.jvp(lambda x: x.exp(), at, at),
                f.vhp(lambda x: x.exp().sum(), at, at, create_graph=True),
                torch.is_grad_enabled(),
            )

    both(program, FUNCTIONAL)


# What each refuses, with the exception that PyTorch raises.
ERRORS: dict[str, tuple[type[Exception], Callable[[Any, Any], Any]]] = {
    "inputs in a list": (TypeError, lambda t, f: f.vjp(t.exp, [x(t)])),
    "a number among the inputs": (TypeError, lambda t, f: f.jacobian(t.exp, (x(t), 2))),
    "a number as output": (TypeError, lambda t, f: f.jacobian(lambda x: 3.0, x(t))),
    "a list as v": (TypeError, lambda t, f: f.jvp(t.exp, x(t), [x(t)])),
    "no v for many outputs": (RuntimeError, lambda t, f: f.vjp(t.exp, x(t))),
    "no v for many inputs": (RuntimeError, lambda t, f: f.jvp(t.sum, x(t))),
    "no v for vhp": (RuntimeError, lambda t, f: f.vhp(t.sum, x(t))),
    "v of the wrong size": (RuntimeError, lambda t, f: f.vjp(t.exp, x(t), y(t))),
    "entry of v of the wrong size": (
        RuntimeError,
        lambda t, f: f.jvp(t.mul, (x(t), y(t)), (x(t), x(t))),
    ),
    "v of the wrong length": (RuntimeError, lambda t, f: f.jvp(t.mul, (x(t), y(t)), x(t))),
    "a tuple as v for one tensor": (RuntimeError, lambda t, f: f.jvp(t.exp, x(t), (x(t), y(t)))),
    "unknown strategy": (AssertionError, lambda t, f: f.jacobian(t.exp, x(t), strategy="sideways")),
    "unknown outer strategy": (
        AssertionError,
        lambda t, f: f.hessian(t.sum, x(t), outer_jacobian_strategy="sideways"),
    ),
    "strict and vectorized": (
        RuntimeError,
        lambda t, f: f.jacobian(t.exp, x(t), strict=True, vectorize=True),
    ),
    "strict and forward": (
        RuntimeError,
        lambda t, f: f.jacobian(t.exp, x(t), strict=True, strategy="forward-mode"),
    ),
    "hessian of a tuple": (RuntimeError, lambda t, f: f.hessian(lambda x: (x.sum(),), x(t))),
    "hessian of a vector": (RuntimeError, lambda t, f: f.hessian(t.exp, x(t))),
    "hvp of a tuple": (RuntimeError, lambda t, f: f.hvp(lambda x: (x.sum(),), x(t), x(t))),
    "vhp of a vector": (RuntimeError, lambda t, f: f.vhp(t.exp, x(t), x(t))),
}


@pytest.mark.parametrize(("error", "program"), ERRORS.values(), ids=ERRORS.keys())
def test_bad_arguments_are_refused(error: type[Exception], program: Any) -> None:
    both_raise(program, error, FUNCTIONAL)


STRICT: dict[str, Callable[[Any, Any], Any]] = {
    "vjp, constant output": lambda t, f: f.vjp(lambda x: y(t), x(t), y(t), strict=True),
    "vjp, unused input": lambda t, f: f.vjp(
        lambda x, y: x.sum(), (x(t), y(t)), t.tensor(1.0), strict=True
    ),
    "vjp, constant jacobian": lambda t, f: f.vjp(
        lambda x: 2 * x.sum(), x(t), t.tensor(1.0).double(), create_graph=True, strict=True
    ),
    "jvp, constant output": lambda t, f: f.jvp(lambda x: y(t), x(t), x(t), strict=True),
    "jvp, unused input": lambda t, f: f.jvp(
        lambda x, y: x.exp(), (x(t), y(t)), (x(t), y(t)), strict=True
    ),
    "jvp, constant jacobian": lambda t, f: f.jvp(
        lambda x: 2 * x, x(t), x(t), create_graph=True, strict=True
    ),
    "jacobian, constant output": lambda t, f: f.jacobian(
        lambda x: (x.exp(), y(t)), x(t), strict=True
    ),
    "jacobian, unused input": lambda t, f: f.jacobian(
        lambda x, y: (x * y, x.exp()), (x(t), y(t)), strict=True
    ),
    "jacobian, itself constant": lambda t, f: f.jacobian(
        lambda x: (x.exp(), 2 * x), x(t), create_graph=True, strict=True
    ),
    "hessian, constant output": lambda t, f: f.hessian(lambda x: y(t).sum(), x(t), strict=True),
    "hessian, linear": lambda t, f: f.hessian(lambda x: 2 * x.sum(), x(t), strict=True),
    "hessian, unused input": lambda t, f: f.hessian(
        lambda x, y: (x**3).sum(), (x(t), y(t)), strict=True
    ),
    "hessian, separable": lambda t, f: f.hessian(
        lambda x, y: (x**3).sum() + (y**3).sum(), (x(t), y(t)), strict=True
    ),
    "hessian, itself constant": lambda t, f: f.hessian(
        lambda x: (x * x).sum(), x(t), create_graph=True, strict=True
    ),
    "vhp, linear": lambda t, f: f.vhp(lambda x: 2 * x.sum(), x(t), x(t), strict=True),
    "vhp, unused input": lambda t, f: f.vhp(
        lambda x, y: (x**3).sum(), (x(t), y(t)), (x(t), y(t)), strict=True
    ),
    "vhp, constant hessian": lambda t, f: f.vhp(
        lambda x: (x * x).sum(), x(t), x(t), create_graph=True, strict=True
    ),
    "hvp, linear": lambda t, f: f.hvp(lambda x: 2 * x.sum(), x(t), x(t), strict=True),
    "hvp, constant hessian": lambda t, f: f.hvp(
        lambda x: (x * x).sum(), x(t), x(t), create_graph=True, strict=True
    ),
    "hvp, constant output": lambda t, f: f.hvp(lambda x: y(t).sum(), x(t), x(t), strict=True),
}


@pytest.mark.parametrize("program", STRICT.values(), ids=STRICT.keys())
def test_strict_mode_refuses_what_does_not_depend_on_the_input(program: Any) -> None:
    both_raise(program, RuntimeError, FUNCTIONAL)


@pytest.mark.parametrize("derivative", ["vjp", "jvp", "vhp", "hvp"])
def test_strict_mode_lets_pass_what_does(derivative: str) -> None:
    def program(torch: Any, f: Any) -> Any:
        v = torch.tensor(2.0).double() if derivative == "vjp" else x(torch)
        return getattr(f, derivative)(lambda x: (x**4).sum(), x(torch), v, True, True)

    both(program, FUNCTIONAL)


def test_the_examples_in_the_docstrings_are_true() -> None:
    failed, tried = doctest.testmod(part(FUNCTIONAL))
    assert (failed, tried > 0) == (0, True)
