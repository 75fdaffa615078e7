"""torch_geometric: graph networks on a small graph, batched graphs and pooling."""

from typing import Any

import torch
from common import fill, integers, numbers, train
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GATConv, GCNConv, SAGEConv, global_mean_pool


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.third = GCNConv(5, 8), GATConv(8, 4, heads=2), SAGEConv(8, 3)

    def forward(self, data: Any) -> Any:
        h = self.first(data.x, data.edge_index).relu()
        h = self.second(h, data.edge_index).relu()
        return global_mean_pool(self.third(h, data.edge_index), data.batch)


def use() -> Any:
    graphs = [
        Data(x=numbers(6, 5, seed=i), edge_index=integers(2, 12, below=6, seed=i)) for i in range(3)
    ]
    batch = Batch.from_data_list(graphs)
    net = fill(Net())
    wanted = integers(3, below=3)
    return train(net.parameters(), lambda: torch.nn.functional.cross_entropy(net(batch), wanted))
