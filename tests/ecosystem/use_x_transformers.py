"""x-transformers: a decoder with rotary positions learns a few steps, and writes."""

from typing import Any

from common import fill, integers, train
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper


def use() -> Any:
    net = TransformerWrapper(
        num_tokens=20, max_seq_len=16,
        attn_layers=Decoder(
            dim=16, depth=2, heads=2, attn_dim_head=8, rotary_pos_emb=True, ff_glu=True
        ),
    )  # fmt: skip
    model = AutoregressiveWrapper(fill(net))
    ids = integers(2, 12, below=20)
    learnt = train(model.parameters(), lambda: model(ids))
    written = model.generate(ids[:, :4], 5, temperature=0.0)
    return {**learnt, "logits": net(ids), "written": written}
