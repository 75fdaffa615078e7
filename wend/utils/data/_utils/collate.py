"""How examples become batches, under the names that PyTorch's own module has."""

import re

from wend.utils.data._collate import (
    _stacked as collate_tensor_fn,
)
from wend.utils.data._collate import (
    collate,
    default_collate,
    default_collate_fn_map,
    default_convert,
)

__all__ = [
    "collate",
    "collate_tensor_fn",
    "default_collate",
    "default_collate_fn_map",
    "default_convert",
    "np_str_obj_array_pattern",
]

# Kinds of NumPy's dtypes that no tensor has.
np_str_obj_array_pattern = re.compile("[SaUO]")
