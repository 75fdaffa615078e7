"""nn.Module behaves as PyTorch's: members, state, modes, printing, what is refused."""

import copy
import pickle
import warnings
from collections import OrderedDict
from typing import Any

import pytest
from both import alike, both, both_raise, error_of, raises_alike, wend

nn = wend.nn


def net(torch: Any) -> Any:
    """A module with a submodule, a parameter, and buffers of both kinds."""

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = torch.nn.Linear(2, 3)
            self.scale = torch.nn.Parameter(torch.ones(3))
            self.register_buffer("mean", torch.zeros(3))
            self.register_buffer("passing", torch.zeros(1), persistent=False)
            self.nothing = None
            self.register_parameter("none", None)

        def forward(self, x: Any, factor: float = 1.0) -> Any:
            return (self.inner(x) * self.scale + self.mean) * factor

    made = Net()
    with torch.no_grad():
        for p in made.parameters():
            p.copy_(torch.arange(float(p.numel())).reshape(p.shape) / 10)
    return made


@alike
def test_members_are_found_by_name(torch: Any) -> Any:
    m = net(torch)
    return [
        [n for n, _ in m.named_parameters()],
        [n for n, _ in m.named_buffers()],
        [n for n, _ in m.named_modules()],
        [n for n, _ in m.named_children()],
        [n for n, _ in m.named_parameters("pre", recurse=False)],
        list(m.state_dict()),
        list(m.state_dict(prefix="x.")),
        m.get_parameter("inner.weight"),
        m.get_buffer("mean"),
        repr(m.get_submodule("inner")),
        dict(m.state_dict()._metadata),
    ]


@alike
def test_shared_members_are_given_once_unless_asked_for(torch: Any) -> Any:
    m = torch.nn.Module()
    m.a = torch.nn.Linear(1, 1)
    m.b = m.a
    m.c = torch.nn.Module()
    m.c.w = m.a.weight
    return [
        [n for n, _ in m.named_parameters()],
        [n for n, _ in m.named_parameters(remove_duplicate=False)],
        [n for n, _ in m.named_modules(remove_duplicate=False)],
        len(list(m.children())),
        list(m.state_dict()),
    ]


@alike
def test_assignment_moves_a_name_between_kinds(torch: Any) -> Any:
    m = torch.nn.Module()
    m.x = 3
    m.x = torch.nn.Parameter(torch.ones(1))
    first = (list(m._parameters), "x" in dir(m))
    refused = error_of(lambda: setattr(m, "x", torch.ones(1)))
    del m.x
    m.x = torch.nn.Linear(1, 1)
    second = (list(m._parameters), list(m._modules), refused)
    m.x = None
    third = (list(m._modules), m.x)
    del m.x
    m.y = torch.nn.Buffer(torch.ones(2), persistent=False)
    m.y = torch.zeros(3)
    fourth = (list(m._buffers), m.y, list(m.state_dict()))
    m.z = torch.ones(2)
    return [first, second, third, hasattr(m, "x"), fourth, list(m._buffers)]


@alike
def test_the_dicts_of_members_may_be_written_directly(torch: Any) -> Any:
    m = torch.nn.Module()
    m._parameters["w"] = torch.nn.Parameter(torch.ones(2))
    seen = [m.w]
    m._parameters["w"] = torch.nn.Parameter(torch.zeros(2))
    seen.append(m.w)
    del m._parameters["w"]
    m._modules = OrderedDict(a=torch.nn.ReLU())
    seen += [hasattr(m, "w"), repr(m.a)]
    m._buffers.update(b=torch.ones(1))
    seen.append(m.b)
    m._buffers.clear()
    return [*seen, hasattr(m, "b")]


REFUSED = {
    "a dot in a name": lambda t, m: m.register_parameter("a.b", None),
    "an empty name": lambda t, m: m.register_buffer("", None),
    "a name that is no string": lambda t, m: m.register_parameter(1, None),
    "a name that is taken": lambda t, m: m.register_buffer("forward", None),
    "a taken name of a module": lambda t, m: m.add_module("forward", None),
    "a dot in a module's name": lambda t, m: m.add_module("a.b", t.nn.ReLU()),
    "a module that is none": lambda t, m: m.add_module("a", 3),
    "a buffer that is no tensor": lambda t, m: m.register_buffer("a", 3),
    "a parameter that is a tensor": lambda t, m: m.register_parameter("a", t.ones(1)),
    "a parameter that is no leaf": lambda t, m: m.register_parameter("a", _no_leaf(t)),
    "a tensor for a parameter": lambda t, m: setattr(m, "scale", t.ones(3)),
    "a number for a module": lambda t, m: setattr(m, "inner", 3),
    "a number for a buffer": lambda t, m: setattr(m, "mean", 3),
    "a missing attribute": lambda t, m: m.missing,
    "a missing submodule": lambda t, m: m.get_submodule("inner.missing"),
    "a parameter as a submodule": lambda t, m: m.get_submodule("scale"),
    "a buffer as a parameter": lambda t, m: m.get_parameter("mean"),
    "a parameter as a buffer": lambda t, m: m.get_buffer("scale"),
    "a mode that is no bool": lambda t, m: m.train(1),
    "an integer dtype": lambda t, m: m.to(t.int64),
    "a state that is no dict": lambda t, m: m.load_state_dict([1]),
    "no forward": lambda t, m: t.nn.Module()(1),
    "arguments of Module": lambda t, m: t.nn.Module(1),
    "keywords of Module": lambda t, m: t.nn.Module(a=1),
    "an empty target": lambda t, m: m.set_submodule("", t.nn.ReLU()),
}


def _no_leaf(torch: Any) -> Any:
    made = torch.nn.Parameter(torch.ones(1))
    with torch.no_grad():
        made.requires_grad_(False)
    made *= torch.ones(1, requires_grad=True)
    return made


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str) -> None:
    both(lambda torch: error_of(lambda: REFUSED[what](torch, net(torch))))


@alike
def test_members_before_init_are_refused(torch: Any) -> Any:
    class Early(torch.nn.Module):
        def __init__(self, value: Any) -> None:
            self.a = value

    values = (torch.nn.Parameter(torch.ones(1)), torch.nn.ReLU())
    return [error_of(lambda v=v: Early(v)) for v in values]


@alike
def test_state_is_loaded_by_name(torch: Any) -> Any:
    m, other = net(torch), net(torch)
    state = other.state_dict()
    for tensor in state.values():
        tensor.add_(1)
    keys = m.load_state_dict(state)
    return [repr(keys), dict(m.state_dict()), m.scale.requires_grad]


@alike
def test_state_may_be_assigned(torch: Any) -> Any:
    m = net(torch)
    state = {name: tensor.double() for name, tensor in m.state_dict().items()}
    m.load_state_dict(state, assign=True)
    return [m.scale.dtype, m.mean.dtype, isinstance(m.scale, torch.nn.Parameter)]


def _broken_state(torch: Any) -> Any:
    state = dict(net(torch).state_dict())
    del state["scale"]
    state["extra"] = torch.ones(1)
    state["inner.deep.x"] = torch.ones(1)
    state["mean"] = torch.ones(4)
    state["inner.bias"] = 5
    return state


def _message(torch: Any, strict: bool) -> list[str]:
    try:
        net(torch).load_state_dict(_broken_state(torch), strict=strict)
    except RuntimeError as error:
        return str(error).splitlines()
    return []


@pytest.mark.parametrize("strict", [True, False])
def test_what_is_wrong_with_a_state_is_said_in_full(strict: bool) -> None:
    both(lambda torch: _message(torch, strict))


@alike
def test_names_that_do_not_match_are_returned_when_not_strict(torch: Any) -> Any:
    state = {"scale": torch.zeros(3), "extra": torch.zeros(1)}
    keys = net(torch).load_state_dict(state, strict=False)
    return [keys.missing_keys, keys.unexpected_keys, repr(keys)]


@alike
def test_extra_state_is_kept(torch: Any) -> Any:
    class Extra(torch.nn.Module):
        kept = 1

        def get_extra_state(self) -> Any:
            return self.kept

        def set_extra_state(self, state: Any) -> None:
            self.kept = state

    a, b = Extra(), Extra()
    a.kept = 7
    b.load_state_dict(a.state_dict())
    return [dict(a.state_dict()), b.kept, error_of(lambda: Extra().load_state_dict({}))]


@alike
def test_hooks_on_state(torch: Any) -> Any:
    m, seen = net(torch), []
    m.register_state_dict_pre_hook(lambda *a: seen.append(["pre", a[1], a[2]]))
    m.register_state_dict_post_hook(lambda mod, state, prefix, meta: state.update(more=1))
    m._register_state_dict_hook(lambda mod, state, prefix, meta: {**state, "last": 2})
    state = m.state_dict()
    m.register_load_state_dict_pre_hook(lambda mod, state, *rest: seen.append(len(rest)))
    m.register_load_state_dict_post_hook(lambda mod, keys: keys.unexpected_keys.clear())
    m.load_state_dict(state)
    return [list(state), seen]


@alike
def test_modes_reach_all_submodules(torch: Any) -> Any:
    m = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Sequential(torch.nn.ReLU()))
    m.eval()
    off = [x.training for x in m.modules()]
    m.train()
    seen: list[str] = []
    m.apply(lambda x: seen.append(type(x).__name__))
    m.requires_grad_(False)
    return [off, [x.training for x in m.modules()], seen]


@alike
def test_conversion_keeps_the_parameter_and_its_gradient(torch: Any) -> Any:
    m = net(torch)
    p = m.scale
    m(torch.ones(1, 2)).sum().backward()
    m.double()
    found = [m.scale is p, p.dtype, p.grad.dtype, m.mean.dtype]
    m(torch.ones(1, 2, dtype=torch.float64)).sum().backward()
    found += [p.grad, m.half().scale.dtype, m.to("cpu", torch.float32).scale.dtype]
    found += [m.to(torch.ones(1, dtype=torch.float64)).mean.dtype, m.bfloat16().float().mean.dtype]
    return found


@alike
def test_gradients_are_dropped_or_zeroed(torch: Any) -> Any:
    m = net(torch)
    m(torch.ones(1, 2)).sum().backward()
    m.zero_grad(set_to_none=False)
    zeros = m.scale.grad
    m.zero_grad()
    return [zeros, m.scale.grad]


@alike
def test_modules_print_their_children(torch: Any) -> Any:
    class Told(torch.nn.Module):
        def extra_repr(self) -> str:
            return "one\ntwo"

    m = net(torch)
    m.told = Told()
    m.told.inner = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(1, 2))
    m.gone = torch.nn.ReLU()
    m.gone = None
    return [repr(m), repr(Told()), repr(torch.nn.Module())]


@alike
def test_dir_lists_members(torch: Any) -> Any:
    names = dir(net(torch))
    return [n in names for n in ("scale", "mean", "inner", "forward", "nothing", "absent")]


@alike
def test_copies_are_independent_and_keep_sharing(torch: Any) -> Any:
    m = net(torch)
    m.tied = torch.nn.Module()
    m.tied.scale = m.scale
    m.training = False
    c = copy.deepcopy(m)
    with torch.no_grad():
        c.scale.add_(1)
    return [m.scale, c.scale, c.tied.scale is c.scale, c.training, list(c.state_dict()), repr(c)]


def test_a_pickled_module_is_the_same() -> None:
    m = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    again = pickle.loads(pickle.dumps(m))
    x = wend.ones(2, 2)
    assert wend.equal(m(x), again(x))
    assert again[0]._parameters["weight"] is again[0].weight
    again[0].weight = None
    assert again[0]._parameters["weight"] is None


def test_a_module_is_freed_without_the_collector() -> None:
    import gc
    import weakref

    gc.collect()
    gc.disable()
    try:
        m = nn.Sequential(nn.Linear(2, 3), nn.LSTM(3, 4))
        ref = weakref.ref(m)
        del m
        assert ref() is None
    finally:
        gc.enable()


def test_parameters_are_plain_attributes() -> None:
    layer = nn.Linear(2, 3)
    assert layer.__dict__["weight"] is layer.weight
    assert nn.Sequential(layer).__dict__["0"] is layer


@alike
def test_call_super_init_goes_on_to_other_bases(torch: Any) -> Any:
    class Other:
        def __init__(self, a: int = 0) -> None:
            self.a = a

    class Both(torch.nn.Module, Other):
        call_super_init = True

    return Both(a=3).a


@raises_alike(RuntimeError)
def test_lists_of_parameters_are_not_called(torch: Any) -> Any:
    torch.nn.ParameterList()()


CONTAINERS = {
    "index": lambda s: [repr(s[0]), repr(s[-1]), repr(s[1:]), len(s)],
    "out of range": lambda s: error_of(lambda: s[9]),
    "replace": lambda s: [s.__setitem__(1, s[0]), repr(s)][1:],
    "delete": lambda s: [s.__delitem__(0), repr(s)][1:],
    "delete a slice": lambda s: [s.__delitem__(slice(0, 2)), repr(s)][1:],
    "append": lambda s: repr(s.append(s[0])),
    "extend": lambda s: repr(s.extend([s[0], s[1]])),
    "insert": lambda s: [s.insert(1, s[2]), repr(s)][1:],
    "pop": lambda s: [repr(s.pop(1)), repr(s)],
    "add": lambda s: repr(s + s),
    "iterate": lambda s: [repr(m) for m in s],
    "names": lambda s: [n for n, _ in s.named_parameters()],
    "dir": lambda s: [n for n in dir(s) if n.isdigit()],
}


@pytest.mark.parametrize("kind", ["Sequential", "ModuleList"])
@pytest.mark.parametrize("what", CONTAINERS)
def test_containers_of_modules(kind: str, what: str) -> None:
    def program(torch: Any) -> Any:
        modules = [torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.ReLU(), torch.nn.Linear(2, 1)]
        cls = getattr(torch.nn, kind)
        return CONTAINERS[what](cls(*modules) if kind == "Sequential" else cls(modules))

    both(program)


@alike
def test_sequential_repeats(torch: Any) -> Any:
    s = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())
    found = [repr(s * 2), repr(2 * s)]
    for factor in (0, "a"):
        found.append(error_of(lambda factor=factor: s * factor).replace("wend.", "torch."))
    s *= 2
    named = torch.nn.Sequential(OrderedDict(a=torch.nn.ReLU(), b=torch.nn.Tanh()))
    return [*found, repr(s), repr(named), repr(named.a), error_of(lambda: s + 1)]


@alike
def test_dicts_of_modules(torch: Any) -> Any:
    d = torch.nn.ModuleDict({"a": torch.nn.ReLU()})
    d["b"] = torch.nn.Tanh()
    d.update([("c", torch.nn.ELU())])
    found = [list(d), "a" in d, len(d), repr(d), list(d.keys()), [repr(v) for v in d.values()]]
    found += [repr(d.pop("a")), [k for k, _ in d.items()], error_of(lambda: d.update(3))]
    found += [error_of(lambda: d.update([[1]])), error_of(lambda: d["none"])]
    d.clear()
    return [*found, len(d)]


@alike
def test_lists_and_dicts_of_parameters(torch: Any) -> Any:
    a = torch.nn.ParameterList([torch.ones(2), torch.nn.Parameter(torch.zeros(1)), "x"])
    a.append(torch.ones(1, 1))
    a[1] = torch.ones(3)
    d = torch.nn.ParameterDict({"b": torch.ones(2), "a": torch.zeros(1)})
    d["c"] = 5
    found = [repr(a), len(a), a[-1], len(a[1:3]), [n for n, _ in a.named_parameters()]]
    found += [repr(d), list(d), d.get("z", 1), "a" in d, list(reversed(d)), d.pop("a")]
    found += [d.setdefault("e", torch.ones(1)), list((d | d).keys()), error_of(lambda: d[1])]
    return [*found, error_of(lambda: a[7]), error_of(lambda: a.extend(3))]


@alike
def test_lazy_layers_take_their_sizes_from_the_first_input(torch: Any) -> Any:
    m = torch.nn.Sequential(torch.nn.LazyLinear(3), torch.nn.LazyBatchNorm1d())
    before = [repr(m), repr(m[0].weight), m[0].has_uninitialized_params()]
    m.double()
    shape = tuple(m(torch.ones(2, 5, dtype=torch.float64)).shape)
    after = [
        repr(m),
        shape,
        tuple(m[0].weight.shape),
        m[1].running_mean.dtype,
        list(m.state_dict()),
    ]
    return [*before, *after, type(m[0]).__name__]


@alike
def test_lazy_layers_take_their_sizes_from_a_state(torch: Any) -> Any:
    m = torch.nn.LazyLinear(3)
    m.load_state_dict({"weight": torch.ones(3, 4), "bias": torch.zeros(3)})
    copied = copy.deepcopy(torch.nn.LazyLinear(2))
    return [m.weight, repr(copied.weight), error_of(lambda: copied.weight.shape)]


def test_messages_of_deprecated_calls() -> None:
    def program(torch: Any) -> Any:
        with warnings.catch_warnings(record=True, action="always") as caught:
            torch.nn.Hardtanh(min_value=-2)
            torch.nn.NLLLoss2d()
            net(torch).state_dict({}, "p.")
            torch.nn.LSTM(2, 3, dropout=0.5)
        return [(str(w.message), w.category.__name__) for w in caught]

    both(program)


def test_errors_of_dropout() -> None:
    both_raise(lambda torch: torch.nn.Dropout(2), ValueError)
