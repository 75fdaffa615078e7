// graph/describe.cpp: calls and places as text. Names of parameters come from the op's signature.
#include "graph/describe.hpp"

#include <cctype>
#include <charconv>
#include <cstring>

#include "graph/batch.hpp"
#include "graph/record.hpp"

namespace wend {
namespace {

constexpr size_t kMostTensors = 6;  // of a list that is shown in full

struct Parameter {
  std::string_view type, name, otherwise;

  bool is_tensor() const { return type.starts_with("Tensor") || type.starts_with("Operand"); }
  bool is_list() const { return type.starts_with("Tensor[]"); }
  bool may_be_none() const { return type.ends_with('?'); }
};

std::string_view trim(std::string_view s) {
  while (s.starts_with(' ')) s.remove_prefix(1);
  while (s.ends_with(' ')) s.remove_suffix(1);
  return s;
}

Parameter read_parameter(std::string_view text) {
  Parameter p;
  if (const auto equals = text.find('='); equals != text.npos) {
    p.otherwise = trim(text.substr(equals + 1));
    text = trim(text.substr(0, equals));
  }
  const auto space = text.rfind(' ');
  p.type = trim(text.substr(0, space));
  p.name = text.substr(space + 1);
  return p;
}

// The parameters of "(Tensor input, int dim=0, *, bool keepdim=False) -> Tensor".
std::vector<Parameter> parameters(const char* signature) {
  std::vector<Parameter> out;
  const std::string_view all(signature ? signature : "");
  const auto close = all.rfind(") ->");
  if (close == all.npos) return out;
  const std::string_view inner = all.substr(1, close - 1);
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= inner.size(); ++i) {
    if (i < inner.size())
      depth += (inner[i] == '[' || inner[i] == '(') - (inner[i] == ']' || inner[i] == ')');
    if (i < inner.size() && (inner[i] != ',' || depth > 0)) continue;
    const auto part = trim(inner.substr(start, i - start));
    if (!part.empty() && part != "*") out.push_back(read_parameter(part));
    start = i + 1;
  }
  return out;
}

std::string show_number(double v) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, v).ptr;
  const std::string shown(text, end);
  return shown.find_first_of(".en") == shown.npos ? shown + ".0" : shown;
}

std::string show_list(std::span<Node* const> nodes) {
  std::string text = "[";
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (i) text += ", ";
    if (i == kMostTensors) {
      text += join("... ", nodes.size() - i, " more");
      break;
    }
    text += describe_tensor(*nodes[i]);
  }
  return text + "]";
}

std::string show_reals(std::span<const double> values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + show_number(values[i]);
  return text + (values.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string show_argument(const Arg& a) {
  switch (a.kind) {
    case Arg::none:
      return "None";
    case Arg::tensor:
      return describe_tensor(*a.node);
    case Arg::tensors:
      return show_list(a.as_nodes());
    case Arg::boolean:
      return a.as_bool() ? "True" : "False";
    case Arg::integer:
      return std::to_string(a.i);
    case Arg::real:
      return show_number(a.d);
    case Arg::ints:
      return show_tuple(a.as_ints());
    case Arg::reals:
      return show_reals(a.as_reals());
    case Arg::dtype:
      return name_of(a.t);
    case Arg::text:
      return join("'", std::string_view(a.text_p, a.n), "'");
    case Arg::generator:
      return "Generator";
  }
  return "";
}

namespace {

// The arguments that a primitive was recorded with, in the order of its signature: tensors are its
// inputs, the rest its attributes; an optional tensor that was not given is an attribute, None.
std::vector<Arg> arguments(const std::vector<Parameter>& params, std::span<const Value> inputs,
                           std::span<const Arg> attrs, std::vector<Node*>& list) {
  std::vector<Arg> args;
  size_t in = 0, at = 0, spare = inputs.size();
  for (const Parameter& p : params) spare -= p.is_tensor() && !p.may_be_none() && spare > 0;
  for (const Parameter& p : params) {
    if (p.is_list()) {
      const size_t first = list.size();
      while (in < inputs.size()) list.push_back(inputs[in++].get());
      Arg a;
      a.kind = Arg::tensors;
      a.n = static_cast<uint32_t>(list.size() - first);
      a.nodes = list.data() + first;
      args.push_back(a);
    } else if (p.is_tensor() && in < inputs.size() && (!p.may_be_none() || spare > 0)) {
      if (p.may_be_none()) --spare;
      args.push_back(Arg::of(inputs[in++].get()));
    } else {
      args.push_back(at < attrs.size() ? attrs[at++] : Arg{});
    }
  }
  return args;
}

}  // namespace

std::string show_tuple(std::span<const int64_t> values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + (values.size() == 1 ? ",)" : ")");
}

std::string describe_tensor(const Node& node) {
  if (!is_constant(node)) return show_tuple(node.sizes()) + " " + name_of(node.dtype);
  if (node.dtype == DType::bool_) return int_of(node) ? "True" : "False";
  return is_floating(node.dtype) ? show_number(real_of(node)) : std::to_string(int_of(node));
}

std::string describe_call(const char* name, const char* signature, std::span<const Arg> args) {
  const auto params = parameters(signature);
  std::string text = std::string(name) + "(";
  bool first = true;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string shown = show_argument(args[i]);
    if (args[i].is_none() || (i < params.size() && shown == params[i].otherwise)) continue;
    if (!std::exchange(first, false)) text += ", ";
    if (i < params.size())
      text += std::string(params[i].name) + (params[i].is_tensor() ? ": " : "=");
    text += shown;
  }
  return text + ")";
}

std::string describe_call(const Op& op, std::span<const Value> inputs, std::span<const Arg> attrs) {
  std::vector<Node*> list;
  list.reserve(inputs.size());
  auto args = arguments(parameters(op.signature), inputs, attrs, list);
  if (!op.signature)
    for (const Value& v : inputs) args.push_back(Arg::of(v.get()));
  return describe_call(op.name, op.signature, args);
}

void locate(Error& error, const std::string& call, Source source) {
  if (error.located || error.kind == ErrorKind::interrupted) return;
  error.located = true;
  if (!call.empty()) error.text += "\n  " + call;
  if (!error.rule.empty()) error.text += "\n  " + error.rule;
  if (source.code) error.text += "\n  at " + source_hooks.describe(source);
}

std::string backward_name(const Node& node) {
  if (node.is_leaf()) return "torch::autograd::AccumulateGrad";
  if (node.op->back == Back::function) return node.extra->attachment->name();
  fetch_inputs(node);
  for (uint32_t i = 0; i < 2 && i < node.n_inputs; ++i)
    if (node.op->grad_name_of_number[i] && node.inputs[i] && node.inputs[i]->flags & Node::constant)
      return node.op->grad_name_of_number[i];
  if (node.op->grad_name) return node.op->grad_name;
  std::string text;
  bool upper = true;
  for (const char* p = node.op->name; *p; ++p) {
    if (*p == '_') {
      upper = true;
      continue;
    }
    text += upper ? static_cast<char>(std::toupper(*p)) : *p;
    upper = false;
  }
  return text + "Backward0";
}

void locate(Error& error, const std::string& call) {
  const Source source = current_source();
  locate(error, call, source);
  if (source.code) source_hooks.release(source.code, 1);
}

}  // namespace wend
