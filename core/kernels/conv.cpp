// Convolution as products of matrices: windows are laid out as columns, a tile of places at a time.
// The products are gemm's.
#include "kernels/conv.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

#include "base/threads.hpp"
#include "kernels/gemm.hpp"

namespace wend {
namespace {

constexpr int64_t kTile = 1 << 16;     // elements of a tile of columns, to stay in cache
constexpr double kWorthThreads = 2e5;  // multiplications
constexpr int64_t kSums = 1 << 22;     // elements of partial sums of a weight's gradient
constexpr int64_t kMostSums = 8;

// The places along the last dimension whose tap k lies on the image.
struct Inside {
  int64_t begin, end;
  Inside(const Windows& w, int64_t k) {
    const int64_t first = k * w.dilation[2] - w.padding[2], stride = w.stride[2];
    begin = first >= 0 ? 0 : (-first - 1) / stride + 1;
    end = first >= w.image[2] ? 0 : (w.image[2] - 1 - first) / stride + 1;
    end = std::min(end, w.places[2]);
    begin = std::min(begin, end);
  }
};

// Calls row(k, pixel) with the number of a tap and where its row of pixels begins, null beside the
// image, for one line of places of one channel.
template <class T, class F>
void each_tap(const Windows& w, T* channel, const int64_t (&pixel)[3], int64_t p0, int64_t p1,
              F&& row) {
  int64_t number = 0;
  for (int64_t k0 = 0; k0 < w.taps[0]; ++k0) {
    const int64_t i0 = p0 * w.stride[0] - w.padding[0] + k0 * w.dilation[0];
    const bool on0 = i0 >= 0 && i0 < w.image[0];
    for (int64_t k1 = 0; k1 < w.taps[1]; ++k1) {
      const int64_t i1 = p1 * w.stride[1] - w.padding[1] + k1 * w.dilation[1];
      const bool on = on0 && i1 >= 0 && i1 < w.image[1];
      T* const line = on ? channel + i0 * pixel[0] + i1 * pixel[1] : nullptr;
      for (int64_t k2 = 0; k2 < w.taps[2]; ++k2) row(number++, k2, line);
    }
  }
}

// The lines of places that [begin, end) covers, each with the part of it: body(p0, p1, from, to).
template <class F>
void each_line(const Windows& w, int64_t begin, int64_t end, F&& body) {
  const int64_t length = w.places[2];
  while (begin < end) {
    const int64_t line = begin / length, from = begin % length;
    const int64_t to = std::min(length, from + end - begin);
    body(line / w.places[1], line % w.places[1], from, to);
    begin += to - from;
  }
}

template <class T>
void copy_line(T* out, const T* in, int64_t step, int64_t n) {
  if (n <= 0) return;
  if (step == 1)
    std::memcpy(out, in, n * sizeof(T));
  else
    for (int64_t i = 0; i < n; ++i) out[i] = in[i * step];
}

// Places [begin, end) of the windows of `channels` channels, as rows of length `row`.
template <class T>
void to_columns(const Windows& w, const T* image, int64_t channel, const int64_t (&pixel)[3],
                int64_t channels, int64_t begin, int64_t end, T* columns, int64_t row) {
  const int64_t taps = w.taps_of_one(), step = w.stride[2] * pixel[2];
  for (int64_t c = 0; c < channels; ++c, columns += taps * row) {
    T* out = columns;
    each_line(w, begin, end, [&](int64_t p0, int64_t p1, int64_t from, int64_t to) {
      each_tap(w, image + c * channel, pixel, p0, p1,
               [&](int64_t number, int64_t k, const T* line) {
                 const Inside inside(w, k);
                 T* const at = out + number * row;
                 const int64_t low = line ? std::clamp(inside.begin, from, to) : to;
                 const int64_t high = line ? std::clamp(inside.end, low, to) : to;
                 const int64_t first = low * w.stride[2] - w.padding[2] + k * w.dilation[2];
                 std::fill_n(at, low - from, T{0});
                 if (line) copy_line(at + (low - from), line + first * pixel[2], step, high - low);
                 std::fill_n(at + (high - from), to - high, T{0});
               });
      out += to - from;
    });
  }
}

// The transpose of to_columns: adds them to the image.
template <class T>
void add_columns(const Windows& w, T* image, int64_t channel, const int64_t (&pixel)[3],
                 int64_t channels, int64_t begin, int64_t end, const T* columns, int64_t row) {
  const int64_t taps = w.taps_of_one(), step = w.stride[2] * pixel[2];
  for (int64_t c = 0; c < channels; ++c, columns += taps * row) {
    const T* in = columns;
    each_line(w, begin, end, [&](int64_t p0, int64_t p1, int64_t from, int64_t to) {
      each_tap(w, image + c * channel, pixel, p0, p1, [&](int64_t number, int64_t k, T* line) {
        if (!line) return;
        const Inside inside(w, k);
        const int64_t low = std::clamp(inside.begin, from, to);
        const int64_t high = std::clamp(inside.end, low, to);
        const T* const at = in + number * row + (low - from);
        T* const out = line + (low * w.stride[2] - w.padding[2] + k * w.dilation[2]) * pixel[2];
        if (step == 1)
          for (int64_t i = 0; i < high - low; ++i) out[i] += at[i];
        else
          for (int64_t i = 0; i < high - low; ++i) out[i * step] += at[i];
      });
      in += to - from;
    });
  }
}

template <class T>
void multiply(const Gemm<T>& g) {
  if constexpr (std::is_floating_point_v<T>) {
    gemm(g);
  } else {
    for (int64_t i = 0; i < g.m; ++i) {
      T* c = g.c + i * g.c_row;
      if (!g.accumulate) std::fill_n(c, g.n, T{0});
      for (int64_t p = 0; p < g.k; ++p)
        for (int64_t j = 0; j < g.n; ++j)
          c[j] += g.a[i * g.a_row + p * g.a_col] * g.b[p * g.b_row + j * g.b_col];
    }
  }
}

// A matrix by its strides, as an operand of a product.
template <class T>
struct Matrix {
  T* data;
  int64_t row, col;
  Matrix transposed() const { return {data, col, row}; }
};

// C = A·B, or C += A·B; either the rows or the columns of C are contiguous.
template <class T>
void product(int64_t m, int64_t n, int64_t k, Matrix<const T> a, Matrix<const T> b, Matrix<T> c,
             bool accumulate) {
  if (c.col != 1 && n != 1) {
    std::swap(m, n);
    std::swap(a, b);
    a = a.transposed();
    b = b.transposed();
    c = c.transposed();
  }
  multiply(Gemm<T>{m, n, k, a.data, a.row, a.col, b.data, b.row, b.col, c.data, c.row, accumulate});
}

// Sizes of a convolution that its three forms share.
template <class T>
struct Plan {
  const Convolution<T>& c;
  int64_t places, depth;  // of a tile of columns: how many at most, and how long each is
  int64_t tile;
  bool direct;

  explicit Plan(const Convolution<T>& c)
      : c(c),
        places(c.windows.all_places()),
        depth(c.inputs * c.windows.taps_of_one()),
        tile(std::clamp<int64_t>(kTile / std::max<int64_t>(depth, 1) / 16 * 16, 64,
                                 std::max<int64_t>(places, 64))),
        direct(c.windows.pointwise() && c.x.in_a_row(c.windows.image) &&
               (c.x.channel == 1 || c.x.pixel[2] == 1)) {}

  int64_t tiles() const { return (places + tile - 1) / tile; }
  bool worth_threads() const {
    return static_cast<double>(c.images * c.groups * c.outputs) * static_cast<double>(places) *
               static_cast<double>(depth) >
           kWorthThreads;
  }

  T* input(int64_t image, int64_t group) const {
    return c.x.data + image * c.x.image + group * c.inputs * c.x.channel;
  }
  // Channels by places.
  Matrix<T> output(int64_t image, int64_t group, int64_t place) const {
    return {c.y.data + image * c.y.image + group * c.outputs * c.y.channel + place * c.y.pixel[2],
            c.y.channel, c.y.pixel[2]};
  }
  Matrix<const T> weight(int64_t group) const {
    return {c.w + group * c.outputs * depth, depth, 1};
  }
  // The windows of places [begin, end), in `scratch` unless the image itself will do.
  Matrix<const T> columns(int64_t image, int64_t group, int64_t begin, int64_t end,
                          T* scratch) const {
    const T* in = input(image, group);
    if (direct) return {in + begin * c.x.pixel[2], c.x.channel, c.x.pixel[2]};
    to_columns(c.windows, in, c.x.channel, c.x.pixel, c.inputs, begin, end, scratch, end - begin);
    return {scratch, end - begin, 1};
  }
  std::unique_ptr<T[]> scratch(int64_t lanes) const {
    return std::make_unique_for_overwrite<T[]>(direct ? 1 : lanes * depth * tile);
  }
};

// Tasks in lanes, each with scratch memory of its own: body(task, lane).
template <class F>
void in_lanes(int64_t tasks, int64_t lanes, F&& body) {
  const int64_t each = (tasks + lanes - 1) / lanes;
  parallel_for(lanes, 1, [&](int64_t begin, int64_t end) {
    for (int64_t lane = begin; lane < end; ++lane)
      for (int64_t t = lane * each; t < std::min(tasks, (lane + 1) * each); ++t) body(t, lane);
  });
}

int64_t lanes_for(int64_t tasks, bool worth_threads) {
  return worth_threads ? std::clamp<int64_t>(tasks, 1, 4 * num_threads()) : 1;
}

template <class T>
void fill(Matrix<T> m, int64_t rows, int64_t cols, const T* values) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) m.data[i * m.row + j * m.col] = values ? values[i] : T{0};
}

// Every pixel of one group of an image becomes its channel's bias, or 0.
template <class T>
void fill_image(const Convolution<T>& c, T* image, const T* bias) {
  const int64_t* n = c.windows.image;
  for (int64_t ch = 0; ch < c.inputs; ++ch)
    for (int64_t i = 0; i < n[0]; ++i)
      for (int64_t j = 0; j < n[1]; ++j) {
        T* at = image + ch * c.x.channel + i * c.x.pixel[0] + j * c.x.pixel[1];
        const T v = bias ? bias[ch] : T{0};
        for (int64_t k = 0; k < n[2]; ++k) at[k * c.x.pixel[2]] = v;
      }
}

}  // namespace

bool Windows::pointwise() const {
  for (int i = 0; i < 3; ++i)
    if (taps[i] != 1 || stride[i] != 1 || padding[i] != 0 || image[i] != places[i]) return false;
  return true;
}

template <class T>
void convolve(const Convolution<T>& c, const T* bias) {
  const Plan<T> plan(c);
  const int64_t tiles = plan.tiles(), tasks = c.images * c.groups * tiles;
  const int64_t lanes = lanes_for(tasks, plan.worth_threads());
  const auto scratch = plan.scratch(lanes);
  in_lanes(tasks, lanes, [&](int64_t task, int64_t lane) {
    const int64_t group = task / tiles % c.groups, image = task / tiles / c.groups;
    const int64_t begin = task % tiles * plan.tile, end = std::min(plan.places, begin + plan.tile);
    const Matrix<T> out = plan.output(image, group, begin);
    if (bias) fill(out, c.outputs, end - begin, bias + group * c.outputs);
    T* const own = scratch.get() + (plan.direct ? 0 : lane * plan.depth * plan.tile);
    product<T>(c.outputs, end - begin, plan.depth, plan.weight(group),
               plan.columns(image, group, begin, end, own), out, bias != nullptr);
  });
}

template <class T>
void convolve_to_input(const Convolution<T>& c, const T* bias) {
  const Plan<T> plan(c);
  const int64_t tasks = c.images * c.groups;
  const int64_t lanes = lanes_for(tasks, plan.worth_threads());
  const auto scratch = plan.scratch(lanes);
  in_lanes(tasks, lanes, [&](int64_t task, int64_t lane) {
    const int64_t group = task % c.groups, image = task / c.groups;
    T* const in = plan.input(image, group);
    const auto weight = plan.weight(group).transposed();
    if (bias || !plan.direct) fill_image(c, in, bias ? bias + group * c.inputs : nullptr);
    for (int64_t begin = 0; begin < plan.places; begin += plan.tile) {
      const int64_t end = std::min(plan.places, begin + plan.tile), n = end - begin;
      const Matrix<T> out = plan.output(image, group, begin);
      const Matrix<const T> from{out.data, out.row, out.col};
      if (plan.direct) {
        const Matrix<T> to{in + begin * c.x.pixel[2], c.x.channel, c.x.pixel[2]};
        product<T>(plan.depth, n, c.outputs, weight, from, to, bias != nullptr);
        continue;
      }
      T* const own = scratch.get() + lane * plan.depth * plan.tile;
      product<T>(plan.depth, n, c.outputs, weight, from, Matrix<T>{own, n, 1}, false);
      add_columns(c.windows, in, c.x.channel, c.x.pixel, c.inputs, begin, end, own, n);
    }
  });
}

// Images are cut into parts by their number alone, so that sums do not depend on threads.
template <class T>
void convolve_to_weight(const Convolution<T>& c) {
  const Plan<T> plan(c);
  const int64_t size = c.outputs * plan.depth, all = c.groups * size;
  const int64_t most = std::min(kMostSums, kSums / std::max<int64_t>(all, 1));
  const int64_t parts =
      plan.worth_threads() ? std::clamp<int64_t>(c.images, 1, std::max<int64_t>(most, 1)) : 1;
  const int64_t tasks = parts * c.groups, lanes = lanes_for(tasks, plan.worth_threads());
  const auto scratch = plan.scratch(lanes);
  const auto others = std::make_unique_for_overwrite<T[]>((parts - 1) * all + 1);
  in_lanes(tasks, lanes, [&](int64_t task, int64_t lane) {
    const int64_t group = task % c.groups, part = task / c.groups;
    T* const sums = (part ? others.get() + (part - 1) * all : c.w) + group * size;
    T* const own = scratch.get() + (plan.direct ? 0 : lane * plan.depth * plan.tile);
    std::fill_n(sums, size, T{0});
    for (int64_t i = part * c.images / parts; i < (part + 1) * c.images / parts; ++i)
      for (int64_t begin = 0; begin < plan.places; begin += plan.tile) {
        const int64_t end = std::min(plan.places, begin + plan.tile);
        const Matrix<T> out = plan.output(i, group, begin);
        product<T>(c.outputs, plan.depth, end - begin, {out.data, out.row, out.col},
                   plan.columns(i, group, begin, end, own).transposed(), {sums, plan.depth, 1},
                   true);
      }
  });
  for (int64_t part = 1; part < parts; ++part)
    for (int64_t i = 0; i < all; ++i) c.w[i] += others[(part - 1) * all + i];
}

template <class T>
void image_to_columns(const Windows& w, int64_t images, int64_t channels, const Images<T>& x,
                      T* columns) {
  const int64_t places = w.all_places(), block = w.taps_of_one() * places;
  parallel_for(images * channels, std::max<int64_t>(1, 32768 / std::max<int64_t>(block, 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const T* at = x.data + i / channels * x.image + i % channels * x.channel;
                   to_columns(w, at, 0, x.pixel, 1, 0, places, columns + i * block, places);
                 }
               });
}

template <class T>
void columns_to_image(const Windows& w, int64_t images, int64_t channels, const Images<T>& x,
                      const T* columns) {
  const int64_t places = w.all_places(), block = w.taps_of_one() * places;
  parallel_for(images * channels, std::max<int64_t>(1, 32768 / std::max<int64_t>(block, 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   T* at = x.data + i / channels * x.image + i % channels * x.channel;
                   std::fill_n(at, w.pixels(), T{0});
                   add_columns(w, at, 0, x.pixel, 1, 0, places, columns + i * block, places);
                 }
               });
}

#define CONVOLUTIONS(T)                                                                   \
  template void convolve(const Convolution<T>&, const T*);                                \
  template void convolve_to_input(const Convolution<T>&, const T*);                       \
  template void convolve_to_weight(const Convolution<T>&);                                \
  template void image_to_columns(const Windows&, int64_t, int64_t, const Images<T>&, T*); \
  template void columns_to_image(const Windows&, int64_t, int64_t, const Images<T>&, const T*);
CONVOLUTIONS(float)
CONVOLUTIONS(double)
CONVOLUTIONS(uint64_t)
#undef CONVOLUTIONS

}  // namespace wend
