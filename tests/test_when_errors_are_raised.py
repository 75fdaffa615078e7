"""An error about values comes at the call where the values came from outside, else when it runs.

Whether a computed value happens to be there already makes no difference.
"""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from both import described, torch, wend

Use = Callable[[Any, Any], Any]  # of a package and of a tensor with values that are out of range

# The values, and a call that they are wrong for.
CHECKED: dict[str, tuple[list[Any], Use]] = {
    "embedding": ([0, 5], lambda T, i: T.nn.functional.embedding(i, T.ones(3, 2))),
    "Embedding": ([0, -1], lambda T, i: T.nn.Embedding(3, 2)(i)),
    "gather": ([0, 5], lambda T, i: T.ones(3).gather(0, i)),
    "scatter": ([0, 5], lambda T, i: T.ones(3).scatter(0, i, T.ones(2))),
    "scatter a number": ([0, 5], lambda T, i: T.ones(3).scatter(0, i, 2.0)),
    "scatter_add": ([0, 5], lambda T, i: T.ones(3).scatter_add(0, i, T.ones(2))),
    "scatter_reduce": ([0, 5], lambda T, i: T.ones(3).scatter_reduce(0, i, T.ones(2), "amax")),
    "index_select": ([0, 5], lambda T, i: T.ones(3).index_select(0, i)),
    "index_add": ([0, 5], lambda T, i: T.ones(3, 2).index_add(0, i, T.ones(2, 2))),
    "index_copy": ([0, 5], lambda T, i: T.ones(3, 2).index_copy(0, i, T.ones(2, 2))),
    "index_fill": ([0, 5], lambda T, i: T.ones(3, 2).index_fill(0, i, 4.0)),
    "index_reduce": (
        [0, 5],
        lambda T, i: T.ones(3, 2).index_reduce(0, i, T.ones(2, 2), "amax"),
    ),
    "index": ([0, 5], lambda T, i: T.ones(3)[i]),
    "index behind": ([0, -5], lambda T, i: T.ones(2, 3)[:, i]),
    "two indices": ([0, 5], lambda T, i: T.ones(2, 3)[T.tensor([0, 1]), i]),
    "three indices": ([0, 5], lambda T, i: T.ones(2, 2, 2)[T.tensor([0]), T.tensor([0]), i]),
    "assigned": ([0, 5], lambda T, i: assigned(T.ones(3), i)),
    "index_put": ([0, 5], lambda T, i: T.ones(3).index_put((i,), T.ones(2))),
    "take": ([0, 5], lambda T, i: T.ones(3).take(i)),
    "put": ([0, 5], lambda T, i: T.ones(3).put(i, T.ones(2))),
    "nll_loss": ([0, 5], lambda T, i: T.nn.functional.nll_loss(T.ones(2, 3), i)),
    "cross_entropy": ([0, 5], lambda T, i: T.nn.functional.cross_entropy(T.ones(2, 3), i)),
    "CrossEntropyLoss": ([0, -1], lambda T, i: T.nn.CrossEntropyLoss()(T.ones(2, 3), i)),
    "one_hot": ([0, 5], lambda T, i: T.nn.functional.one_hot(i, 3)),
    "one_hot of a negative": ([0, -1], lambda T, i: T.nn.functional.one_hot(i, 3)),
    "bce": ([0.5, 2.0], lambda T, p: T.nn.functional.binary_cross_entropy(p, T.ones(2))),
    "bce target": (
        [0.5, 2.0],
        lambda T, p: T.nn.functional.binary_cross_entropy(T.full((2,), 0.5), p),
    ),
    "divided": ([1, 0], lambda T, d: T.tensor([4, 6]) // d),
    "floor_divide": ([1, 0], lambda T, d: T.floor_divide(T.tensor([4, 6]), d)),
    "remainder": ([1, 0], lambda T, d: T.tensor([4, 6]) % d),
    "fmod": ([1, 0], lambda T, d: T.fmod(T.tensor([4, 6]), d)),
    "div": ([1, 0], lambda T, d: T.div(T.tensor([4, 6]), d, rounding_mode="floor")),
    "div trunc": ([1, 0], lambda T, d: T.div(T.tensor([4, 6]), d, rounding_mode="trunc")),
    "searchsorted": (
        [0, 5],
        lambda T, i: T.searchsorted(T.tensor([1.0, 2.0]), T.tensor([1.5]), sorter=i),
    ),
}
# Of these the sizes of the result, or what else follows, depend on the values: they look at once.
LOOK_AT_ONCE: dict[str, tuple[list[Any], Use]] = {
    "multinomial": ([0.5, -1.0], lambda T, p: T.multinomial(p, 1)),
    "bernoulli": ([0.5, 2.0], lambda T, p: T.bernoulli(p)),
    "poisson": ([0.5, -1.0], lambda T, p: T.poisson(p)),
    "normal": ([0.5, -1.0], lambda T, p: T.normal(T.zeros(2), p)),
    "bincount": ([0, -1], lambda T, i: T.bincount(i)),
    "repeat_interleave": ([1, -1], lambda T, i: T.ones(2).repeat_interleave(i)),
    "one_hot of any": ([0, -1], lambda T, i: T.nn.functional.one_hot(i)),
    "histc": ([0.5, float("nan")], lambda T, x: T.histc(x)),
    "quantile": ([0.5, 2.0], lambda T, q: T.quantile(T.arange(4.0), q)),
    "Bernoulli": ([0.5, 2.0], lambda T, p: T.distributions.Bernoulli(p)),
    "Normal": ([0.5, -1.0], lambda T, p: T.distributions.Normal(0.0, p)),
    "log_prob": (
        [0.0, 2.0],
        lambda T, x: T.distributions.Bernoulli(0.5, validate_args=True).log_prob(x),
    ),
    "gaussian_nll_loss": (
        [0.5, -1.0],
        lambda T, v: T.nn.functional.gaussian_nll_loss(T.ones(2), T.ones(2), v),
    ),
    "embedding_bag": (
        [1, 0],
        lambda T, o: T.nn.functional.embedding_bag(T.tensor([0, 1]), T.ones(3, 2), o),
    ),
    "cholesky": ([1.0, -1.0], lambda T, d: T.linalg.cholesky(T.diag(d))),
    "inv": ([1.0, 0.0], lambda T, d: T.linalg.inv(T.diag(d))),
    "from an empty dimension": ([0, 1], lambda T, i: T.ones(0).index_select(0, i)),
}


def assigned(x: Any, i: Any) -> Any:
    x[i] = 2.0
    return x


def array(v: list[Any]) -> Any:
    return np.array(v, dtype=np.int64 if isinstance(v[0], int) else np.float32)


def reloaded(t: Any) -> Any:
    file = io.BytesIO()
    wend.save(t, file)
    file.seek(0)
    return wend.load(file)


def read(t: Any) -> Any:
    t.tolist()
    return t


# From a list of numbers, tensors that came from outside, views of such ...
GIVEN: dict[str, Callable[[list[Any]], Any]] = {
    "tensor": lambda v: wend.tensor(v),
    "array": lambda v: wend.tensor(array(v)),
    "array of another dtype": lambda v: wend.tensor(np.array(v), dtype=wend.tensor(v).dtype),
    "memory of an array": lambda v: wend.from_numpy(array(v)),
    "file": lambda v: reloaded(wend.tensor(v)),
    "slice": lambda v: wend.tensor([*v, v[0]])[:2],
    "row": lambda v: wend.tensor([v, v])[1],
    "detached": lambda v: wend.tensor(v).detach(),
    "stepped": lambda v: wend.tensor([v[0], 1, v[1], 1])[::2],
    "flipped strides": lambda v: wend.tensor([[v[0], 1], [v[1], 1]]).t()[0],
    "column": lambda v: wend.tensor([[v[0], 1], [v[1], 1]])[:, 0],
    "reshaped": lambda v: wend.tensor([v]).reshape(2),
    "read": lambda v: read(wend.tensor(v)),
    "a part that was aliased": lambda v: aliased(wend.tensor([[1, 1], v]))[1],
}
# ... and tensors that were computed.
COMPUTED: dict[str, Callable[[list[Any]], Any]] = {
    "pending": lambda v: wend.tensor(v) * 1,
    "there": lambda v: read(wend.tensor(v) * 1),
    "view": lambda v: (wend.tensor([v, v]) * 1)[1],
    "view that is there": lambda v: read(wend.tensor([v, v]) * 1)[1],
    "view that was read": lambda v: read((wend.tensor([v, v]) * 1)[1]),
    "detached": lambda v: read(wend.tensor(v) * 1).detach(),
    "part that was aliased": lambda v: read(aliased(wend.tensor([[1, 1], v]) * 1)[1]),
    "clone": lambda v: read(wend.tensor(v).clone()),
    "written": lambda v: read(written(v)),
    "cat": lambda v: read(wend.cat([wend.tensor(v[:1]), wend.tensor(v[1:])])),
    "mapped": lambda v: wend.map(lambda x: x * 1, [wend.tensor(v)] * 9)[3],
    "one of a batch": lambda v: of_a_batch(v),
}


def aliased(x: Any) -> Any:
    x.detach()
    return x


def written(v: list[Any]) -> Any:
    x = wend.tensor([v[0], v[0]])
    x[1] = v[1]
    return x


def of_a_batch(v: list[Any]) -> Any:
    all_of_them = [wend.tensor(v) * 1 for _ in range(9)]
    wend.stack(all_of_them).tolist()
    return all_of_them[4]


def expected(name: str) -> str:
    values, use = CHECKED[name]
    with pytest.raises((RuntimeError, IndexError, ValueError)) as error:
        use(torch, torch.tensor(values))
    return described(error.value)


def raised_by(call: Callable[[], Any]) -> str:
    with pytest.raises((RuntimeError, IndexError, ValueError)) as error:
        call()
    return described(error.value)


@pytest.mark.parametrize("origin", GIVEN)
@pytest.mark.parametrize("name", CHECKED)
def test_values_from_outside_are_looked_at_when_an_op_is_called(name: str, origin: str) -> None:
    values, use = CHECKED[name]
    given = GIVEN[origin](values)
    assert raised_by(lambda: use(wend, given)) == expected(name)
    # A call that is like one before takes a shorter way.
    assert raised_by(lambda: [use(wend, given) for _ in range(3)]) == expected(name)


@pytest.mark.parametrize("origin", COMPUTED)
@pytest.mark.parametrize("name", CHECKED)
def test_computed_values_are_looked_at_when_the_op_runs(name: str, origin: str) -> None:
    values, use = CHECKED[name]
    result = use(wend, COMPUTED[origin](values))
    assert raised_by(result.tolist) == expected(name)
    with wend.eager():
        assert raised_by(lambda: use(wend, COMPUTED[origin](values))) == expected(name)


@pytest.mark.parametrize("name", LOOK_AT_ONCE)
def test_what_must_know_the_values_looks_at_the_call(name: str) -> None:
    values, use = LOOK_AT_ONCE[name]
    for make in [*GIVEN.values(), *COMPUTED.values()]:
        raised_by(lambda make=make: use(wend, make(values)))  # type: ignore[misc]


def test_indices_of_other_dtypes_are_looked_at_as_well() -> None:
    for dtype in (wend.int32, wend.int64):
        index = wend.tensor([0, 5], dtype=dtype)
        with pytest.raises(IndexError):
            wend.ones(3)[index]
        with pytest.raises(IndexError):
            wend.nn.functional.embedding(index, wend.ones(3, 2))
        with pytest.raises(IndexError):
            wend.ones(3).index_select(0, index)
    with pytest.raises(IndexError):
        wend.nn.functional.nll_loss(wend.ones(2, 3), wend.tensor([0, 5], dtype=wend.uint8))
