// graph/constant.cpp: numbers as nodes. Equal ones are shared.
#include <bit>

#include "graph/batch.hpp"
#include "graph/record.hpp"
#include "kernels/cast.hpp"

namespace wend {
namespace {

// A constant that was made before, by its bits and its kind: the dtype they are of, that of the
// value, and whether it is weak.
struct Constant {
  uint64_t bits = 0;
  uint32_t kind = ~0u;
  Value node;
};
struct Constants {
  Constant entries[512];
};
constinit Forever<Constants> constants;

[[gnu::noinline]] Value new_constant(Constant& entry, uint64_t bits, DType from, DType dtype,
                                     bool weak) {
  static const Op& data = op_named("data");
  static const LayoutRef scalar = contiguous(Dims{});
  BufferRef buffer = allocate(size_of(dtype));
  cast_loop(dtype, from)(buffer->data, 0, reinterpret_cast<const char*>(&bits), 0, 1);
  const PlainMode plain(nullptr);
  Value node = from_buffer(data, std::move(buffer), dtype, scalar.get());
  node->flags |= weak ? Node::constant | Node::weak : Node::constant;
  // Whoever wrote the number first is not the one place it comes from.
  if (node->code) source_hooks.release(std::exchange(node->code, nullptr), 1);
  entry.bits = bits;
  entry.node = node;
  return node;
}

// Equal constants share a node: a number in a loop is made once.
inline Value cached_constant(uint64_t bits, DType from, DType dtype, bool weak) {
  const uint32_t kind = static_cast<uint32_t>(from) << 9 | static_cast<uint32_t>(dtype) << 1 | weak;
  const uint64_t hash = (bits ^ kind) * 0x9e3779b97f4a7c15u;
  Constant& entry = constants.value.entries[hash >> 55];
  if (entry.bits == bits && entry.kind == kind) [[likely]]
    return entry.node;
  Value node = new_constant(entry, bits, from, dtype, weak);
  entry.kind = kind;
  return node;
}

}  // namespace

Value constant(double v, DType dtype) {
  return cached_constant(std::bit_cast<uint64_t>(v), DType::float64, dtype, false);
}
Value constant(int64_t v, DType dtype) {
  return cached_constant(static_cast<uint64_t>(v), DType::int64, dtype, false);
}
Value number(double v) {
  return cached_constant(std::bit_cast<uint64_t>(v), DType::float64, DType::float64, true);
}
Value number(int64_t v) {
  return cached_constant(static_cast<uint64_t>(v), DType::int64, DType::int64, true);
}
Value number(bool v) { return cached_constant(v, DType::int64, DType::bool_, true); }
Value number(const Arg& arg) {
  if (arg.kind == Arg::real) return number(arg.d);
  if (arg.kind == Arg::boolean) return number(arg.as_bool());
  return number(arg.i);
}

Value::Value(double v) : Value(wend::number(v)) {}
Value::Value(int v) : Value(wend::number(int64_t{v})) {}

double real_of(const Node& node) {
  double out;
  cast_loop(DType::float64, node.dtype)(reinterpret_cast<char*>(&out), 0, node.data(), 0, 1);
  return out;
}

int64_t int_of(const Node& node) {
  int64_t out;
  cast_loop(DType::int64, node.dtype)(reinterpret_cast<char*>(&out), 0, node.data(), 0, 1);
  return out;
}

}  // namespace wend
