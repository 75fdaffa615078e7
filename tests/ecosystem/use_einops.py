"""einops: rearranging, reducing and einsum by words, as functions and as layers."""

from typing import Any

import torch
from common import fill, numbers, train
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce


def use() -> Any:
    x = numbers(2, 3, 8, 8)
    net = fill(
        torch.nn.Sequential(
            Rearrange("b c (h a) (w d) -> b h w (c a d)", a=2, d=2),
            EinMix("b h w c -> b h w e", weight_shape="c e", bias_shape="e", c=12, e=5),
            Reduce("b h w e -> b e", "mean"),
        )
    )
    packed, shapes = pack([x, numbers(2, 4)], "b *")
    return {
        **train(net.parameters(), lambda: net(x).square().mean()),
        "repeated": repeat(x, "b c h w -> b (c k) h w", k=2),
        "largest": reduce(x, "b c h w -> b c", "max"),
        "product": einsum(x, x, "b c h w, b d h w -> b c d"),
        "columns": rearrange(x, "b c h w -> (b w) h c"),
        "unpacked": unpack(packed, shapes, "b *"),
    }
