// bind/args.hpp: Python arguments to the arguments of an op.
#pragma once

#include <algorithm>
#include <memory>

#include "bind/python.hpp"
#include "bind/signature.hpp"
#include "bind/tensor.hpp"

namespace wend {

// A short list in fixed memory that is not initialised; it moves to the heap when it grows long.
template <class T, size_t kShort>
class ShortList {
 public:
  ShortList() {}
  T* begin() { return data_; }
  T* end() { return data_ + n_; }
  size_t size() const { return n_; }
  std::span<T const> span() const { return {data_, n_}; }
  void push(const T& item) { *extend(1) = item; }
  // Makes room for `more` items at the end, to be filled in.
  T* extend(size_t more) {
    if (n_ + more > room_) grow(n_ + more);
    n_ += more;
    return data_ + n_ - more;
  }

 private:
  void grow(size_t needed) {
    auto longer = std::make_unique_for_overwrite<T[]>(room_ = 2 * needed);
    std::copy_n(data_, n_, longer.get());
    heap_ = std::move(longer);
    data_ = heap_.get();
  }

  std::unique_ptr<T[]> heap_;
  T* data_ = short_;
  size_t n_ = 0, room_ = kShort;
  T short_[kShort];
};

// The arguments of one call, as many as the signature has parameters.
struct ParsedArgs {
  ParsedArgs() {}
  ParsedArgs(const ParsedArgs&) = delete;

  union {
    Arg args[kMaxParams];  // the parser begins each
  };
  // The tensor objects among the arguments, for finding what a result aliases.
  ShortList<PyObject*, 16> tensors;
  Values held;  // numbers that stand for tensors
  bool requires_grad = false;
  PyObject* out = nullptr;  // what was given as out=
  // What lists among the arguments consist of. A list stays where it is while others are read:
  // no signature has two lists of tensors or of floats, and lists of integers move only when long.
  int64_t ints[64];
  int n_ints = 0;
  std::vector<std::vector<int64_t>> long_lists;
  ShortList<double, 8> reals;
  ShortList<Node*, 16> nodes;

  std::span<PyObject* const> tensor_objects() const { return tensors.span(); }
};

// Why arguments do not fit, in PyTorch's words; `own` is 1 for a method, whose tensor is not
// counted.
struct WhyNot {
  std::string text = {};
  int own = 0;
};

// Fills `out`; false when the arguments do not fit the signature (with the reason in `why` if
// given). Raises only for errors that no other overload could mend.
bool parse_args(const Signature& s, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                ParsedArgs& out, WhyNot* why);

// Which parameter has that name; -1 where none has.
int find_parameter(const Signature& s, PyObject* name);

// One integer; numpy integers and 0-d integer tensors count.
bool to_int(PyObject* o, int64_t& out);
bool to_real(PyObject* o, double& out);

}  // namespace wend
