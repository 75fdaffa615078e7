// bind/function.hpp: calls of an autograd.Function in the graph. The class itself is Python's.
#pragma once

#include "bind/grad_fn.hpp"
#include "bind/link.hpp"
#include "bind/saved.hpp"

namespace wend {

// What hangs on the node of a call: its context, which holds all else.
struct FunctionLink : TensorLink {
  PyObject* function = nullptr;

  ~FunctionLink() override { let_go(); }
  void let_go();
  Values backward(std::span<const Value> output_gradients) override;
  void forget() override;
  std::string name() const override { return function ? Py_TYPE(function)->tp_name : "function"; }
};

void init_function(PyObject* module);

}  // namespace wend
