"""stable-baselines3: PPO's networks judge actions, and take a step on given experience."""

from typing import Any

import torch
from common import fill, integers, numbers, train
from gymnasium import spaces
from stable_baselines3.common.policies import ActorCriticPolicy


def use() -> Any:
    import numpy as np

    seen = spaces.Box(-1.0, 1.0, (4,), dtype=np.float32)
    policy = fill(ActorCriticPolicy(seen, spaces.Discrete(3), lambda _: 0.001))
    states, actions, wanted = numbers(16, 4), integers(16, below=3), numbers(16, seed=1)

    def loss() -> Any:
        values, log_chances, entropy = policy.evaluate_actions(states, actions)
        value = torch.nn.functional.mse_loss(values.flatten(), wanted)
        return value - (log_chances * wanted).mean() - 0.01 * entropy.mean()

    learnt = train(policy.parameters(), loss, optimizer=policy.optimizer)
    action, _ = policy.predict(states.numpy(), deterministic=True)
    return {**learnt, "action": action}
