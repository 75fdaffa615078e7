"""REINFORCE on CartPole: a cart learns to balance a pole, one step of a plain loop at a time.

Plays gymnasium's CartPole-v1 where it is installed; otherwise, and with `--own`, the same cart and
pole written out here. How long an episode is depends on what the policy does.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Sequence
from typing import Any

import show
from tqdm import tqdm

import wend
from wend import nn
from wend.distributions import Categorical


class CartPole:
    """A pole on a cart that is pushed left or right (Barto, Sutton and Anderson, 1983)."""

    longest = 500

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.state = [0.0] * 4
        self.steps = 0

    def reset(self) -> list[float]:
        """Put the pole nearly upright, and return what is seen."""
        self.state = [self.random.uniform(-0.05, 0.05) for _ in range(4)]
        self.steps = 0
        return self.state

    def step(self, action: int) -> tuple[list[float], bool]:
        """Push for 1/50 s; return what is seen, and whether it is over."""
        x, speed, angle, turning = self.state
        force = 10.0 if action else -10.0
        cart, pole, half = 1.0, 0.1, 0.5
        push = (force + pole * half * turning**2 * math.sin(angle)) / (cart + pole)
        inertia = half * (4 / 3 - pole * math.cos(angle) ** 2 / (cart + pole))
        spin = (9.8 * math.sin(angle) - math.cos(angle) * push) / inertia
        pull = push - pole * half * spin * math.cos(angle) / (cart + pole)
        dt = 0.02
        self.state = [x + dt * speed, speed + dt * pull, angle + dt * turning, turning + dt * spin]
        self.steps += 1
        fallen = abs(self.state[0]) > 2.4 or abs(self.state[2]) > math.radians(12)
        return self.state, fallen or self.steps >= self.longest


class Gymnasium:
    """gymnasium's CartPole-v1, with the same two methods."""

    def __init__(self, seed: int) -> None:
        import gymnasium

        self.game = gymnasium.make("CartPole-v1")
        self.seed: int | None = seed

    def reset(self) -> list[float]:
        """Start, and return what is seen."""
        seen, _ = self.game.reset(seed=self.seed)
        self.seed = None
        return seen.tolist()

    def step(self, action: int) -> tuple[list[float], bool]:
        """Push; return what is seen, and whether it is over."""
        seen, _, fallen, out_of_time, _ = self.game.step(action)
        return seen.tolist(), fallen or out_of_time


def make_game(own: bool, seed: int) -> CartPole | Gymnasium:
    """Return gymnasium's game, or the one written here."""
    if not own:
        try:
            return Gymnasium(seed)
        except ImportError:
            print("gymnasium is not installed, so the cart and pole are the ones written here.")
    return CartPole(seed)


def make_policy(width: int) -> nn.Module:
    """Return a network from what is seen to scores of left and right."""
    return nn.Sequential(nn.Linear(4, width), nn.Tanh(), nn.Linear(width, 2))


def play(game: CartPole | Gymnasium, policy: nn.Module) -> list[wend.Tensor]:
    """Play one episode; return the logarithms of the probabilities of what was done."""
    seen, over, chances = game.reset(), False, []
    while not over:
        choice = Categorical(logits=policy(wend.tensor(seen)))
        action = choice.sample()
        chances.append(choice.log_prob(action))
        seen, over = game.step(int(action))
    return chances


def returns(steps: int, discount: float) -> wend.Tensor:
    """Return what is still to come at each step, of mean 0 and deviation 1."""
    come, total = [], 0.0
    for _ in range(steps):
        total = 1 + discount * total
        come.append(total)
    values = wend.tensor(come[::-1])
    return (values - values.mean()) / (values.std() + 1e-6)


def train(
    policy: nn.Module, game: CartPole | Gymnasium, episodes: int, lr: float, discount: float
) -> list[int]:
    """Play and learn from each episode; return how long they were."""
    optimizer = wend.optim.Adam(policy.parameters(), lr=lr)
    lengths: list[int] = []
    recent: deque[int] = deque(maxlen=20)
    bar: Any = tqdm(range(episodes), unit="episode")
    for _ in bar:
        chances = play(game, policy)
        optimizer.zero_grad()
        loss = -(wend.stack(chances) * returns(len(chances), discount)).mean()
        loss.backward()
        optimizer.step()
        lengths.append(len(chances))
        recent.append(len(chances))
        bar.set_postfix(balanced=f"{sum(recent) / len(recent):.0f}", refresh=False)
        if sum(recent) >= 20 * 475:
            bar.close()
            print("Solved: 475 steps in the mean of 20 episodes.")
            break
    return lengths


def main(argv: Sequence[str] | None = None) -> list[int]:
    """Train, show the result, and return the lengths of the episodes."""
    parser = show.parser(__doc__, "cartpole.png")
    parser.add_argument("--own", action="store_true", help="play the game written here")
    parser.add_argument("--episodes", type=int, default=400)
    parser.add_argument("--width", type=int, default=64, help="of the policy (default: 64)")
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--discount", type=float, default=0.99)
    args = parser.parse_args(argv)
    wend.manual_seed(args.seed)

    game, policy = make_game(args.own, args.seed), make_policy(args.width)
    lengths = train(policy, game, args.episodes, args.lr, args.discount)

    first, last = lengths[:20], lengths[-20:]
    print(f"Balanced for {sum(first) / len(first):.0f} steps in the first 20 episodes,", end=" ")
    print(f"for {sum(last) / len(last):.0f} in the last")
    show.save(args.picture, show.curve(lengths, "steps balanced", of="episode"))
    return lengths


if __name__ == "__main__":
    main()
