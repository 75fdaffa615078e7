"""A recursive calculator that learns arithmetic: a network with the shape of each expression.

It is told the last digit of expressions such as `(3+4)*(9-2)`, and nothing about the parts. Every
operator has a small network of its own, which is called as often as the operator stands there;
so what it learns from short expressions it can do in long ones. A file has an expression a line.
"""

from __future__ import annotations

import ast
import operator
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import show
from tqdm import tqdm

import wend
from wend import nn
from wend.nn import functional as F

SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
NAMES = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}

# A digit, or a sign with what stands on its left and right.
Expression = int | tuple[str, Any, Any]


def parse(text: str) -> Expression:
    """Read an expression of digits, brackets and the three signs."""

    def expression(node: ast.AST) -> Expression:
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value < 10:
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in NAMES:
            return NAMES[type(node.op)], expression(node.left), expression(node.right)
        raise ValueError(f"not made of digits, + - * and brackets: {text!r}")

    return expression(ast.parse(text.strip(), mode="eval").body)


def generate(operators: int) -> Expression:
    """Make up an expression with so many operators."""
    if operators == 0:
        return random.randrange(10)
    left = random.randrange(operators)
    return random.choice("+-*"), generate(left), generate(operators - 1 - left)


def text(expression: Expression) -> str:
    """Write an expression, with a bracket round each part."""
    if isinstance(expression, int):
        return str(expression)
    sign, left, right = expression
    return f"({text(left)}{sign}{text(right)})"


def last_digit(expression: Expression) -> int:
    """Return the true answer."""
    if isinstance(expression, int):
        return expression
    sign, left, right = expression
    return SIGNS[sign](last_digit(left), last_digit(right)) % 10


class Calculator(nn.Module):
    """A vector for every digit, and for every sign a network from two vectors to one."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.digit = nn.Embedding(10, size)
        self.sign = nn.ModuleDict({sign: self.operation(size) for sign in SIGNS})
        self.answer = nn.Linear(size, 10)

    @staticmethod
    def operation(size: int) -> nn.Module:
        """Return the network of one sign."""
        wide = 4 * size
        return nn.Sequential(nn.Linear(2 * size, wide), nn.ReLU(), nn.Linear(wide, size), nn.Tanh())

    def value(self, expression: Expression) -> wend.Tensor:
        """Return the vector that stands for the expression's value."""
        if isinstance(expression, int):
            return self.digit(wend.tensor(expression)).tanh()
        sign, left, right = expression
        both = wend.cat([self.value(left), self.value(right)], -1)
        return self.sign[sign](both)

    def forward(self, expressions: Sequence[Expression]) -> wend.Tensor:
        """Return scores of the ten last digits for each expression."""
        return self.answer(wend.stack([self.value(each) for each in expressions]))

    def calculate(self, expressions: Sequence[Expression]) -> list[int]:
        """Return the likeliest last digits."""
        with wend.no_grad():
            return self(expressions).argmax(-1).tolist()


def accuracy(model: Calculator, expressions: Sequence[Expression]) -> float:
    """Return the share of expressions that it gets right."""
    said = model.calculate(expressions)
    right = [a == last_digit(e) for a, e in zip(said, expressions, strict=True)]
    return sum(right) / len(right)


def train(
    model: Calculator, expressions: Sequence[Expression], steps: int, lr: float, batch: int = 64
) -> list[float]:
    """Train on random batches of the expressions, and return the losses."""
    optimizer = wend.optim.Adam(model.parameters(), lr=lr)
    schedule = wend.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    losses = []
    bar = tqdm(range(steps), unit="step")
    for _ in bar:
        some = random.choices(expressions, k=batch)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(some), wend.tensor([last_digit(each) for each in some]))
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
    return losses


def draw_lengths(axes: Any, by_length: dict[int, float], longest: int) -> None:
    """Draw how many expressions of each length are right."""
    axes.bar(list(by_length), list(by_length.values()), color="tab:green")
    axes.axvline(longest + 0.5, color="gray", linestyle="--", label="longest in training")
    axes.set(xlabel="operators", ylabel="right", ylim=(0, 1))
    axes.legend(loc="lower left")


def main(argv: Sequence[str] | None = None) -> float:
    """Train, show the result, and return the share of long expressions that are right."""
    parser = show.parser(__doc__, "calculator.png")
    parser.add_argument("--data", type=Path, help="expressions to learn (default: generated)")
    parser.add_argument("--longest", type=int, default=3, help="operators in training (default: 3)")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--size", type=int, default=24, help="of a value's vector (default: 24)")
    parser.add_argument("--lr", type=float, default=0.005)
    parser.add_argument("--ask", default="(7-2)*3+(4*4-9)*8", help="an expression to calculate")
    args = parser.parse_args(argv)
    random.seed(args.seed)
    wend.manual_seed(args.seed)

    if args.data:
        expressions = [parse(line) for line in args.data.read_text().splitlines() if line.strip()]
    else:
        expressions = [generate(random.randint(1, args.longest)) for _ in range(5000)]
    model = Calculator(args.size)
    print(f"{len(expressions)} expressions to learn from, such as {text(expressions[0])}")

    losses = train(model, expressions, args.steps, args.lr)

    lengths = range(1, 3 * args.longest + 1)
    tests = {n: [generate(n) for _ in range(200)] for n in lengths}
    by_length = {n: accuracy(model, tests[n]) for n in lengths}
    for n in lengths:
        print(f"  {n} operators: {by_length[n]:6.1%} right  {text(tests[n][0])}")
    (asked,) = model.calculate([parse(args.ask)])
    print(f"{args.ask} ends in {asked} (true: {last_digit(parse(args.ask))})")
    show.save(
        args.picture,
        show.curve(losses, "loss"),
        lambda axes: draw_lengths(axes, by_length, args.longest),
    )
    return by_length[2 * args.longest]


if __name__ == "__main__":
    main()
