"""Functions of lists of tensors, which optimizers written for PyTorch call, give its results."""

from typing import Any

import numpy as np
import pytest
from both import torch, wend

NAMES = sorted(name for name in dir(torch) if name.startswith("_foreach_"))
BINARY = ("add", "clamp_max", "clamp_min", "div", "maximum", "minimum", "mul", "pow", "sub")


def lists(package: Any) -> list[list[Any]]:
    drawn = np.random.default_rng(0).uniform(0.1, 0.9, (3, 2, 2, 2))
    return [[package.tensor(x) for x in each] for each in drawn]


def calls(name: str) -> dict[str, Any]:
    """Ways to call a function, given a package and three lists of two tensors each."""
    op = name.removeprefix("_foreach_").removesuffix("_")
    if op in ("addcdiv", "addcmul"):
        return {
            "alone": lambda p, f, a, b, c: f(a, b, c),
            "number": lambda p, f, a, b, c: f(a, b, c, 3.0),
            "named": lambda p, f, a, b, c: f(a, tensor2=c, tensor1=b, value=2.0),
            "numbers": lambda p, f, a, b, c: f(a, b, c, [3.0, 2.0]),
            "tensor": lambda p, f, a, b, c: f(a, b, c, p.tensor([3.0, 2.0])),
        }
    if op == "lerp":
        return {
            "number": lambda p, f, a, b, c: f(a, b, 0.3),
            "tensors": lambda p, f, a, b, c: f(a, b, c),
            "named": lambda p, f, a, b, c: f(a, tensors1=b, weight=[0.2, 0.4]),
        }
    if op in BINARY:
        found = {
            "number": lambda p, f, a, b, c: f(a, 2.0),
            "numbers": lambda p, f, a, b, c: f(a, [2.0, 0.5]),
            "tensors": lambda p, f, a, b, c: f(tuple(a), b),
            "too few": lambda p, f, a, b, c: f(a, b[:1]),
            "too few numbers": lambda p, f, a, b, c: f(a, [1.0]),
            "nothing": lambda p, f, a, b, c: f([], 1.0),
        }
        if op in ("add", "sub"):
            found["alpha"] = lambda p, f, a, b, c: f(a, b, alpha=3.0)
        if op in ("add", "mul", "div"):
            found["tensor"] = lambda p, f, a, b, c: f(a, p.tensor(2.0, dtype=p.float64))
        if name == "_foreach_pow":
            found["powers"] = lambda p, f, a, b, c: f(2.0, a)
        return found
    if op in ("norm", "powsum"):
        return {
            "alone": lambda p, f, a, b, c: f(a),
            "order": lambda p, f, a, b, c: f(a, 1),
            "dtype": lambda p, f, a, b, c: f(a, ord=3, dtype=p.float64),
        }
    if op in ("copy", "mm"):
        return {"tensors": lambda p, f, a, b, c: f(a, b)}
    return {"alone": lambda p, f, a, b, c: f(a), "of a tensor": lambda p, f, a, b, c: f(a[0])}


def outcome(package: Any, name: str, call: Any) -> Any:
    a, b, c = lists(package)
    try:
        result = call(package, getattr(package, name), a, b, c)
    except (RuntimeError, TypeError) as error:
        return type(error), str(error).partition("\n")[0] if type(error) is RuntimeError else ""
    return type(result), [x.tolist() for x in result], [x.tolist() for x in a]


@pytest.mark.parametrize("name", NAMES)
def test_a_function_of_lists_does_what_pytorchs_does(name: str) -> None:
    for call in calls(name).values():
        ours, theirs = outcome(wend, name, call), outcome(torch, name, call)
        assert ours[0] == theirs[0]
        for own, other in zip(ours[1:], theirs[1:], strict=True):
            if isinstance(own, str):
                assert own == other
            else:
                np.testing.assert_allclose(own, other, 1e-12)
