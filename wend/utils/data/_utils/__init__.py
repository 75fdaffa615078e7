"""PyTorch's private parts of data loading that packages import."""

from wend.utils.data._utils import collate, worker

__all__ = ["collate", "worker"]
