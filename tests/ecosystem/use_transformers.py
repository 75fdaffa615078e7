"""transformers: tiny BERT, GPT-2 and Llama, made from a config, learn a few steps; GPT-2 writes."""

from typing import Any

from common import fill, integers, train
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
)

SIZES = {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}


def use() -> Any:
    ids = integers(2, 7, below=50)
    bert = fill(
        BertForSequenceClassification(
            BertConfig(**SIZES, intermediate_size=32, hidden_dropout_prob=0.0,
                       attention_probs_dropout_prob=0.0)
        )
    )  # fmt: skip
    gpt = fill(
        GPT2LMHeadModel(
            GPT2Config(vocab_size=50, n_positions=16, n_embd=16, n_layer=2, n_head=2,
                       resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                       bos_token_id=0, eos_token_id=0)
        )
    )  # fmt: skip
    llama = fill(
        LlamaForCausalLM(
            LlamaConfig(**SIZES, intermediate_size=32, num_key_value_heads=1,
                        max_position_embeddings=16)
        )
    )  # fmt: skip
    labels = integers(2, below=2)
    learnt = {
        "bert": train(bert.parameters(), lambda: bert(ids, labels=labels).loss),
        "gpt2": train(gpt.parameters(), lambda: gpt(ids, labels=ids).loss),
        "llama": train(llama.parameters(), lambda: llama(ids, labels=ids).loss),
    }
    gpt.eval()
    written = gpt.generate(ids, max_new_tokens=5, do_sample=False, pad_token_id=0)
    return {**learnt, "written": written}
