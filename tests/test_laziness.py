"""However a program records, no more is pending than the bounds of laziness allow.

Entries of the op table are tried by tests/ops; here is every other way to record, and programs so
long that whatever is left over by one run after the other would show.
"""

import copy
import operator
from collections.abc import Callable
from typing import Any

import pytest

import wend
from wend.utils.checkpoint import checkpoint

NODES = 20

BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge,
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv,
    operator.imod, operator.ipow,
]  # fmt: skip
INTEGER = [
    operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift,
    operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift,
]  # fmt: skip


def set_item(x: wend.Tensor) -> None:
    x[1:, 0] = 2.0


def set_rows(x: wend.Tensor) -> None:
    x[wend.tensor([0, 2])] = x[0] * 1


def set_data(x: wend.Tensor) -> None:
    x.data = x.data * 2


def accumulate(x: wend.Tensor) -> Any:
    leaf = x.detach().requires_grad_()
    (leaf * leaf).sum().backward()
    return leaf.grad


class Doubled(wend.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: wend.Tensor) -> wend.Tensor:
        ctx.save_for_backward(x)
        return -x

    @staticmethod
    def backward(ctx: Any, gradient: wend.Tensor) -> wend.Tensor:  # type: ignore[override]
        return -gradient


def optimized(name: str) -> Callable[[wend.Tensor], None]:
    def step(x: wend.Tensor) -> None:
        parameter = wend.nn.Parameter(x.detach() * 1)
        parameter.grad = -parameter.detach()
        getattr(wend.optim, name)([parameter], lr=0.1).step()

    return step


OTHERS: dict[str, Callable[[wend.Tensor], Any]] = {
    "-x": operator.neg,
    "abs": abs,
    "x @ x": lambda x: x @ x,
    "2 + x": lambda x: 2 + x,
    "2 - x": lambda x: 2 - x,
    "2 / x": lambda x: 2 / x,
    "2 // x": lambda x: 2 // x,
    "2 % x": lambda x: 2 % x,
    "2 ** x": lambda x: 2**x,
    "~x": lambda x: ~(x > 0),
    "x[0]": lambda x: -x[0],
    "x[...]": lambda x: (x * 1)[..., None, 1:],
    "x[mask]": lambda x: x[wend.tensor([True, False, True])],
    "x[i] = v": set_item,
    "x[rows] = v": set_rows,
    "iteration": lambda x: list(x * 1),
    "unpacking": lambda x: (lambda a, b, c: a)(*(x * 1)),
    "T": lambda x: (x * 1).T,
    "mT": lambda x: (x * 1).mT,
    "data": lambda x: (x * 1).data,
    "data = ": set_data,
    "detach": lambda x: (x * 1).detach(),
    "requires_grad_": lambda x: (x * 1).requires_grad_(),
    "clone": lambda x: x.clone(),
    "copy": copy.copy,
    "deepcopy": lambda x: copy.deepcopy(x),
    "to": lambda x: x.to(wend.float64),
    "backward": accumulate,
    "grad": lambda x: wend.autograd.grad((y := x.detach().requires_grad_() * 2).sum(), [y]),
    "Function": lambda x: Doubled.apply(x.detach().requires_grad_()),
    "checkpoint": lambda x: checkpoint(abs, x.detach().requires_grad_(), use_reentrant=False),
    "view of a write": lambda x: (x * 1).t().add_(1),
    "out=": lambda x: wend.add(x, x, out=wend.empty(3, 3)),
    "einsum": lambda x: wend.einsum("ij,jk->ik", x, x),
    "Linear": lambda x: wend.nn.Linear(3, 3)(x),
    "LSTM": lambda x: wend.nn.LSTM(3, 3)(x),
    "attention": lambda x: wend.nn.functional.scaled_dot_product_attention(x, x, x),
    "loss": lambda x: wend.nn.functional.cross_entropy(x, wend.tensor([0, 1, 2])),
    "norm": lambda x: wend.linalg.norm(x),
    "distribution": lambda x: wend.distributions.Normal(x, 1.0).log_prob(x),
    "SGD": optimized("SGD"),
    "Adam": optimized("Adam"),
    "map": lambda x: wend.map(lambda row: -row, [x[0], x[1]]),
    "vmap": lambda x: wend.func.vmap(lambda row: -row)(x),
}


def stays_within_bounds(call: Callable[[], Any]) -> None:
    with wend.laziness(nodes=NODES):
        kept = []
        for _ in range(2 * NODES):
            kept.append(call())
            assert wend._C._counters()["pending"] <= NODES
    large = wend.zeros(300)
    with wend.laziness(bytes=1 << 12):
        for _ in range(3):
            kept.append(large.abs() * 2)
            kept.append(call())
            assert wend._C._counters()["pending_bytes"] <= 1 << 12


@pytest.mark.parametrize("operate", BINARY + INTEGER)
def test_operators_stay_within_bounds(operate: Callable[[Any, Any], Any]) -> None:
    x = wend.ones(3, 3, dtype=wend.int64 if operate in INTEGER else wend.float32)
    stays_within_bounds(lambda: operate(x, x.clone()))
    stays_within_bounds(lambda: operate(x, 1))


@pytest.mark.parametrize("name", OTHERS)
def test_everything_else_stays_within_bounds(name: str) -> None:
    x = wend.ones(3, 3)
    stays_within_bounds(lambda: OTHERS[name](x))


class Unread(wend.autograd.Function):
    """Gives a value that does not depend on its input's."""

    @staticmethod
    def forward(ctx: Any, x: wend.Tensor) -> wend.Tensor:
        return x.new_ones(3)

    @staticmethod
    def backward(ctx: Any, gradient: wend.Tensor) -> wend.Tensor:  # type: ignore[override]
        return gradient


def with_hook(x: wend.Tensor) -> wend.Tensor:
    y = -x
    y.register_hook(lambda gradient: gradient)
    return y


def retaining(x: wend.Tensor) -> wend.Tensor:
    y = -x
    y.retain_grad()
    return y


def written(x: wend.Tensor) -> wend.Tensor:
    return x.neg_() if x.grad_fn else x * 1


CHAINS: dict[str, Callable[[wend.Tensor], wend.Tensor]] = {
    "Function": Doubled.apply,
    "Function that reads nothing": lambda x: Unread.apply(x * 2),
    "hooks": with_hook,
    "retained": retaining,
    "written": written,
    "views": lambda x: x.view(3, 1).t().view(3),
    "checkpoint": lambda x: checkpoint(operator.neg, x, use_reentrant=False),
    "reentrant checkpoint": lambda x: checkpoint(operator.neg, x, use_reentrant=True),
}


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("name", CHAINS)
def test_long_chains_leave_nothing_pending_from_run_to_run(name: str, create_graph: bool) -> None:
    if create_graph and name == "reentrant checkpoint":
        pytest.skip("it has no second derivative")
    length, before = 6000, wend._C._counters()["runs"]
    alive = wend._C._live_nodes()
    with wend.laziness(nodes=1000):
        x = wend.ones(3, requires_grad=True)
        y = x
        for _ in range(length):
            y = CHAINS[name](y)
        assert wend._C._counters()["pending"] <= 1000
        y.sum().backward(create_graph=create_graph)
        assert x.grad is not None
        assert x.grad.abs().min() >= 1
        x.grad = None
        del y
    assert wend._C._counters()["runs"] - before < 100
    assert wend._C._live_nodes() <= alive + 10


def test_what_is_held_for_its_history_alone_does_not_count_as_pending() -> None:
    x = wend.ones(3, requires_grad=True)
    pending = wend.ones(3000) * 2
    with wend.laziness(nodes=1000):
        held: list[Any] = [(x * 2).grad_fn for _ in range(3000)]
        held += [pending[i] for i in range(3000)]
        held += [wend.ones(3).mul_(0.5).requires_grad_() for _ in range(3000)]
        wend._C._run()
        before = wend._C._counters()
        for tensor in held[3000:]:
            tensor * 2
        after = wend._C._counters()
    assert before["pending"] == 0
    assert after["runs"] == before["runs"]
