"""wend.graph shows the live graph: nodes, edges, states and source lines, and computes nothing."""

import re
import sys
from typing import Any

import pytest

import wend

HERE = __file__


def line_above() -> int:
    return sys._getframe(1).f_lineno - 1


def leaf() -> Any:
    return wend.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_nodes_know_op_shape_dtype_and_line() -> None:
    x = wend.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=wend.float64)
    y = x.sum(1)
    line = line_above()
    node = wend.graph(y)[y]
    assert (node.op, tuple(node.shape), node.dtype) == ("sum", (2,), wend.float64)
    assert (node.file, node.line) == (HERE, line)
    assert node.function == "test_nodes_know_op_shape_dtype_and_line"
    assert node.attributes["dim"] == (1,)


def test_edges_lead_to_the_inputs_and_back() -> None:
    x = leaf()
    y = x.exp()
    z = y * y
    graph = wend.graph(z)
    assert graph[z].inputs == (graph[y], graph[y])
    assert graph[y].users == (graph[z], graph[z])
    assert graph.roots == (graph[z],)
    assert x in graph
    assert leaf() not in graph
    with pytest.raises(KeyError):
        graph[leaf()]


def test_looking_computes_nothing() -> None:
    with wend.report() as report:
        y = leaf() * 2
        graph = wend.graph(y)
        assert graph[y].state == "pending"
        str(graph), repr(graph), graph.to_dot(), list(graph)
    assert report.nodes == 0
    assert graph[y].state == "pending"


def test_states_are_live() -> None:
    x = wend.tensor([1.0, 2.0])
    y = x + 1
    z = y * 2
    graph = wend.graph(z)
    numbers = [graph[t].number for t in (y, z)]
    assert [graph[n].state for n in numbers] == ["pending", "pending"]
    del y
    z.tolist()
    assert [graph[n].state for n in numbers] == ["freed", "valued"]


def test_the_graph_keeps_no_value_alive() -> None:
    before = wend.memory_stats()["allocated_bytes"]
    big = wend.zeros(1 << 20) + 1
    graph = wend.graph(big)
    big.sum().item()
    del big
    assert wend.memory_stats()["allocated_bytes"] - before < 1 << 20
    assert len(graph) > 0


def test_a_failed_node_tells_its_error() -> None:
    x = wend.tensor([1, 2])
    y = x // (wend.tensor([1, 0]) * 1)
    graph = wend.graph(y)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        y.tolist()
    assert graph[y].state == "failed"
    assert "floor_divide(input: (2,) int64, other: (2,) int64)" in graph[y].error


def test_gradient_nodes_have_the_line_of_their_forward_node() -> None:
    x = leaf()
    y = x.exp()
    line = line_above()
    (g,) = wend.autograd.grad(y.sum(), x, create_graph=True)
    assert line in {node.line for node in wend.graph(g)}
    assert wend.graph(g)[g].line in (line, line + 2)


def test_the_tree_shows_a_shared_node_once() -> None:
    x = leaf()
    y = x * 2
    tree = str(wend.graph(y.sin() + y.cos()))
    number = wend.graph(y)[y].number
    assert tree.count(f"mul(other=2.0) #{number}: (3,) float32, pending, requires grad") == 1
    assert tree.count(f"mul #{number}, see above") == 1
    assert "test_graph.py:" in tree
    assert re.search(r"^├─ sin #\d+: ", tree, re.M)
    assert re.search(r"^└─ cos #\d+: ", tree, re.M)


def test_the_tree_is_bounded() -> None:
    x = leaf()
    for _ in range(1000):
        x = x + x
    text = str(wend.graph(x))
    assert len(text.splitlines()) <= 102
    assert re.search(r"\.\.\. and \d+ more nodes$", text)
    assert len(wend.graph(x).tree(lines=3).splitlines()) == 4


def test_dot_names_every_node_and_edge() -> None:
    x = leaf()
    y = (x * 2).exp()
    graph = wend.graph(y)
    dot = graph.to_dot()
    shown = [node for node in graph if node.constant is None]
    assert all(f"n{node.number} [label=" in dot for node in shown)
    assert f"n{graph[y].inputs[0].number} -> n{graph[y].number};" in dot
    assert dot.startswith("digraph wend {")
    assert dot.count("{") == dot.count("}")


def test_several_tensors_share_one_graph() -> None:
    x = leaf()
    a, b = x + 1, x * 2
    graph = wend.graph(a, b)
    assert graph.roots == (graph[a], graph[b])
    numbers = [node.number for node in graph]
    assert numbers == sorted(set(numbers))


def test_only_tensors_have_a_graph() -> None:
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        wend.graph(3)
    assert len(wend.graph()) == 0


def test_a_deep_graph_is_walked_without_recursion() -> None:
    depth = 200_000
    with wend.laziness(nodes=10 * depth):
        x = leaf()
        for _ in range(depth):
            x = x + 1
        graph = wend.graph(x)
    assert len(graph) > depth
    assert len(str(graph).splitlines()) < 102
    assert graph[x].inputs[0].users == (graph[x],)
