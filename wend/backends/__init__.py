"""Libraries that PyTorch may use: their switches can be set, and none of them is there.

wend has its own kernels, which give the same bits whatever these say.
"""

from wend.backends import cpu, cuda, cudnn, mkl, mkldnn, mps, openmp

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]
