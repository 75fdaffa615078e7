"""Datasets, samplers and batches are PyTorch's."""

import collections
from typing import Any

import pytest
from both import alike, both, error_of, wend

Point = collections.namedtuple("Point", "x y")


@alike
def test_datasets_are_combined(torch: Any) -> Any:
    data = torch.utils.data
    rows = data.TensorDataset(torch.arange(4), torch.arange(4) * 10)
    both_sets = rows + data.TensorDataset(torch.arange(4, 6), torch.arange(2))
    stacked = data.StackDataset(a=rows, b=range(4))
    part = data.Subset(both_sets, [5, 0, 3])
    return [
        len(rows), list(rows[2]), len(both_sets), list(both_sets[4]), list(both_sets[-1]),
        [list(part[i]) for i in range(3)], len(stacked), list(stacked[1]), stacked[3]["b"],
        [item["b"] for item in stacked.__getitems__([2, 0])],
        list(data.StackDataset(range(3), range(3))[1]),
        [list(item) for item in part.__getitems__([2, 1])],
    ]  # fmt: skip


@alike
def test_iterable_datasets_are_chained(torch: Any) -> Any:
    class Count(torch.utils.data.IterableDataset):  # type: ignore[misc]
        def __init__(self, n: int) -> None:
            self.n = n

        def __iter__(self) -> Any:
            return iter(range(self.n))

        def __len__(self) -> int:
            return self.n

    chained = Count(3) + Count(2)
    loader = torch.utils.data.DataLoader(chained, batch_size=2, drop_last=True)
    return list(chained), len(chained), list(loader), len(loader)


@alike
def test_batches_are_collated(torch: Any) -> Any:
    collate = torch.utils.data.default_collate
    return [
        collate([torch.ones(2), torch.zeros(2)]),
        collate([1, 2]),
        collate([1.5, 2.5]),
        collate([True, False]),
        collate(["a", "b"]),
        collate([{"x": 1, "y": torch.ones(1)}, {"x": 2, "y": torch.zeros(1)}]),
        collate([(1, "a"), (2, "b")]),
        collate([[1, 2.0], [3, 4.0]]),
        collate([Point(1, 2), Point(3, 4)]).y,
        type(collate([Point(1, 2), Point(3, 4)])).__name__,
        torch.utils.data.default_convert([1, (2, "a"), {"k": 3.0}]),
    ]


def test_arrays_are_collated() -> None:
    numpy = pytest.importorskip("numpy")

    def program(torch: Any) -> Any:
        collate = torch.utils.data.default_collate
        arrays = [numpy.arange(3, dtype=numpy.int32), numpy.arange(3, dtype=numpy.int32)]
        scalars = [numpy.float32(1.5), numpy.float32(2.5)]
        convert = torch.utils.data.default_convert
        return collate(arrays), collate(scalars), convert(arrays)

    both(program)


@alike
def test_what_cannot_be_collated_is_refused(torch: Any) -> Any:
    collate = torch.utils.data.default_collate
    return [
        error_of(lambda: collate([None, None])),
        error_of(lambda: collate([[1], [1, 2]])),
        error_of(lambda: collate([torch.ones(2), torch.ones(3)])),
    ]


@alike
def test_samplers_take_what_they_should(torch: Any) -> Any:
    data = torch.utils.data
    torch.manual_seed(0)
    return [
        list(data.SequentialSampler(range(3))),
        sorted(data.RandomSampler(range(50))),
        len(list(data.RandomSampler(range(5), replacement=True, num_samples=70))),
        sorted(set(data.RandomSampler(range(5), num_samples=12))),
        sorted(data.SubsetRandomSampler([3, 7, 9])),
        set(data.WeightedRandomSampler([0.0, 1.0, 0.0], 9)) == {1},
        sorted(data.WeightedRandomSampler([1.0, 1.0, 2.0], 3, replacement=False)),
        list(data.BatchSampler(range(7), 3, False)),
        list(data.BatchSampler(range(7), 3, True)),
        len(data.BatchSampler(range(7), 3, False)),
        len(data.BatchSampler(range(7), 3, True)),
        sorted(i for part in data.random_split(range(9), [4, 5]) for i in part.indices),
        [len(part) for part in data.random_split(range(11), [0.5, 0.3, 0.2])],
    ]


@alike
def test_bad_arguments_are_refused(torch: Any) -> Any:
    data = torch.utils.data

    class Stream(data.IterableDataset):  # type: ignore[misc,name-defined]
        def __iter__(self) -> Any:
            return iter(())

    class Nothing(data.IterableDataset):  # type: ignore[misc,name-defined]
        pass

    return [
        error_of(lambda: data.Dataset()[0]),
        error_of(lambda: data.TensorDataset(torch.ones(2), torch.ones(3))),
        error_of(lambda: data.StackDataset()),
        error_of(lambda: data.StackDataset(range(2), range(3))),
        error_of(lambda: data.ConcatDataset([])),
        error_of(lambda: data.ConcatDataset([range(3)])[-4]),
        error_of(lambda: data.random_split(range(3), [1, 1])),
        error_of(lambda: data.RandomSampler(range(3), replacement=1)),
        error_of(lambda: data.RandomSampler([])),
        error_of(lambda: data.WeightedRandomSampler([1.0], 0)),
        error_of(lambda: data.BatchSampler(range(3), 0, False)),
        error_of(lambda: data.BatchSampler(range(3), 1, 1)),
        error_of(lambda: data.DataLoader(range(3), num_workers=-1)),
        error_of(lambda: data.DataLoader(range(3), timeout=-1)),
        error_of(lambda: data.DataLoader(range(3), prefetch_factor=2)),
        error_of(lambda: data.DataLoader(range(3), persistent_workers=True)),
        error_of(lambda: Nothing()),
        error_of(lambda: data.DataLoader(Stream(), shuffle=True)),
        error_of(lambda: data.DataLoader(range(3), shuffle=True, sampler=range(3))),
        error_of(lambda: data.DataLoader(range(3), 2, batch_sampler=[[1]])),
        error_of(lambda: data.DataLoader(range(3), None, drop_last=True)),
        error_of(lambda: data.DataLoader(range(3), multiprocessing_context="fork")),
        error_of(lambda: data.DataLoader(range(3), num_workers=1, multiprocessing_context="x")),
        error_of(lambda: setattr(data.DataLoader(range(3)), "batch_size", 2)),
    ]


@alike
def test_loaders_go_through_a_dataset(torch: Any) -> Any:
    loader = torch.utils.data.DataLoader
    rows = torch.utils.data.TensorDataset(torch.arange(5), torch.arange(5.0))
    return [
        list(loader(rows, 2)),
        list(loader(rows, 2, drop_last=True)),
        list(loader(rows, None)),
        list(loader(range(4), batch_sampler=[[0, 3], [1]])),
        list(loader(range(4), 2, sampler=[3, 1, 0])),
        list(loader(range(4), 3, collate_fn=sum)),
        len(loader(rows, 2)),
        len(loader(rows, 2, drop_last=True)),
        loader(rows, 2).batch_size,
    ]


def test_shuffling_follows_the_generator() -> None:
    def order(seed: int) -> list[int]:
        generator = wend.Generator().manual_seed(seed)
        loader = wend.utils.data.DataLoader(range(20), 4, shuffle=True, generator=generator)
        return [i for _ in range(2) for batch in loader for i in batch.tolist()]

    assert order(1) == order(1)
    assert order(1) != order(2)
    assert sorted(order(1)[:20]) == list(range(20))
    assert order(1)[:20] != order(1)[20:]
