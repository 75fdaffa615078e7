// ops/batching.hpp: what batches are made of, as functions. A row of a batch is one member's value.
#pragma once

#include "graph/record.hpp"

namespace wend {

// Rows [start, start + n) of a batch.
Value batch_rows(const Value& whole, int64_t start, int64_t n);
// Row i of the result is row `row[i]` of source `from[i]`, or all of it where that is -1.
Value gathered(std::span<Value> sources, std::span<const int64_t> sizes,
               std::span<const int64_t> from, std::span<const int64_t> row);
// All members of a batch seen with other sizes and strides; empty where the way back is not known.
Value batch_view(const Value& whole, std::span<const int64_t> sizes,
                 std::span<const int64_t> strides, int64_t offset);
// Row `to[i]` of the result has row `row[i]` of gradient `from[i]` added, all of it where that is
// -1; no row goes without.
Value assembled(std::span<Value> gradients, std::span<const int64_t> sizes,
                std::span<const int64_t> from, std::span<const int64_t> row,
                std::span<const int64_t> to);

// For rules that run members at once. Input i with a dimension for the members, whatever it had.
Value with_members(const Lift& s, int i);
// ... and as many dimensions behind that as the members have, for broadcasting.
Value aligned(const Lift& s, int i, int ndim);
// A dimension of a member, counted from the front of the batch.
inline int64_t lifted_dim(const Arg& dim, int ndim) { return wrap_dim(dim.as_int(), ndim) + 1; }
// Records the members' op, attributes as they are, on inputs that it takes as they are ...
Value lift_as_is(const Lift& s);
// ... on inputs that all have the members' dimension, for ops that count dimensions from the last
// ...
Value lift_rows(const Lift& s);
// ... and for ops that name dimensions in an attribute: one, or several, none meaning all.
Value lift_along_dim(const Lift& s, int attr);
Value lift_over_dims(const Lift& s, int attr);
template <int kAttr = 0>
Value lift_along(const Lift& s) {
  return lift_along_dim(s, kAttr);
}
template <int kAttr = 0>
Value lift_over(const Lift& s) {
  return lift_over_dims(s, kAttr);
}

}  // namespace wend
