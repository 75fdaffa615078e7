// Counting by value: which bin an element falls into, how many fall into each, and which elements
// or rows are equal to each other.
#pragma once

#include <cstdint>
#include <vector>

#include "base/dtype.hpp"

namespace wend {

// out[i] is where values[i] would go into its row of sorted boundaries: before equal ones, or after
// them if `right`. There are `rows` rows of n boundaries, or one that serves all; `sorter`, if
// given, says in which places the boundaries of a row are in order. All is contiguous and of one
// dtype.
struct Search {
  DType dtype;
  const char* boundaries;
  const int64_t* sorter;
  int64_t rows, n;
  const char* values;
  int64_t values_per_row;
  bool right;
  int64_t* out;
};
void search(const Search& s);

// counts[v] for the n elements v of `values`, or the sum of their weights.
void count_values(const int64_t* values, int64_t n, int64_t* counts);
void sum_weights(const int64_t* values, int64_t n, const float* weights, float* sums);
void sum_weights(const int64_t* values, int64_t n, const double* weights, double* sums);

// Equal bins between low and high; high is in the last one, and what lies outside in none.
template <class T>
void histogram(const T* x, int64_t n, T low, T high, int64_t bins, T* counts);

// Rows of `width` elements that are equal, in the order of their elements or, if consecutive, in
// the order in which they come, where only neighbours are compared. NaN is equal to nothing.
struct Groups {
  std::vector<int64_t> first;    // for each group, one of its rows
  std::vector<int64_t> counts;   // ... and how many it has
  std::vector<int64_t> inverse;  // for each row, its group
};
Groups group_rows(DType dtype, const char* x, int64_t rows, int64_t width, bool consecutive);

}  // namespace wend
