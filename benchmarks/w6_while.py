"""W6: a state of 64 numbers is iterated with a branch until it has settled; forward + gradient.

How long it goes on, and which way each round takes, only the values say.
"""

import random
from collections.abc import Iterator
from typing import Any

from benchmarks.dynet_parameter import dynet_parameter
from benchmarks.harness import Options, main, measure
from benchmarks.workload import Figure, Step, Workload

WIDTH = 64
SETTLED = 0.7  # reached after 17 rounds from the numbers below
# A static graph needs a bound on the rounds beforehand; a power of two is a user's guess.
STATIC_ROUNDS = 32

_random = random.Random(6)
WEIGHT = [[_random.gauss(0, WIDTH**-0.5) for _ in range(WIDTH)] for _ in range(WIDTH)]
START = [[_random.gauss(0, 1) for _ in range(WIDTH)]]


def settle(T: Any) -> Step:
    weight = T.tensor(WEIGHT, requires_grad=True)
    start = T.tensor(START)

    def step() -> tuple[Any, Any]:
        weight.grad = None
        h = start
        while (energy := (h * h).sum()) > SETTLED:
            h = T.tanh(h @ weight)
            if h.sum() > 0:
                h = h * 0.9
            else:
                h = h - 0.01
        energy.backward()
        # Depends on every element of the gradient, without the cost of a list of 4096 numbers.
        weight.grad.sum().item()
        return energy, weight.grad

    return step


def dynet_settle(dy: Any) -> Step:
    """With columns for rows, as DyNet stores them; its gradient is the transposed one."""
    weight = dynet_parameter(dy, list(zip(*WEIGHT, strict=True)))

    def step() -> tuple[Any, Any]:
        weight.scale_gradient(0)
        dy.renew_cg()
        h = dy.inputVector(START[0])
        while (energy := dy.squared_norm(h)).value() > SETTLED:
            h = dy.tanh(weight * h)
            if dy.sum_elems(h).value() > 0:
                h = h * 0.9
            else:
                h = h - 0.01
        energy.backward()
        return energy.value(), lambda: weight.grad_as_array().T

    return step


def jax_settle(jax: Any) -> Step:
    """A scan over the bound, in which settled rounds change nothing: the static way."""
    jnp = jax.numpy
    weight, start = jnp.array(WEIGHT), jnp.array(START)

    def forward(weight: Any) -> Any:
        def advance(h: Any, _: None) -> tuple[Any, None]:
            new = jnp.tanh(h @ weight)
            new = jnp.where(new.sum() > 0, new * 0.9, new - 0.01)
            return jnp.where((h * h).sum() > SETTLED, new, h), None

        h, _ = jax.lax.scan(advance, start, None, length=STATIC_ROUNDS)
        return (h * h).sum()

    compiled = jax.jit(jax.value_and_grad(forward))

    def step() -> tuple[Any, Any]:
        energy, gradient = compiled(weight)
        return float(energy), gradient.block_until_ready()

    return step


WORKLOADS = [
    Workload(
        name="W6",
        title="data-dependent while and if on (1, 64), 17 rounds, forward + gradient",
        unit="µs",
        scale=1e6,
        programs={"torch": settle, "dynet": dynet_settle, "jax": jax_settle, "wend": settle},
        aims={"torch": 12.0, "jax": 1.0},
    )
]


def figures(options: Options) -> Iterator[Figure]:
    return measure(WORKLOADS, options)


if __name__ == "__main__":
    main("W6")
