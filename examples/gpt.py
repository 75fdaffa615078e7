"""A small GPT that learns to write, one character after the other.

Learns from any text file; without one, from sentences of a small grammar, so that a minute is
enough to see it go from noise to words to sentences.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import show
from tqdm import tqdm

import wend
from wend import nn
from wend.nn import functional as F

WORDS = {
    "who": "fox bird king child river old_man sailor queen",
    "how": "small quiet brave tired clever",
    "does": "sees follows finds forgets likes",
    "when": "today, at_night, in_winter, once,",
}


def generate(sentences: int) -> str:
    """Make up a text."""

    def one(kind: str) -> str:
        return random.choice(WORDS[kind].split()).replace("_", " ")

    def somebody() -> str:
        return " ".join(["the", *([one("how")] if random.random() < 0.5 else []), one("who")])

    made = []
    for _ in range(sentences):
        start = [one("when")] if random.random() < 0.3 else []
        made.append(" ".join([*start, somebody(), one("does"), somebody()]) + ".\n")
    return "".join(made)


class Block(nn.Module):
    """Attention to what came before, and a thought about it."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before = nn.LayerNorm(size)
        self.look = nn.Linear(size, 3 * size)
        self.take = nn.Linear(size, size)
        self.think = nn.Sequential(
            nn.LayerNorm(size), nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size)
        )

    def forward(self, x: wend.Tensor) -> wend.Tensor:
        """Return new states for (batch, length, size)."""
        batch, length, size = x.shape
        parts = self.look(self.before(x)).view(batch, length, 3, self.heads, size // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind()
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.take(seen.transpose(1, 2).reshape(batch, length, size))
        return x + self.think(x)


class GPT(nn.Module):
    """Predicts every next character of a text."""

    def __init__(self, characters: int, size: int, layers: int, heads: int, context: int) -> None:
        super().__init__()
        self.context = context
        self.character = nn.Embedding(characters, size)
        self.place = nn.Embedding(context, size)
        self.blocks = nn.Sequential(*[Block(size, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(size)
        self.score = nn.Linear(size, characters, bias=False)

    def forward(self, text: wend.Tensor) -> wend.Tensor:
        """Return scores of the next character for (batch, length) characters."""
        x = self.character(text) + self.place(wend.arange(text.size(1)))
        return self.score(self.norm(self.blocks(x)))

    def write(self, start: Sequence[int], length: int, temperature: float) -> list[int]:
        """Go on with a text."""
        text = list(start)
        with wend.no_grad():
            while len(text) < len(start) + length:
                scores = self(wend.tensor([text[-self.context :]]))[0, -1]
                chances = F.softmax(scores / temperature, dim=-1)
                text.append(int(wend.multinomial(chances, 1)))
        return text[len(start) :]


def loss_of(model: GPT, text: wend.Tensor, starts: Sequence[int]) -> wend.Tensor:
    """Return the mean cross entropy of pieces of a text, in nats a character."""
    pieces = wend.stack([text[start : start + model.context + 1] for start in starts])
    scores = model(pieces[:, :-1])
    return F.cross_entropy(scores.flatten(0, 1), pieces[:, 1:].flatten())


def train(model: GPT, text: wend.Tensor, steps: int, lr: float, batch: int) -> list[float]:
    """Train on random pieces of the text, and return the losses."""
    optimizer = wend.optim.AdamW(model.parameters(), lr=lr)
    schedule = wend.optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps)
    losses = []
    bar = tqdm(range(steps), unit="step")
    for _ in bar:
        starts = [random.randrange(len(text) - model.context) for _ in range(batch)]
        optimizer.zero_grad()
        loss = loss_of(model, text, starts)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
    return losses


def pair_entropy(text: str) -> float:
    """Return what is left to guess of a character if the one before is known, in nats."""
    pairs, ones = Counter(pairwise(text)), Counter(text[:-1])
    chances = [n / ones[first] for (first, _), n in pairs.items() for _ in range(n)]
    return -sum(map(math.log, chances)) / len(chances)


def main(argv: Sequence[str] | None = None) -> tuple[float, float]:
    """Train, show what it writes, and return its loss on held-out text, and that of pairs."""
    parser = show.parser(__doc__, "gpt.png")
    parser.add_argument("--data", type=Path, help="text to learn from (default: generated)")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--context", type=int, default=48, help="characters seen (default: 48)")
    parser.add_argument("--size", type=int, default=64, help="of a state (default: 64)")
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--lr", type=float, default=0.005)
    parser.add_argument("--write", type=int, default=300, help="characters at the end")
    args = parser.parse_args(argv)
    random.seed(args.seed)
    wend.manual_seed(args.seed)

    text = args.data.read_text() if args.data else generate(2000)
    alphabet = sorted(set(text))
    numbers = wend.tensor([alphabet.index(character) for character in text])
    cut = len(text) * 9 // 10
    seen, unseen = numbers[:cut], numbers[cut:]
    if len(unseen) <= args.context:
        parser.error(f"the text is too short for a context of {args.context}")
    model = GPT(len(alphabet), args.size, args.layers, args.heads, args.context)
    count = sum(parameter.numel() for parameter in model.parameters())
    print(f"{len(text)} characters, {len(alphabet)} different ones; {count} parameters")

    losses = train(model, seen, args.steps, args.lr, args.batch)

    starts = [random.randrange(len(unseen) - args.context) for _ in range(64)]
    with wend.no_grad():
        loss = loss_of(model, unseen, starts).item()
    pairs = pair_entropy(text)
    written = model.write(numbers[:8].tolist(), args.write, temperature=0.7)
    print("It writes:\n  " + "".join(alphabet[n] for n in written).replace("\n", "\n  "))
    print(f"Loss on text not seen before: {loss:.3f} nats a character", end=" ")
    print(f"(knowing only the character before: {pairs:.3f})")
    show.save(args.picture, show.curve(losses, "loss, nats a character"))
    return loss, pairs


if __name__ == "__main__":
    main()
