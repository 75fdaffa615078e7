// bind/args.hpp: Python arguments to the arguments of an op.
#pragma once

#include "bind/python.hpp"
#include "bind/signature.hpp"
#include "bind/tensor.hpp"

namespace wend {

constexpr int kMaxParams = 16;

// The arguments of one call. Lists lie in fixed arrays, or on the heap when they are long.
struct ParsedArgs {
  Arg args[kMaxParams];
  int64_t ints[64];
  int n_ints = 0;
  PyObject*
      tensors[8];  // the tensor objects among the arguments, for finding what a result aliases
  int n_tensors = 0;
  std::vector<PyObject*> more_tensors;
  std::vector<std::vector<int64_t>> long_lists;
  std::vector<double> reals;
  std::vector<Node*> nodes;
  Values held;  // numbers that stand for tensors
  bool requires_grad = false;
  PyObject* out = nullptr;  // what was given as out=

  std::span<PyObject* const> tensor_objects() const {
    if (more_tensors.empty()) return {tensors, static_cast<size_t>(n_tensors)};
    return more_tensors;
  }
};

// Fills `out`; false when the arguments do not fit the signature (with the reason in `why` if
// given). Raises only for errors that no other overload could mend.
bool parse_args(const Signature& s, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                ParsedArgs& out, std::string* why);

// One integer; numpy integers and 0-d integer tensors count.
bool to_int(PyObject* o, int64_t& out);
bool to_real(PyObject* o, double& out);

}  // namespace wend
