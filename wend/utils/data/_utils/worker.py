"""What a worker process knows of itself, under the names that PyTorch's own module has."""

from wend.utils.data._workers import WorkerInfo, get_worker_info

__all__ = ["WorkerInfo", "get_worker_info"]
