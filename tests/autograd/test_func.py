"""wend.func gives PyTorch's gradients, Jacobians and mapped functions, nested in any way."""

from collections.abc import Callable
from typing import Any

import pytest
from both import compare, error_of, torch, wend

Case = Callable[[Any, Any], Any]


def x(T: Any) -> Any:
    return T.tensor([0.5, -1.5, 2.0])


def cube(x: Any) -> Any:
    return (x**3).sum()


CASES: dict[str, Case] = {
    "gradient": lambda T, f: f.grad(cube)(x(T)),
    "gradient of gradient": lambda T, f: f.grad(lambda a: f.grad(cube)(a).sum())(x(T)),
    "value too": lambda T, f: f.grad_and_value(cube)(x(T)),
    "by two arguments": lambda T, f: f.grad(lambda a, b: (a * b.exp()).sum(), (0, 1))(x(T), x(T)),
    "by a dict": lambda T, f: f.grad(lambda d: cube(d["w"]))({"w": x(T), "unused": x(T)}),
    "with more": lambda T, f: f.grad(lambda a: (cube(a), {"more": a * 2}), has_aux=True)(x(T)),
    "of what requires grad": lambda T, f: f.grad(cube)(x(T).requires_grad_()),
    "of a closure that does": lambda T, f: closure(T, f),
    "under no_grad": lambda T, f: without_grad(T, f),
    "rows": lambda T, f: f.jacrev(lambda a: a.outer(a).sin())(x(T)),
    "columns": lambda T, f: f.jacfwd(lambda a, b: (a * b, a.sum()), (0, 1))(x(T), x(T) + 1),
    "second": lambda T, f: f.hessian(lambda a: cube(a) * a.sum())(x(T)),
    "second by two": lambda T, f: f.hessian(lambda a, b: (a * a * b).sum(), (0, 1))(x(T), x(T)),
    "vector product": lambda T, f: f.vjp(lambda a, b: (a * b, a + b), x(T), x(T))[1](
        (x(T), x(T) * 2)
    ),
    "product with a vector": lambda T, f: f.jvp(lambda a: a.sin(), (x(T),), (x(T) * 2,)),
    "mapped": lambda T, f: f.vmap(lambda a, b: a.dot(b))(T.eye(3) + 1, T.eye(3)),
    "mapped along": lambda T, f: f.vmap(lambda a, b: a * b, (1, None), 1)(T.eye(3) + 1, x(T)),
    "mapped dicts": lambda T, f: f.vmap(lambda d: {"a": d["x"] * d["y"]}, ({"x": 0, "y": None},))(
        {"x": T.eye(3), "y": x(T)}
    ),
    "mapped twice": lambda T, f: f.vmap(f.vmap(lambda a: a * a))(T.eye(3) + 1),
    "gradient of each": lambda T, f: f.vmap(f.grad(cube))(T.eye(3) + 1),
    "Jacobian of mapped": lambda T, f: f.jacrev(f.vmap(lambda a: a.sin()))(x(T)),
}
WRONG: dict[str, Case] = {
    "not one number": lambda T, f: f.grad(lambda a: a * 2)(x(T)),
    "no tensor": lambda T, f: f.grad(lambda a: 2.0)(x(T)),
    "no such argument": lambda T, f: f.grad(cube, 1)(x(T)),
    "argument no tensor": lambda T, f: f.grad(cube)(3.0),
    "no more": lambda T, f: f.grad(cube, has_aux=True)(x(T)),
    "primals alone": lambda T, f: f.jvp(cube, x(T), x(T)),
    "another shape": lambda T, f: f.vjp(lambda a: a * 2, x(T))[1](T.ones(2)),
    "sizes differ": lambda T, f: f.vmap(lambda a, b: a)(x(T), T.ones(2)),
    "no dimension": lambda T, f: f.vmap(lambda a: a)(T.tensor(1.0)),
    "out of range": lambda T, f: f.vmap(lambda a: a, 5)(x(T)),
    "no slices": lambda T, f: f.vmap(lambda a: a)(3),
    "nothing mapped": lambda T, f: f.vmap(lambda a, b: a, (None, None))(x(T), x(T)),
    "no dimensions": lambda T, f: f.vmap(lambda a: a, None)(x(T)),
    "no arguments": lambda T, f: f.vmap(lambda: 1)(),
    "result no tensor": lambda T, f: f.vmap(lambda a: 1)(x(T)),
    "random": lambda T, f: f.vmap(lambda a: a + T.randn(1))(x(T)),
    "way of chance": lambda T, f: f.vmap(lambda a: a, randomness="often")(x(T)),
}


def closure(T: Any, f: Any) -> Any:
    w = x(T).requires_grad_()
    f.grad(lambda a: (a * w.exp()).sum())(x(T)).sum().backward()
    return w.grad


def without_grad(T: Any, f: Any) -> Any:
    with T.no_grad():
        return f.grad(cube)(x(T).requires_grad_())


# PyTorch warns of its own forward mode.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_pytorch(name: str) -> None:
    theirs, ours = (CASES[name](T, T.func) for T in (torch, wend))
    compare(theirs, ours)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls_are_refused_as_pytorch_refuses_them(name: str) -> None:
    theirs, ours = (error_of(lambda T=T: WRONG[name](T, T.func)) for T in (torch, wend))
    assert ours == theirs


def test_random_numbers_are_the_same_or_different_as_asked() -> None:
    same = wend.vmap(lambda a: a + wend.rand(1), randomness="same")(wend.zeros(3))
    different = wend.vmap(lambda a: a + wend.rand(1), randomness="different")(wend.zeros(3))
    assert len(set(same.flatten().tolist())) == 1
    assert len(set(different.flatten().tolist())) == 3


def test_an_ensemble_is_called_at_once() -> None:
    models = [wend.nn.Linear(2, 3) for _ in range(4)]
    parameters, buffers = wend.func.stack_module_state(models)

    def call(parameters: Any, buffers: Any, x: Any) -> Any:
        return wend.func.functional_call(models[0], (parameters, buffers), (x,))

    inputs = wend.randn(5, 2)
    together = wend.vmap(call, in_dims=(0, 0, None))(parameters, buffers, inputs)
    alone = wend.stack([model(inputs) for model in models])
    assert wend.allclose(together, alone)


def test_calls_of_a_mapped_function_run_as_batches() -> None:
    weight = wend.randn(8, 8)
    with wend.report() as report:
        wend.vmap(lambda a: (weight @ a).tanh().sum())(wend.randn(64, 8)).tolist()
    assert report.kernels < 20


def linearized(T: Any) -> Any:
    def f(a: Any, b: Any) -> Any:
        return {"product": (a * b).sin(), "sum": (a + b * b).sum()}

    value, product = T.func.linearize(f, x(T), x(T) + 1)
    found = [product(T.ones(3), T.zeros(3)), product(x(T), x(T) * 2), product(x(T), x(T) * 2)]
    errors = [
        error_of(lambda: product(T.ones(2), T.ones(3))),
        error_of(lambda: product(T.ones(3), T.ones(3).double())),
        error_of(lambda: product(T.ones(3)))[:30],
    ]
    return value, found, errors


# PyTorch warns of its own graph.
@pytest.mark.filterwarnings("ignore:Attempted to insert")
def test_a_function_is_made_linear_at_a_point() -> None:
    compare(linearized(torch), linearized(wend))


def test_batch_norms_lose_their_statistics() -> None:
    def program(T: Any) -> Any:
        model = T.nn.Sequential(T.nn.BatchNorm1d(3), T.nn.Sequential(T.nn.BatchNorm1d(3)))
        same = T.func.replace_all_batch_norm_modules_(model) is model
        seen = [[n.running_mean, n.track_running_stats] for n in (model[0], model[1][0])]
        data = T.arange(6.0).reshape(2, 3)
        before = model.eval()(data)
        return same, seen, sorted(model.state_dict()), before, model.train()(data)

    compare(program(torch), program(wend))


def test_functions_without_mutations() -> None:
    def program(T: Any) -> Any:
        def f(a: Any) -> Any:
            b = a.clone()
            b[0] = 5
            return b.add_(1)

        return T.func.functionalize(f)(x(T)), error_of(lambda: T.func.functionalize(f, remove="x"))

    compare(program(torch), program(wend))
