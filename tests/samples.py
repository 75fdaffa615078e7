"""Small tensors and functions, of either package, for the programs that tests run on both.

It holds no tests; `both` runs the programs.
"""

from typing import Any


def leaf(torch: Any, *values: float) -> Any:
    """A vector that requires grad."""
    return torch.tensor(values or (1.0, 2.0, 3.0), requires_grad=True)


def grid(torch: Any) -> Any:
    """A matrix of 2 rows and 3 columns that counts from 0."""
    return torch.arange(6.0).reshape(2, 3)


def function(torch: Any, forward: Any, backward: Any, **more: Any) -> Any:
    """The class that a user would write, of these static methods."""
    methods = {"forward": forward, "backward": backward, **more}
    body = {name: staticmethod(method) for name, method in methods.items()}
    return type("Custom", (torch.autograd.Function,), body)


def square(torch: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x * g

    return function(torch, forward, backward)
