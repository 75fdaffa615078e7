"""Functions that those of nn.functional are made of in PyTorch, called by PyTorch's signatures."""

from collections.abc import Callable
from typing import Any

import pytest
from both import both, error_of


def grid(T: Any, *sizes: int) -> Any:
    """Numbers without a pattern, and their gradient."""
    count = 1
    for size in sizes:
        count *= size
    values = (T.arange(count, dtype=T.float64) * 2.7).sin()
    return values.reshape(sizes).requires_grad_()


def with_gradient(T: Any, result: Any, *leaves: Any) -> Any:
    """A result and the gradients of its sum of squares."""
    parts = result if isinstance(result, (tuple, list)) else [result]
    sum((each * each).sum() for each in parts if each.requires_grad).backward()
    return [*(each.detach() for each in parts), *(leaf.grad for leaf in leaves)]


def of_one(f: Callable[[Any, Any], Any], *sizes: int) -> Callable[[Any], Any]:
    def program(T: Any) -> Any:
        x = grid(T, *sizes)
        return with_gradient(T, f(T, x), x)

    return program


def of_two(f: Callable[[Any, Any, Any], Any], a: Any, b: Any) -> Callable[[Any], Any]:
    def program(T: Any) -> Any:
        x, y = grid(T, *a), grid(T, *b)
        return with_gradient(T, f(T, x, y), x, y)

    return program


def signs(T: Any) -> Any:
    return T.tensor([1.0, -1.0, 1.0], dtype=T.float64)


def statistics(T: Any) -> Any:
    return T.ones(3, dtype=T.float64) / 4, T.ones(3, dtype=T.float64) * 2


CASES: dict[str, Callable[[Any], Any]] = {
    "batch_norm": of_one(
        lambda T, x: T.batch_norm(x, None, None, *statistics(T), True, 0.1, 1e-5, False), 4, 3, 2
    ),
    "batch_norm by statistics": of_one(
        lambda T, x: T.batch_norm(x, *statistics(T), *statistics(T), False, 0.1, 1e-5, True), 4, 3
    ),
    "instance_norm": of_one(
        lambda T, x: T.instance_norm(x, *statistics(T), None, None, True, 0.1, 1e-5, False), 2, 3, 4
    ),
    "group_norm": of_one(lambda T, x: T.group_norm(x, 3), 2, 6, 3),
    "native_layer_norm": of_one(
        lambda T, x: T.native_layer_norm(x, [3, 2], None, None, 1e-5), 4, 3, 2
    ),
    "native_group_norm": of_one(
        lambda T, x: T.native_group_norm(x, None, None, 2, 6, 5, 3, 1e-5), 2, 6, 5
    ),
    "native_batch_norm": of_one(
        lambda T, x: T.native_batch_norm(x, None, None, *statistics(T), True, 0.1, 1e-5), 4, 3, 2
    ),
    "kl_div": of_two(lambda T, x, y: T.kl_div(x, y.exp(), 2), (3, 2), (3, 2)),
    "binary_cross_entropy_with_logits": of_two(
        lambda T, x, y: T.binary_cross_entropy_with_logits(x, y, None, T.ones(2) * 3, 0),
        (3, 2),
        (3, 2),
    ),
    "hinge_embedding_loss": of_one(lambda T, x: T.hinge_embedding_loss(x, signs(T), 2.0), 3),
    "cosine_embedding_loss": of_two(
        lambda T, x, y: T.cosine_embedding_loss(x, y, signs(T), 0.1, 2), (3, 4), (3, 4)
    ),
    "margin_ranking_loss": of_two(
        lambda T, x, y: T.margin_ranking_loss(x, y, signs(T), 0.5), (3,), (3,)
    ),
    "triplet_margin_loss": of_two(
        lambda T, x, y: T.triplet_margin_loss(x, y, x.detach() * 2, reduction=0), (3, 4), (3, 4)
    ),
    "poisson_nll_loss": of_two(
        lambda T, x, y: T.poisson_nll_loss(x, y.abs(), True, False, 1e-8, 1), (3,), (3,)
    ),
    "ctc_loss": of_one(
        lambda T, x: T.ctc_loss(x.log_softmax(-1), T.tensor([[1, 2]]), [5], [2], 0, 2), 5, 1, 3
    ),
    "grid_sampler": of_two(
        lambda T, x, y: [T.grid_sampler(x, y, m, p, True) for m in (0, 2) for p in (0, 1, 2)],
        (1, 2, 3, 4), (1, 2, 2, 2),
    ),
    "grid_sampler_3d": of_two(
        lambda T, x, y: T.grid_sampler_3d(x, y, 0, 1, False), (1, 1, 2, 3, 2), (1, 2, 2, 1, 3)
    ),
    "affine_grid_generator": of_one(
        lambda T, x: T.affine_grid_generator(x, [1, 2, 3, 2], False), 1, 2, 3
    ),
    "conv_tbc": of_two(
        lambda T, x, y: T.conv_tbc(x, y, T.ones(4, dtype=T.float64), 1), (5, 2, 3), (2, 3, 4)
    ),
    "convolution": of_two(
        lambda T, x, y: T.convolution(x, y, None, [2], [1], [1], False, [0], 1),
        (2, 3, 5), (4, 3, 2),
    ),
    "transposed convolution": of_two(
        lambda T, x, y: T.convolution(x, y, None, [2, 1], [1, 0], [1, 1], True, [1, 0], 1),
        (1, 2, 3, 3), (2, 3, 2, 2),
    ),
    "norms": of_one(
        lambda T, x: [
            T.nuclear_norm(x + T.eye(3, 4)), T.nuclear_norm(x + T.eye(3, 4), True),
            T.frobenius_norm(x, [0, 1]),
            T.norm_except_dim(x), T.norm_except_dim(x, 1, 1), T.norm_except_dim(x, 2, -1),
        ], 3, 4,
    ),
    "copies": of_one(
        lambda T, x: [
            T.diagonal_copy(x), T.expand_copy(x, (2, 3, 4)), T.permute_copy(x, (1, 0)),
            T.select_copy(x, 0, 1), *T.split_copy(x, 2, 1), *T.split_with_sizes_copy(x, [1, 2]),
            T.squeeze_copy(x[:1]), T.t_copy(x), T.transpose_copy(x, 0, 1), *T.unbind_copy(x),
            T.unfold_copy(x, 1, 2, 1), T.unsqueeze_copy(x, 0), T.view_copy(x, (4, 3)),
            T.narrow_copy(x, 1, 1, 2), T.as_strided_copy(x, (2, 2), (1, 2)), x.narrow_copy(0, 0, 1),
        ], 3, 4,
    ),
    "unsafe parts": of_one(
        lambda T, x: [
            *T.unsafe_chunk(x, 2), *x.unsafe_split(2), *x.unsafe_split_with_sizes([1, 2], 0)
        ], 3, 2,
    ),
    "renorm_": of_one(lambda T, x: (x * 2).renorm_(2, 0, 0.5), 3, 2),
    "copies share nothing": lambda T: (
        lambda x: (T.view_copy(x, (4,)).zero_(), T.detach_copy(x).zero_(), x)[-1]
    )(T.ones(2, 2)),
    "copies into": lambda T: T.narrow_copy(T.arange(4), 0, 1, 2, out=T.zeros(2, dtype=T.int64)),
    "in place": lambda T: [
        T.fill_(T.ones(2), 3), T.zero_(T.ones(2)), T.detach_(T.ones(2)),
        T.index_put_(T.zeros(3), (T.tensor([1]),), T.tensor([2.0])),
        T.addmv_(T.ones(2), T.ones(2, 3), T.ones(3)), T.as_strided_(T.arange(4), (2,), (2,)),
        T.resize_as_(T.zeros(2), T.ones(1, 2)),
    ],
    "nonzero_static": lambda T: [
        T.nonzero_static(T.tensor([[0, 1], [2, 0]]), size=size) for size in (0, 1, 3)
    ] + [T.tensor([0, 1]).nonzero_static(size=2, fill_value=7)],
    "sizes": lambda T: [
        T.sym_int(2.7), T.sym_float(2), T.sym_max(1, 2.0), T.sym_min(1, 2.0), T.sym_not(False),
        T.sym_ite(True, 1, 2), T.sym_sum([1, 2, 3]),
    ],
    "autocast": lambda T: [
        T.is_autocast_cpu_enabled(), T.is_autocast_cache_enabled(), str(T.get_autocast_cpu_dtype()),
    ],
    "what there was": lambda T: [
        error_of(lambda: T.matrix_rank(T.eye(2)))[:70], error_of(lambda: T.symeig(T.eye(2)))[:70],
    ],
    "numbers that name nothing": lambda T: [
        T.kl_div(T.ones(2), T.ones(2), -1), T.kl_div(T.ones(2), T.ones(2), 2**40),
        error_of(lambda: T.norm_except_dim(T.ones(2, 3), 2, 5)),
        T.norm_except_dim(T.ones(2, 3), 2, -2),
    ],
    "out of memory": lambda T: T.OutOfMemoryError is T.cuda.OutOfMemoryError,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_it_gives_pytorchs_numbers_and_gradients(name: str) -> None:
    both(CASES[name])


def test_binomial_counts_what_happens() -> None:
    from both import wend

    wend.manual_seed(0)
    drawn = wend.binomial(wend.full((2000,), 10.0), wend.tensor(0.3))
    assert abs(drawn.mean().item() - 3) < 0.15
    assert drawn.min() >= 0
    assert drawn.max() <= 10


def test_native_dropout_tells_what_it_kept() -> None:
    from both import wend

    out, kept = wend.native_dropout(wend.ones(1000), 0.25, True)
    assert wend.equal(out, kept / 0.75)
    assert 650 < kept.sum() < 850


def test_a_condition_calls_one_of_two_functions() -> None:
    both(lambda T: [T.sym_ite(False, 1, 2)])
    from both import wend

    x = wend.ones(2, requires_grad=True)
    wend.cond(x.sum() > 1, lambda a: a * 3, lambda a: a, (x,)).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
