"""Functions of functions: gradients, Jacobians, and functions of one example over many."""

from wend.func._derivatives import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
)
from wend.func._modules import (
    functionalize,
    replace_all_batch_norm_modules_,
    stack_module_state,
)
from wend.func._vmap import vmap
from wend.nn.utils.stateless import functional_call

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]
