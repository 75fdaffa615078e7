// Running totals along one dimension of contiguous memory, and where running extremes are.
// Dtypes, other layouts and gradients are left to core/ops/scan.cpp.
#pragma once

#include <cstdint>

#include "base/dtype.hpp"

namespace wend {

// Three dimensions: the scan goes along the middle one, of n elements `inner` apart.
struct ScanShape {
  int64_t outer, n, inner;
};

enum class Scan : uint8_t {
  sum,
  reversed_sum,
  prod,
  logsumexp,
  recurrence,           // out[i] = x[i] + y[i] out[i - 1]
  reversed_recurrence,  // out[i] = x[i] + y[i + 1] out[i + 1]
};

// x, y (for recurrences) and out have the same dtype: float32, float64, or int64 for sums and
// products. Floats are accumulated in float64.
void scan(Scan kind, DType dtype, ScanShape shape, const char* x, const char* y, char* out);

// out[i] is the place of the extreme among the first i + 1 elements; the last of equal ones, and
// NaN before all else. x has any dtype.
void scan_extremes(bool largest, DType dtype, ScanShape shape, const char* x, int64_t* out);

}  // namespace wend
