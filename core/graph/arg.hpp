// graph/arg.hpp: one argument of an op call, and the attributes that a node keeps of them.
// Parsing from Python is bind/args; what an argument means is the op's business.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/checked.hpp"
#include "base/dtype.hpp"
#include "base/error.hpp"
#include "base/ref.hpp"

namespace wend {

struct Node;
struct Generator;

struct Arg {
  enum Kind : uint8_t {
    none,
    tensor,
    tensors,
    boolean,
    integer,
    real,
    ints,
    reals,
    dtype,
    text,
    generator,
  };

  Kind kind = none;
  uint32_t n = 0;  // length of a list or text
  union {
    int64_t i;
    double d;
    const int64_t* ints_p;
    const double* reals_p;
    const char* text_p;
    DType t;
    Node* node;
    Node* const* nodes;
    Generator* gen;
  };

  Arg() : i(0) {}
  static Arg of(bool v) { return number(boolean, v); }
  static Arg of(int64_t v) { return number(integer, v); }
  static Arg of(int v) { return number(integer, v); }
  static Arg of(double v) {
    Arg a;
    a.kind = real;
    a.d = v;
    return a;
  }
  static Arg of(DType v) {
    Arg a;
    a.kind = dtype;
    a.i = 0;
    a.t = v;
    return a;
  }
  static Arg of(std::span<const int64_t> v) {
    Arg a;
    a.kind = ints;
    a.n = static_cast<uint32_t>(v.size());
    a.ints_p = v.data();
    return a;
  }
  static Arg of(Node* v) {
    Arg a;
    a.kind = v ? tensor : none;
    a.node = v;
    return a;
  }

  bool is_none() const { return kind == none; }
  bool is_number() const { return kind >= boolean && kind <= real; }
  bool as_bool() const { return i != 0; }
  int64_t as_int() const { return kind == real ? clamped_int(d) : i; }
  double as_real() const { return kind == real ? d : static_cast<double>(i); }
  DType as_dtype() const { return t; }
  DType as_dtype(DType otherwise) const { return kind == dtype ? t : otherwise; }
  std::span<const int64_t> as_ints() const { return {ints_p, n}; }
  std::span<const double> as_reals() const { return {reals_p, n}; }
  std::span<Node* const> as_nodes() const { return {nodes, n}; }

 private:
  static Arg number(Kind kind, int64_t v) {
    Arg a;
    a.kind = kind;
    a.i = v;
    return a;
  }
};

// Bits are compared, also those of floats.
inline bool same_attr(const Arg& a, const Arg& b) {
  if (a.kind != b.kind || a.n != b.n) return false;
  if (a.kind == Arg::ints || a.kind == Arg::reals)
    return std::equal(a.ints_p, a.ints_p + a.n, b.ints_p);
  if (a.kind == Arg::text) return std::equal(a.text_p, a.text_p + a.n, b.text_p);
  return a.i == b.i;
}

// The attributes of a node: its non-tensor arguments, lists and texts copied into the same block.
// Nodes may share them.
struct Attrs {
  uint32_t refs;
  uint32_t n;
  size_t bytes;
  uint64_t key;  // see graph/key; 0 until asked for
  Arg items[];

  std::span<const Arg> span() const { return {items, n}; }
};

using AttrsRef = Ref<Attrs>;
AttrsRef make_attrs(std::span<const Arg> args);
struct Op;
// The same for a node of `op`. Calls in a loop mostly have equal attributes: they get those that
// were made for the last.
AttrsRef shared_attrs(const Op& op, std::span<const Arg> args);
void release(Attrs* attrs);

}  // namespace wend
