// kernels/copy.cpp: the copy loop; conversions of a row are kernels/cast.
#include "kernels/copy.hpp"

#include <algorithm>
#include <cstring>

#include "base/threads.hpp"
#include "kernels/cast.hpp"
#include "kernels/iterate.hpp"

namespace wend {

void copy(std::span<const int64_t> sizes, Strided out, Strided in) {
  if (std::ranges::find(sizes, 0) != sizes.end()) return;
  Iteration it;
  it.begin(sizes);
  it.add(out.data, out.strides, sizes, size_of(out.dtype));
  it.add(in.data, in.strides, sizes, size_of(in.dtype));
  it.simplify();
  const Cast cast = cast_loop(out.dtype, in.dtype);
  if (it.outer() == 1) {
    const int64_t to = it.ndim ? it.stride[0][0] : 0, from = it.ndim ? it.stride[1][0] : 0;
    parallel_for(it.inner(), 1 << 16, [&](int64_t begin, int64_t end) {
      cast(it.data[0] + begin * to, to, it.data[1] + begin * from, from, end - begin);
    });
    return;
  }
  const int64_t rows = std::max<int64_t>(1, (1 << 16) / it.inner());
  parallel_for(it.outer(), rows, [&](int64_t begin, int64_t end) {
    it.walk(begin, end, [&](char** at, const int64_t* step, int64_t n) {
      cast(at[0], step[0], at[1], step[1], n);
    });
  });
}

void fill_zero(char* data, int64_t bytes) {
  parallel_for(bytes, 1 << 18,
               [&](int64_t begin, int64_t end) { std::memset(data + begin, 0, end - begin); });
}

}  // namespace wend
