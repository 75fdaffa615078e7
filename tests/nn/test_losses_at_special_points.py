"""Losses and distances, and their gradients, are PyTorch's where formulas have corners: in ties, at
0, at infinity, far out and at NaN.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest
from both import alike, both, compare, error_of, torch, wend

INF, NAN = math.inf, math.nan
Loss = Callable[[Any, Any, Any], Any]  # of nn.functional, scores and targets

POINTS = {
    "ties": [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0],
    "large": [1e30, -1e30, 2e38, 1.0],
    "small": [1e-30, -1e-30, 1e-40, 0.0],
    "infinite": [INF, -INF, 1.0, 0.0],
    "nan": [NAN, 1.0, 0.0],
}
PAIRS: dict[str, Loss] = {
    "smooth_l1": lambda F, x, y: F.smooth_l1_loss(x, y, reduction="none"),
    "smooth_l1 of 2": lambda F, x, y: F.smooth_l1_loss(x, y, beta=2.0, reduction="none"),
    "smooth_l1 of 0": lambda F, x, y: F.smooth_l1_loss(x, y, beta=0.0, reduction="none"),
    "huber": lambda F, x, y: F.huber_loss(x, y, reduction="none"),
    "huber of 0.5": lambda F, x, y: F.huber_loss(x, y, delta=0.5, reduction="none"),
    "mse": lambda F, x, y: F.mse_loss(x, y, reduction="none"),
    "l1": lambda F, x, y: F.l1_loss(x, y, reduction="none"),
    "hinge": lambda F, x, y: F.hinge_embedding_loss(x, y, reduction="none"),
    "soft_margin": lambda F, x, y: F.soft_margin_loss(x, y.detach(), reduction="none"),
    "poisson": lambda F, x, y: F.poisson_nll_loss(x, y, reduction="none"),
    "poisson, full": lambda F, x, y: F.poisson_nll_loss(x, y, full=True, reduction="none"),
    "bce_with_logits": lambda F, x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"),
    "kl_div": lambda F, x, y: F.kl_div(x, y, reduction="none"),
    "kl_div of logs": lambda F, x, y: F.kl_div(x, y, reduction="none", log_target=True),
    "gaussian": lambda F, x, y: F.gaussian_nll_loss(x, y * 0.5, y.abs(), reduction="none"),
    "margin_ranking": lambda F, x, y: F.margin_ranking_loss(x, y, y.detach(), reduction="none"),
}


def slopes(T: Any, result: Any, leaves: list[Any]) -> Any:
    weights = (T.arange(result.numel(), dtype=result.dtype) % 3 + 1).reshape(result.shape)
    found = T.autograd.grad(result, leaves, weights, allow_unused=True)
    return [T.zeros_like(x) if g is None else g for x, g in zip(leaves, found, strict=True)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", POINTS)
@pytest.mark.parametrize("name", PAIRS)
def test_elementwise_losses(name: str, kind: str, dtype: str) -> None:
    if (name, kind) == ("kl_div", "large"):
        pytest.skip("which product overflows first differs")

    def program(T: Any) -> Any:
        each = [*itertools.product([*POINTS[kind], *POINTS["ties"][:4]], repeat=2)]
        x, y = (
            T.tensor(values, dtype=getattr(T, dtype), requires_grad=True)
            for values in zip(*each, strict=True)
        )
        loss = PAIRS[name](T.nn.functional, x, y)
        return loss.detach(), slopes(T, loss, [x, y])

    compare(program(torch), program(wend))


@alike
def test_a_huber_loss_without_a_bound_is_the_square(torch: Any) -> Any:
    x = torch.tensor([0.0, 1.0, -3.0], requires_grad=True)
    loss = torch.nn.functional.huber_loss(x, torch.ones(3), delta=INF, reduction="none")
    return loss, torch.autograd.grad(loss.sum(), x)


ROWS = [[1.0, 1.0, 2.0], [0.0, 1.0, -1.0], [1.0, NAN, 0.0], [INF, INF, -INF], [3.0, 2.0, 2.0]]
MARGINS: dict[str, Loss] = {
    "multi": lambda F, x, y: F.multi_margin_loss(x, y[:, 0], reduction="none"),
    "multi, squared": lambda F, x, y: F.multi_margin_loss(x, y[:, 0], p=2, reduction="none"),
    "multi of 0": lambda F, x, y: F.multi_margin_loss(x, y[:, 0], margin=0.0, reduction="none"),
    "multilabel": lambda F, x, y: F.multilabel_margin_loss(x, y, reduction="none"),
}


@pytest.mark.parametrize("name", MARGINS)
def test_margins_that_are_just_kept_have_no_slope(name: str) -> None:
    def program(T: Any) -> Any:
        x = T.tensor(ROWS, requires_grad=True)
        labels = T.tensor([[0, -1, -1], [1, 0, -1], [1, 2, -1], [0, 1, -1], [2, -1, 0]])
        loss = MARGINS[name](T.nn.functional, x, labels)
        return loss, torch_like(T, loss, x)

    both(program)


def torch_like(T: Any, loss: Any, x: Any) -> Any:
    return T.autograd.grad(loss.nan_to_num(0, 0, 0).sum(), x)


@pytest.mark.parametrize("wrong", [-2, 3, 2**40])
def test_labels_that_are_none(wrong: int) -> None:
    def program(T: Any) -> Any:
        labels = T.tensor([[0, wrong, -1]])
        return error_of(lambda: T.nn.functional.multilabel_margin_loss(T.ones(1, 3), labels))

    both(program)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_distances_that_are_too_small_to_be_told_have_no_slope(p: float) -> None:
    def program(T: Any) -> Any:
        rows = [[0.0, 1e-200], [1e-200, 0.0], [0.0, 0.0]]
        x = T.tensor(rows, dtype=T.float64, requires_grad=True)
        far = T.nn.functional.pdist(x, p)
        return far, T.autograd.grad(far.sum(), x)

    both(program)


@pytest.mark.parametrize("padding_idx", [None, 2])
def test_of_equal_maxima_in_a_bag_the_first_has_the_slope(padding_idx: int | None) -> None:
    def program(T: Any) -> Any:
        table = T.tensor([[1.0, 2.0], [1.0, 3.0], [9.0, 9.0], [1.0, 3.0]], requires_grad=True)
        index, offsets = T.tensor([2, 0, 1, 3, 3, 1]), T.tensor([0, 4, 4])
        bags = T.nn.functional.embedding_bag(
            index, table, offsets, mode="max", padding_idx=padding_idx
        )
        return bags, T.autograd.grad((bags * T.tensor([1.0, 2.0])).sum(), table)

    both(program)


@alike
def test_what_bags_refuse(torch: Any) -> Any:
    def bag(*args: Any, **options: Any) -> Any:
        return error_of(lambda: torch.nn.functional.embedding_bag(*args, **options))

    index, table, offsets = torch.tensor([0, 1]), torch.ones(3, 2), torch.tensor([0, 1])
    return [
        bag(index.float(), table, offsets),
        bag(index, table, offsets.float()),
        bag(index, table.long(), offsets),
        bag(index, table, offsets, padding_idx=3),
        bag(index, table, offsets, padding_idx=-4),
        bag(index, table, offsets + 2),
    ]


@alike
def test_a_query_that_may_look_at_nothing_sees_zeros(torch: Any) -> Any:
    mask = torch.tensor([[0.0, -INF], [-INF, -INF], [1.0, 0.0]], requires_grad=True)
    q, k, v = (
        torch.arange(float(2 * n)).reshape(1, n, 2).sin().requires_grad_() for n in (3, 2, 2)
    )
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return out, torch.autograd.grad(out.sum(), (q, k, v, mask))


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
def test_rows_whose_squares_overflow(name: str) -> None:
    """At other lengths PyTorch's layer_norm has NaN."""

    def program(T: Any) -> Any:
        x = T.arange(24.0).sin().reshape(2, 12) * 1e30
        return getattr(T.nn.functional, name)(x, (12,))

    both(program)


@alike
def test_arguments_at_their_bounds(torch: Any) -> Any:
    functional, x = torch.nn.functional, torch.tensor([[0.5, -1.0], [2.0, 0.0]])
    return [
        functional.cross_entropy(x, torch.tensor([0, 1]), label_smoothing=-1.0),
        functional.bilinear(x, x, torch.ones(0, 2, 2)),
        functional.bilinear(x[:0], x[:0], torch.ones(3, 2, 2)),
        error_of(lambda: functional.celu(x, 0.0)),
        error_of(lambda: functional.huber_loss(x, x, delta=NAN)),
        error_of(lambda: functional.smooth_l1_loss(x, x, beta=NAN)),
        torch.full((2, 400), 300.0, dtype=torch.float16).renorm(2, 0, 1.0),
    ]


@pytest.mark.parametrize("name", ["mse_loss", "huber_loss", "smooth_l1_loss"])
@pytest.mark.parametrize("kind", ["int64", "uint8", "int32"])
def test_errors_of_integers_do_not_wrap_around(name: str, kind: str) -> None:
    def program(T: Any) -> Any:
        loss = getattr(T.nn.functional, name)
        x, y = (T.tensor(v, dtype=getattr(T, kind)) for v in ([1, 2], [3, 1]))
        return [
            error_of(lambda: loss(x, y, reduction="sum")),
            loss(x.float(), y, reduction="none"),
        ]

    both(program)


@alike
def test_rankings_of_integers(torch: Any) -> Any:
    x, y = torch.tensor([1, 2]), torch.tensor([3, 4])
    return torch.nn.functional.margin_ranking_loss(x, y, torch.tensor([1, -1]))
