"""sentence-transformers: tokens are pooled, and sentences compared and searched."""

from typing import Any

import torch
from common import fill, numbers, train
from sentence_transformers import util
from sentence_transformers.models import Dense, Normalize, Pooling


def use() -> Any:
    tokens, mask = numbers(3, 5, 8), torch.ones(3, 5, dtype=torch.int64)
    mask[0, 3:] = 0
    pooled = Pooling(8, pooling_mode="mean")({"token_embeddings": tokens, "attention_mask": mask})
    dense = fill(Dense(8, 4))

    def loss() -> Any:
        sentences = Normalize()(dense(dict(pooled)))["sentence_embedding"]
        alike = util.cos_sim(sentences, sentences)
        return torch.nn.functional.cross_entropy(alike * 20, torch.arange(3))

    found = util.semantic_search(tokens[0], tokens[1], top_k=2)
    return {
        **train(dense.parameters(), loss),
        "pooled": pooled["sentence_embedding"],
        "products": util.dot_score(tokens[0], tokens[1]),
        "found": [[hit["corpus_id"] for hit in hits] for hits in found],
    }
