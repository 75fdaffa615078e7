// graph/read.cpp: what a program learns of a value.
#include "graph/read.hpp"

#include "graph/record.hpp"

namespace wend {
namespace {

Arg element_of(const Node& node) {
  if (node.dtype == DType::bool_) return Arg::of(int_of(node) != 0);
  return is_floating(node.dtype) ? Arg::of(real_of(node)) : Arg::of(int_of(node));
}

}  // namespace

bool read_truth(const Value& v) {
  evaluate(v);
  const bool truth = real_of(*v) != 0;
  if (is_watched()) [[unlikely]]
    tell_read(*v, Read::truth, Arg::of(truth));
  return truth;
}

Arg read_number(const Value& v) {
  evaluate(v);
  const Arg number = element_of(*v);
  if (is_watched()) [[unlikely]]
    tell_read(*v, Read::number, number);
  return number;
}

void read_bytes(const Value& v) {
  evaluate(v);
  if (is_watched()) [[unlikely]]
    tell_read(*v, Read::bytes, Arg());
}

}  // namespace wend
