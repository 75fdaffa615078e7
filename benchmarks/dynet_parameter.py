"""Makes DyNet's counterpart of a tensor that requires grad, for the workloads' DyNet programs.

What is computed with it stands in the workload files.
"""

from typing import Any

# DyNet's parameters do not keep alive the collection that owns their memory.
_collections: list[Any] = []


def dynet_collection(dy: Any) -> Any:
    """A collection of parameters that stays alive."""
    collection = dy.ParameterCollection()
    _collections.append(collection)
    return collection


def dynet_parameter(dy: Any, values: Any) -> Any:
    """A parameter with those values.

    Its gradient is computed when backward returns, so that a step need not read it: reading is
    several times dearer than the work, and no part of it.
    """
    import numpy

    return dynet_collection(dy).parameters_from_numpy(numpy.array(values))
