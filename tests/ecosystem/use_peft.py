"""peft: LoRA on a tiny Llama; only the adapters learn, and are merged afterwards."""

from typing import Any

from common import fill, integers, train
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM


def use() -> Any:
    config = LlamaConfig(
        vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=16,
    )  # fmt: skip
    lora = LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "v_proj"], lora_dropout=0.0)
    model = fill(get_peft_model(LlamaForCausalLM(config), lora))
    ids = integers(2, 6, below=50)
    learning = [p for p in model.parameters() if p.requires_grad]
    learnt = train(learning, lambda: model(input_ids=ids, labels=ids).loss)
    merged = model.merge_and_unload()
    return {**learnt, "count": len(learning), "merged": merged(ids).logits}
