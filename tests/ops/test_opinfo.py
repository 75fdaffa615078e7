"""Samples of PyTorch's own operator database: values and gradients are PyTorch's.

A few samples of each operator that wend has; which it lacks is the affair of tests/test_names.
"""

import warnings
from typing import Any

import numpy
import pytest
from both import torch, wend

from wend._absent import Absent

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    database = pytest.importorskip("torch.testing._internal.common_methods_invocations")

SAMPLES = 3
DIFFERENT = {
    "svd": "signs of the vectors are free",
    "linalg.svd": "signs of the vectors are free",
    "linalg.eigh": "signs of the vectors are free",
    "cholesky_inverse": "PyTorch has a gradient for the triangle that is not read",
    "cholesky_solve": "PyTorch has a gradient for the triangle that is not read",
    "logcumsumexp": "PyTorch's gradient is 3e-3 off at 1e4",
    "empty_like": "not initialised",
    "new_empty": "not initialised",
    "empty": "not initialised",
    "new_empty_strided": "not initialised",
    "empty_strided": "not initialised",
    "empty_permuted": "not initialised",
    "zero_": "writes to what it is given",
    "nn.functional.triplet_margin_with_distance_loss": "takes a module of PyTorch's",
    "as_strided": "the samples say how PyTorch laid them out",
    "as_strided_copy": "the samples say how PyTorch laid them out",
    "as_strided_scatter": "the samples say how PyTorch laid them out",
    "einsum": "the database has its arguments in another order",
    "where": "the database has its arguments in another order",
    "nn.functional.embedding": "the database has its arguments in another order",
    "nn.functional.embedding_bag": "the database has its arguments in another order",
}
RANDOM = ("rand", "dropout", "bernoulli", "multinomial", "normal", "cauchy", "exponential")
RANDOM += ("geometric", "uniform", "rrelu", "fractional", "lowrank", "attention", "singular")


def operator(name: str) -> Any:
    """wend's function of that name, or None; what can only be mentioned is none."""
    found = wend
    for part in name.split("."):
        found = getattr(found, part, None)
    mentioned = isinstance(found, type) and issubclass(found, Absent)
    return found if callable(found) and not mentioned else None


def is_plain(value: Any) -> bool:
    """True iff an argument means the same to both."""
    if isinstance(value, (list, tuple)):
        return all(map(is_plain, value))
    known = (int, float, str, type(None), torch.Tensor, torch.dtype, slice)
    return isinstance(value, known)


def given(value: Any, leaves: list[Any]) -> Any:
    """An argument for wend; tensors that want a gradient are noted in pairs."""
    if isinstance(value, torch.Tensor):
        made = wend.tensor(value.detach().numpy().copy())
        if value.requires_grad:
            leaves.append((value, made.requires_grad_()))
        return made
    if isinstance(value, torch.dtype):
        return getattr(wend, str(value).removeprefix("torch."))
    if isinstance(value, (list, tuple)):
        return type(value)(given(v, leaves) for v in value)
    return value


def tensors(result: Any) -> list[Any]:
    if isinstance(result, (list, tuple)):
        return [t for part in result for t in tensors(part)]
    return [result] if isinstance(result, (torch.Tensor, wend.Tensor)) else []


def require_same(theirs: Any, ours: Any) -> None:
    a, b = theirs.detach().numpy(force=True), numpy.asarray(ours.detach().numpy())
    assert (a.shape, a.dtype) == (b.shape, b.dtype)
    largest = max([1.0, *numpy.abs(a[numpy.isfinite(a)]).reshape(-1).astype(float)])
    numpy.testing.assert_allclose(b, a, rtol=1e-3, atol=1e-4 * largest)


def check(op: Any, function: Any, sample: Any) -> None:
    theirs = tensors(op(sample.input, *sample.args, **sample.kwargs))
    if any(map(torch.is_complex, theirs)):
        pytest.skip("wend has no complex numbers")
    leaves: list[Any] = []
    arguments = given((sample.input, *sample.args), leaves)
    named = {key: given(value, leaves) for key, value in sample.kwargs.items()}
    ours = tensors(function(*arguments, **named))
    assert len(theirs) == len(ours)
    for a, b in zip(theirs, ours, strict=True):
        require_same(a, b)
    pairs = [(a, b) for a, b in zip(theirs, ours, strict=True) if a.requires_grad]
    if not leaves or not pairs:
        return
    expected = torch.autograd.grad(
        [a for a, _ in pairs],
        [a for a, _ in leaves],
        [torch.ones_like(a) for a, _ in pairs],
        allow_unused=True,
    )
    sum((b.sum() for _, b in pairs), wend.zeros(())).backward()
    for (_, leaf), gradient in zip(leaves, expected, strict=True):
        if gradient is not None and leaf.grad is not None:
            require_same(gradient, leaf.grad)
        else:
            none = leaf.grad if gradient is None else gradient
            assert none is None or not none.detach().numpy(force=True).any()


def cases() -> list[Any]:
    found = []
    for op in database.op_db:
        random = any(word in op.name for word in RANDOM)
        private = op.name.startswith("_") or "ops." in op.name or op.variant_test_name
        known = op.full_name not in DIFFERENT and operator(op.name) is not None
        if torch.float32 in op.dtypes and known and not random and not private:
            found.append(pytest.param(op, id=op.full_name))
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", cases())
def test_an_operator_does_what_pytorch_s_does(op: Any) -> None:
    samples = [
        s
        for s in op.sample_inputs("cpu", torch.float32, requires_grad=op.supports_autograd)
        if is_plain([s.input, *s.args, *s.kwargs.values()])
    ]
    for sample in samples[:: max(1, len(samples) // SAMPLES)][:SAMPLES]:
        check(op, operator(op.name), sample)
