"""gradcheck and gradgradcheck pass and fail where PyTorch's do, with its exceptions.

Right functions must pass; wrong ones are made with autograd.Function, a kind of fault each.
"""

import doctest
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from both import both, both_raise, part, wend

GRADCHECK = "autograd.gradcheck"


def x(torch: Any) -> Any:
    return torch.tensor([[0.3, -1.2], [1.5, 0.2]], dtype=torch.float64, requires_grad=True)


def y(torch: Any) -> Any:
    return torch.tensor([0.9, -0.6], dtype=torch.float64, requires_grad=True)


RIGHT: dict[str, Callable[[Any], tuple[Callable[..., Any], tuple[Any, ...]]]] = {
    "exp": lambda t: (t.exp, (x(t),)),
    "product": lambda t: (lambda x, y: x * y, (x(t), y(t))),
    "matmul": lambda t: (lambda x, y: x @ y, (x(t), y(t))),
    "two outputs": lambda t: (lambda x, y: (x.sin() * y, (y**3).sum()), (x(t), y(t))),
    "softmax": lambda t: (lambda x: x.softmax(-1), (x(t),)),
    "a view": lambda t: (lambda x: x.t()[1] ** 2, (x(t),)),
    "a transposed leaf": lambda t: (t.sigmoid, (x(t).detach().t().requires_grad_(),)),
    "an input with history": lambda t: (t.sin, (x(t) * 2,)),
    "a number among the inputs": lambda t: (lambda x, p: (x * x) ** p, (x(t), 2)),
    "a constant among the inputs": lambda t: (lambda x, y: x * y.cos(), (x(t), y(t).detach())),
    "an unused input": lambda t: (lambda x, y: x**3, (x(t), y(t))),
    "an integer output": lambda t: (lambda x: (x**2, x.argmax()), (x(t),)),
    "the input itself": lambda t: (lambda x: x.view_as(x) * 1, (x(t),)),
    "no elements": lambda t: (lambda x: x[:0].exp(), (x(t),)),
    "a 0-d input": lambda t: (t.exp, (t.tensor(0.5, dtype=t.float64, requires_grad=True),)),
    "in-place on a copy": lambda t: (lambda x: x.clone().mul_(x).sin_(), (x(t),)),
}


right = pytest.mark.parametrize("make", RIGHT.values(), ids=RIGHT.keys())


@right
@pytest.mark.parametrize("fast_mode", [False, True], ids=["slow", "fast"])
def test_right_gradients_pass(make: Any, fast_mode: bool) -> None:
    both(lambda t, g: g.gradcheck(*make(t), fast_mode=fast_mode), GRADCHECK)


@right
@pytest.mark.parametrize("fast_mode", [False, True], ids=["slow", "fast"])
def test_right_second_gradients_pass(make: Any, fast_mode: bool) -> None:
    both(lambda t, g: g.gradgradcheck(*make(t), fast_mode=fast_mode), GRADCHECK)


def function(torch: Any, forward: Any, backward: Any) -> Any:
    """An autograd.Function of the two, applied."""

    class Faulty(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            ctx.save_for_backward(*args)
            return forward(*args)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return backward(*ctx.saved_tensors, *grads)

    return Faulty.apply


def twice_the_gradient(torch: Any) -> Any:
    return function(torch, lambda x: x * x, lambda x, g: 4 * x * g)


def wrong_for_the_second_input(torch: Any) -> Any:
    return function(torch, lambda a, b: a * b, lambda a, b, g: (g * b, 2 * g * a))


def ignores_the_output_gradient(torch: Any) -> Any:
    return function(torch, lambda x: x.sum(), lambda x, g: torch.ones_like(x))


def never_the_same(torch: Any) -> Any:
    calls = []

    def backward(x: Any, g: Any) -> Any:
        calls.append(0)
        return g * (2 + len(calls) * 1e-7)

    return function(torch, lambda x: 2 * x, backward)


def hides_its_dependence(torch: Any) -> Any:
    return lambda x: x.detach() * 2


def changes_shape(torch: Any) -> Any:
    return lambda x: x.reshape(-1)[: 2 if x[0, 0] > 0.3 else 3] * 1


def changes_dtype(torch: Any) -> Any:
    return lambda x: x * 1 if x[0, 0] > 0.3 else x.float()


WRONG: dict[str, tuple[type[Exception], Callable[[Any, Any], Any]]] = {
    "factor": (RuntimeError, lambda t, g: g.gradcheck(twice_the_gradient(t), x(t))),
    "factor, fast": (
        RuntimeError,
        lambda t, g: g.gradcheck(twice_the_gradient(t), x(t), fast_mode=True),
    ),
    "second input": (
        RuntimeError,
        lambda t, g: g.gradcheck(wrong_for_the_second_input(t), (y(t), y(t))),
    ),
    "second input, fast": (
        RuntimeError,
        lambda t, g: g.gradcheck(wrong_for_the_second_input(t), (y(t), y(t)), fast_mode=True),
    ),
    "second output": (
        RuntimeError,
        lambda t, g: g.gradcheck(lambda x: (x.exp(), twice_the_gradient(t)(x)), x(t)),
    ),
    "output gradient ignored": (
        RuntimeError,
        lambda t, g: g.gradcheck(ignores_the_output_gradient(t), x(t)),
    ),
    "not reentrant": (RuntimeError, lambda t, g: g.gradcheck(never_the_same(t), x(t))),
    "not reentrant, fast": (
        RuntimeError,
        lambda t, g: g.gradcheck(never_the_same(t), x(t), fast_mode=True),
    ),
    "hidden dependence": (
        RuntimeError,
        lambda t, g: g.gradcheck(hides_its_dependence(t), x(t)),
    ),
    "hidden dependence, fast": (
        RuntimeError,
        lambda t, g: g.gradcheck(hides_its_dependence(t), x(t), fast_mode=True),
    ),
    "shape": (AssertionError, lambda t, g: g.gradcheck(changes_shape(t), x(t))),
    "shape, fast": (
        AssertionError,
        lambda t, g: g.gradcheck(changes_shape(t), x(t), fast_mode=True),
    ),
    "dtype": (AssertionError, lambda t, g: g.gradcheck(changes_dtype(t), x(t))),
    "second gradient": (
        RuntimeError,
        lambda t, g: g.gradgradcheck(
            lambda x: function(t, t.exp, lambda x, g: g * x.exp().detach())(x), x(t)
        ),
    ),
    "nothing requires grad": (ValueError, lambda t, g: g.gradcheck(t.exp, x(t).detach())),
    "an expanded input": (
        RuntimeError,
        lambda t, g: g.gradcheck(t.exp, y(t).detach().expand(3, 2).requires_grad_()),
    ),
    "no kind of check": (
        AssertionError,
        lambda t, g: g.gradcheck(t.exp, x(t), check_backward_ad=False),
    ),
    "batched without backward": (
        AssertionError,
        lambda t, g: g.gradcheck(
            t.exp, x(t), check_backward_ad=False, check_forward_ad=True, check_batched_grad=True
        ),
    ),
    "batched forward without forward": (
        AssertionError,
        lambda t, g: g.gradcheck(t.exp, x(t), check_batched_forward_grad=True),
    ),
    "no kind of second check": (
        AssertionError,
        lambda t, g: g.gradgradcheck(t.exp, x(t), check_rev_over_rev=False),
    ),
    "undefined without reverse": (
        AssertionError,
        lambda t, g: g.gradgradcheck(
            t.exp, x(t), check_rev_over_rev=False, check_fwd_over_rev=True
        ),
    ),
}


@pytest.mark.parametrize(("error", "program"), WRONG.values(), ids=WRONG.keys())
def test_faults_are_found_and_named(error: type[Exception], program: Any) -> None:
    both_raise(program, error, GRADCHECK)


@pytest.mark.filterwarnings("ignore:Backwards compatibility")
def test_a_backward_that_cannot_take_an_undefined_gradient_is_found() -> None:
    def program(torch: Any, g: Any) -> Any:
        class Strict(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                ctx.set_materialize_grads(False)
                return x * 2

            @staticmethod
            def backward(ctx: Any, grad: Any) -> Any:
                if grad is None:
                    raise RuntimeError("no gradient")
                return grad * 2

        assert g.gradcheck(Strict.apply, x(torch), check_undefined_grad=False)
        return g.gradcheck(Strict.apply, x(torch))

    both_raise(program, RuntimeError, GRADCHECK)


@pytest.mark.filterwarnings("ignore:Backwards compatibility")
def test_a_backward_that_makes_a_gradient_of_nothing_is_found() -> None:
    def program(torch: Any, g: Any) -> Any:
        class Eager(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                ctx.set_materialize_grads(False)
                return x * 2

            @staticmethod
            def backward(ctx: Any, grad: Any) -> Any:
                return torch.ones(2, 2, dtype=torch.float64) if grad is None else grad * 2

        return g.gradcheck(Eager.apply, x(torch))

    both_raise(program, RuntimeError, GRADCHECK)


def test_without_raise_exception_a_fault_is_false() -> None:
    def program(torch: Any, g: Any) -> Any:
        quiet = {"raise_exception": False}
        return (
            g.gradcheck(twice_the_gradient(torch), x(torch), **quiet),
            g.gradcheck(never_the_same(torch), x(torch), **quiet),
            g.gradgradcheck(twice_the_gradient(torch), x(torch), **quiet),
            g.gradcheck(torch.exp, x(torch), **quiet),
        )

    both(program, GRADCHECK)


def test_nondet_tol_lets_small_differences_pass() -> None:
    def program(torch: Any, g: Any) -> Any:
        return [
            g.gradcheck(never_the_same(torch), x(torch), nondet_tol=tol, raise_exception=False)
            for tol in (1e-4, 1e-9)
        ]

    both(program, GRADCHECK)


def test_masked_lets_a_gradient_of_nearly_zero_pass() -> None:
    def program(torch: Any, g: Any) -> Any:
        almost = function(torch, lambda x: 2 * x, lambda x, g: 2 * g + 1e-12)
        options = {"raise_exception": False, "check_undefined_grad": False}
        return (
            g.gradcheck(almost, x(torch), masked=True, **options),
            g.gradcheck(almost, x(torch), masked=False, **options),
        )

    both(program, GRADCHECK)


def test_tolerances_decide() -> None:
    def program(torch: Any, g: Any) -> Any:
        slightly = function(torch, lambda x: x * x, lambda x, g: 2.0001 * x * g)
        return (
            g.gradcheck(slightly, x(torch), rtol=1e-6, atol=1e-8, raise_exception=False),
            g.gradcheck(slightly, x(torch), rtol=1e-2, raise_exception=False),
            g.gradcheck(slightly, x(torch), rtol=0.0, atol=1e-2, raise_exception=False),
        )

    both(program, GRADCHECK)


def test_single_precision_is_warned_of() -> None:
    def program(torch: Any, g: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            g.gradcheck(lambda x: 2 * x, x(torch).detach().float().requires_grad_(), eps=1e-2)
        return [str(warning.message) for warning in caught]

    both(program, GRADCHECK)


def test_given_grad_outputs_are_used() -> None:
    def program(torch: Any, g: Any) -> Any:
        seed = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
        fixed = seed.detach()
        return g.gradgradcheck(torch.exp, x(torch), seed), g.gradgradcheck(
            torch.exp, (x(torch),), (fixed,)
        )

    both(program, GRADCHECK)


def test_grad_outputs_may_be_made_non_contiguous() -> None:
    def program(torch: Any, g: Any) -> Any:
        seen = []

        def backward(x: Any, grad: Any) -> Any:
            seen.append(grad.is_contiguous())
            return 2 * x * grad

        square = function(torch, lambda x: x * x, backward)
        passed = g.gradgradcheck(square, x(torch), gen_non_contig_grad_outputs=True)
        return passed, seen[0]

    both(program, GRADCHECK)


def test_the_inputs_are_left_as_they_were() -> None:
    def program(torch: Any, g: Any) -> Any:
        at = x(torch)
        g.gradcheck(torch.exp, at)
        g.gradcheck(torch.exp, at, fast_mode=True)
        return at, at.grad

    both(program, GRADCHECK)


def test_the_inputs_are_left_as_they_were_by_a_function_that_fails() -> None:
    at = x(wend)
    calls = []

    def fails_at_the_second_call(x: Any) -> Any:
        calls.append(0)
        if len(calls) == 2:
            raise KeyError("second")
        return x.exp()

    with pytest.raises(KeyError):
        part(GRADCHECK).gradcheck(fails_at_the_second_call, at)
    assert at.tolist() == x(wend).tolist()


def test_the_random_numbers_of_the_user_are_not_disturbed() -> None:
    def program(torch: Any, g: Any) -> Any:
        torch.manual_seed(3)
        expected = torch.rand(4).tolist()
        torch.manual_seed(3)
        g.gradcheck(torch.exp, x(torch), fast_mode=True)
        return torch.rand(4).tolist() == expected

    both(program, GRADCHECK)


@pytest.mark.parametrize(
    ("check", "option"),
    [
        ("gradcheck", "check_batched_grad"),
        ("gradcheck", "check_forward_ad"),
        ("gradgradcheck", "check_batched_grad"),
        ("gradgradcheck", "check_fwd_over_rev"),
    ],
)
def test_forward_mode_and_batched_gradients_are_refused(check: str, option: str) -> None:
    with pytest.raises(NotImplementedError, match=option):
        getattr(part(GRADCHECK), check)(wend.exp, x(wend), **{option: True})


def test_the_examples_in_the_docstrings_are_true() -> None:
    failed, tried = doctest.testmod(part(GRADCHECK))
    assert (failed, tried > 0) == (0, True)
