// ops/graph.cpp: nodes that compute nothing: data, leaves, aliases with another history, and the
// two kinds of node that stand for an autograd.Function.
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {
namespace {

void same_storage_as_input(Infer& s) {
  infer_like_input(s);
  s.offset = s.in[0]->offset;
}

void no_rule(Infer& s) {
  fail(ErrorKind::runtime, "internal: ", s.op.name, " is not recorded by rule");
}

constexpr Op kOps[] = {
    {.name = "data",
     .doc = "Memory that was filled from outside when the node was made.",
     .infer = no_rule,
     .given = true,
     .hidden = true},
    {.name = "computed",
     .doc = "Memory that an op has filled when the node was made.",
     .infer = no_rule,
     .hidden = true},
    {.name = "leaf",
     .doc = "A tensor that requires grad and was not computed from others that do.",
     .infer = same_storage_as_input,
     .grad_name = "AccumulateGrad",
     .view = true,
     .hidden = true},
    {.name = "detached",
     .doc = "The same memory without gradient history.",
     .infer = same_storage_as_input,
     .view = true,
     .differentiable = false,
     .hidden = true},
    {.name = "held",
     .doc = "The same memory, held without the node that it comes from.",
     .infer = same_storage_as_input,
     .view = true,
     .keeps_base = false,
     .differentiable = false,
     .hidden = true},
    {.name = "rebind",
     .doc = "The value of input 0 with the gradient history of input 1.",
     .infer = same_storage_as_input,
     .grad = {{}, GRAD(g)},
     .view = true,
     .edges = 0b10,
     .hidden = true},
    {.name = "snapshot",
     .doc = "Input 0, a copy of memory that others may write, with the history of input 1.",
     .infer = same_storage_as_input,
     .grad = {{}, GRAD(g)},
     .view = true,
     .edges = 0b10,
     .hidden = true},
    {.name = "alias",
     .doc = "A view of the whole tensor.",
     .infer = same_storage_as_input,
     .grad = {GRAD(g)},
     .view = true,
     .hidden = true},
    {.name = "flat",
     .doc =
         "The gradient of input 1 by an op of slopes that do not change: differentiated again, it "
         "gives zeros.",
     .infer = same_storage_as_input,
     .grad = {GRAD(g), GRAD(zeros_like(g))},
     .view = true,
     .edges = 0b10,
     .hidden = true},
    {.name = "bincount_of",
     .doc = "Input 0, which was counted from the weights that are input 1.",
     .infer = same_storage_as_input,
     .grad = {{}, GRAD(no_formula("bincount"))},
     .grad_name = "BincountBackward0",
     .view = true,
     .edges = 0b10,
     .hidden = true},
    {.name = "distinct_of",
     .doc = "Input 0, the distinct elements of input 1.",
     .infer = same_storage_as_input,
     .grad = {{}, GRAD(no_derivative("_unique2"))},
     .grad_name = "Unique2Backward0",
     .view = true,
     .edges = 0b10,
     .hidden = true},
    {.name = "linear_in",
     .doc = "The same memory, for an op that is linear in it and made of others.",
     .infer = same_storage_as_input,
     .grad = {GRAD(flat(g, s))},
     .view = true,
     .hidden = true},
    {.name = "function",
     .doc = "A call of an autograd.Function; the gradient is the user's.",
     .infer = no_rule,
     .back = Back::function,
     .edges = 0xff,
     .hidden = true},
    {.name = "function_output",
     .doc = "Output number attr 0 of the function that is input 1.",
     .infer = same_storage_as_input,
     .back = Back::function_output,
     .output_attr = 0,
     .view = true,
     .edges = 0b10,
     .hidden = true},
};

}  // namespace

std::span<const Op> graph_ops() { return kOps; }

Value alias(const Value& a) { return record(op_named("alias"), {a}); }
Value alias_without_grad(const Value& a) { return record(op_named("detached"), {a}); }
Value held(const Value& a) { return record(op_named("held"), {a}); }
Value rebind(const Value& value, const Value& history) {
  return record(op_named("rebind"), {value, history});
}
Value linear_in(const Value& a) {
  return mode.grad && a->needs_grad() ? record(op_named("linear_in"), {a}) : a;
}
Value flat(const Value& gradient, const GradCall& s) {
  return mode.grad ? record(op_named("flat"), {gradient, s.of.inputs[s.index]}) : gradient;
}

Value no_derivative(const char* of) {
  fail(ErrorKind::not_implemented, "the derivative for '", of, "' is not implemented.");
}

Value no_formula(const char* of) {
  fail(ErrorKind::runtime, "derivative for aten::", of, " is not implemented");
}

void infer_like_input(Infer& s) {
  s.dtype = s.in[0]->dtype;
  s.layout = LayoutRef(s.in[0]->layout);
}

}  // namespace wend
