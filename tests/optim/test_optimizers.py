"""Every optimizer and option of PyTorch's database takes PyTorch's steps."""

import copy
import io
import math
import pickle
import re
import warnings
from typing import Any

import pytest
from both import alike, both, compare, error_of, torch, wend

database = pytest.importorskip("torch.testing._internal.common_optimizers")

# SparseAdam is for sparse gradients, and has a test of its own.
INFOS = [info for info in database.optim_db if info.optim_cls.__name__ != "SparseAdam"]
CASES = [
    (info.optim_cls.__name__, case.kwargs, f"{info.optim_cls.__name__}-{case.desc}")
    for info in INFOS
    for case in info.optim_inputs_func(device="cpu")
]
VARIANTS = [
    (info.optim_cls.__name__, {variant: True})
    for info in INFOS
    for variant in info.supported_impls
    if variant != "differentiable"
]


def ours(value: Any) -> Any:
    """An option as wend takes it."""
    if isinstance(value, tuple):
        return tuple(map(ours, value))
    return wend.tensor(value.tolist()) if isinstance(value, torch.Tensor) else value


def options_for(package: Any, options: dict[str, Any]) -> dict[str, Any]:
    return options if package is torch else {key: ours(value) for key, value in options.items()}


def parameters(package: Any, dtype: str, matrices: bool) -> list[Any]:
    kind = getattr(package, dtype)
    grid = package.arange(12, dtype=kind).reshape(4, 3)
    weights = (grid / 7 - 0.8).requires_grad_()
    if matrices:
        return [weights, (grid.t() / 5 - 1).contiguous().requires_grad_()]
    return [weights, package.tensor([0.3, -0.2, 0.1], dtype=kind).requires_grad_()]


def loss_of(package: Any, params: list[Any]) -> Any:
    weights, other = params
    inputs = package.tensor([[1.0, 2.0, -1.0, 0.5], [0.3, -0.7, 0.9, 1.1]], dtype=weights.dtype)
    return ((inputs @ weights).tanh() @ other.reshape(3, -1) - 0.5).square().mean()


def train(package: Any, name: str, options: dict[str, Any], dtype: str, steps: int = 12) -> Any:
    params = parameters(package, dtype, matrices=name == "Muon")
    optimizer = getattr(package.optim, name)(params, **options_for(package, options))

    def closure() -> Any:
        optimizer.zero_grad()
        loss = loss_of(package, params)
        loss.backward()
        return loss

    losses = []
    for _ in range(steps):
        if name == "LBFGS":
            losses.append(optimizer.step(closure).item())
        else:
            losses.append(closure().item())
            optimizer.step()
    return params, losses, optimizer


def state_of(package: Any, optimizer: Any) -> list[dict[str, Any]]:
    states = optimizer.state_dict()["state"].values()
    return [
        {key: value for key, value in state.items() if isinstance(value, package.Tensor)}
        for state in states
    ]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("name", "options"), [case[:2] for case in CASES], ids=[case[2] for case in CASES]
)
def test_a_dozen_steps_are_pytorchs(name: str, options: dict[str, Any], dtype: str) -> None:
    params, losses, optimizer = train(torch, name, options, dtype)
    got_params, got_losses, got_optimizer = train(wend, name, options, dtype)
    if name == "Muon" or (name == "LBFGS" and dtype == "float32"):
        # Sixteen bits, or as many line searches, round in their own way.
        for a, b in zip(params, got_params, strict=True):
            expected = pytest.approx(a.reshape(-1).tolist(), rel=1e-2, abs=1e-3)
            assert b.reshape(-1).tolist() == expected
        return
    compare(params, got_params, "parameters")
    if dtype == "float32":
        return
    compare(losses, got_losses, "loss")
    if name != "LBFGS":
        compare(state_of(torch, optimizer), state_of(wend, got_optimizer), "state")


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=lambda x: str(x))
def test_variants_of_the_implementation_are_accepted(name: str, options: dict[str, Any]) -> None:
    params, _, _ = train(torch, name, {}, "float64")
    got, _, _ = train(wend, name, options, "float64")
    compare(params, got)


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.optim_cls.__name__)
def test_bad_options_are_refused_as_by_pytorch(info: Any) -> None:
    name = info.optim_cls.__name__
    refused = 0
    cases = info.optim_error_inputs_func(device="cpu", dtype=torch.float32)
    for case in cases:
        given = case.optimizer_error_input
        if case.error_on is not database.OptimizerErrorEnum.CONSTRUCTION_ERROR:
            continue  # sparse and complex gradients
        if case.error_type is UserWarning:
            with pytest.warns(UserWarning, match="duplicate parameters") as warned:
                getattr(torch.optim, name)(given.params, **given.kwargs)
            with pytest.warns(UserWarning, match=re.escape(str(warned[0].message))):
                getattr(wend.optim, name)(moved(given.params), **given.kwargs)
            continue
        with pytest.raises(case.error_type) as theirs:
            getattr(torch.optim, name)(given.params, **given.kwargs)
        params = moved(given.params)
        with pytest.raises(case.error_type) as got:
            getattr(wend.optim, name)(params, **options_for(wend, given.kwargs))
        assert str(got.value) == str(theirs.value)
        refused += 1
    assert refused >= 5


def moved(params: Any) -> Any:
    """Parameters of PyTorch as wend's, the same for the same."""
    if isinstance(params, torch.Tensor):
        return params.__dict__.setdefault("ours", wend.tensor(params.tolist()))
    if isinstance(params, dict):
        return {key: moved(value) for key, value in params.items()}
    if isinstance(params, (list, tuple)):
        return type(params)(moved(value) for value in params)
    return params


def test_duplicate_parameters_give_a_warning() -> None:
    x = wend.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="a parameter group with duplicate parameters"):
        wend.optim.SGD([x, x], lr=0.1)


def test_no_value_is_looked_at_in_a_step() -> None:
    for name in (info.optim_cls.__name__ for info in INFOS):
        if name == "LBFGS":
            continue
        params = parameters(wend, "float32", matrices=name == "Muon")
        optimizer = getattr(wend.optim, name)(params)
        for _ in range(2):
            loss_of(wend, params).backward()
            with wend.report() as report:
                optimizer.step()
            assert report.runs == 0, name


@alike
def test_groups_have_options_of_their_own(torch: Any) -> Any:
    a, b = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([{"params": [a]}, {"params": b, "lr": 0.5}], lr=0.1)
    c = torch.ones(1, requires_grad=True)
    optimizer.add_param_group({"params": [c], "momentum": 0.9})
    for _ in range(3):
        optimizer.zero_grad()
        (a.sum() ** 2 + b.sum() ** 2 + c.sum() ** 2).backward()
        optimizer.step()
    return a, b, c, repr(optimizer), [sorted(group) for group in optimizer.param_groups]


@alike
def test_named_parameters_keep_their_names(torch: Any) -> Any:
    pairs = [("w", torch.ones(2, requires_grad=True)), ("b", torch.ones(1, requires_grad=True))]
    optimizer = torch.optim.Adam(pairs)
    state = optimizer.state_dict()["param_groups"][0]
    return state["param_names"], state["params"], list(optimizer.state_dict())


@alike
def test_training_goes_on_from_a_saved_state(torch: Any) -> Any:
    def run(optimizer: Any, x: Any, steps: int) -> None:
        for _ in range(steps):
            optimizer.zero_grad()
            (x * x * x.detach()).sum().backward()
            optimizer.step()

    x = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
    first = torch.optim.Adam([x], lr=0.1, amsgrad=True)
    run(first, x, 3)
    y = x.detach().clone().requires_grad_()
    second = torch.optim.Adam([y], lr=0.7)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    run(first, x, 4)
    run(second, y, 4)
    return x, y, second.state_dict()


@alike
def test_a_closure_is_evaluated_with_gradients(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.RMSprop([x])

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        loss = optimizer.step(closure)
    return loss.item(), x


@alike
def test_hooks_see_and_change_a_step(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=0.5)
    seen: list[str] = []
    before = optimizer.register_step_pre_hook(
        lambda o, a, k: seen.append(f"before {len(a)} {[*k]}")
    )
    optimizer.register_step_post_hook(lambda o, a, k: seen.append("after"))
    optimizer.register_state_dict_pre_hook(lambda o: seen.append("saving"))
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "more": 1})
    optimizer.register_load_state_dict_pre_hook(lambda o, state: seen.append("loading"))
    optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded"))
    x.sum().backward()
    optimizer.step(closure=lambda: None)
    before.remove()
    optimizer.step()
    state = optimizer.state_dict()
    optimizer.load_state_dict(state)
    return seen, x, sorted(state)


@alike
def test_zero_grad_forgets_or_clears(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=0.1)
    (x * x).sum().backward()
    grad = x.grad
    optimizer.zero_grad(set_to_none=False)
    same = x.grad is grad
    cleared = x.grad.clone()
    optimizer.zero_grad()
    return same, cleared, x.grad is None


@alike
def test_parameters_without_gradient_are_left_alone(torch: Any) -> Any:
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    optimizer = torch.optim.Adam([a, b], lr=0.1, weight_decay=0.1)
    a.sum().backward()
    optimizer.step()
    return a, b, len(optimizer.state)


@alike
def test_a_step_can_be_differentiated(torch: Any) -> Any:
    rate = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    y = x.clone()
    y.retain_grad()
    y.grad = torch.ones(2, dtype=torch.float64)
    optimizer = torch.optim.SGD([y], lr=rate, momentum=0.9, differentiable=True)
    optimizer.step()
    (y * y).sum().backward()
    return rate.grad, x.grad


@alike
def test_bad_parameters_and_states_are_refused(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    sgd = torch.optim.SGD
    optimizer = sgd([x], lr=0.1)
    other = sgd([{"params": [x]}, {"params": [torch.ones(1)]}], lr=0.1).state_dict()
    longer = sgd([x, torch.ones(1)], lr=0.1).state_dict()
    return [
        error_of(lambda: sgd([], lr=0.1)),
        error_of(lambda: sgd([1.0], lr=0.1)),
        error_of(lambda: sgd([x * 2], lr=0.1)),
        error_of(lambda: sgd([{"params": {x}}], lr=0.1)),
        error_of(lambda: sgd([x], lr=-1)),
        error_of(lambda: sgd([x], lr=0.1, nesterov=True)),
        error_of(lambda: sgd([x], fused=True, foreach=True)),
        error_of(lambda: optimizer.add_param_group([x])),
        error_of(lambda: optimizer.load_state_dict(other)),
        error_of(lambda: optimizer.load_state_dict(longer)),
    ]


def test_an_optimizer_of_ones_own_needs_only_a_step() -> None:
    class Signs(wend.optim.Optimizer):
        def __init__(self, params: Any, lr: float = 0.25) -> None:
            super().__init__(params, {"lr": lr})

        @wend.no_grad()
        def step(self, closure: Any = None) -> None:
            for group in self.param_groups:
                for p in group["params"]:
                    p.sub_(group["lr"] * p.grad.sign())

    x = wend.tensor([1.0, -1.0], requires_grad=True)
    optimizer = Signs([x])
    (x * x).sum().backward()
    optimizer.step()
    assert x.tolist() == [0.75, -0.75]


def test_optimizers_are_pickled_with_their_parameters() -> None:
    x = wend.ones(2, requires_grad=True)
    optimizer = wend.optim.Adam([x], lr=0.1)
    x.sum().backward()
    optimizer.step()
    file = io.BytesIO(pickle.dumps([x, optimizer]))
    y, loaded = pickle.load(file)
    assert loaded.param_groups[0]["params"][0] is y
    y.sum().backward()
    loaded.step()
    optimizer.step()
    assert y.tolist() == pytest.approx(x.tolist())


def test_lr_may_be_changed_in_the_group() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = wend.ones(1, requires_grad=True)
        optimizer = wend.optim.SGD([x], lr=0.1)
        optimizer.param_groups[0]["lr"] = 0.5
        x.sum().backward()
        optimizer.step()
    assert x.tolist() == [0.5]


def sparse_steps(T: Any) -> Any:
    p = T.nn.Parameter(T.arange(6.0).reshape(3, 2))
    optimizer = T.optim.SparseAdam([p], lr=0.1, maximize=True)
    for k in range(3):
        p.grad = T.sparse_coo_tensor([[0, 2, 2], [1, 0, 0]], [1.0, 2.0, 3.0 + k], (3, 2))
        optimizer.step()
    state = optimizer.state_dict()["state"][0]
    p.grad = T.ones(3, 2)
    refused = [error_of(optimizer.step), error_of(lambda: T.optim.SparseAdam([p], lr=0.0))]
    return p, state["step"], state["exp_avg"], state["exp_avg_sq"], refused


# PyTorch warns of its own checks.
@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
def test_sparse_adam_moves_what_a_sparse_gradient_names() -> None:
    compare(sparse_steps(torch), sparse_steps(wend))


def test_an_optimizer_that_wraps_another_needs_no_hooks_of_its_own() -> None:
    class Wrapping(wend.optim.Optimizer):  # type: ignore[misc,name-defined]
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def step(self, closure: Any = None) -> Any:
            return self.inner.step(closure)

    weight = wend.ones(1, requires_grad=True)
    weight.grad = wend.ones(1)
    Wrapping(wend.optim.SGD([weight], lr=0.5)).step()
    assert weight.tolist() == [0.5]


EXTREME = {
    "large": [1e20, -1e20, 1.0],
    "small": [1e-30, -1e-40, 0.0],
    "infinite": [math.inf, 1.0, 0.0],
    "nan": [math.nan, 1.0, -2.0],
}


@pytest.mark.parametrize("kind", EXTREME)
@pytest.mark.parametrize(
    "name", ["SGD", "Adam", "AdamW", "Adagrad", "Adamax", "RMSprop", "Adafactor", "NAdam", "RAdam"]
)
def test_steps_along_extreme_gradients(name: str, kind: str) -> None:
    def program(torch: Any) -> Any:
        p = torch.nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))
        optimizer = getattr(torch.optim, name)([p], lr=0.1, foreach=False)
        for _ in range(3):
            p.grad = torch.tensor(EXTREME[kind])
            optimizer.step()
        return p.detach()

    both(program)


@alike
def test_quotients_are_of_what_is_multiplied_before(torch: Any) -> Any:
    zero, large, small = torch.zeros(1), torch.tensor([1e30]), torch.tensor([1e-10])
    return torch.addcdiv(zero, large, small, value=1e-3), torch.addcdiv(zero, small, large)
