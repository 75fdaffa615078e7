"""diffusers: a small U-Net learns to take noise away, and two samplers use it."""

from typing import Any

import torch
from common import fill, numbers, train
from diffusers import DDIMScheduler, DDPMScheduler, DPMSolverMultistepScheduler, UNet2DModel


def use() -> Any:
    net = fill(
        UNet2DModel(
            sample_size=8, in_channels=1, out_channels=1, layers_per_block=1,
            block_out_channels=(8, 16), norm_num_groups=4, attention_head_dim=4,
            down_block_types=("DownBlock2D", "AttnDownBlock2D"),
            up_block_types=("AttnUpBlock2D", "UpBlock2D"),
        ),
        0.1,
    )  # fmt: skip
    noising = DDPMScheduler(num_train_timesteps=20)
    x, noise, at = numbers(2, 1, 8, 8), numbers(2, 1, 8, 8, seed=3), torch.tensor([3, 7])

    def loss() -> Any:
        return (net(noising.add_noise(x, noise, at), at).sample - noise).square().mean()

    learnt = train(net.parameters(), loss, 2)
    samples = []
    for kind in (DDIMScheduler, DPMSolverMultistepScheduler):
        scheduler, sample = kind(num_train_timesteps=20), x
        scheduler.set_timesteps(4)
        with torch.no_grad():
            for step in scheduler.timesteps:
                sample = scheduler.step(net(sample, step).sample, step, sample).prev_sample
        samples.append(sample)
    return {**learnt, "samples": samples}
