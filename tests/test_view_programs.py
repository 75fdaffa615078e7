"""Random programs of views, writes and outside writes do on wend what they do on PyTorch.

Each program runs on both, step by step. The one deliberate difference, that saved values are
private, is taken out by giving PyTorch private ones too: its hooks save copies.
"""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from both import torch, wend

np = pytest.importorskip("numpy")
hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from ways import WAYS, Way, many, running  # noqa: E402

MOST_TENSORS = 8
SHAPES = [(4,), (2, 3), (3, 3), (2, 2, 3), (1, 4), (6,), ()]
CONSTANTS = [0.0, 1.0, -2.0, 0.5, 3.0]
PRIVATE = torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t)

Step = Callable[..., Any]
VIEWS: dict[str, Step] = {}
WRITES: dict[str, Step] = {}
READS: dict[str, Step] = {}


def step(kind: dict[str, Step]) -> Callable[[Step], Step]:
    def add(function: Step) -> Step:
        kind[function.__name__] = function
        return function

    return add


class Machine:
    """One side of the comparison: the tensors and arrays that a program has made so far."""

    def __init__(self, lib: Any, shape: tuple[int, ...]) -> None:
        self.lib = lib
        self.arrays = [np.arange(12.0).reshape(3, 4), np.arange(6.0) * 0.5]
        numbers = lib.arange(float(np.prod(shape, dtype=int)), dtype=lib.float64).reshape(shape)
        self.leaves = [numbers.clone().requires_grad_(), (numbers * 0.5 - 1).requires_grad_()]
        constant = lib.arange(12.0, dtype=lib.float64).reshape(3, 4)
        shared = lib.from_numpy(self.arrays[0])
        self.tensors = [
            self.leaves[0],
            self.leaves[1] * 1,
            self.leaves[0].clone(),
            constant,
            shared,
        ]

    def tensor(self, n: int) -> Any:
        return self.tensors[n % len(self.tensors)]

    def array(self, n: int) -> Any:
        return self.arrays[n % len(self.arrays)]

    def do(self, name: str, at: int, other: int, n: list[int], grad: bool) -> None:
        with self.lib.set_grad_enabled(grad):
            made = STEPS[name](self, self.tensor(at), self.tensor(other), n)
        if made is None or any(made is t for t in self.tensors):
            return
        if len(self.tensors) < MOST_TENSORS:
            self.tensors.append(made)
        else:
            self.tensors[n[0] % MOST_TENSORS] = made


def is_expanded(t: Any) -> bool:
    """Whether elements share a place."""
    shared = any(n > 1 and s == 0 for n, s in zip(t.shape, t.stride(), strict=True))
    return shared and t.numel() > 0


def is_too_hard(t: Any, other: Any) -> bool:
    """Whether PyTorch cannot tell if a write to one would change the other while it is read."""
    if not shares_storage(t, other):
        return False
    dense = all(torch.ops.aten.is_non_overlapping_and_dense(x) for x in (t, other))
    # Tensors of one array each have a storage of their own.
    known = t.untyped_storage()._cdata == other.untyped_storage()._cdata or is_same_part(t, other)
    return not (dense and known and t.numel())


def is_same_part(t: Any, other: Any) -> bool:
    facts = [(x.shape, x.stride(), x.storage_offset()) for x in (t, other)]
    return bool(facts[0] == facts[1])


def shares_storage(t: Any, other: Any) -> bool:
    return bool(t.untyped_storage().data_ptr() == other.untyped_storage().data_ptr())


def size(t: Any, d: int) -> int:
    return int(t.shape[d]) if t.dim() else 1


def place(t: Any, d: int, n: int) -> int:
    """An index into a dimension, as long as there is one."""
    return n % max(1, size(t, d))


# Views


@step(VIEWS)
def slice_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    index = (slice(None),) * (n[0] % max(t.dim(), 1))
    return t[(*index, slice(n[1] - 2, n[2] + 1, n[3] % 3 + 1))]


@step(VIEWS)
def select(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.select(n[0] % max(t.dim(), 1), n[1] - 2)


@step(VIEWS)
def number(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t[n[0] - 1]


@step(VIEWS)
def everything(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return [t[...], t[:], t[None], t[..., None]][n[0] % 4]


@step(VIEWS)
def mixed_index(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t[..., None, n[0] % 2 :: n[1] % 2 + 1]


@step(VIEWS)
def transpose(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.transpose(n[0] % max(t.dim(), 1), n[1] % max(t.dim(), 1))


@step(VIEWS)
def permute(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.permute([(d + n[0]) % t.dim() for d in range(t.dim())])


@step(VIEWS)
def view(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.view([(-1,), (2, -1), (-1, 1), (1, t.numel()), tuple(t.shape)[::-1]][n[0] % 5])


@step(VIEWS)
def reshape(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.reshape([(-1,), (2, -1), (-1, 2), (1, t.numel()), tuple(t.shape)[::-1]][n[0] % 5])


@step(VIEWS)
def expand(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.expand(n[0] % 3 + 1, *t.shape) if n[1] % 2 else t.unsqueeze(-1).expand(*t.shape, 2)


@step(VIEWS)
def unsqueeze(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.unsqueeze(n[0] - 1)


@step(VIEWS)
def squeeze(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.squeeze() if n[0] % 2 else t.squeeze(n[1] - 1)


@step(VIEWS)
def diagonal(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.diagonal(n[0] - 1)


@step(VIEWS)
def narrow(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.narrow(n[0] % max(t.dim(), 1), n[1], n[2])


@step(VIEWS)
def unfold(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.unfold(n[0] % max(t.dim(), 1), n[1] % 3, n[1] % 3 + n[2] % 2)


@step(VIEWS)
def as_strided(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    # Elements that share a place are made by a stride of 0 only: other ways PyTorch does not see.
    rows, columns, step = n[0] % 3 + 1, n[1] % 3, n[3] % 3
    stride = 0 if n[2] == 0 else step * columns + n[2] % 2
    return t.as_strided((rows, columns), (stride, step), None if n[4] == 5 else n[4])


@step(VIEWS)
def unbind(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.unbind(n[0] % max(t.dim(), 1))[n[1] % 2]


@step(VIEWS)
def split(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.split(n[0] % 3 + 1, n[1] % max(t.dim(), 1))[n[2] % 2]


@step(VIEWS)
def chunk(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.chunk(n[0] % 3 + 1, n[1] % max(t.dim(), 1))[0]


@step(VIEWS)
def iterate(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return list(t)[n[0] % 2]


@step(VIEWS)
def detach(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.detach()


@step(VIEWS)
def data(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.data


@step(VIEWS)
def from_numpy(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return m.lib.from_numpy(m.array(n[0]))


# Writes


@step(WRITES)
def add_number(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.add_(CONSTANTS[n[0] % 5])


@step(WRITES)
def mul_number(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.mul_(CONSTANTS[n[0] % 5])


@step(WRITES)
def add_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.add_(other)


@step(WRITES)
def mul_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    t *= other
    return t


@step(WRITES)
def copy_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.copy_(other)


@step(WRITES)
def zero_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t if is_expanded(t) and t.requires_grad else t.zero_()


@step(WRITES)
def tanh_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.tanh_()


@step(WRITES)
def set_number(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    t[n[0] - 1] = CONSTANTS[n[1] % 5]


@step(WRITES)
def set_slice(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    if n[1] % 2 and n[2] % 2 and shares_storage(t, other):
        return  # a part with gaps: PyTorch cannot tell, and reads what it has just written
    t[n[0] % 2 :: n[1] % 2 + 1] = other if n[2] % 2 else CONSTANTS[n[3] % 5]


@step(WRITES)
def set_all(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    t[[..., slice(None), None][n[0] % 3]] = other


@step(WRITES)
def set_by_mask(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    t[t > n[0]] = other if n[1] % 3 == 0 else CONSTANTS[n[2] % 5]


@step(WRITES)
def set_by_index(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    t[m.lib.tensor([0, place(t, 0, n[0])])] = other if n[1] % 2 else CONSTANTS[n[2] % 5]


@step(WRITES)
def masked_fill_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.masked_fill_(t > n[0], other if n[1] % 3 == 0 else CONSTANTS[n[2] % 5])


@step(WRITES)
def masked_scatter_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    if shares_storage(t, other) or other.numel() < t.numel():
        return t  # PyTorch writes some before it notices that others are missing or overwritten
    return t.masked_scatter_(t > n[0], other)


@step(WRITES)
def index_put_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    rows = m.lib.tensor([place(t, 0, n[0]), place(t, 0, n[1])])
    return t.index_put_((rows,), other, accumulate=n[2] % 2 == 1)


@step(WRITES)
def index_fill_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    if not t.numel():
        return t  # PyTorch's message is of its memory, or it does not look at the indices
    dim = n[2] % max(t.dim(), 1)  # PyTorch writes what it can before it notices an index outside
    rows = m.lib.tensor([n[0] % size(t, dim), n[1] % size(t, dim)])
    return t.index_fill_(dim, rows, CONSTANTS[n[3] % 5])


@step(WRITES)
def index_copy_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    if size(other, 0) > size(t, 0):
        return t  # as above
    return t.index_copy_(0, m.lib.tensor(list(range(size(other, 0)))), other)


@step(WRITES)
def scatter_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    # PyTorch has a gradient only for a source that is used up.
    source = other if other.dim() == t.dim() and n[1] % 2 else CONSTANTS[n[2] % 5]
    places = t.shape if isinstance(source, float) else source.shape
    index = m.lib.zeros(places, dtype=m.lib.int64)
    return t.scatter_(n[0] % max(t.dim(), 1), index, source)


@step(WRITES)
def put_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    if other.numel() > t.numel():
        return t  # as above
    places = m.lib.tensor(list(range(other.numel())), dtype=m.lib.int64).view(other.shape)
    return t.put_(places, other, accumulate=n[0] % 2 == 1)


@step(WRITES)
def index_add_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    if not t.numel():
        return t  # PyTorch does not look at the indices
    rows = [n[0] % 2 % size(t, 0), n[1] % 2 % size(t, 0)]
    return t.index_add_(0, m.lib.tensor(rows), other)


@step(WRITES)
def out(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    if t.shape != other.shape and (t.requires_grad or t.numel() < other.numel()):
        return t
    return m.lib.add(other, CONSTANTS[n[0] % 5], out=t)


@step(WRITES)
def geometry(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    if t.requires_grad and not (m.lib.is_grad_enabled() and not t.is_leaf):
        return t  # PyTorch's gradients have the old sizes
    return [lambda: t.unsqueeze_(0), t.squeeze_, t.t_, lambda: t.transpose_(0, -1)][n[0] % 4]()


@step(WRITES)
def set_data(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    # PyTorch's gradients have the old sizes; and of a base and a view that have parted company
    # each keeps its values, yet PyTorch goes on writing both their histories.
    parted = t._is_view() or any(each._base is t for each in m.tensors)
    if parted or (t.requires_grad and t.shape != other.shape):
        return
    t.data = other


@step(WRITES)
def detach_(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.detach_()


@step(WRITES)
def outside(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    array = m.array(n[0])
    array[...] = array * 0.5 + n[1]


@step(WRITES)
def outside_element(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    array = m.array(n[0])
    if array.size:
        array[(n[1] % 2 - 1,) * array.ndim] += 1


# Reads, and what else changes the state


@step(READS)
def times(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t * other


@step(READS)
def scaled(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t * CONSTANTS[n[0] % 5] + 1


@step(READS)
def tanh(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.tanh()


@step(READS)
def total(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t.sum(n[0] % max(t.dim(), 1)) if n[1] % 2 else t.sum()


@step(READS)
def clone(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return [t.clone, t.contiguous][n[0] % 2]()


@step(READS)
def by_index(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t[m.lib.tensor([n[0] % 3, n[1] - 1])]


@step(READS)
def by_mask(m: Machine, t: Any, other: Any, n: list[int]) -> Any:
    return t[t > n[0]]


@step(READS)
def numpy(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    array = (t.detach() if n[1] % 2 else t).numpy()
    if len(m.arrays) < 4:
        m.arrays.append(array)
    else:
        m.arrays[n[0] % 4] = array


@step(READS)
def drop_array(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    if len(m.arrays) > 1:
        del m.arrays[n[0] % len(m.arrays)]


@step(READS)
def drop_tensor(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    if len(m.tensors) > 2:
        del m.tensors[n[0] % len(m.tensors)]


@step(READS)
def requires_grad(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    t.requires_grad_()


@step(READS)
def backward(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    t.sum().backward(retain_graph=True)


@step(READS)
def look(m: Machine, t: Any, other: Any, n: list[int]) -> None:
    t.tolist()


STEPS = VIEWS | WRITES | READS
# wend refuses these where elements share a place; PyTorch warns that it will, and writes them.
REFUSED_EXPANDED = {"set_by_mask", "set_by_index", "masked_fill_", "index_put_", "index_fill_"}


def attempt(run: Callable[[], Any]) -> str:
    """Run; tell the type of what was raised, if anything was."""
    try:
        run()
    except Exception as error:
        return type(error).__name__
    return ""


def is_lost(t: Any) -> bool:
    """Whether a write has made a result of a view that may not become one."""
    return attempt(lambda: t.is_leaf) != ""


def facts(t: Any) -> dict[str, Any]:
    """What a tensor is, apart from its values."""
    told: dict[str, Any] = {
        "shape": list(t.shape),
        "stride": [s for s, n in zip(t.stride(), t.shape, strict=True) if n > 1 and t.numel()],
        "offset": t.storage_offset(),
        "version": t._version,
        "requires_grad": t.requires_grad,
        "is view": t._is_view(),
    }
    lost = attempt(lambda: t.is_leaf)
    return told | {"is_leaf": lost or t.is_leaf}


def gradients(m: Machine) -> tuple[str, list[Any]]:
    """The gradients that all tensors together give the leaves."""
    total = None
    for k, t in enumerate(m.tensors):
        try:
            part = (t * (k + 1)).sum()
        except RuntimeError:
            continue
        if t.requires_grad:
            total = part if total is None else total + part
    failed = attempt(total.backward) if total is not None else ""
    known = [t for t in [*m.leaves, *m.tensors] if not attempt(lambda t=t: t.is_leaf)]
    return failed, [t.grad for t in known if t.is_leaf]


def same_numbers(theirs: Any, ours: Any, what: str) -> None:
    if theirs is None or ours is None:
        assert theirs is ours, f"{what}: {ours} against {theirs}"
        return
    a, b = (np.asarray(t.detach().tolist()) for t in (theirs, ours))
    assert a.shape == b.shape, f"{what}: {b} against {a}"
    assert np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True), f"{what}: {b} against {a}"


def compare(theirs: Machine, ours: Machine) -> None:
    for k, (a, b) in enumerate(zip(theirs.tensors, ours.tensors, strict=True)):
        assert facts(b) == facts(a), f"tensor {k}: {facts(b)} against {facts(a)}"
    for k, (a, b) in enumerate(zip(theirs.tensors, ours.tensors, strict=True)):
        same_numbers(a, b, f"tensor {k}")
    for k, (a, b) in enumerate(zip(theirs.arrays, ours.arrays, strict=True)):
        assert np.allclose(a, b, equal_nan=True), f"array {k}: {b} against {a}"


def do_on_both(theirs: Machine, ours: Machine, name: str, at: int, other: int, *rest: Any) -> None:
    if name in WRITES and is_too_hard(theirs.tensor(at), theirs.tensor(other)):
        return
    if name in REFUSED_EXPANDED and is_expanded(theirs.tensor(at)):
        assert attempt(lambda: ours.do(name, at, other, *rest))
        return
    # PyTorch notices only when asked that a write has made a result of a view.
    lost = [is_lost(m.tensor(at)) | is_lost(m.tensor(other)) for m in (theirs, ours)]
    with PRIVATE:
        expected = attempt(lambda: theirs.do(name, at, other, *rest))
    got = attempt(lambda: ours.do(name, at, other, *rest))
    # Of two reasons to refuse, either may be named.
    shared = shares_storage(theirs.tensor(at), theirs.tensor(other))
    expanded = name in WRITES and is_expanded(theirs.tensor(at))
    any_reason = all(lost) or shared or expanded
    same = got == expected or (got and expected and any_reason)
    assert same, f"{name}: {got!r} against {expected!r}"


def run(shape: tuple[int, ...], program: list[Any], lazy: bool) -> None:
    """Run the program on both; look at the tensors after each step, or at the end if `lazy`."""
    theirs, ours = Machine(torch, shape), Machine(wend, shape)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for step in program:
            do_on_both(theirs, ours, *step)
            if not lazy:
                compare(theirs, ours)
        compare(theirs, ours)
        with PRIVATE:
            expected, their_gradients = gradients(theirs)
        got, our_gradients = gradients(ours)
    assert got == expected, f"backward: {got!r} against {expected!r}"
    if expected:
        return  # how far it came depends on the order of the walk
    for k, (a, b) in enumerate(zip(their_gradients, our_gradients, strict=True)):
        same_numbers(a, b, f"gradient {k}")


small = st.integers(0, 5)
names = st.one_of(*(st.sampled_from(sorted(kind)) for kind in (VIEWS, WRITES, READS)))
steps = st.tuples(
    names,
    st.integers(0, MOST_TENSORS - 1),
    st.integers(0, MOST_TENSORS - 1),
    st.lists(small, min_size=5, max_size=5),
    st.integers(0, 3).map(bool),
)


@many(250)
@given(st.sampled_from(SHAPES), st.lists(steps, min_size=1, max_size=12), st.booleans(), WAYS)
def test_programs_of_views_and_writes_agree(
    shape: tuple[int, ...], program: list[Any], lazy: bool, way: Way
) -> None:
    with running(way):
        run(shape, program, lazy)


# Programs that once went wrong, as small as they could be made.


def test_a_write_through_as_strided_of_a_smaller_view_keeps_the_gradient() -> None:
    for narrow in [("as_strided", 1, 0, [0, 0, 0, 0, 0], True), ("diagonal", 1, 0, [0] * 5, True)]:
        program = [
            narrow,
            ("as_strided", 5, 0, [0, 1, 0, 0, 0], True),
            ("add_number", 6, 0, [0, 0, 0, 0, 0], True),
        ]
        run((2, 3), program, False)
        run((2, 3), [*program[:2], ("set_number", 6, 0, [1, 0, 0, 0, 0], True)], False)
        run((2, 3), [*program[:2], ("tanh_", 6, 0, [0, 0, 0, 0, 0], True)], False)


def test_a_refused_write_through_as_strided_leaves_the_gradient_as_it_was() -> None:
    for refused in ("copy_", "mul_"):
        program = [
            ("narrow", 1, 0, [0, 0, 0, 0, 0], True),
            ("as_strided", 5, 0, [0, 1, 0, 0, 0], True),
            (refused, 6, 0, [0, 0, 0, 0, 0], True),
        ]
        run((4,), program, False)


def test_a_write_through_as_strided_of_a_view_of_a_leaf_is_refused() -> None:
    program = [
        ("requires_grad", 3, 0, [0, 0, 0, 0, 0], True),
        ("as_strided", 3, 0, [0, 0, 0, 0, 0], True),
        ("set_by_index", 5, 0, [0, 0, 0, 0, 0], True),
    ]
    run((4,), program, False)


def test_tensors_of_one_memory_and_two_histories_keep_them_apart() -> None:
    program = [
        ("drop_tensor", 0, 0, [0, 0, 0, 0, 0], True),
        ("set_data", 1, 0, [0, 0, 0, 0, 0], True),
        ("add_number", 0, 0, [1, 0, 0, 0, 0], False),
    ]
    run((4,), program, False)


def test_a_view_made_without_grad_is_free_again_once_its_base_is_detached() -> None:
    program = [
        ("permute", 2, 0, [0, 0, 0, 0, 0], False),
        ("index_copy_", 2, 0, [0, 0, 0, 0, 0], True),
        ("detach_", 2, 0, [0, 0, 0, 0, 0], True),
    ]
    run((4,), program, False)


def test_a_written_view_keeps_its_gradient_when_its_base_is_detached() -> None:
    program = [
        ("everything", 1, 0, [0, 0, 0, 0, 0], True),
        ("add_number", 5, 0, [0, 0, 0, 0, 0], True),
        ("detach_", 1, 0, [0, 0, 0, 0, 0], True),
    ]
    run((4,), program, True)


def test_an_array_sees_writes_though_the_array_that_lent_the_memory_is_gone() -> None:
    for write in [("mul_", 4, 0, [0, 0, 0, 0, 0], True), ("out", 4, 0, [1, 0, 0, 0, 0], False)]:
        program = [
            ("drop_array", 0, 0, [0, 0, 0, 0, 0], True),
            ("numpy", 4, 0, [0, 0, 0, 0, 0], True),
            write,
        ]
        run((4,), program, False)


def test_a_resized_out_lies_in_memory_as_the_result_does() -> None:
    program = [
        ("geometry", 3, 0, [2, 0, 0, 0, 0], True),
        ("out", 4, 3, [0, 0, 0, 0, 0], True),
    ]
    run((4,), program, False)


def test_a_mask_is_filled_with_an_element_of_the_tensor_itself() -> None:
    program = [
        ("select", 1, 0, [0, 0, 0, 0, 0], True),
        ("masked_fill_", 1, 5, [0, 0, 0, 0, 0], True),
    ]
    run((4,), program, False)
