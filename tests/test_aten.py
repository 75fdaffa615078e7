"""Functions of the package whose arguments are those of PyTorch's operators."""

from collections.abc import Callable
from typing import Any

import pytest
from both import both, error_of


def numbers(T: Any, *sizes: int, seed: float = 0.0) -> Any:
    """Numbers of both signs that require gradients."""
    count = 1
    for size in sizes:
        count *= size
    x = ((T.arange(float(count), dtype=T.float64) + seed) * 1.7).sin()
    return x.reshape(sizes).requires_grad_()


def with_gradients(T: Any, call: Callable[..., Any], *inputs: Any) -> Any:
    """What the call returns, and the gradients of all of it."""
    results = call(*inputs)
    results = results if isinstance(results, (tuple, list)) else [results]
    loss = sum((r * r).sum() for r in results if r.requires_grad)
    loss.backward()
    return [r.detach() for r in results], [x.grad for x in inputs]


LOSSES: dict[str, Callable[[Any, Any, int], Any]] = {
    "binary_cross_entropy_with_logits": lambda T, x, r: T.binary_cross_entropy_with_logits(
        x, x.detach().abs(), None, None, r
    ),
    "weighted logits": lambda T, x, r: T.binary_cross_entropy_with_logits(
        x, x.detach().abs(), T.tensor(2.0), T.tensor([1.0, 2.0, 3.0]), reduction=r
    ),
    "kl_div": lambda T, x, r: T.kl_div(x, x.detach().abs(), r),
    "kl_div of logarithms": lambda T, x, r: T.kl_div(x, x.detach() * 2, r, log_target=True),
    "hinge_embedding_loss": lambda T, x, r: T.hinge_embedding_loss(x, x.detach().sign(), 0.5, r),
    "margin_ranking_loss": lambda T, x, r: T.margin_ranking_loss(x, x * x, x.sign(), 0.1, r),
    "ranks of one": lambda T, x, r: T.margin_ranking_loss(x, x[0], T.tensor(1.0), 0.1, r),
    "cosine_embedding_loss": lambda T, x, r: T.cosine_embedding_loss(
        x, x * x, T.tensor([1, -1]), 0.1, r
    ),
    "triplet_margin_loss": lambda T, x, r: T.triplet_margin_loss(
        x, x * x, x * 2, 0.5, 2.0, 1e-6, True, r
    ),
    "triplets without margin": lambda T, x, r: T.triplet_margin_loss(
        x, x * x, x, -0.5, reduction=r
    ),
    "poisson_nll_loss": lambda T, x, r: T.poisson_nll_loss(
        x, x.detach().abs() * 3, True, True, 1e-8, r
    ),
    "ctc_loss": lambda T, x, r: T.ctc_loss(
        x.reshape(2, 1, 3).log_softmax(2), T.tensor([[1]]), [2], [1], 0, r
    ),
}


@pytest.mark.parametrize("reduction", [0, 1, 2, 7])
@pytest.mark.parametrize("name", LOSSES)
def test_reductions_are_numbers(name: str, reduction: int) -> None:
    def program(T: Any) -> Any:
        return with_gradients(T, lambda x: LOSSES[name](T, x, reduction), numbers(T, 2, 3))

    both(program)


def test_nothing_is_reduced_unless_it_is_asked_for() -> None:
    def program(T: Any) -> Any:
        x, y = T.arange(1.0, 4.0), T.tensor([1.0, -1.0, 1.0])
        lines = T.zeros(4, 2, 3), T.tensor([[1], [1]]), [4, 4], [1, 1]
        return [
            T.kl_div(x, x), T.binary_cross_entropy_with_logits(x, x), T.hinge_embedding_loss(x, y),
            T.margin_ranking_loss(x, x * 2, y), T.cosine_embedding_loss(x[None], x[None], y[:1]),
            T.triplet_margin_loss(x[None], x[None], x[None]), T.ctc_loss(*lines),
        ]  # fmt: skip

    both(program)


@pytest.mark.parametrize("name", ["kl_div", "hinge_embedding_loss"])
def test_a_reduction_by_name_is_refused(name: str) -> None:
    def program(T: Any) -> Any:
        return error_of(lambda: getattr(T, name)(T.ones(2), T.ones(2), reduction="mean"))

    both(program)


def normalized(T: Any, name: str, training: bool, n: int) -> Any:
    x, w, b = numbers(T, n, 4, 3), numbers(T, 4, seed=3), numbers(T, 4, seed=9)
    kept = [T.zeros(4, dtype=T.float64), T.ones(4, dtype=T.float64)]

    def call(x: Any, w: Any, b: Any) -> Any:
        return getattr(T, name)(x, w, b, *kept, training, 0.1, 1e-5, False)

    return with_gradients(T, call, x, w, b), kept


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", ["batch_norm", "instance_norm"])
def test_normalization_takes_parameters_before_statistics(
    name: str, training: bool, n: int
) -> None:
    both(lambda T: normalized(T, name, training, n))


NORMALIZED: dict[str, Callable[[Any], Any]] = {
    "group_norm": lambda T: T.group_norm(numbers(T, 2, 4, 3), 2, None, None, 1e-5, False),
    "groups of one": lambda T: T.group_norm(numbers(T, 1, 4, 1), 4),
    "batch of one": lambda T: T.batch_norm(
        T.ones(1, 2), None, None, None, None, True, 0.1, 1e-5, False
    ),
    "native_layer_norm": lambda T: T.native_layer_norm(
        numbers(T, 2, 4, 3), [4, 3], numbers(T, 4, 3), None, 1e-5
    ),
    "native_group_norm": lambda T: T.native_group_norm(
        numbers(T, 2, 4, 3), numbers(T, 4), numbers(T, 4), 2, 4, 3, 2, 1e-5
    ),
    "native_batch_norm": lambda T: T.native_batch_norm(
        numbers(T, 2, 4, 3), numbers(T, 4), None, None, None, True, 0.1, 1e-5
    ),
    "native_batch_norm of what was learned": lambda T: T.native_batch_norm(
        T.ones(2, 4), None, None, T.zeros(4), T.ones(4), False, 0.1, 1e-5
    ),
    "native_dropout": lambda T: [
        T.native_dropout(T.ones(3), 0.5, False), T.native_dropout(T.ones(3), 1.0, True),
        T.native_dropout(T.ones(3), 0.0, None),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", NORMALIZED)
def test_results_of_normalization(name: str) -> None:
    def program(T: Any) -> Any:
        results = NORMALIZED[name](T)
        results = results if isinstance(results, (list, tuple)) else [results]
        return list(results)

    both(program)


def test_dropout_tells_what_it_kept() -> None:
    import wend

    wend.manual_seed(0)
    result, kept = wend.native_dropout(wend.ones(1000), 0.25, True)
    assert result.tolist() == [4 / 3 * each for each in kept.float().tolist()] or bool(
        wend.allclose(result, kept * (4 / 3))
    )
    assert 650 < int(kept.sum()) < 850


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("padding", [None, 2])
def test_bags_of_embeddings(mode: int, padding: int | None) -> None:
    def program(T: Any) -> Any:
        words, starts = T.tensor([1, 2, 4, 1, 2, 2]), T.tensor([0, 2, 2, 4])
        more = [] if padding is None else [None, False, padding]

        def call(w: Any) -> Any:
            found = T.embedding_bag(w, words, starts, False, mode, False, *more)
            # PyTorch counts nothing where it only adds up.
            return found if mode else found[0]

        return with_gradients(T, call, numbers(T, 5, 3))

    both(program)


BAGS: dict[str, Callable[[Any], Any]] = {
    "ends": lambda T: T.embedding_bag(
        numbers(T, 5, 3), T.tensor([1, 2, 4]), T.tensor([0, 2, 3]), False, 1, False, None, True
    ),
    "weights": lambda T: T.embedding_bag(
        numbers(T, 5, 3), T.tensor([1, 2]), T.tensor([0]), per_sample_weights=numbers(T, 2)
    )[0],
    "no such mode": lambda T: error_of(
        lambda: T.embedding_bag(T.ones(2, 2), T.tensor([1]), T.tensor([0]), False, 7)
    ),
    "means with weights": lambda T: error_of(
        lambda: T.embedding_bag(
            T.ones(2, 2), T.tensor([1]), T.tensor([0]), False, 1, False, T.ones(1)
        )
    ),
    "lengths": lambda T: T.embedding_renorm_(
        T.arange(6.0).reshape(3, 2), T.tensor([2, 1]), 1.5, 2.0
    ),
}


@pytest.mark.parametrize("name", BAGS)
def test_bags(name: str) -> None:
    both(BAGS[name])


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("padding", [0, 1, 2])
def test_samples_by_numbers_of_modes(mode: int, padding: int) -> None:
    def program(T: Any) -> Any:
        def call(x: Any, grid: Any) -> Any:
            return T.grid_sampler(x, grid * 1.3, mode, padding, True)

        return with_gradients(T, call, numbers(T, 1, 2, 3, 3), numbers(T, 1, 2, 2, 2))

    both(program)


CONVOLUTIONS: dict[str, Callable[[Any], Any]] = {
    "conv_tbc": lambda T: T.conv_tbc(
        numbers(T, 5, 2, 3), numbers(T, 2, 3, 4), numbers(T, 4), 1
    ),
    "1-d": lambda T: T.convolution(
        numbers(T, 1, 2, 5), numbers(T, 3, 2, 2), None, [1], [0], [1], False, [0], 1
    ),
    "2-d": lambda T: T.convolution(
        numbers(T, 1, 2, 5, 5), numbers(T, 4, 1, 2, 2), numbers(T, 4), [2, 1], [1, 0], [1, 2],
        False, [0, 0], 2,
    ),
    "transposed": lambda T: T.convolution(
        numbers(T, 1, 2, 5), numbers(T, 2, 3, 2), None, [2], [0], [1], True, [1], 1
    ),
    "grids": lambda T: T.affine_grid_generator(numbers(T, 1, 2, 3), [1, 1, 2, 2], False),
    "flat grids": lambda T: error_of(
        lambda: T.affine_grid_generator(T.ones(1, 2, 3), [1, 1, 2], False)
    ),
    "channels that differ": lambda T: [
        error_of(lambda: T.conv_tbc(T.ones(5, 2, 3), T.ones(2, 4, 4), T.ones(4))),
        error_of(lambda: T.conv_tbc(T.ones(5, 2, 3), T.ones(2, 3, 4), T.ones(3))),
        error_of(lambda: T.conv_tbc(T.ones(5, 2), T.ones(2, 3, 4), T.ones(4))),
        error_of(lambda: T.conv_tbc(T.ones(5, 2, 3), T.ones(2, 3), T.ones(4))),
        error_of(lambda: T.conv_tbc(T.ones(5, 2, 3), T.ones(2, 3, 4), T.ones(4, 1))),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name: str) -> None:
    both(CONVOLUTIONS[name])


GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def recurrent(
    T: Any, name: str, packed: bool, layers: int, directions: int, biases: bool, projected: bool
) -> Any:
    size, out = 4, 2 if projected else 4
    weights = []
    for layer in range(layers):
        for _ in range(directions):
            width = 3 if layer == 0 else out * directions
            gates = GATES[name] * size
            shapes: list[tuple[int, ...]] = [(gates, width), (gates, out)]
            shapes += [(gates,), (gates,)] if biases else []
            shapes += [(out, size)] if projected else []
            weights += [numbers(T, *shape, seed=len(weights) + i) for i, shape in enumerate(shapes)]
    h = numbers(T, layers * directions, 2, out, seed=5)
    c = numbers(T, layers * directions, 2, size, seed=7)
    state = [h, c] if name == "lstm" else h
    rest = (biases, layers, 0.0, True, directions == 2)
    x = numbers(T, 5, 3) if packed else numbers(T, 2, 3, 3)

    def call(x: Any, *weights: Any) -> Any:
        if packed:
            return getattr(T, name)(x, T.tensor([2, 2, 1]), state, list(weights), *rest)
        return getattr(T, name)(x, state, list(weights), *rest, batch_first=True)

    return with_gradients(T, call, x, *weights), h.grad


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", GATES)
def test_recurrent_networks(name: str, packed: bool) -> None:
    both(lambda T: recurrent(T, name, packed, 1, 1, True, False))
    both(lambda T: recurrent(T, name, packed, 2, 2, False, False))


def test_projected_states() -> None:
    both(lambda T: recurrent(T, "lstm", False, 2, 1, True, True))
    both(lambda T: error_of(lambda: T.lstm(
        T.ones(1, 1, 1), [T.ones(1, 1, 1)], [T.ones(4, 1)] * 2, False, 1, 0.0, False, False, False
    )))  # fmt: skip


COPIES: dict[str, tuple[Any, ...]] = {
    "view_copy": ([6],),
    "permute_copy": ([1, 0],),
    "transpose_copy": (0, 1),
    "t_copy": (),
    "expand_copy": ([4, 2, 3],),
    "squeeze_copy": (),
    "unsqueeze_copy": (0,),
    "select_copy": (1, 2),
    "slice_copy": (1, 0, 3, 2),
    "narrow_copy": (1, 0, 2),
    "unfold_copy": (1, 2, 1),
    "diagonal_copy": (),
    "alias_copy": (),
    "as_strided_copy": ([2], [1], 1),
    "split_copy": (1,),
    "split_with_sizes_copy": ([1, 1],),
    "unbind_copy": (1,),
    "unsafe_chunk": (2, 1),
    "unsafe_split": (2, 1),
    "unsafe_split_with_sizes": ([1, 2], 1),
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_of_views(name: str) -> None:
    def program(T: Any) -> Any:
        return with_gradients(T, lambda x: getattr(T, name)(x, *COPIES[name]), numbers(T, 2, 3))

    both(program)


@pytest.mark.parametrize("name", [name for name in COPIES if name.endswith("copy")])
def test_copies_share_no_memory(name: str) -> None:
    def program(T: Any) -> Any:
        x = T.arange(6.0).reshape(2, 3)
        made = getattr(T, name)(x, *COPIES[name])
        for each in made if isinstance(made, tuple) else [made]:
            each.zero_()
        return x

    both(program)


def test_copies_into_tensors_that_are_given() -> None:
    def program(T: Any) -> Any:
        x, one, parts = T.arange(6.0).reshape(2, 3), T.empty(0), [T.empty(1, 3), T.empty(1, 3)]
        T.view_copy(x, [6], out=one)
        T.split_copy(x, 1, out=parts)
        return [
            one, parts, T.view_copy(x, T.int32), T.detach_copy(x),
            error_of(lambda: T.split_copy(x, 1, out=parts[:1])),
            error_of(lambda: T.slice_copy(x, 3)), error_of(lambda: T.slice_copy(x, 0, 0, 1, 0)),
            error_of(lambda: T.slice_copy(T.tensor(1.0))),
            error_of(lambda: T.view_copy(x, [5])), error_of(lambda: T.narrow_copy(x, 0, 3, 1)),
        ]  # fmt: skip

    both(program)


def in_place(T: Any) -> Any:
    x = T.arange(6.0).reshape(2, 3)
    results = [
        T.fill_(x.clone(), 3), T.zero_(x.clone()), T.fill_(x.clone(), T.tensor(2.0)),
        T.index_put_(x.clone(), [T.tensor([1])], T.tensor(5.0), accumulate=True),
        T.addmv_(T.ones(2), x, T.ones(3), beta=2), T.as_strided_(x.clone(), (2,), (1,), 1),
        T.resize_as_(T.empty(0), x).shape, T.conj_physical_(x.clone()),
        x.clone().conj_physical_(), x.clone().renorm_(2, 0, 1.5),
    ]  # fmt: skip
    y = T.ones(2, requires_grad=True) * 2
    return results, T.detach_(y).requires_grad, T.fill_(x, 1) is x, x


def test_functions_that_write_in_place() -> None:
    both(in_place)


SYMBOLS: dict[str, tuple[Any, ...]] = {
    "int": (("sym_int", 3.7), ("sym_int", -3.7)),
    "float": (("sym_float", 3),),
    "max": (("sym_max", 1, 2.0), ("sym_max", 2, 2.0), ("sym_max", 1, 2), ("sym_max", 3, 2.0)),
    "min": (("sym_min", 1, 2.0), ("sym_min", 1, 2)),
    "not": (("sym_not", True), ("sym_not", 0)),
    "sqrt": (("sym_sqrt", 9),),
    "ite": (("sym_ite", True, 1, 2), ("sym_ite", False, 1, 2)),
    "sum": (("sym_sum", [1, 2, 3]), ("sym_sum", (1,)), ("sym_sum", 1, 2)),
}


@pytest.mark.parametrize("name", SYMBOLS)
def test_arithmetic_on_sizes(name: str) -> None:
    both(lambda T: [getattr(T, function)(*args) for function, *args in SYMBOLS[name]])


def test_sizes_are_chosen_by_truths() -> None:
    both(lambda T: error_of(lambda: T.sym_ite(1, 2, 3)))


def test_choices_and_loops_as_functions() -> None:
    import wend

    x = wend.tensor([1.0, 2.0], requires_grad=True)
    assert wend.cond(True, lambda: 1, lambda: 2) == 1
    wend.cond(x.sum() > 5, wend.sin, lambda x: x * x, (x,)).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 4.0]
    count, y = wend.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (wend.tensor(0), x))
    assert (count.item(), y.tolist()) == (3, [8.0, 16.0])
    for call in (
        lambda: wend.cond(3, lambda: 1, lambda: 2),  # type: ignore[arg-type]
        lambda: wend.cond(x > 0, lambda: 1, lambda: 2),
        lambda: wend.cond(True, 1, 2),  # type: ignore[arg-type]
        lambda: wend.cond(True, wend.sin, wend.sin, ("x",)),
        lambda: wend.while_loop(lambda y: y.sum() < 9, lambda y: (y, y), (x,)),
    ):
        with pytest.raises(RuntimeError):
            call()
