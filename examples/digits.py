"""Reads digits of 8 by 8 pixels: scikit-learn's handwritten ones where it is installed.

Otherwise, and with `--generated`, digits are drawn from a small font, moved about and noisy. A file
has lines of 64 numbers from 0 to 16 and the digit, separated by commas.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import show
from tqdm import tqdm

import wend
from wend import nn
from wend.nn import functional as F
from wend.utils.data import DataLoader, Dataset, TensorDataset, random_split

# Five rows of three pixels for each digit, a row being an octal number.
FONT = ["75557", "26227", "71747", "71717", "55711", "74717", "74757", "71111", "75757", "75717"]


def draw(digit: int) -> list[float]:
    """Draw a digit somewhere in a noisy picture."""
    down, right = random.randrange(1, 3), random.randrange(1, 4)
    pixels = [random.uniform(0, 0.3) for _ in range(64)]
    for y, row in enumerate(FONT[digit]):
        for x in range(3):
            if int(row) >> (2 - x) & 1:
                pixels[8 * (y + down) + x + right] = random.uniform(0.6, 1)
    return pixels


def pictures(path: Path | None, generated: bool) -> tuple[list[list[float]], list[int], str]:
    """Return pictures, their digits, and where they are from."""
    if path:
        rows = [line.split(",") for line in path.read_text().splitlines() if line.strip()]
        pixels = [[float(value) / 16 for value in row[:-1]] for row in rows]
        return pixels, [int(row[-1]) for row in rows], str(path)
    if not generated:
        try:
            from sklearn.datasets import load_digits
        except ImportError:
            print("scikit-learn is not installed, so digits are drawn here.")
        else:
            data = load_digits()
            return (data.data / 16).tolist(), data.target.tolist(), "scikit-learn"
    digits = [i % 10 for i in range(1500)]
    return [draw(digit) for digit in digits], digits, "drawn here"


def dense() -> nn.Module:
    """Return a network that sees every pixel at once."""
    return nn.Sequential(
        nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)
    )


class Convolutional(nn.Module):
    """A network that looks for the same small shapes everywhere in a picture."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, padding=1)
        self.norm = nn.BatchNorm2d(32)
        self.drop = nn.Dropout(0.25)
        self.score = nn.Linear(32 * 2 * 2, 10)

    def forward(self, pixels: wend.Tensor) -> wend.Tensor:
        """Return the scores of ten digits, from 64 pixels each."""
        x = pixels.view(-1, 1, 8, 8)
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.norm(self.conv2(x))), 2)
        return self.score(self.drop(x.flatten(1)))


MODELS = {"dense": dense, "conv": Convolutional}


def make_model(kind: str = "dense") -> nn.Module:
    """Return a network from 64 pixels to the scores of ten digits."""
    return MODELS[kind]()


def train(model: nn.Module, batches: DataLoader[Any], epochs: int, lr: float) -> list[float]:
    """Train on the pictures, and return the losses."""
    optimizer = wend.optim.AdamW(model.parameters(), lr=lr)
    losses = []
    bar = tqdm(total=epochs * len(batches), unit="batch")
    for _ in range(epochs):
        for pixels, digits in batches:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(pixels), digits)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            bar.update()
            bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
    bar.close()
    return losses


def draw_pictures(axes: Any, held_out: Dataset[Any], predicted: Sequence[int]) -> None:
    """Draw pictures that were held out, with what was read in them; mistakes in red."""
    for place in range(min(24, len(predicted))):
        pixels, digit = held_out[place]
        left, top = 9 * (place % 6), 11 * (place // 6)
        image = pixels.reshape(8, 8).tolist()
        axes.imshow(image, cmap="gray_r", extent=(left, left + 8, top + 8, top))
        colour = "black" if predicted[place] == int(digit) else "red"
        axes.text(left + 4, top - 0.4, predicted[place], ha="center", color=colour)
    axes.set(xlim=(-1, 54), ylim=(43, -2))
    axes.axis("off")


def main(argv: Sequence[str] | None = None) -> float:
    """Train, show the result, and return the accuracy on held-out pictures."""
    parser = show.parser(__doc__, "digits.png")
    parser.add_argument("--data", type=Path, help="pictures to learn (default: scikit-learn's)")
    parser.add_argument("--generated", action="store_true", help="draw the digits here")
    parser.add_argument("--model", choices=MODELS, default="dense", help="(default: dense)")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--lr", type=float, default=0.003)
    args = parser.parse_args(argv)
    random.seed(args.seed)
    wend.manual_seed(args.seed)

    pixels, digits, origin = pictures(args.data, args.generated)
    data = TensorDataset(wend.tensor(pixels), wend.tensor(digits))
    seen, unseen = random_split(data, [0.8, 0.2])
    print(f"{len(seen)} digits to learn from, {len(unseen)} to test with ({origin})")
    model = make_model(args.model)
    batches: DataLoader[Any] = DataLoader(seen, batch_size=32, shuffle=True)
    losses = train(model.train(), batches, args.epochs, args.lr)

    model.eval()
    predicted: list[int] = []
    right = 0
    tests: DataLoader[Any] = DataLoader(unseen, batch_size=100)
    with wend.no_grad():
        for some, truth in tests:
            said = model(some).argmax(-1)
            right += int((said == truth).sum())
            predicted += said.tolist()
    accuracy = right / len(unseen)
    print(f"{accuracy:.1%} of the digits not seen before are read right")
    show.save(
        args.picture,
        show.curve(losses, "loss"),
        lambda axes: draw_pictures(axes, unseen, predicted),
    )
    return accuracy


if __name__ == "__main__":
    main()
