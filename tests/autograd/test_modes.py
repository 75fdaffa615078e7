"""Grad modes: no_grad, enable_grad, set_grad_enabled and inference_mode in every form.

Every program runs on PyTorch and on wend.
"""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from both import alike, both, error_of, raises_alike
from samples import leaf


@alike
def test_grad_is_enabled_at_first(torch: Any) -> Any:
    return torch.is_grad_enabled(), torch.is_inference_mode_enabled()


@alike
def test_under_no_grad_results_have_no_history(torch: Any) -> Any:
    x = leaf(torch)
    with torch.no_grad():
        y = x * 2
    return y, y.is_leaf, y.grad_fn


@alike
def test_under_no_grad_leaves_keep_requires_grad(torch: Any) -> Any:
    with torch.no_grad():
        x = leaf(torch)
        view = x.view(3, 1)
    return x.requires_grad, view.requires_grad, (x * 2).requires_grad


@alike
def test_no_grad_ends_with_its_block(torch: Any) -> Any:
    x = leaf(torch)
    with torch.no_grad():
        inside = torch.is_grad_enabled()
    return inside, torch.is_grad_enabled(), (x * 2).requires_grad


@alike
def test_no_grad_ends_with_an_exception(torch: Any) -> Any:
    def fails() -> None:
        with torch.no_grad():
            raise KeyError("inside")

    return error_of(fails), torch.is_grad_enabled()


@alike
def test_modes_nest(torch: Any) -> Any:
    seen = []
    with torch.no_grad():
        with torch.enable_grad():
            seen.append(torch.is_grad_enabled())
            with torch.no_grad():
                seen.append(torch.is_grad_enabled())
            seen.append(torch.is_grad_enabled())
        seen.append(torch.is_grad_enabled())
    return seen


@alike
def test_one_mode_object_can_be_entered_again(torch: Any) -> Any:
    mode, seen = torch.no_grad(), []
    for _ in range(2):
        with mode:
            seen.append(torch.is_grad_enabled())
        seen.append(torch.is_grad_enabled())
    return seen


@alike
def test_a_block_returns_nothing_to_bind(torch: Any) -> Any:
    with torch.no_grad() as a, torch.enable_grad() as b, torch.set_grad_enabled(False) as c:
        return [a, b, c]


@alike
def test_enable_grad_records_under_no_grad(torch: Any) -> Any:
    x = leaf(torch)
    with torch.no_grad(), torch.enable_grad():
        y = (x * x).sum()
    y.backward()
    return x.grad


@alike
def test_a_graph_made_before_no_grad_is_continued_after(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    with torch.no_grad():
        factor = y * 10
    (y * factor).sum().backward()
    return x.grad


@alike
def test_backward_works_under_no_grad(torch: Any) -> Any:
    x = leaf(torch)
    y = (x * x).sum()
    with torch.no_grad():
        (g,) = torch.autograd.grad(y, x, retain_graph=True)
        y.backward()
        return x.grad, g, torch.is_grad_enabled()


@alike
def test_set_grad_enabled_as_a_block(torch: Any) -> Any:
    seen = []
    for mode in (True, False):
        with torch.set_grad_enabled(mode):
            seen.append((leaf(torch) * 2).requires_grad)
    return seen, torch.is_grad_enabled()


@alike
def test_set_grad_enabled_as_a_call_lasts(torch: Any) -> Any:
    torch.set_grad_enabled(False)
    try:
        during = torch.is_grad_enabled(), (leaf(torch) * 2).requires_grad
    finally:
        torch.set_grad_enabled(True)
    return during, torch.is_grad_enabled()


@alike
def test_set_grad_enabled_within_a_block_ends_with_it(torch: Any) -> Any:
    with torch.no_grad():
        torch.set_grad_enabled(True)
        inside = torch.is_grad_enabled()
    return inside, torch.is_grad_enabled()


MODES = {
    "no_grad": lambda torch: torch.no_grad,
    "no_grad()": lambda torch: torch.no_grad(),
    "enable_grad": lambda torch: torch.enable_grad,
    "enable_grad()": lambda torch: torch.enable_grad(),
    "set_grad_enabled(False)": lambda torch: torch.set_grad_enabled(False),
    "set_grad_enabled(True)": lambda torch: torch.set_grad_enabled(True),
    "inference_mode": lambda torch: torch.inference_mode,
    "inference_mode()": lambda torch: torch.inference_mode(),
    "inference_mode(False)": lambda torch: torch.inference_mode(False),
}
every_mode = pytest.mark.parametrize("mode", MODES.values(), ids=MODES.keys())


def state(torch: Any) -> list[bool]:
    return [torch.is_grad_enabled(), torch.is_inference_mode_enabled()]


@every_mode
def test_as_a_decorator_it_holds_during_every_call(mode: Any) -> None:
    def program(torch: Any) -> Any:
        @mode(torch)
        def double(x: Any, *, factor: int = 2) -> Any:
            """Doubles."""
            return (x * factor).requires_grad, state(torch)

        return (
            [double(leaf(torch)), double(leaf(torch), factor=3)],
            state(torch),
            double.__name__,
            double.__doc__,
        )

    both(program)


@every_mode
def test_as_a_decorator_it_ends_with_an_exception(mode: Any) -> None:
    def program(torch: Any) -> Any:
        @mode(torch)
        def fails() -> None:
            raise KeyError("inside")

        return error_of(fails), state(torch)

    both(program)


@every_mode
def test_as_a_decorator_of_a_method_it_binds(mode: Any) -> None:
    def program(torch: Any) -> Any:
        class Model:
            @mode(torch)
            def forward(self, x: Any) -> Any:
                return isinstance(self, Model), (x * 2).requires_grad

        return Model().forward(leaf(torch))

    both(program)


@every_mode
def test_in_a_generator_it_holds_inside_and_not_outside(mode: Any) -> None:
    def program(torch: Any) -> Any:
        @mode(torch)
        def steps() -> Iterator[Any]:
            for _ in range(2):
                yield state(torch)

        seen = []
        for inside in steps():
            seen.append((inside, state(torch)))
        return seen, state(torch)

    both(program)


@every_mode
def test_a_generator_keeps_its_own_mode_when_the_caller_changes_theirs(mode: Any) -> None:
    def program(torch: Any) -> Any:
        @mode(torch)
        def steps() -> Iterator[Any]:
            while True:
                yield state(torch)

        running = steps()
        seen = [next(running)]
        with torch.no_grad():
            seen += [next(running), state(torch)]
        with torch.enable_grad():
            seen += [next(running), state(torch)]
        running.close()
        return seen, state(torch)

    both(program)


@every_mode
def test_a_generator_takes_sent_values_and_returns(mode: Any) -> None:
    def program(torch: Any) -> Any:
        @mode(torch)
        def steps() -> Any:
            got = yield state(torch)
            got = yield got, state(torch)
            return got, state(torch)

        def outer() -> Any:
            result = yield from steps()
            yield "returned", result

        running = outer()
        return [next(running), running.send(1), running.send(2)], state(torch)

    both(program)


@every_mode
def test_a_generator_sees_thrown_exceptions_in_its_mode(mode: Any) -> None:
    def program(torch: Any) -> Any:
        @mode(torch)
        def steps() -> Any:
            try:
                yield state(torch)
            except KeyError:
                yield "caught", state(torch)

        running = steps()
        first = next(running)
        return first, running.throw(KeyError("from outside")), state(torch)

    both(program)


@every_mode
def test_a_closed_generator_cleans_up_in_its_mode(mode: Any) -> None:
    def program(torch: Any) -> Any:
        seen = []

        @mode(torch)
        def steps() -> Any:
            try:
                yield 1
            finally:
                seen.append(state(torch))

        running = steps()
        next(running)
        running.close()
        return seen, state(torch)

    both(program)


@alike
def test_set_grad_enabled_as_a_decorator_does_not_act_at_once(torch: Any) -> Any:
    @torch.set_grad_enabled(False)
    def inside() -> Any:
        return torch.is_grad_enabled()

    return torch.is_grad_enabled(), inside(), torch.is_grad_enabled()


@alike
def test_another_thread_has_its_own_mode(torch: Any) -> Any:
    seen: list[Any] = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
        return seen, torch.is_grad_enabled()


@alike
def test_inference_mode_makes_inference_tensors(torch: Any) -> Any:
    x = leaf(torch)
    with torch.inference_mode():
        y = x * 2
        inside = state(torch)
    return y, y.is_inference(), x.is_inference(), inside, state(torch)


@alike
def test_inference_mode_false_undoes_it(torch: Any) -> Any:
    with torch.inference_mode(), torch.inference_mode(False):
        y = leaf(torch) * 2
    return y.requires_grad, y.is_inference()


@alike
def test_inference_tensors_may_be_read_outside(torch: Any) -> Any:
    with torch.inference_mode():
        y = torch.ones(3)
    z = y + 1
    return z, z.is_inference(), y.tolist()


@alike
def test_inference_tensors_may_be_written_inside(torch: Any) -> Any:
    with torch.inference_mode():
        y = torch.ones(3)
        y.add_(1)
        y[0] = 5
    return y


@alike
def test_a_clone_outside_is_an_ordinary_tensor(torch: Any) -> Any:
    with torch.inference_mode():
        y = torch.ones(3)
    z = y.clone().requires_grad_()
    (z * z).sum().backward()
    return z.is_inference(), z.grad


@raises_alike(RuntimeError)
def test_inference_tensors_may_not_be_written_outside(torch: Any) -> None:
    with torch.inference_mode():
        y = torch.ones(3)
    y.add_(1)


@raises_alike(RuntimeError)
def test_inference_tensors_may_not_require_grad_outside(torch: Any) -> None:
    with torch.inference_mode():
        y = torch.ones(3)
    y.requires_grad_()


@raises_alike(RuntimeError)
def test_inference_tensors_may_not_be_saved_for_backward(torch: Any) -> None:
    with torch.inference_mode():
        y = torch.ones(3)
    leaf(torch) * y


@raises_alike(RuntimeError)
def test_inference_tensors_have_no_version(torch: Any) -> None:
    with torch.inference_mode():
        y = torch.ones(3)
    y._version


@alike
def test_a_view_of_an_ordinary_tensor_made_in_inference_mode_is_ordinary(torch: Any) -> Any:
    x = torch.ones(4)
    with torch.inference_mode():
        view = x.view(2, 2)
        view.add_(1)
    return view.is_inference(), x


@alike
def test_in_place_on_a_leaf_is_allowed_in_inference_mode(torch: Any) -> Any:
    x = leaf(torch)
    with torch.inference_mode():
        x.mul_(2)
    return x, x.is_leaf, x.requires_grad


@alike
def test_no_grad_may_write_a_leaf(torch: Any) -> Any:
    x = leaf(torch)
    with torch.no_grad():
        x.mul_(2)
        x[0] = 7
    return x, x.is_leaf


@alike
def test_requires_grad_may_be_set_under_no_grad(torch: Any) -> Any:
    with torch.no_grad():
        x = torch.ones(3).requires_grad_()
        y = x * 2
    return x.requires_grad, y.requires_grad, (x * 2).requires_grad


@raises_alike(TypeError)
def test_set_grad_enabled_needs_a_mode(torch: Any) -> None:
    torch.set_grad_enabled()


@alike
def test_threads_of_the_walk_back_are_a_wish(torch: Any) -> Any:
    autograd = torch.autograd
    seen = [autograd.is_multithreading_enabled()]
    with autograd.set_multithreading_enabled(False):
        seen.append(autograd.is_multithreading_enabled())
        with autograd.set_multithreading_enabled(True):
            seen.append(autograd.is_multithreading_enabled())
        seen.append(autograd.is_multithreading_enabled())
    return [*seen, autograd.is_multithreading_enabled()]
