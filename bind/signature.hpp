// bind/signature.hpp: the signature of an op, read once from its text in the op table.
#pragma once

#include <Python.h>

#include <string>
#include <vector>

#include "graph/op.hpp"

namespace wend {

// Types in signatures. `?` allows None; `[]` is a list; `[1]` is a list that one number may stand
// for.
//   Tensor  Operand (a tensor or a number)  Scalar (a number, which becomes an input of the node)
//   Tensor[]  Number  int  float  bool  int[]  int[1]  float[]  dtype  str  Generator  device
//   True  False (that very word, for overloads that differ by it)  layout  memory_format
//   requires_grad  pin_memory
enum class Type : uint8_t {
  tensor,
  operand,
  scalar,
  tensors,
  number,
  integer,
  real,
  boolean,
  only_true,
  only_false,
  ints,
  reals,
  dtype,
  text,
  generator,
  device,         // only the CPU; checked, then forgotten
  layout,         // only strided
  memory_format,  // kept as text where the op reads it
  requires_grad,  // the binder marks the result
  pin_memory,
};

struct Param {
  Type type{};
  bool optional = false;  // None is allowed
  bool from_one = false;  // one number may stand for the list
  bool keyword_only = false;
  bool has_default = false;
  PyObject* interned = nullptr;
  std::string name;
  PyObject* also[6] = {};  // other names for it, interned, and a null
  Arg otherwise;
  std::vector<int64_t> default_ints;
  std::string default_text;
};

constexpr int kMaxParams = 16;

struct Signature {
  const Op* op = nullptr;
  std::vector<Param> params;
  int n_params = 0;
  uint32_t may_lack = 0;   // bit i: without parameter i, defaults[i] is all there is to it
  int positional = 0;      // parameters that may be given by position
  bool varargs = false;    // the last of them is a list whose numbers may be given one by one
  int requires_grad = -1;  // index of that parameter
  bool returns_list = false;
  bool names_results = false;  // -> (Tensor values, Tensor indices)
  bool takes_out = false;
  Arg defaults[kMaxParams];
  std::string text;

  std::span<const Arg> args(const Arg* all) const { return {all, static_cast<size_t>(n_params)}; }
};

Signature parse_signature(const Op& op, const char* text);

}  // namespace wend
