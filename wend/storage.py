"""Storages: the memory that tensors share, as programs for PyTorch import it."""

from wend._absent import absent
from wend._storage import UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]

TypedStorage = absent("torch.storage.TypedStorage", "use UntypedStorage, or the tensor itself")
