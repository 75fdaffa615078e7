"""Optimizers, and schedulers of their learning rates (`wend.optim.lr_scheduler`)."""

from importlib import import_module
from types import ModuleType

from wend.optim import lr_scheduler
from wend.optim._adafactor import Adafactor
from wend.optim._muon import Muon
from wend.optim.adadelta import Adadelta
from wend.optim.adagrad import Adagrad
from wend.optim.adam import Adam
from wend.optim.adamax import Adamax
from wend.optim.adamw import AdamW
from wend.optim.asgd import ASGD
from wend.optim.lbfgs import LBFGS
from wend.optim.nadam import NAdam
from wend.optim.optimizer import Optimizer
from wend.optim.radam import RAdam
from wend.optim.rmsprop import RMSprop
from wend.optim.rprop import Rprop
from wend.optim.sgd import SGD
from wend.optim.sparse_adam import SparseAdam

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
]


def __getattr__(name: str) -> ModuleType:
    # It needs all of wend.nn, which most programs that optimize have loaded anyway.
    if name == "swa_utils":
        return import_module("wend.optim.swa_utils")
    raise AttributeError(f"module 'wend.optim' has no attribute '{name}'")
