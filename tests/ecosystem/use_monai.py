"""monai: a U-Net learns to segment, and is measured and slid over an image."""

from typing import Any

import torch
from common import fill, integers, numbers, train
from monai.inferers import sliding_window_inference
from monai.losses import DiceCELoss, FocalLoss
from monai.metrics import DiceMetric
from monai.networks.nets import UNet
from monai.transforms import Compose, Resize, ScaleIntensity


def use() -> Any:
    net = fill(
        UNet(
            spatial_dims=2, in_channels=1, out_channels=2, channels=(4, 8), strides=(2,),
            num_res_units=1,
        )
    )  # fmt: skip
    x, wanted = numbers(2, 1, 16, 16), integers(2, 1, 16, 16, below=2)
    criterion = DiceCELoss(to_onehot_y=True, softmax=True)
    learnt = train(net.parameters(), lambda: criterion(net(x), wanted))
    dice = DiceMetric()
    other = integers(2, 16, 16, below=2, seed=3)
    dice(*(torch.nn.functional.one_hot(y, 2).movedim(-1, 1) for y in (wanted[:, 0], other)))
    with torch.no_grad():
        slid = sliding_window_inference(x, (8, 8), 2, net, overlap=0.5)
    scaled = torch.as_tensor(Compose([ScaleIntensity(), Resize((8, 8))])(x[0]))
    focal = FocalLoss(to_onehot_y=True)(net(x), wanted)
    return {**learnt, "dice": dice.aggregate(), "slid": slid, "scaled": scaled, "focal": focal}
