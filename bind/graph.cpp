// bind/graph.cpp: the op table and the live graph, as data for Python.
// How they are shown is the package's affair; looking at them reads no value.
#include "bind/graph.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "bind/place.hpp"
#include "bind/tensor.hpp"
#include "bind/types.hpp"
#include "exec/run.hpp"
#include "graph/batch.hpp"
#include "graph/describe.hpp"
#include "graph/record.hpp"

namespace nb = nanobind;

namespace wend {
namespace {

bool has_gradient(const Op& op) {
  if (!op.differentiable) return false;
  if (!op.primitive() || op.back != Back::rule || op.grad_each.formula) return true;
  return std::ranges::any_of(op.grad, [](const Gradient& g) { return g.formula != nullptr; });
}

nb::dict entry_of(const Op& op, const char* family) {
  nb::dict d;
  d["name"] = op.name;
  d["family"] = family;
  d["signature"] = op.signature;
  d["method_signature"] = op.method_signature ? op.method_signature : op.signature;
  d["doc"] = op.doc;
  d["example"] = op.example;
  d["kind"] = op.primitive() ? "primitive" : "composite";
  d["elementwise"] = op.elementwise >= 0;
  d["view"] = op.view;
  d["differentiable"] = has_gradient(op);
  d["grad_name"] = op.grad_name;
  d["at_once"] = op.at_once;
  d["batches"] = op.can_batch();
  d["function"] = op.function;
  d["method"] = op.method;
  d["inplace"] = op.inplace;
  d["inplace_function"] = op.inplace_function;
  d["hidden"] = op.hidden;
  d["out"] = op.out;
  d["module"] = op.module;
  d["aliases"] = op.aliases;
  return d;
}

nb::list entries() {
  nb::list out;
  for (const OpFamily& family : op_table())
    for (const Op& op : family) out.append(entry_of(op, family.name));
  return out;
}

nb::object attribute(const Arg& a) {
  switch (a.kind) {
    case Arg::boolean:
      return nb::cast(a.as_bool());
    case Arg::integer:
      return nb::cast(a.i);
    case Arg::real:
      return nb::cast(a.d);
    case Arg::ints: {
      nb::list items;
      for (int64_t v : a.as_ints()) items.append(v);
      return nb::tuple(items);
    }
    case Arg::reals: {
      nb::list items;
      for (double v : a.as_reals()) items.append(v);
      return nb::tuple(items);
    }
    case Arg::dtype:
      return nb::borrow(dtype_object(a.t));
    case Arg::text:
      return nb::str(a.text_p, a.n);
    default:
      return nb::none();
  }
}

// The nodes that some tensors come from, in order of recording. What the nodes and edges are is
// settled when the graph is taken; what has happened to a node since is asked of the node.
// A node is held without use: looking at the graph keeps no value alive.
class Graph {
 public:
  explicit Graph(const std::vector<Node*>& roots) {
    collect(roots);
    std::ranges::sort(nodes_, {}, [](const Ref<Node>& n) { return n->number; });
    for (size_t i = 0; i < nodes_.size(); ++i) index_[nodes_[i].get()] = static_cast<uint32_t>(i);
    for (const Ref<Node>& node : nodes_) {
      first_input_.push_back(inputs_.size());
      for (const Value& input : node->in())
        if (input) inputs_.push_back(index_.at(input.get()));
    }
    first_input_.push_back(inputs_.size());
    for (Node* root : roots) roots_.push_back(index_.at(root));
  }

  size_t size() const { return nodes_.size(); }
  const std::vector<uint32_t>& roots() const { return roots_; }
  int64_t find(nb::handle tensor) const {
    if (!is_tensor(tensor.ptr())) raise(PyExc_TypeError, "only tensors and numbers look up a node");
    const auto at = index_.find(variable_of(tensor.ptr()).node());
    return at == index_.end() ? -1 : static_cast<int64_t>(at->second);
  }
  const Node& node(size_t i) const {
    if (i >= nodes_.size()) throw nb::index_error();
    return *nodes_[i];
  }
  std::vector<uint32_t> inputs(size_t i) const {
    node(i);
    return {inputs_.begin() + first_input_[i], inputs_.begin() + first_input_[i + 1]};
  }

 private:
  void collect(const std::vector<Node*>& roots) {
    std::vector<Node*> waiting(roots);
    while (!waiting.empty()) {
      Node* next = waiting.back();
      waiting.pop_back();
      if (!index_.try_emplace(next, 0).second) continue;
      nodes_.emplace_back(next);
      fetch_inputs(*next);
      for (const Value& input : next->in())
        if (input) waiting.push_back(input.get());
    }
  }

  std::vector<Ref<Node>> nodes_;
  std::unordered_map<const Node*, uint32_t> index_;
  std::vector<uint32_t> inputs_, roots_;
  std::vector<size_t> first_input_;
};

Graph graph_of(nb::args tensors) {
  std::vector<Node*> roots;
  for (nb::handle t : tensors) {
    if (!is_tensor(t.ptr()))
      raise(PyExc_TypeError, "graph(): every argument must be Tensor, not %s",
            Py_TYPE(t.ptr())->tp_name);
    roots.push_back(variable_of(t.ptr()).node());
  }
  return Graph(roots);
}

const char* state_name(const Node& node) {
  switch (node.state) {
    case State::pending:
      return "pending";
    case State::valued:
      return "valued";
    case State::failed:
      return "failed";
    case State::dropped:
      return "freed";
  }
  return "";
}

nb::list attributes_of(const Node& node) {
  nb::list out;
  if (node.attrs)
    for (const Arg& a : node.attrs->span()) out.append(attribute(a));
  return out;
}

std::vector<bool> edges_of(const Node& node, size_t n) {
  std::vector<bool> only(n);
  for (size_t i = 0; i < n; ++i) only[i] = node.op->is_edge(i);
  return only;
}

void bind_graph(nb::module_& m) {
  nb::class_<Graph>(m, "_Graph")
      .def("__len__", &Graph::size)
      .def("roots", &Graph::roots)
      .def("find", &Graph::find)
      .def("inputs", &Graph::inputs)
      .def("gradient_only",
           [](const Graph& g, size_t i) { return edges_of(g.node(i), g.inputs(i).size()); })
      .def("op", [](const Graph& g, size_t i) { return g.node(i).op->name; })
      .def("signature", [](const Graph& g, size_t i) { return g.node(i).op->signature; })
      .def("attributes", [](const Graph& g, size_t i) { return attributes_of(g.node(i)); })
      .def("number", [](const Graph& g, size_t i) { return g.node(i).number; })
      .def("shape",
           [](const Graph& g, size_t i) { return nb::steal(size_object(g.node(i).sizes())); })
      .def("dtype",
           [](const Graph& g, size_t i) { return nb::borrow(dtype_object(g.node(i).dtype)); })
      .def("state", [](const Graph& g, size_t i) { return state_name(g.node(i)); })
      .def("requires_grad", [](const Graph& g, size_t i) { return g.node(i).needs_grad(); })
      .def("is_leaf", [](const Graph& g, size_t i) { return g.node(i).is_leaf(); })
      .def("is_view", [](const Graph& g, size_t i) { return g.node(i).op->view; })
      .def("constant",
           [](const Graph& g, size_t i) -> std::optional<std::string> {
             if (!is_constant(g.node(i))) return std::nullopt;
             return describe_tensor(g.node(i));
           })
      .def("error",
           [](const Graph& g, size_t i) -> std::optional<std::string> {
             const Node& node = g.node(i);
             if (node.state != State::failed) return std::nullopt;
             return node.extra->error->text;
           })
      .def("place", [](const Graph& g, size_t i) { return place_of(g.node(i).source()); });
  m.def("_graph", graph_of);
}

}  // namespace

void init_graph(nb::module_& m) {
  m.def("_op_table", entries);
  bind_graph(m);
}

}  // namespace wend
