"""OptimizedModule, the type of compiled modules in PyTorch, for `isinstance` to ask about."""

from __future__ import annotations

from wend._absent import absent

OptimizedModule = absent(
    "torch._dynamo.eval_frame.OptimizedModule", "torch.compile returns the module itself"
)
