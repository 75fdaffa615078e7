"""Names of PyTorch that are not in the op table: results, errors and devices."""

from collections.abc import Callable
from typing import Any

import pytest
from both import both, error_of

CASES: dict[str, Callable[[Any], Any]] = {
    **{
        f"{name}_window": lambda T, n=name: [
            getattr(T, f"{n}_window")(size, periodic=periodic, dtype=T.float64)
            for size in (0, 1, 2, 5, 8)
            for periodic in (True, False)
        ]
        for name in ("bartlett", "blackman", "hamming", "hann", "kaiser")
    },
    "window's shape": lambda T: [T.hamming_window(4, True, 0.5), T.kaiser_window(4, True, 3.0)],
    "window of integers": lambda T: error_of(lambda: T.hann_window(-1)),
    "vander": lambda T: [T.vander(T.tensor([1, 2, 3])), T.vander(T.ones(2) * 2, 4, True)],
    "vander of a matrix": lambda T: error_of(lambda: T.vander(T.ones(2, 2))),
    "histogram": lambda T: tuple(T.histogram(T.tensor([1.0, 2.0, 1.0, 9.0]), 4, range=(0.0, 3.0))),
    "histogram by weight": lambda T: tuple(
        T.tensor([[1.0, 2.0], [3.0, 1.0]]).histogram(5, weight=T.tensor([[1.0, 2.0], [0.5, 4.0]]))
    ),
    "histogram between edges": lambda T: tuple(
        T.histogram(T.tensor([0.0, 1.5, 2.9, 3.0, -1.0]), T.tensor([0.0, 1.5, 3.0]), density=True)
    ),
    "histogram of one value": lambda T: tuple(T.histogram(T.ones(3), 2)),
    "histogram of nothing": lambda T: error_of(lambda: T.histogram(T.ones(3), 0)),
    "histogram of integers": lambda T: error_of(lambda: T.histogram(T.tensor([1, 2]), 3)),
    "histogram printed": lambda T: str(T.histogram(T.ones(3), 2)),
    "diagonal": lambda T: [
        T.zeros(3, 3).fill_diagonal_(2),
        T.zeros(5, 2).fill_diagonal_(1),
        T.zeros(5, 2).fill_diagonal_(1, wrap=True),
        T.zeros(2, 5).fill_diagonal_(1, wrap=True),
        T.zeros(2, 2, 2).fill_diagonal_(3),
    ],
    "diagonal of a vector": lambda T: error_of(lambda: T.zeros(3).fill_diagonal_(1)),
    "diagonal of a box": lambda T: error_of(lambda: T.zeros(2, 3, 3).fill_diagonal_(1)),
    "apply_": lambda T: T.tensor([[1, 2], [3, 4]]).apply_(lambda x: x * x),
    "map_": lambda T: T.ones(2, 2).map_(T.tensor([1.0, 2.0]), lambda x, y: x - 2 * y),
    "apply_ with history": lambda T: error_of(lambda: T.ones(2, requires_grad=True).apply_(abs)),
    "devices": lambda T: [
        getattr(T.ones(1), f"is_{name}") for name in ("cpu", "cuda", "xpu", "mps", "meta", "xla")
    ],
    "what it is": lambda T: [
        T.is_signed(T.ones(1)), T.is_conj(T.ones(1)), T.is_neg(T.ones(1)), T.get_device(T.ones(1)),
        T.ones(1).to_dense().tolist(), T.detach(T.ones(1, requires_grad=True)).requires_grad,
        T.cpu.is_available(), T.cpu.device_count(), T.cpu.current_device(),
    ],
    "logit of bounds that contradict": lambda T: T.logit(T.tensor([0.1, 0.6, 0.9, T.nan]), 0.7),
    "rcond": lambda T: [
        T.linalg.pinv(T.tensor([[2.0, 0.0], [0.0, 0.1]]), 0.1),
        T.linalg.pinv(T.tensor([[2.0, 0.0], [0.0, 0.1]]), T.tensor(0.01), True),
    ],
    "what it holds": lambda T: [
        2 in T.tensor([[1, 2], [3, 4]]), T.tensor(5) in T.tensor([[1, 2], [3, 4]]),
        1.5 in T.tensor(1.5), True in T.zeros(0), float("nan") in T.tensor([float("nan")]),
        error_of(lambda: "a" in T.ones(2)), error_of(lambda: None in T.ones(2)),
        error_of(lambda: [1] in T.ones(2)),
    ],
    "reversed": lambda T: [
        reversed(T.arange(6).reshape(2, 3)), reversed(T.tensor(1)), list(reversed(T.arange(2))),
    ],
    "parts": lambda T: [T.tensor([1.5]).real, error_of(lambda: T.tensor([1.5]).imag)],
    "division of old": lambda T: [T.tensor(2.0).__rdiv__(3), T.tensor(2.0).__div__(3)],
    "questions to sparse tensors": lambda T: [
        T.ones(2, 3).sparse_dim(), T.ones(2, 3).dense_dim(), T.eye(2).to_sparse().sparse_dim(),
        T.eye(2).to_sparse().dense_dim(), T.ones(1).is_sparse_csr, T.ones(1).is_mkldnn,
        *(
            error_of(lambda name=name: getattr(T.ones(2), name)())
            for name in ("values", "indices", "coalesce", "is_coalesced", "crow_indices",
                         "col_indices", "row_indices", "ccol_indices")
        ),
    ],
    "order in memory": lambda T: [
        T.ones(2, 3, 4).permute(2, 0, 1).dim_order(), T.ones(1, 1, 4).dim_order(),
        T.tensor(1.0).dim_order(), T.ones(1).is_distributed(), T.ones(1).name,
    ],
    "map2_": lambda T: T.ones(2).map2_(T.ones(2), T.arange(2.0), lambda x, y, z: x + y * z),
    "frequencies": lambda T: [
        T.fft.fftfreq(5, 0.5), T.fft.rfftfreq(6), T.fft.fftfreq(4, dtype=T.float64),
        T.fft.fftshift(T.arange(5)), T.fft.ifftshift(T.arange(6).reshape(2, 3), 1),
        error_of(lambda: T.fft.fftfreq(-1)), error_of(lambda: T.fft.fftfreq(2, dtype=T.int64)),
        error_of(lambda: T.fft.fftshift(T.tensor(1.0))),
    ],
    "points in boxes": lambda T: [
        tuple(T.histogramdd(T.tensor([[0.0, 1.0], [2.0, 3.0], [2.0, 9.0]]), 2)),
        T.histogramdd(T.rand(0, 2), [2, 3], density=True).hist,
        error_of(lambda: T.histogramdd(T.ones(2), 2)),
        error_of(lambda: T.histogramdd(T.ones(2, 2), [2])),
        error_of(lambda: T.histogramdd(T.ones(2, 2), [T.ones(2)])),
        error_of(lambda: T.histogramdd(T.ones(2, 2), [T.ones(1), T.ones(2)])),
        error_of(lambda: T.histogramdd(T.ones(2, 2), 2, range=[0.0, 1.0])),
        error_of(lambda: T.histogram(T.ones(2), T.tensor([0, 1]))),
        error_of(lambda: T.histogram(T.ones(2), 2, weight=T.ones(3))),
    ],
    "images": lambda T: [
        T.pixel_shuffle(T.arange(16.0).reshape(1, 4, 2, 2), 2),
        T.pixel_unshuffle(T.arange(16.0).reshape(1, 1, 4, 4), 2),
        T.channel_shuffle(T.arange(16.0).reshape(1, 4, 2, 2), 2),
        T.pdist(T.eye(3)),
    ],
    "part of the data": lambda T: [
        list(T.utils.data.DistributedSampler(range(7), 3, rank, shuffle=False, drop_last=drop))
        for rank in range(3)
        for drop in (False, True)
    ],
    "no such part": lambda T: error_of(lambda: T.utils.data.DistributedSampler(range(7), 3, 3)),
    "parallel": lambda T: [
        list(T.nn.DataParallel(T.nn.Linear(2, 1)).state_dict()),
        str(T.nn.DataParallel(T.nn.Linear(2, 1))),
    ],
    "no group": lambda T: error_of(
        lambda: T.nn.parallel.DistributedDataParallel(T.nn.Linear(2, 1))
    ),
    "kernels": lambda T: error_of(lambda: T.nn.attention.sdpa_kernel(3).__enter__()),
    "scaler": lambda T: [
        T.amp.GradScaler("cuda", enabled=False).get_scale(),
        T.amp.GradScaler("cuda", enabled=False).state_dict(),
        T.is_autocast_enabled(),
    ],
    "TorchScript's decorators": lambda T: scripted(T),
    "sparse": lambda T: [
        T.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], [3.0, 4.0, 5.0], (2, 3)).to_dense(),
        T.sparse_coo_tensor([[0, 1], [2, 0]], [3, 4]).coalesce().values(),
        T.eye(3).to_sparse().indices(),
        T.eye(3).to_sparse() @ T.ones(3, 2),
        T.spmm(T.eye(3).to_sparse(), T.ones(3, 2)),
        T.sparse.mm(T.eye(3).to_sparse(), T.ones(3, 2)),
        T.eye(3) + T.sparse_coo_tensor([[0], [1]], [2], (3, 3)),
        T.eye(3).to_sparse().is_sparse, T.eye(3).is_sparse,
    ],
    "sparse printed": lambda T: [
        str(T.tensor([[0.0, 2.0], [1.5, 0.0]]).to_sparse().coalesce()),
        str(T.tensor([0, 2], dtype=T.int32).to_sparse().coalesce()),
    ],
    "gradient through sparse": lambda T: through_sparse(T),
    "sparse of what": lambda T: error_of(lambda: T.sparse_coo_tensor([0, 1], [1.0, 2.0])),
    "autocast of nothing": lambda T: error_of(lambda: T.autocast(3)),
}  # fmt: skip


def through_sparse(T: Any) -> Any:
    weight = T.ones(3, 2, requires_grad=True)
    graph = T.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], (3, 3))
    T.spmm(graph, weight * 2).square().sum().backward()
    return weight.grad


def scripted(T: Any) -> Any:
    class Net(T.nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, x: Any) -> Any:
            return self.other(x) + self.third(x)

        @T.jit.export
        def other(self, x: Any) -> Any:
            return x * 2

        @T.jit.ignore
        def third(self, x: Any) -> Any:
            return x + 1 if T.jit.is_scripting() or T.jit.is_tracing() else x

        @T.jit.ignore(drop=False)
        def fourth(self, x: Any) -> Any:
            return self.third(x)

        @T.jit.unused
        def fifth(self, x: Any) -> Any:
            return self.fourth(x) + T.jit.annotate(int, 1)

    net = Net()
    return net(T.ones(2)), net.fifth(T.ones(2))


# PyTorch warns of its own checks.
@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.parametrize("name", CASES)
def test_it_is_as_in_pytorch(name: str) -> None:
    both(CASES[name])


def ranges(T: Any) -> Any:
    return [T.range(1, 4), T.range(1, 2, 0.5), T.range(5, 1, -2, dtype=T.int64)]


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
def test_range_includes_its_end() -> None:
    both(ranges)


def test_shuffled_parts_are_disjoint_and_change_with_the_epoch() -> None:
    from wend.utils.data import DistributedSampler

    samplers = [DistributedSampler(range(10), 2, rank, seed=4) for rank in range(2)]
    first = [list(each) for each in samplers]
    assert sorted(first[0] + first[1]) == list(range(10))
    for each in samplers:
        each.set_epoch(1)
    assert [list(each) for each in samplers] != first


def test_low_rank_factors_are_those_of_the_whole() -> None:
    import wend

    wend.manual_seed(0)
    a = wend.randn(20, 2, dtype=wend.float64) @ wend.randn(2, 6, dtype=wend.float64)
    for matrix in (a, a.mT):
        u, s, v = wend.svd_lowrank(matrix, q=2)
        wend.testing.assert_close(u * s @ v.mT, matrix)
        wend.testing.assert_close(s, wend.linalg.svdvals(matrix)[:2])
    u, s, v = wend.pca_lowrank(a, q=2)
    wend.testing.assert_close(u * s @ v.mT, a - a.mean(0))


def test_the_programs_of_a_gpu_do_nothing_without_one() -> None:
    import wend

    with pytest.warns(UserWarning, match="CUDA is not available"):
        scaler = wend.cuda.amp.GradScaler()
    with pytest.warns(UserWarning, match="Disabling autocast"), wend.cuda.amp.autocast():
        assert (wend.ones(1) * 2).dtype is wend.float32
    weight = wend.ones(1, requires_grad=True)
    optimizer = wend.optim.SGD([weight], lr=0.5)
    scaler.scale(weight.sum()).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert weight.tolist() == [0.5]
