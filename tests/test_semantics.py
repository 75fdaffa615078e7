"""What tensors mean, one test a rule: views and writes, identity, outside memory, errors, lines.

Programs run on PyTorch too where it has the case; tests/autograd goes through the variants, and
test_view_programs through random mixtures.
"""

import copy
import inspect
import io
import pickle
from typing import Any

import pytest
from both import STANDIN, alike, both, differs, error_of, raises_alike, torch, wend
from samples import function, grid, leaf

np = pytest.importorskip("numpy")
ours = pytest.mark.skipif(STANDIN is not None, reason="a rule of wend's own")
PRIVATE = "saved values are private"


def state_of(tensor: Any) -> str:
    return str(wend.graph(tensor)[tensor].state)


# Views and in-place


@alike
def test_every_kind_of_write_is_a_new_version_of_the_same_tensor(torch: Any) -> Any:
    x = torch.zeros(3)
    versions = []
    for write in (
        lambda: x.add_(1),
        lambda: x.__setitem__(0, 5.0),
        lambda: x.__setitem__(x > 2, -1.0),
        lambda: torch.mul(x, 2, out=x),
        lambda: x.view(3).zero_(),
    ):
        write()
        versions.append(x._version)
    return versions, x


@alike
def test_values_are_immutable_what_was_read_before_a_write_stays(torch: Any) -> Any:
    x = torch.arange(3.0)
    read = x * 1
    x.mul_(10)
    return read, x


@alike
def test_a_write_through_a_view_is_a_scatter_into_the_base(torch: Any) -> Any:
    x = grid(torch)
    x[:, 1:].t()[0].copy_(torch.tensor([7.0, 8.0]))
    return x


@alike
def test_a_stale_view_is_derived_again_when_it_is_read(torch: Any) -> Any:
    x = grid(torch)
    column, corner = x[:, 0], x[1:, 1:]
    column.add_(100)
    x.mul_(2)
    return column, corner


@alike
def test_a_reshape_that_copies_does_not_write_the_original(torch: Any) -> Any:
    x = grid(torch)
    x.t().reshape(-1)[0] = 9
    return x


@alike
def test_a_reshape_that_aliases_writes_the_original(torch: Any) -> Any:
    x = grid(torch)
    x.reshape(-1)[0] = 9
    return x


@raises_alike(RuntimeError)
def test_a_write_to_an_overlapping_view_is_refused(torch: Any) -> None:
    torch.zeros(3).expand(2, 3).add_(1)


@alike
def test_readers_of_a_version_see_it_although_it_is_overwritten_before_they_run(torch: Any) -> Any:
    x = torch.zeros(4)
    readers = []
    for i in range(4):
        x[i] = i + 1
        readers.append(x.sum())
    return readers


@ours
def test_many_element_writes_do_not_copy_the_tensor_each_time() -> None:
    n, size = 200, 10_000
    x = wend.zeros(size)
    with wend.report() as report:
        for i in range(n):
            x[i] = float(i)
        assert x.sum().item() == n * (n - 1) / 2
    assert report.bytes < 10 * 4 * size


# Identity against storage


@alike
def test_detach_shares_the_storage_and_nothing_else(torch: Any) -> Any:
    x = leaf(torch)
    d = x.detach()
    d.tag = "mine"
    d.zero_()
    (x * 2).sum().backward()
    return [x, d.requires_grad, hasattr(x, "tag"), d.grad, x.grad, d is x]


@alike
def test_data_can_be_replaced_and_the_tensor_is_the_same(torch: Any) -> Any:
    p, q = leaf(torch), torch.zeros(3)
    y = p * 2
    p.data = q
    q.add_(1)
    y.sum().backward()
    return [p, p.is_leaf, p.grad]


@alike
def test_data_can_be_copied_into_without_a_version(torch: Any) -> Any:
    p = leaf(torch)
    p.data.copy_(torch.zeros(3))
    return [p, p._version]


@alike
def test_a_step_without_grad_keeps_leaf_and_identity(torch: Any) -> Any:
    p = leaf(torch)
    same = p
    for _ in range(2):
        (p * p).sum().backward()
        with torch.no_grad():
            p -= 0.1 * p.grad
            p.grad.zero_()
    return [p, same is p, p.is_leaf]


@alike
def test_grad_is_one_tensor_that_is_added_into(torch: Any) -> Any:
    p = leaf(torch)
    (p * 2).sum().backward()
    g = p.grad
    (p * 3).sum().backward()
    return [g is p.grad, g]


@pytest.mark.filterwarnings("ignore:Using backward")
@alike
def test_grad_is_another_tensor_when_it_can_be_differentiated(torch: Any) -> Any:
    p = leaf(torch)
    (p * p).sum().backward(create_graph=True)
    g = p.grad
    (p * p).sum().backward(create_graph=True)
    return [g is p.grad, g.detach(), p.grad.detach()]


def through_pickle(torch: Any, value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def through_save(torch: Any, value: Any) -> Any:
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file)


def through_deepcopy(torch: Any, value: Any) -> Any:
    return copy.deepcopy(value)


@pytest.mark.parametrize("through", [through_deepcopy, through_save], ids=lambda f: f.__name__)
def test_a_copy_of_several_tensors_keeps_which_of_them_alias(through: Any) -> None:
    def program(torch: Any) -> Any:
        x = torch.zeros(2, 3)
        y, row = through(torch, [x, x[1]])
        row.add_(1)
        return [y, row, x]

    both(program)


def test_a_pickle_keeps_which_of_its_tensors_are_the_same() -> None:
    def program(torch: Any) -> Any:
        x = torch.zeros(2)
        y, same = through_pickle(torch, [x, x])
        same.add_(1)
        return [y, y is same, x]

    both(program)


# Leaves, .grad, hooks, modes


@alike
def test_a_leaf_is_what_no_recorded_op_made(torch: Any) -> Any:
    x, c = leaf(torch), torch.ones(3)
    with torch.no_grad():
        z = x * 2
    return [t.is_leaf for t in (x, c, x * 2, c * 2, x.detach(), z)]


@alike
def test_only_leaves_get_a_grad(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    kept = x * 3
    kept.retain_grad()
    (y + kept).sum().backward()
    return [x.grad, kept.grad, kept.retains_grad, y.retains_grad]


@alike
def test_a_hook_may_replace_the_gradient_and_be_removed(torch: Any) -> Any:
    x = leaf(torch)
    handle = x.register_hook(lambda g: g * 10)
    (x * 2).sum().backward()
    handle.remove()
    (x * 2).sum().backward()
    return x.grad


@alike
def test_modes_nest_and_say_what_is_recorded(torch: Any) -> Any:
    x = leaf(torch)
    with torch.no_grad():
        a = x * 2
        with torch.enable_grad():
            b = x * 2
    with torch.inference_mode():
        c = x * 2
    return [t.requires_grad for t in (a, b, c)] + [c.is_inference()]


@alike
def test_autograd_grad_gives_gradients_and_leaves_grad_alone(torch: Any) -> Any:
    x = leaf(torch)
    y = x * x
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    return [first.detach(), second, x.grad]


@alike
def test_a_function_of_ones_own_takes_part(torch: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx: Any, g: Any) -> Any:
        return g * 3 * ctx.saved_tensors[0]

    x = leaf(torch)
    function(torch, forward, backward).apply(x).sum().backward()
    return x.grad


@alike
def test_freeing_history_forgets_gradients_only(torch: Any) -> Any:
    x = leaf(torch)
    y = x.exp()
    later = y.detach() * 2 + y * 3
    y.sum().backward()
    return [later.detach(), y.detach()]


@ours
def test_the_error_of_a_second_backward_names_where_the_freed_part_begins() -> None:
    x = leaf(wend)
    y = x.exp()
    line = inspect.currentframe().f_lineno - 1
    y.sum().backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time") as caught:
        (y * 2).sum().backward()
    assert "exp" in str(caught.value)
    assert f"test_semantics.py:{line}" in str(caught.value)


# Memory shared with the outside


@alike
def test_an_op_takes_the_value_of_outside_memory_when_it_is_recorded(torch: Any) -> Any:
    array = np.zeros(3)
    y = torch.from_numpy(array) + 1
    array[:] = 50
    return y


@alike
def test_pending_readers_run_before_memory_is_handed_out(torch: Any) -> Any:
    x = torch.zeros(3)
    y = x + 1
    x.numpy()[:] = 50
    return y, x


@alike
def test_writes_go_into_memory_that_somebody_outside_owns_at_once(torch: Any) -> Any:
    x = torch.zeros(3)
    array = x.numpy()
    x.add_(1)
    x[0] = 7
    return array.tolist()


@alike
def test_dlpack_shares_memory_both_ways(torch: Any) -> Any:
    x = torch.zeros(3)
    array = np.from_dlpack(x)
    x.add_(1)
    back = torch.from_dlpack(array)
    back.mul_(5)
    return [array.tolist(), x]


@ours
def test_a_tensor_is_lazy_again_when_the_last_outside_owner_is_gone() -> None:
    x = wend.zeros(3)
    array = x.numpy()
    x.add_(1)
    assert state_of(x) == "valued"
    del array
    x.add_(1)
    assert state_of(x) == "pending"


# The one deliberate difference


@differs(PRIVATE, gives=[2.0, 4.0, 6.0])
def test_an_outside_write_leaves_the_gradient_at_the_recorded_values(torch: Any) -> Any:
    x = leaf(torch)
    y = (x * x).sum()
    x.detach().numpy()[:] = 50
    y.backward()
    return x.grad


@differs(PRIVATE, gives=[2.0, 4.0, 6.0])
def test_a_data_write_leaves_the_gradient_at_the_recorded_values(torch: Any) -> Any:
    x = leaf(torch)
    y = (x * x).sum()
    x.data.zero_()
    y.backward()
    return x.grad


@differs(PRIVATE, gives=[2.0, 4.0, 6.0])
def test_a_write_without_grad_leaves_the_gradient_at_the_recorded_values(torch: Any) -> Any:
    x = leaf(torch)
    y = (x * x).sum()
    with torch.no_grad():
        x.zero_()
    y.backward()
    return x.grad


# Errors


@alike
def test_shapes_dtypes_and_arguments_are_checked_when_the_op_is_called(torch: Any) -> Any:
    return [
        error_of(lambda: torch.ones(2) + torch.ones(3)),
        error_of(lambda: torch.ones(2).gather(0, torch.ones(2))),
        error_of(lambda: torch.ones(2).sum(5)),
        error_of(lambda: torch.ones(2).add("1")),
    ]


@raises_alike(IndexError)
def test_an_index_that_is_known_is_checked_when_the_op_is_called(torch: Any) -> None:
    torch.ones(3)[torch.tensor([0, 7])]


@pytest.mark.parametrize("op", ["cholesky", "inv"])
def test_an_op_that_can_fail_on_values_runs_when_it_is_called(op: str) -> None:
    def program(torch: Any) -> Any:
        try:
            getattr(torch.linalg, op)(torch.zeros(2, 2) * 1)
        except torch.linalg.LinAlgError as error:
            return str(error).splitlines()[0]
        return "nothing was raised"

    both(program)


@ours
def test_a_failed_run_leaves_every_other_node_as_it_was() -> None:
    x = wend.arange(3.0)
    index = wend.arange(3) * 5
    before, failed, after = x + 1, x[index], x * 2
    with pytest.raises(IndexError):
        failed.sum().item()
    assert state_of(failed) == "failed"
    assert (before.tolist(), after.tolist()) == ([1, 2, 3], [0, 2, 4])


@ours
def test_a_failed_node_keeps_its_error_and_raises_it_for_those_who_need_the_value() -> None:
    failed = wend.arange(3.0)[wend.arange(3) * 5]
    line = inspect.currentframe().f_lineno - 1
    for _ in range(2):
        with pytest.raises(IndexError) as caught:
            (failed * 2).tolist()
        assert "index(" in str(caught.value)
        assert "(3,)" in str(caught.value)
        assert f"test_semantics.py:{line}" in str(caught.value)


@ours
def test_out_of_memory_is_a_memory_error() -> None:
    with pytest.raises(MemoryError):
        wend.ones(1).expand(2**45).clone().tolist()


# Source lines


@ours
def test_the_line_of_a_node_is_the_users_not_the_packages() -> None:
    x = wend.nn.functional.mse_loss(leaf(wend), wend.zeros(3))
    line = inspect.currentframe().f_lineno - 1
    nodes = [node for node in wend.graph(x) if node.file and not node.is_leaf]
    lines = {(node.file.rpartition("/")[2], node.line) for node in nodes if node.op != "data"}
    assert ("test_semantics.py", line) in lines
    assert {file for file, _ in lines} <= {"test_semantics.py", "samples.py"}


@ours
def test_a_gradient_node_has_the_line_of_its_forward_node() -> None:
    x = leaf(wend)
    y = x.exp()
    line = inspect.currentframe().f_lineno - 1
    loss = y.sum()
    (g,) = wend.autograd.grad(loss, x, create_graph=True)
    node = wend.graph(g)[g]
    assert (node.op, node.line) == ("mul", line)


# Random numbers


def draws(n: int = 4) -> list[Any]:
    wend.manual_seed(7)
    return [wend.rand(3) for _ in range(n)]


@ours
def test_random_numbers_do_not_depend_on_when_they_are_looked_at() -> None:
    forth = [t.tolist() for t in draws()]
    late = draws()
    assert [t.tolist() for t in reversed(late)] == forth[::-1]
    with wend.eager():
        assert [t.tolist() for t in draws()] == forth


@ours
def test_random_numbers_do_not_depend_on_batching() -> None:
    def dropped() -> list[Any]:
        wend.manual_seed(7)
        xs = [wend.ones(5) * (i + 1) for i in range(32)]
        return [wend.nn.functional.dropout(x, 0.5).tolist() for x in [x * 2 for x in xs]]

    together = dropped()
    with wend.batching(False):
        assert dropped() == together


@ours
def test_random_numbers_do_not_depend_on_the_number_of_threads() -> None:
    def many() -> Any:
        wend.manual_seed(3)
        return wend.randn(200_000)

    before = wend.get_num_threads()
    numbers = many().sum().item(), many()[::7777].tolist()
    try:
        wend.set_num_threads(1)
        assert (many().sum().item(), many()[::7777].tolist()) == numbers
    finally:
        wend.set_num_threads(before)


@ours
def test_the_same_seed_gives_the_same_numbers_on_every_machine() -> None:
    wend.manual_seed(0)
    assert wend.randint(0, 1000, (6,)).tolist() == [399, 735, 516, 58, 972, 693]


# Numbers


@alike
def test_denormals_are_kept(torch: Any) -> Any:
    x = torch.tensor([1e-40, -3e-42])
    return [x * 1, (x * 0.5).tolist(), (x + x).tolist()]


@ours
def test_denormals_are_flushed_for_those_who_ask() -> None:
    if not wend.set_flush_denormal(True):
        pytest.skip("this machine cannot flush denormals")
    try:
        assert (wend.tensor([1e-40]) * 0.5).tolist() == [0.0]
    finally:
        wend.set_flush_denormal(False)
    assert (wend.tensor([1e-40]) * 0.5).item() > 0


def tree_of_values() -> Any:
    wend.manual_seed(1)
    weight = wend.randn(8, 8)
    leaves = [wend.randn(8) for _ in range(32)]
    while len(leaves) > 1:
        pairs = zip(leaves[::2], leaves[1::2], strict=True)
        leaves = [(weight @ a + b).tanh() * 0.5 + a.sigmoid().mean() for a, b in pairs]
    return leaves[0]


@ours
def test_batched_fused_and_plain_results_agree_to_rounding() -> None:
    together = tree_of_values().tolist()
    with wend.batching(False):
        assert tree_of_values().tolist() == pytest.approx(together, rel=1e-5)
    with wend.eager():
        assert tree_of_values().tolist() == pytest.approx(together, rel=1e-5)


@ours
def test_the_same_program_gives_the_same_bits_every_time() -> None:
    before = wend.get_num_threads()
    wend.set_num_threads(1)
    try:
        assert tree_of_values().tolist() == tree_of_values().tolist()
    finally:
        wend.set_num_threads(before)


@pytest.mark.parametrize(
    "element", [1, 2.0, True, 5, np.float32(1), np.int64(9), "a", None, [1], b""]
)
def test_what_a_tensor_contains(element: Any) -> None:
    outcomes = []
    for package in (torch, wend):
        for x in (package.ones(2, 3), package.tensor(1), package.empty(0), package.arange(3)):
            try:
                outcomes.append((package, element in x))
            except RuntimeError as error:
                outcomes.append((package, str(error).partition(", but")[0]))
    half = len(outcomes) // 2
    assert [each for _, each in outcomes[:half]] == [each for _, each in outcomes[half:]]
    assert wend.tensor(2) in wend.arange(3)
    assert wend.tensor(4) not in wend.arange(3)
