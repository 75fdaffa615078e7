"""Operations between processes that have gradients, each of which says that there is no group."""

from wend.distributed import _no_group

all_gather = all_reduce = all_to_all = all_to_all_single = broadcast = _no_group
gather = reduce = reduce_scatter = scatter = _no_group
