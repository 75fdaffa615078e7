"""What nn and optim do with nothing, infinity, NaN and mixed dtypes is what PyTorch does."""

import itertools
import math
from typing import Any

import pytest
from both import alike, both, error_of

INF, NAN = math.inf, math.nan
NORMS = ["GroupNorm", "LayerNorm", "BatchNorm1d", "InstanceNorm1d", "RMSNorm"]
FLOATS = ["bfloat16", "float16", "float32", "float64"]


def norm_of(torch: Any, name: str) -> Any:
    nn = torch.nn
    made = {
        "GroupNorm": lambda: nn.GroupNorm(2, 4),
        "InstanceNorm1d": lambda: nn.InstanceNorm1d(4, affine=True),
    }
    return made.get(name, lambda: getattr(nn, name)(4))()


@pytest.mark.filterwarnings("ignore")  # PyTorch tells of slower kernels
@pytest.mark.parametrize("name", NORMS)
def test_norms_of_mixed_dtypes(name: str) -> None:
    def program(torch: Any) -> Any:
        def dtypes(of_input: str, of_weight: str) -> Any:
            layer = norm_of(torch, name).to(getattr(torch, of_weight))
            x = torch.arange(16.0).reshape(1, 4, 4).to(getattr(torch, of_input)).requires_grad_()
            y = layer(x)
            y.float().pow(2).sum().backward()
            return y.dtype, x.grad.dtype, layer.weight.grad.dtype

        found = []
        for a, b in itertools.product(FLOATS, FLOATS):
            try:
                found.append(dtypes(a, b))
            except RuntimeError as error:
                found.append(str(error).splitlines()[0])
        return found

    both(program)


@pytest.mark.parametrize("name", ["BatchNorm1d", "LayerNorm", "RMSNorm", "Linear"])
@pytest.mark.parametrize("training", [True, False])
def test_gradients_of_nothing_are_zero(name: str, training: bool) -> None:
    def program(torch: Any) -> Any:
        torch.manual_seed(0)
        layer = torch.nn.Linear(4, 4) if name == "Linear" else norm_of(torch, name)
        layer.train(training)
        layer(torch.zeros(0, 4)).sum().backward()
        return [p.grad for p in layer.parameters()], [*layer.buffers()]

    both(program)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_fused_steps_obey_a_scaler(name: str) -> None:
    def program(torch: Any) -> Any:
        p = torch.nn.Parameter(torch.ones(3))
        p.grad = torch.full((3,), 4.0)
        optimizer = getattr(torch.optim, name)([p], lr=0.1, fused=True)
        optimizer.found_inf, optimizer.grad_scale = torch.tensor(1.0), torch.tensor(2.0)
        optimizer.step()
        passed_over = p.detach().clone()
        optimizer.found_inf = torch.tensor(0.0)
        optimizer.step()
        return passed_over, p.detach(), p.grad, optimizer._step_supports_amp_scaling

    both(program)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("p", [INF, -INF, 1, 2, 3.0])
def test_power_means_of_any_order(n: int, p: float) -> None:
    def program(torch: Any) -> Any:
        x = (torch.arange(4.0**n) + 1).reshape(1, 1, *[4] * n).requires_grad_()
        y = getattr(torch.nn.functional, f"lp_pool{n}d")(x, p, 2)
        return y, torch.autograd.grad(y.sum(), x)

    both(program)


LENGTHS = [([5], [0]), ([0], [0]), ([0], [2]), ([2], [2]), ([5], [2]), ([1], [2])]
WRONG = [
    ([-1], [2]),
    ([5], [-1]),
    ([6], [2]),
    ([5], [4]),
    ([5.0], [2]),
    ([5], [2.0]),
    ([5, 5], [2]),
]


def spelled(torch: Any, inputs: Any, targets: Any, **options: Any) -> Any:
    scores = torch.arange(20.0, dtype=torch.float64).reshape(5, 1, 4).sin().requires_grad_()
    loss = torch.nn.functional.ctc_loss(
        scores.log_softmax(-1), torch.tensor([[1, 2]]), torch.tensor(inputs),
        torch.tensor(targets), **options,
    )  # fmt: skip
    return loss, torch.autograd.grad(loss.sum(), scores)


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
@pytest.mark.parametrize("reduction", ["none", "mean"])
@pytest.mark.parametrize("zero_infinity", [True, False])
def test_alignments_of_any_length(lengths: Any, reduction: str, zero_infinity: bool) -> None:
    if lengths in (([0], [2]), ([1], [2])) and not zero_infinity:
        pytest.skip("PyTorch's gradient of an infinite loss is that of some other one")
    both(lambda T: spelled(T, *lengths, reduction=reduction, zero_infinity=zero_infinity))


@pytest.mark.parametrize("lengths", WRONG, ids=str)
def test_lengths_that_cannot_be(lengths: Any) -> None:
    both(lambda T: error_of(lambda: spelled(T, *lengths)))


@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("place", [NAN, INF, -INF, 1e30])
def test_grids_that_point_nowhere(padding_mode: str, mode: str, place: float) -> None:
    """Only values: PyTorch's gradient at NaN writes where it may not."""

    def program(torch: Any) -> Any:
        x = torch.arange(1.0, 10.0).reshape(1, 1, 3, 3)
        grid = torch.tensor([[[[place, 0.0], [0.0, place], [0.3, 0.2], [place, place]]]])
        return torch.nn.functional.grid_sample(x, grid, mode, padding_mode, align_corners=False)

    both(program)


@alike
def test_grids_of_nearest_neighbours_have_no_slope(torch: Any) -> Any:
    x = torch.arange(1.0, 10.0).reshape(1, 1, 3, 3).requires_grad_()
    grid = torch.tensor([[[[0.1, 0.0], [0.0, 3.0]]]], requires_grad=True)
    y = torch.nn.functional.grid_sample(x, grid, "nearest", align_corners=False)
    return torch.autograd.grad(y.sum(), (x, grid))


@pytest.mark.parametrize("p", [0, 1, 2, 3, INF])
def test_distances_to_nan(p: float) -> None:
    def program(torch: Any) -> Any:
        x = torch.tensor([[1.0, NAN, 0.0], [0.0, 0.0, 0.0], [INF, 1.0, 2.0], [0.0, 0.0, 0.0]])
        functional = torch.nn.functional
        return [
            functional.pdist(x, p),
            functional.pairwise_distance(x, torch.ones(3), p),
            torch.linalg.vector_norm(x, p, dim=1),
            torch.cdist(x, x, p) if p != INF else p,  # there PyTorch passes over NaN
        ]

    both(program)


@pytest.mark.parametrize("p", [INF, -INF, 0.5, 1, 2, 3])
def test_norms_beside_nan_have_pytorchs_gradient(p: float) -> None:
    def program(torch: Any) -> Any:
        x = torch.tensor([[1.0, NAN, 0.0], [0.0, 0.0, 0.0], [-2.0, 1.0, 2.0]], requires_grad=True)
        norm = torch.linalg.vector_norm(x, p, dim=1)
        return norm, torch.autograd.grad(norm.sum(), x)

    both(program)


SPACINGS: list[dict[str, Any]] = [
    {},
    {"spacing": 2.0},
    {"spacing": [0.0, 1.0, 3.0, 4.0, 9.0, 10.0]},
]


@pytest.mark.parametrize("options", SPACINGS, ids=str)
@pytest.mark.parametrize("edge_order", [1, 2])
def test_slopes_beside_infinities(options: Any, edge_order: int) -> None:
    def program(torch: Any) -> Any:
        given = dict(options)
        if isinstance(given.get("spacing"), list):
            given["spacing"] = (torch.tensor(given["spacing"]),)
        rows = [[1.0, INF, 3.0, -INF, NAN, 2.0], [1.0, 4.0, 2.0, 8.0, 5.0, 7.0]]
        return [torch.gradient(torch.tensor(r), edge_order=edge_order, **given) for r in rows]

    both(program)


@alike
def test_slopes_refuse_what_pytorch_refuses(torch: Any) -> Any:
    return [
        error_of(lambda: torch.gradient(torch.ones(3, dtype=torch.uint8))),
        error_of(lambda: torch.gradient(torch.ones(3, 3), spacing=[torch.tensor(1.0)] * 2)),
    ]


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("offsets", [[0, 2, 3, 3], [0, 0, 3], [0, 3, 3, 3], [0, 0]])
def test_empty_bags_at_either_end(mode: str, offsets: list[int]) -> None:
    def program(torch: Any) -> Any:
        table = torch.arange(1.0, 7.0).reshape(3, 2).requires_grad_()
        rows = torch.tensor([0, 1, 2][: offsets[-1]], dtype=torch.int64)
        bags = torch.nn.functional.embedding_bag(
            rows, table, torch.tensor(offsets), mode=mode, include_last_offset=True
        )
        return bags, torch.autograd.grad(bags.sum(), table)

    both(program)


@pytest.mark.parametrize(
    "loss",
    [
        lambda torch, F, x: F.multi_margin_loss(x, torch.tensor([1, 2])),
        lambda torch, F, x: F.multi_margin_loss(x, torch.tensor([1, 2]), p=2),
        lambda torch, F, x: F.multilabel_margin_loss(
            x, torch.tensor([[1, -1, 0, 0], [3, 0, -1, 0]])
        ),
        lambda torch, F, x: F.margin_ranking_loss(x[0], x[1], torch.tensor([1, -1, 1, 1])),
        lambda torch, F, x: F.hinge_embedding_loss(x, torch.tensor([[1, -1, 1, -1]] * 2)),
        lambda torch, F, x: F.triplet_margin_loss(x[0], x[1], x[1] * 1, margin=1.0),
        lambda torch, F, x: F.smooth_l1_loss(x, torch.zeros(2, 4)),
        lambda torch, F, x: F.huber_loss(x, torch.zeros(2, 4)),
    ],
)
def test_slopes_of_losses_right_at_their_margins(loss: Any) -> None:
    def program(torch: Any) -> Any:
        x = torch.tensor([[0.0, 1, 2, 1], [1, 1, 1, 0]], requires_grad=True)
        loss(torch, torch.nn.functional, x).backward()
        return x.grad

    both(program)
