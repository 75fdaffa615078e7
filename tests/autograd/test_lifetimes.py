"""What is freed when: graphs, hooks, contexts and what was saved, also after errors and in cycles.

These promises are wend's own, so that the programs run on wend only.
"""

import gc
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from both import STANDIN, wend
from samples import function, leaf, square

pytestmark = pytest.mark.skipif(bool(STANDIN), reason="about wend's own memory")


class Token:
    """Something whose end can be seen."""


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Every test ends with as many nodes and the same modes as it began."""
    gc.collect()
    nodes, state = wend._C._live_nodes(), modes()
    yield
    gc.collect()
    assert modes() == state
    assert wend._C._live_nodes() <= nodes + 3, "nodes leak"  # equal numbers share a node


def modes() -> tuple[Any, ...]:
    return (
        wend.is_grad_enabled(),
        wend.is_inference_mode_enabled(),
        wend.is_anomaly_enabled(),
        wend._C._current_walk(),
    )


def dies(make: Callable[[Token], Any], collected: bool = True) -> bool:
    """Whether a token that `make` puts somewhere ends with what `make` returns."""
    token = Token()
    seen = weakref.ref(token)
    kept = make(token)
    del token
    assert seen() is not None, "the token was not even held"
    del kept
    if collected:
        gc.collect()
    return seen() is None


def fails(*_: Any) -> None:
    raise KeyError("from user code")


def hook_that_holds(*held: Any) -> Callable[..., None]:
    return lambda *grads: held and None


@pytest.mark.parametrize("register", ["register_hook", "register_post_accumulate_grad_hook"])
def test_hooks_end_with_the_leaf(register: str) -> None:
    def make(token: Token) -> Any:
        x = leaf(wend)
        getattr(x, register)(hook_that_holds(token))
        return x

    assert dies(make, collected=False)


def test_hooks_of_a_result_end_with_the_graph() -> None:
    def make(token: Token) -> Any:
        y = leaf(wend) * 2
        y.register_hook(hook_that_holds(token))
        y.grad_fn.register_hook(hook_that_holds(token))
        y.grad_fn.register_prehook(hook_that_holds(token))
        return y.sum()

    assert dies(make, collected=False)


def test_a_removed_hook_ends_at_once() -> None:
    x = leaf(wend)
    token = Token()
    seen = weakref.ref(token)
    handle = x.register_hook(hook_that_holds(token))
    del token
    handle.remove()
    assert seen() is None


def test_a_handle_does_not_keep_the_hook() -> None:
    handles = []

    def make(token: Token) -> Any:
        x = leaf(wend)
        handles.append(x.register_hook(hook_that_holds(token)))
        return x

    assert dies(make, collected=False)
    handles[0].remove()


CYCLES = {
    "leaf": lambda x: x.register_hook(hook_that_holds(x)),
    "frozen leaf": lambda x: (x.register_hook(hook_that_holds(x)), x.requires_grad_(False)),
    "post accumulate": lambda x: x.register_post_accumulate_grad_hook(hook_that_holds(x)),
    "attribute": lambda x: setattr(x, "me", x),
    "grad": lambda x: setattr(x.grad, "owner", x),
}


@pytest.mark.parametrize("tie", CYCLES.values(), ids=CYCLES.keys())
@pytest.mark.parametrize("written", [False, True], ids=["fresh", "after a step"])
def test_a_leaf_in_a_cycle_is_collected(tie: Any, written: bool) -> None:
    def make(token: Token) -> Any:
        x = leaf(wend)
        (x * 2).sum().backward()
        tie(x)
        x.token = token
        if written:
            with wend.no_grad():
                x.sub_(x.grad)
            (x * x).sum().requires_grad_().backward()
        return x

    assert dies(make)


def test_a_result_whose_hook_holds_it_is_collected() -> None:
    def make(token: Token) -> Any:
        y = leaf(wend) * 2
        y.register_hook(hook_that_holds(y, token))
        return y

    assert dies(make)


def test_a_result_whose_node_hook_holds_it_is_collected() -> None:
    def make(token: Token) -> Any:
        y = leaf(wend) * 2
        y.grad_fn.register_hook(hook_that_holds(y, token))
        y.grad_fn.metadata["me"] = y
        return y

    assert dies(make)


def test_hooks_in_a_cycle_stay_while_the_graph_can_reach_them() -> None:
    def make(seen: list[Any]) -> Any:
        y = leaf(wend) * 2
        y.register_hook(lambda g: seen.append(y.shape))
        return y.sum()

    seen: list[Any] = []
    z = make(seen)
    gc.collect()
    z.backward()
    assert seen == [(3,)]


def test_hooks_of_a_leaf_stay_while_a_view_can_reach_them() -> None:
    def make(seen: list[Any]) -> Any:
        x = leaf(wend)
        x.register_hook(lambda g: seen.append(x.shape))
        return x[1:]

    seen: list[Any] = []
    view = make(seen)
    gc.collect()
    view.sum().backward()
    assert seen == [(3,)]


def saving(save: Callable[[Any, Any, Any], None]) -> Any:
    def forward(ctx: Any, x: Any, token: Any) -> Any:
        y = x * 2
        save(ctx, y, token)
        return y

    return function(wend, forward, lambda ctx, g: (g * 2, None))


def test_a_context_ends_with_the_graph() -> None:
    custom = saving(lambda ctx, y, token: setattr(ctx, "token", token))
    assert dies(lambda token: custom.apply(leaf(wend), token).sum(), collected=False)


def test_a_context_outlives_the_graph_that_it_is_held_by_alone() -> None:
    node = square(wend).apply(leaf(wend) * 3).grad_fn
    assert [fn.name() for fn, _ in node.next_functions] == ["MulBackward0"]
    assert node.saved_tensors[0].tolist() == [3, 6, 9]


def test_a_saved_output_is_no_cycle() -> None:
    def save(ctx: Any, y: Any, token: Any) -> None:
        ctx.save_for_backward(y)
        ctx.token = token

    assert dies(lambda token: saving(save).apply(leaf(wend), token), collected=False)


def test_a_context_that_holds_its_output_is_collected() -> None:
    def make(token: Token) -> Any:
        custom = saving(lambda ctx, y, token: setattr(ctx, "token", token))
        y = custom.apply(leaf(wend), token)
        y.grad_fn.output = y
        return y

    assert dies(make)


def test_what_a_function_saved_ends_with_backward() -> None:
    x = leaf(wend)
    y = square(wend).apply(x * 1)
    nodes = wend._C._live_nodes()
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn.saved_tensors
    assert wend._C._live_nodes() < nodes + 2


def test_a_long_chain_of_functions_is_freed_without_recursion() -> None:
    custom = square(wend)
    x = wend.tensor([1.0], requires_grad=True)
    h = x
    for _ in range(50_000):
        h = custom.apply(h)
    del h
    h = x
    for _ in range(50_000):
        h = custom.apply(h) * 0.5
    h.sum().backward()
    del h


@pytest.mark.parametrize("pack", [lambda t: t, lambda t: t.detach()], ids=["as it is", "detached"])
def test_packed_values_end_with_the_graph(pack: Any) -> None:
    def make(token: Token) -> Any:
        with wend.autograd.graph.saved_tensors_hooks(pack, lambda t, token=token: t):
            y = leaf(wend).exp().tanh()
        assert y.tolist()
        return y

    assert dies(make, collected=False)


def test_packed_values_end_with_backward() -> None:
    tokens = []

    def pack(t: Any) -> Any:
        token = Token()
        tokens.append(weakref.ref(token))
        return token, t.tolist()

    with wend.autograd.graph.saved_tensors_hooks(pack, lambda packed: wend.tensor(packed[1])):
        y = leaf(wend).exp().tanh().sum()
    assert [t() is not None for t in tokens] == [True, True]
    y.backward()
    assert [t() for t in tokens] == [None, None]


def test_a_packed_value_is_not_kept_beside() -> None:
    before = wend.memory_stats()["allocated_bytes"]
    x = wend.zeros(1000, requires_grad=True)
    with wend.autograd.graph.saved_tensors_hooks(lambda t: None, lambda _: wend.ones(1000)):
        y = x.exp().sum()
    y.item()
    kept = wend.memory_stats()["allocated_bytes"] - before
    assert kept < 2 * 4000
    y.backward()
    assert x.grad.tolist() == [1.0] * 1000


def test_after_an_exception_in_a_hook_all_is_as_before() -> None:
    x = leaf(wend)
    y = (x * 2).exp()
    handle = y.register_hook(fails)
    z = y.sum()
    for _ in range(3):
        with pytest.raises(KeyError):
            z.backward(retain_graph=True)
    handle.remove()
    z.backward()
    assert x.grad.tolist() == pytest.approx((2 * y).tolist())


def test_after_an_exception_in_backward_all_is_as_before() -> None:
    broken = [True]

    def backward(ctx: Any, g: Any) -> Any:
        return fails() if broken[0] else g * 2

    x = leaf(wend)
    z = function(wend, lambda ctx, x: x * 2, backward).apply(x).sum()
    with pytest.raises(KeyError), wend.no_grad():
        z.backward(create_graph=True)
    broken.clear()
    broken.append(False)
    z.backward()
    assert x.grad.tolist() == [2, 2, 2]


def test_after_an_exception_in_forward_nothing_is_kept() -> None:
    def forward(ctx: Any, x: Any, token: Any) -> Any:
        ctx.token = token
        ctx.save_for_backward(x)
        fails()

    custom = function(wend, forward, lambda ctx, g: (g, None))

    def make(token: Token) -> Any:
        with pytest.raises(KeyError):
            custom.apply(leaf(wend), token)
        return [token]

    assert dies(make)


def test_after_an_exception_in_pack_nothing_is_kept() -> None:
    x = leaf(wend)
    with wend.autograd.graph.saved_tensors_hooks(fails, lambda t: t), pytest.raises(KeyError):
        x.exp()
    y = x.exp()
    y.sum().backward()
    assert x.grad.tolist() == pytest.approx(y.tolist())


def test_after_an_exception_in_unpack_the_graph_can_be_tried_again() -> None:
    x, answers = leaf(wend), [fails]
    with wend.autograd.graph.saved_tensors_hooks(
        lambda t: t, lambda t: answers.pop()(t) if answers else t
    ):
        y = x.exp().sum()
    with pytest.raises(KeyError):
        y.backward()
    y.backward()
    assert x.grad is not None


def test_hooks_for_saved_tensors_end_with_an_exception() -> None:
    with (
        pytest.raises(KeyError),
        wend.autograd.graph.saved_tensors_hooks(lambda t: fails(), lambda t: t),
    ):
        raise KeyError("inside")
    leaf(wend).exp().sum().backward()


def test_a_post_accumulate_hook_may_drop_the_last_name_of_its_leaf() -> None:
    held = [leaf(wend)]
    held[0].register_post_accumulate_grad_hook(lambda p: held.clear())
    (held[0] * 2).sum().backward()
    assert held == []


def test_a_hook_may_drop_the_graph_it_is_called_from() -> None:
    x = leaf(wend)
    held = [x * 2]
    held[0].register_hook(lambda g: held.clear())
    held.append(held[0].exp().sum())
    held[-1].backward()
    assert x.grad is not None


def test_backward_in_many_threads() -> None:
    w = wend.ones(3, requires_grad=True)
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(100):
                (w.detach().requires_grad_() * 2).tanh().sum().backward()
                w.tanh().sum().backward()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    each = (1 - wend.ones(1).tanh() ** 2).item()
    assert w.grad.tolist() == pytest.approx([400 * each] * 3, rel=1e-4)


def test_anomaly_mode_ends_with_an_exception() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(KeyError), wend.autograd.detect_anomaly():
            fails()
