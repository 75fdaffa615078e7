// Reductions along any dimensions: brings an operand into the form of rows or columns that the
// loops of level/reduce.inl take, and splits the work. The split depends on sizes alone, so that a
// result is the same for any number of threads.
#include "kernels/reduce.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/layout.hpp"
#include "base/threads.hpp"
#include "kernels/cast.hpp"
#include "kernels/iterate.hpp"
#include "kernels/level.hpp"

namespace wend {
namespace {

constexpr int64_t kChunk = 1 << 15;  // elements that one call of a loop takes at most, about
constexpr int64_t kParallel = 1 << 16;
constexpr int64_t kColumns = 512;  // columns that one call takes

Reduce next_kind(Reduce kind) { return kind == Reduce::squares ? Reduce::sum : kind; }

const ReduceLoops& loops_of(Reduce kind, DType compute) {
  return level().reduce->loops[static_cast<int>(kind)][reduce_index(compute)];
}

// A two-dimensional part of the operand, strides in bytes.
struct Part {
  char* data;
  int64_t rows, row_stride;
  int64_t columns, column_stride;
  const char* shift;  // of its first element, or null
  int64_t shift_row_stride, shift_column_stride;
};

// Memory for a part that cannot be read where it is: on the stack if it is small.
class Scratch {
 public:
  char* take(int64_t bytes) {
    if (bytes <= static_cast<int64_t>(sizeof few_)) return few_;
    if (static_cast<int64_t>(many_.size()) < bytes) many_.resize(bytes);
    return many_.data();
  }

 private:
  alignas(64) char few_[1024];
  std::vector<char> many_;
};

// Reads parts in the dtype of the computation and with unit stride.
class Reader {
 public:
  Reader(DType compute, DType from, const Before& before)
      : element_(size_of(compute)),
        from_(size_of(from)),
        in_place_(compute == from && !before.shift && !before.loops[0] && !before.maker),
        same_(compute == from),
        cast_(cast_loop(compute, from)),
        before_(before) {
    if (before.shift) subtract_ = elementwise_loop(Elementwise::sub, compute);
  }

  bool in_place() const { return in_place_; }
  // Where the part's elements are; `stride` is of its rows, in elements.
  const char* read(const Part& p, Scratch& scratch, int64_t& stride) const {
    stride = p.row_stride / element_;
    if (in_place_ && (p.column_stride == element_ || p.columns == 1) &&
        p.row_stride % element_ == 0)
      return p.data;
    stride = p.columns;
    char* to = scratch.take(p.rows * p.columns * element_);
    if (subtract_ && same_ && !before_.maker) {
      subtract(p, to, p.data, p.row_stride, p.column_stride);
    } else if (p.row_stride == p.columns * p.column_stride) {
      take(to, p.data, p.column_stride, p.rows * p.columns);
    } else {
      for (int64_t i = 0; i < p.rows; ++i)
        take(to + i * p.columns * element_, p.data + i * p.row_stride, p.column_stride, p.columns);
    }
    if (subtract_ && (!same_ || before_.maker)) subtract(p, to, to, p.columns * element_, element_);
    transform(to, p.rows * p.columns);
    return to;
  }

 private:
  void take(char* to, char* from, int64_t stride, int64_t n) const {
    if (!before_.maker) return cast_(to, element_, from, stride, n);
    const int64_t first = (from - reinterpret_cast<const char*>(before_.maker)) / from_;
    if (same_) return before_.maker->make(first, n, to);
    constexpr int64_t kTile = 1024;
    alignas(64) char tile[kTile * 8];
    for (int64_t i = 0; i < n; i += kTile) {
      const int64_t count = std::min(kTile, n - i);
      before_.maker->make(first + i, count, tile);
      cast_(to + i * element_, element_, tile, from_, count);
    }
  }

  // The part, whose elements are at `from`, without its shift.
  void subtract(const Part& p, char* to, char* from, int64_t row_stride,
                int64_t column_stride) const {
    const int64_t strides[] = {element_, column_stride, p.shift_column_stride};
    for (int64_t i = 0; i < p.rows; ++i) {
      char* const data[] = {to + i * p.columns * element_, from + i * row_stride,
                            const_cast<char*>(p.shift) + i * p.shift_row_stride};
      subtract_(data, strides, p.columns);
    }
  }

  void transform(char* to, int64_t count) const {
    char* const data[] = {to, to, const_cast<char*>(before_.operand)};
    const int64_t strides[] = {element_, element_, 0};
    for (Loop loop : before_.loops)
      if (loop) loop(data, strides, count);
  }

  int64_t element_, from_;
  bool in_place_, same_;
  Cast cast_;
  Loop subtract_ = nullptr;
  const Before& before_;
};

// A reduction along one axis; `kept` walks the others with operands in, out and perhaps shift.
struct OneAxis {
  const Reduction& r;
  const Iteration& kept;
  int64_t n, stride;  // of the axis that is reduced
  int64_t element;
  ReduceLoops loops, next;
  Reader reader;
  int64_t aside;  // from the result to the sum that is formed beside it, in bytes

  OneAxis(const Reduction& r, const Iteration& kept, int64_t n, int64_t stride)
      : r(r),
        kept(kept),
        n(n),
        stride(stride),
        element(size_of(r.compute)),
        loops(loops_of(r.kind, r.compute)),
        next(loops_of(next_kind(r.kind), r.compute)),
        reader(r.compute, r.in.dtype, r.before),
        aside(r.sums ? r.sums - r.out : 0) {}

  void rows(const char* x, int64_t length, int64_t row_stride, int64_t count, char* out,
            int64_t out_stride, int64_t beside) const {
    loops.rows(x, length, row_stride, count, out, out_stride);
    if (r.sums) next.rows(x, length, row_stride, count, out + beside, out_stride);
  }

  // Partial results become results: first those of `loops`, then, as far again, the sums beside
  // them.
  template <class Join>
  void join_partial(const std::vector<char>& partial, Join join) const {
    join(partial.data(), 0);
    if (r.sums) join(partial.data() + partial.size() / 2, aside);
  }

  void run() const {
    const bool unit_columns = kept.ndim > 0 && kept.step(0) == size_of(r.in.dtype);
    if (unit_columns && stride > kept.step(0))
      columns();
    else if (n > kChunk)
      long_rows();
    else
      short_rows();
  }

  void short_rows() const {
    const int64_t longest = std::max<int64_t>(1, kChunk / n);
    parallel_for(
        kept.total(), std::max<int64_t>(1, kParallel / n), [&](int64_t begin, int64_t end) {
          Scratch scratch;
          kept.runs(begin, end, longest, [&](char** at, int64_t count) {
            int64_t row_stride;
            const Part part = {at[0], count, kept.step(0), n, stride, at[2], kept.step(2), 0};
            const char* x = reader.read(part, scratch, row_stride);
            rows(x, n, row_stride, count, at[1], kept.step(1) / element, aside);
          });
        });
  }

  // Each row in chunks, whose results are reduced again.
  void long_rows() const {
    const int64_t chunks = (n + kChunk - 1) / kChunk, bytes = kept.total() * chunks * element;
    std::vector<char> partial(r.sums ? 2 * bytes : bytes);
    parallel_for(kept.total() * chunks, kParallel / kChunk, [&](int64_t i, int64_t end) {
      Scratch scratch;
      for (; i < end; ++i) {
        const int64_t row = i / chunks, first = i % chunks * kChunk;
        kept.runs(row, row + 1, 1, [&](char** at, int64_t) {
          int64_t unused;
          const Part part = {
              at[0] + first * stride, 1, 0, std::min(kChunk, n - first), stride, at[2], 0, 0};
          const char* x = reader.read(part, scratch, unused);
          rows(x, part.columns, 0, 1, partial.data() + i * element, 1, bytes);
        });
      }
    });
    join_partial(partial, [&](const char* x, int64_t beside) {
      kept.runs(0, kept.total(), kept.inner(), [&](char** at, int64_t count) {
        next.rows(x, chunks, chunks, count, at[1] + beside, kept.step(1) / element);
        x += count * chunks * element;
      });
    });
  }

  // Blocks of columns, in chunks of rows whose results are reduced again.
  void columns() const {
    const int64_t width = kept.inner(), block = std::min(width, kColumns);
    const int64_t blocks = (width + block - 1) / block;
    const int64_t rows = std::max<int64_t>(64, kChunk / block), chunks = (n + rows - 1) / rows;
    const bool whole = chunks == 1;
    const int64_t bytes = whole ? 0 : kept.total() * chunks * element;
    std::vector<char> partial(r.sums ? 2 * bytes : bytes);
    const int64_t grain = std::max<int64_t>(1, kParallel / (block * std::min(n, rows)));
    parallel_for(kept.outer() * chunks * blocks, grain, [&](int64_t i, int64_t end) {
      Scratch scratch;
      for (; i < end; ++i) {
        const int64_t b = i % blocks * block, chunk = i / blocks % chunks, first = chunk * rows;
        const int64_t o = i / blocks / chunks, at_column = o * width + b;
        char* to = partial.data() + ((o * chunks + chunk) * width + b) * element;
        kept.runs(at_column, o * width + std::min(b + block, width), block,
                  [&](char** at, int64_t count) {
                    int64_t row_stride;
                    const Part part = {at[0] + first * stride,
                                       std::min(rows, n - first),
                                       stride,
                                       count,
                                       kept.step(0),
                                       at[2],
                                       0,
                                       kept.step(2)};
                    const char* x = reader.read(part, scratch, row_stride);
                    char* out = whole ? at[1] : to;
                    const int64_t step = whole ? kept.step(1) / element : 1;
                    loops.columns(x, part.rows, row_stride, count, out, step);
                    if (r.sums)
                      next.columns(x, part.rows, row_stride, count, out + (whole ? aside : bytes),
                                   step);
                  });
      }
    });
    if (whole) return;
    join_partial(partial, [&](const char* x, int64_t beside) {
      kept.runs(0, kept.total(), width, [&](char** at, int64_t) {
        next.columns(x, chunks, width, width, at[1] + beside, kept.step(1) / element);
        x += chunks * width * element;
      });
    });
  }
};

// Where the extremes along one axis are; `kept` walks the others with operands in and out.
struct ArgExtreme {
  ReduceLoops extreme;
  ArgLoops loops;
  DType compute;
  int64_t element, n, stride;
  Iteration kept;
  Before nothing;
  Reader reader;

  ArgExtreme(bool largest, DType compute, std::span<const int64_t> sizes, Strided in, int dim,
             int64_t* out)
      : extreme(loops_of(largest ? Reduce::max : Reduce::min, compute)),
        loops(level().reduce->arg[largest ? 0 : 1][reduce_index(compute)]),
        compute(compute),
        element(size_of(compute)),
        n(sizes.empty() ? 1 : sizes[dim]),
        stride(sizes.empty() ? 0 : in.strides[dim] * size_of(in.dtype)),
        reader(compute, in.dtype, nothing) {
    Dims others(sizes), strides(in.strides);
    if (others.n) others.erase(dim), strides.erase(dim);
    kept.begin(others.span());
    kept.add(in.data, strides.span(), others.span(), size_of(in.dtype));
    kept.add(reinterpret_cast<char*>(out), contiguous_strides(others.span()).span(), others.span(),
             sizeof(int64_t));
    kept.simplify();
  }

  void run() const {
    const bool unit_columns = kept.ndim > 0 && kept.step(0) == element && reader.in_place();
    if (unit_columns && stride > element && stride % element == 0)
      columns();
    else
      rows();
  }

  void rows() const {
    parallel_for(kept.total(), std::max<int64_t>(1, kParallel / n),
                 [&](int64_t begin, int64_t end) {
                   Scratch scratch;
                   kept.runs(begin, end, kept.inner(), [&](char** at, int64_t count) {
                     for (int64_t i = 0; i < count; ++i)
                       *reinterpret_cast<int64_t*>(at[1] + i * kept.step(1)) =
                           in_row(at[0] + i * kept.step(0), scratch);
                   });
                 });
  }

  // The chunk that has the extreme is the first whose own extreme no later one beats.
  int64_t in_row(char* row, Scratch& scratch) const {
    if (n <= kChunk) return in_chunk(row, 0, scratch);
    const int64_t chunks = (n + kChunk - 1) / kChunk;
    std::vector<char> partial(chunks * element);
    parallel_for(chunks, kParallel / kChunk, [&](int64_t i, int64_t end) {
      Scratch own;
      for (; i < end; ++i) {
        int64_t unused;
        const Part part = chunk_of(row, i);
        extreme.rows(reader.read(part, own, unused), part.columns, 0, 1,
                     partial.data() + i * element, 1);
      }
    });
    alignas(8) char best[8];
    extreme.rows(partial.data(), chunks, 0, 1, best, 1);
    return in_chunk(row, loops.find(partial.data(), chunks, best), scratch);
  }

  Part chunk_of(char* row, int64_t chunk) const {
    const int64_t first = chunk * kChunk;
    return {row + first * stride, 1, 0, std::min(kChunk, n - first), stride, nullptr, 0, 0};
  }

  int64_t in_chunk(char* row, int64_t chunk, Scratch& scratch) const {
    const Part part = chunk_of(row, chunk);
    int64_t unused;
    const char* x = reader.read(part, scratch, unused);
    alignas(8) char best[8];
    extreme.rows(x, part.columns, 0, 1, best, 1);
    return chunk * kChunk + loops.find(x, part.columns, best);
  }

  void columns() const {
    const int64_t width = kept.inner(), block = std::min(width, kColumns);
    const int64_t blocks = (width + block - 1) / block;
    const int64_t grain = std::max<int64_t>(1, kParallel / (block * n));
    parallel_for(kept.outer() * blocks, grain, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        const int64_t row = i / blocks * width, first = i % blocks * block;
        kept.runs(row + first, row + std::min(first + block, width), block,
                  [&](char** at, int64_t count) {
                    loops.columns(at[0], n, stride / element, count,
                                  reinterpret_cast<int64_t*>(at[1]),
                                  kept.step(1) / static_cast<int64_t>(sizeof(int64_t)));
                  });
      }
    });
  }
};

// One axis after the other, the innermost first; results in between are contiguous.
void reduce_axes(const Reduction& r, const Iteration& kept, const Iteration& reduced) {
  const int last = reduced.ndim - 1;
  if (last <= 0) {
    const OneAxis axis(r, kept, reduced.inner(), last < 0 ? 0 : reduced.stride[0][0]);
    return axis.run();
  }
  Dims sizes, from;
  for (int i = 0; i < last; ++i) sizes.push(reduced.size[i]), from.push(reduced.stride[0][i]);
  for (int i = 0; i < kept.ndim; ++i) sizes.push(kept.size[i]), from.push(kept.stride[0][i]);
  const int64_t element = size_of(r.compute), bytes = count(sizes.span()) * element;
  std::vector<char> between(r.sums ? 2 * bytes : bytes);
  const Dims steps = contiguous_strides(sizes.span());

  Iteration first;
  first.begin(sizes.span());
  first.add(kept.data[0], from.span(), sizes.span(), 1);
  first.add(between.data(), steps.span(), sizes.span(), element);
  if (kept.operands > 2)
    first.add(kept.data[2], {kept.stride[2], static_cast<size_t>(kept.ndim)},
              sizes.span().subspan(last), 1);
  first.simplify();
  Reduction inner = r;
  inner.out = between.data();
  if (r.sums) inner.sums = between.data() + bytes;
  OneAxis(inner, first, reduced.size[last], reduced.stride[0][last]).run();

  const auto results = sizes.span().subspan(last);
  auto join = [&](char* parts, char* out) {
    Iteration rest, outer;
    rest.begin(sizes.span().first(last));
    rest.add(parts, steps.span().first(last), sizes.span().first(last), element);
    rest.simplify();
    outer.begin(results);
    outer.add(parts, steps.span().subspan(last), results, element);
    outer.add(out, {kept.stride[1], static_cast<size_t>(kept.ndim)}, results, 1);
    outer.simplify();
    reduce_axes({next_kind(r.kind), r.compute, {}, {nullptr, r.compute, {}}, 0, nullptr}, outer,
                rest);
  };
  join(between.data(), kept.data[1]);
  if (r.sums) join(between.data() + bytes, kept.data[1] + (r.sums - r.out));
}

}  // namespace

void reduce(const Reduction& r) {
  Dims kept_sizes, kept_strides, sizes, strides;
  for (int i = 0; i < static_cast<int>(r.sizes.size()); ++i) {
    const bool gone = r.reduced >> i & 1;
    (gone ? sizes : kept_sizes).push(r.sizes[i]);
    (gone ? strides : kept_strides).push(r.in.strides[i]);
  }
  const int64_t outputs = count(kept_sizes.span());
  if (outputs == 0) return;
  if (count(sizes.span()) == 0)
    return loops_of(r.kind, r.compute).rows(nullptr, 0, 0, outputs, r.out, 1);
  const Dims out_strides = contiguous_strides(kept_sizes.span());
  const int64_t from = size_of(r.in.dtype), element = size_of(r.compute);
  Iteration kept, reduced;
  kept.begin(kept_sizes.span());
  kept.add(r.in.data, kept_strides.span(), kept_sizes.span(), from);
  kept.add(r.out, out_strides.span(), kept_sizes.span(), element);
  if (r.before.shift)
    kept.add(const_cast<char*>(r.before.shift), out_strides.span(), kept_sizes.span(), element);
  kept.simplify();
  reduced.begin(sizes.span());
  reduced.add(r.in.data, strides.span(), sizes.span(), from);
  reduced.simplify();
  reduce_axes(r, kept, reduced);
}

void reduce_row(Reduce kind, DType compute, const char* x, int64_t n, char* out) {
  loops_of(kind, compute).rows(x, n, 0, 1, out, 1);
}

void arg_extreme(bool largest, DType compute, std::span<const int64_t> sizes, Strided in, int dim,
                 int64_t* out) {
  ArgExtreme(largest, compute, sizes, in, dim, out).run();
}

}  // namespace wend
