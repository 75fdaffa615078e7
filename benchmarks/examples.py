"""How fast the programs in examples/ learn, with wend and, word for word the same, with PyTorch.

A step calls the program's own training loop on a few batches of its own data. The losses of all
steps of training, each of which depends on the gradients before it, are compared first.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.harness import Options, main, measure
from benchmarks.programs import load, same_start
from benchmarks.workload import Figure, Program, Step, Workload

# What is trained: the model, and a function that trains it for a while and returns numbers to
# compare, which are the losses but where chance decides.
Training = tuple[Any, Callable[[], list[float]]]
EPISODE = 100


def trees(T: Any, program: Any) -> Training:
    made = [program.generate(depth=random.randint(1, 4)) for _ in range(32)]
    words = sorted({word for tree in made for word in tree.words()})
    model = program.TreeLSTM(words, 32)
    return model, lambda: program.train(model, made, epochs=1, lr=0.01)


def tagging(T: Any, program: Any) -> Training:
    made = [program.generate() for _ in range(32)]
    words = sorted({word for sentence in made for word, _ in sentence})
    tags = sorted({tag for sentence in made for _, tag in sentence})
    model = program.Tagger(words, tags, 24)
    batches = program.DataLoader(made, batch_size=16, collate_fn=list)
    return model, lambda: program.train(model, batches, epochs=1, lr=0.01)


def cartpole(T: Any, program: Any) -> Training:
    class Endless(program.CartPole):  # type: ignore[misc]
        """Falls as well, but every episode takes as long, whatever is done."""

        def step(self, action: int) -> tuple[list[float], bool]:
            seen, _ = super().step(action)
            return seen, self.steps >= EPISODE

    policy, game = program.make_policy(64), Endless(seed=0)
    return policy, lambda: program.train(policy, game, 1, lr=0.0, discount=0.99)


def calculator(T: Any, program: Any) -> Training:
    made = [program.generate(random.randint(1, 3)) for _ in range(500)]
    model = program.Calculator(24)
    return model, lambda: program.train(model, made, steps=2, lr=0.005)


def ode(T: Any, program: Any) -> Training:
    observed = program.generate(41)
    law = program.LearnedLaw(2, 32)
    return law, lambda: program.train(law, *observed, 1, 0.02, 1e-3)[0]


def experts(T: Any, program: Any) -> Training:
    points = T.tensor([program.generate() for _ in range(256)])
    batches = [(part[:, :2], part[:, 2:]) for part in points.split(64)]
    model = program.make_model(6, 16, 1)
    return model, lambda: program.train(model, batches, 1, lr=0.02, balance=0.1)


def early_exit(T: Any, program: Any) -> Training:
    places, kinds = program.tensors([program.generate() for _ in range(256)])
    batches = list(zip(places.split(64), kinds.split(64), strict=True))
    model = program.make_model(5, 24, 2)
    return model, lambda: program.train(model, batches, 1, lr=0.005)


def growing(T: Any, program: Any) -> Training:
    x, y = T.tensor([program.generate() for _ in range(256)]).split(1, -1)
    grown = program.Growing(units=3, lr=0.01)

    def train() -> list[float]:
        grown.train(x, y, steps=8, widest=24, deepest=3)
        return list(grown.losses[-8:])

    return grown.model, train


def digits(T: Any, program: Any, kind: str = "dense") -> Training:
    labels = [i % 10 for i in range(128)]
    pixels = T.tensor([program.draw(digit) for digit in labels])
    batches = list(zip(pixels.split(32), T.tensor(labels).split(32), strict=True))
    model = program.make_model(kind)
    for drop in (each for each in model.modules() if hasattr(each, "p")):
        drop.p = 0.0  # so that losses can be compared
    return model, lambda: program.train(model, batches, 1, lr=0.003)


def digits_conv(T: Any, program: Any) -> Training:
    return digits(T, program, "conv")


def gpt(T: Any, program: Any) -> Training:
    text = program.generate(200)
    alphabet = sorted(set(text))
    numbers = T.tensor([alphabet.index(character) for character in text])
    model = program.GPT(len(alphabet), 64, 3, 4, 48)
    return model, lambda: program.train(model, numbers, steps=2, lr=0.005, batch=16)


def program(name: str, make: Callable[[Any, Any], Training]) -> Program:
    def prepare(T: Any) -> Step:
        random.seed(1)
        model, train = make(T, load(name, T.__name__))
        same_start(T, model)

        def step() -> tuple[Any, Any]:
            return train(), []

        return step

    return prepare


def workload(
    make: Callable[[Any, Any], Training], title: str, each: str, count: int, aim: float | None
) -> Workload:
    """`count` is how many of `each` one step trains on."""
    name = make.__name__
    both = program(name.removesuffix("_conv"), make)
    return Workload(
        name=name,
        title=title,
        unit=f"µs/{each}",
        scale=1e6 / count,
        programs={"torch": both, "wend": both},
        aims={"torch": aim} if aim else {},
    )


WORKLOADS = [
    workload(trees, "Tree-LSTM over sentences, by recursion", "tree", 32, 5),
    workload(tagging, "LSTM over words, both ways, by a loop", "sentence", 32, 5),
    workload(cartpole, "REINFORCE, one game of a cart and a pole", "move", EPISODE, 5),
    workload(calculator, "arithmetic by recursion over expressions", "expression", 128, 5),
    workload(ode, "neural ODE with a solver that chooses its steps", "step of training", 1, None),
    workload(experts, "mixture of experts that computes those asked", "batch", 4, None),
    workload(early_exit, "network with an exit after every stage", "batch", 4, None),
    workload(growing, "network that grows as it learns", "step of training", 8, None),
    workload(digits, "digits of 8 by 8 pixels, dense layers", "batch", 4, None),
    workload(digits_conv, "digits of 8 by 8 pixels, convolutions", "batch", 4, None),
    workload(gpt, "small GPT, 16 pieces of 48 characters", "step of training", 2, None),
]


def figures(options: Options) -> Iterator[Figure]:
    return measure(WORKLOADS, options)


if __name__ == "__main__":
    main(*(each.name for each in WORKLOADS))
