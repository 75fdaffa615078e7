// ops/index.cpp: reading and writing by index tensors.
#include "ops/families.hpp"
#include "ops/functions.hpp"

namespace wend {

std::span<const Op> index_ops() { return {}; }

Value index(const Value&, std::span<const Value>) { fail(ErrorKind::not_implemented, "index"); }
Value index_put(const Value&, std::span<const Value>, const Value&, bool) {
  fail(ErrorKind::not_implemented, "index_put");
}
Values nonzero_indices(const Value&) { fail(ErrorKind::not_implemented, "nonzero"); }

}  // namespace wend
